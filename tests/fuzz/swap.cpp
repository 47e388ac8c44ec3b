// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts a fresh element into the place of one of ours while the pipeline plays.
#include <chrono>
#include <thread>

#include "options.h"
#include "run.h"

namespace {

/// A pad that no frame passes while this lives.
class Blocked {
 public:
  explicit Blocked(GstPad *pad) : pad_(pad) {
    id_ = gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
        [](GstPad *, GstPadProbeInfo *, gpointer data) {
          **static_cast<std::shared_ptr<std::atomic<bool>> *>(data) = true;
          return GST_PAD_PROBE_OK;
        },
        new std::shared_ptr<std::atomic<bool>>(blocked_),
        [](gpointer data) { delete static_cast<std::shared_ptr<std::atomic<bool>> *>(data); });
  }
  ~Blocked() { gst_pad_remove_probe(pad_, id_); }
  Blocked(const Blocked &) = delete;

  /// Waits for a frame to come and be held. There may be none any more.
  bool wait() const {
    for (int i = 0; i < 400 && !*blocked_; i++)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return *blocked_;
  }

 private:
  GstPad *pad_;
  gulong id_;
  std::shared_ptr<std::atomic<bool>> blocked_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

void Run::swap() {
  // Beside GStreamer's own filters a stop costs too much; a mixer has pads of its own kind.
  if (chain_.fragile || chain_.branches || expected_error_) return;
  const size_t which = static_cast<size_t>(random_.below(static_cast<int>(ours_.size())));
  GstElement *old = ours_[which];
  await_frame();  // that a change of caps before this has come through
  step(std::string("swap ") + GST_OBJECT_NAME(old));
  GstPad *sink = gst_element_get_static_pad(old, "sink"),
         *source = gst_element_get_static_pad(old, "src");
  GstPad *before = gst_pad_get_peer(sink), *after = gst_pad_get_peer(source);
  gst_object_unref(sink);
  gst_object_unref(source);
  {
    const Blocked blocked(before);
    if (blocked.wait()) replace(which, before, after);
  }
  gst_object_unref(before);
  gst_object_unref(after);
}

/// The old element goes, and one of its kind and name comes between these pads.
void Run::replace(size_t which, GstPad *before, GstPad *after) {
  GstElement *old = ours_[which];
  const std::string name = GST_OBJECT_NAME(old);
  GstElement *fresh = gst_element_factory_create(gst_element_get_factory(old), nullptr);
  gst_bin_remove(GST_BIN(pipeline_), old);  // and its links
  gst_element_set_state(old, GST_STATE_NULL);
  gst_object_set_name(GST_OBJECT(fresh), name.c_str());
  gst_bin_add(GST_BIN(pipeline_), fresh);
  adopt(fresh);
  GstPad *sink = gst_element_get_static_pad(fresh, "sink"),
         *source = gst_element_get_static_pad(fresh, "src");
  // One of its kind was here, so that caps need no check, which those that change meanwhile may
  // fail.
  const auto link = [](GstPad *from, GstPad *to) {
    return gst_pad_link_full(from, to, GST_PAD_LINK_CHECK_NOTHING);
  };
  const GstPadLinkReturn links[] = {link(source, after), link(before, sink)};
  if (links[0] != GST_PAD_LINK_OK || links[1] != GST_PAD_LINK_OK)
    complain("a fresh " + name + " can't be linked: " + gst_pad_link_get_name(links[0]) + ", " +
             gst_pad_link_get_name(links[1]));
  gst_object_unref(sink);
  gst_object_unref(source);
  gst_element_sync_state_with_parent(fresh);
  {
    const std::lock_guard lock(ours_mutex_);
    ours_[which] = GST_ELEMENT(gst_object_ref(fresh));
  }
  gst_object_unref(old);
  all_swaps++;
}
