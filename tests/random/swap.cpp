// SPDX-License-Identifier: LGPL-2.1-or-later
#include "swap.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace {

/// A pad that no frame passes while this lives.
class BlockedPad {
 public:
  explicit BlockedPad(GstPad *pad) : pad_(pad) {
    id_ = gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
        [](GstPad *, GstPadProbeInfo *, gpointer data) {
          **static_cast<std::shared_ptr<std::atomic<bool>> *>(data) = true;
          return GST_PAD_PROBE_OK;
        },
        new std::shared_ptr<std::atomic<bool>>(blocked_),
        [](gpointer data) { delete static_cast<std::shared_ptr<std::atomic<bool>> *>(data); });
  }
  ~BlockedPad() { gst_pad_remove_probe(pad_, id_); }
  BlockedPad(const BlockedPad &) = delete;

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

GstPad *peer_of(GstElement *element, const char *name) {
  GstPad *pad = gst_element_get_static_pad(element, name), *peer = gst_pad_get_peer(pad);
  gst_object_unref(pad);
  return peer;
}

/// Links a pad of the element with another one. One of its kind was here, so that caps need no
/// check, which those that change meanwhile may fail.
GstPadLinkReturn link(GstElement *element, const char *name, GstPad *other) {
  GstPad *pad = gst_element_get_static_pad(element, name);
  const bool is_source = GST_PAD_IS_SRC(pad);
  const GstPadLinkReturn result = gst_pad_link_full(
      is_source ? pad : other, is_source ? other : pad, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref(pad);
  return result;
}

}  // namespace

GstElement *swapped(GstBin *pipeline, GstElement *old,
                    const std::function<void(GstElement *)> &set_up, std::string &fault) {
  GstPad *before = peer_of(old, "sink"), *after = peer_of(old, "src");
  GstElement *fresh = nullptr;
  {
    const BlockedPad blocked(before);
    if (blocked.wait()) {
      const std::string name = GST_OBJECT_NAME(old);
      fresh = gst_element_factory_create(gst_element_get_factory(old), nullptr);
      gst_bin_remove(pipeline, old);  // and its links
      gst_element_set_state(old, GST_STATE_NULL);
      gst_object_set_name(GST_OBJECT(fresh), name.c_str());
      gst_bin_add(pipeline, GST_ELEMENT(gst_object_ref(fresh)));
      set_up(fresh);
      const GstPadLinkReturn links[] = {link(fresh, "src", after), link(fresh, "sink", before)};
      if (links[0] != GST_PAD_LINK_OK || links[1] != GST_PAD_LINK_OK)
        fault = "a fresh " + name + " can't be linked: " + gst_pad_link_get_name(links[0]) + ", " +
                gst_pad_link_get_name(links[1]);
      gst_element_sync_state_with_parent(fresh);
    }
  }
  gst_object_unref(before);
  gst_object_unref(after);
  return fresh;
}
