// SPDX-License-Identifier: LGPL-2.1-or-later
// Analysers with nothing to draw pass on the input buffer.
#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::Pipeline;

namespace {

const char *const analysers[] = {"glclhistogram display=none",
                                 "glclhistogram display=none shot-detection=true interval=0",
                                 "glclhough display=none interval=0 high=5",
                                 "glclmotion display=none interval=0",
                                 "glopenclflow display=none interval=0",
                                 "glopenclflow display=none legend=true post-messages=false",
                                 "glclscope display=none interval=0",
                                 "glclklt display=none interval=0 noise=0"};

/// The value of `display` with which the analyser draws something.
std::string drawing(const std::string &analyser) {
  if (analyser.rfind("glclmotion", 0) == 0) return "residual";
  if (analyser.rfind("glclklt", 0) == 0) return "points";
  if (analyser.rfind("glclscope", 0) == 0) return "parade";
  if (analyser.rfind("glclhough", 0) == 0) return "edges";
  return analyser.rfind("glopenclflow", 0) == 0 ? "color" : "overlay";
}

/// The ids of the first texture of every buffer on a pad. They are compared, never used.
class BufferWatch {
 public:
  struct ObservedBuffer {
    const GstBuffer *buffer;
    const GstMemory *memory;
    int metas;
    bool operator==(const ObservedBuffer &other) const {
      return buffer == other.buffer && memory == other.memory;
    }
  };

  BufferWatch(GstElement *element, const char *pad)
      : pad_(gst_element_get_static_pad(element, pad)) {
    probe_ = gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, this, nullptr);
  }
  ~BufferWatch() {
    gst_pad_remove_probe(pad_, probe_);
    gst_object_unref(pad_);
  }
  BufferWatch(const BufferWatch &) = delete;

  std::vector<ObservedBuffer> take() { return std::exchange(observed_, {}); }

 private:
  static GstPadProbeReturn on_buffer(GstPad *, GstPadProbeInfo *info, gpointer self) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    const GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
    int metas = 0;
    gpointer walk = nullptr;
    while (const GstMeta *meta = gst_buffer_iterate_meta(buffer, &walk))
      metas += gst_meta_info_is_custom(meta->info);
    static_cast<BufferWatch *>(self)->observed_.push_back({buffer, memory, metas});
    return GST_PAD_PROBE_OK;
  }

  GstPad *pad_;
  gulong probe_;
  std::vector<ObservedBuffer> observed_;
};

std::string name_of(const std::string &analyser) { return analyser.substr(0, analyser.find(' ')); }

}  // namespace

TEST(frame_itself) {
  for (const std::string analyser : analysers) {
    Chain chain("gleffects_identity ! " + analyser + " ! gleffects_identity");
    GstElement *element = chain[name_of(analyser)];
    BufferWatch in(element, "sink"), out(element, "src");
    for (int i = 0; i < 6; i++) {
      const Frame frame = reference::random_frame(50, 33, i);
      expect_same(frame, chain.filter(frame), analyser);
    }
    const auto came = in.take(), went = out.take();
    expect(came.size() == 6 && came == went, analyser + " passes every frame on");
    expect(test::stat(element, "frames") == 6, "and sees it");
    test::expect_none(chain.messages().errors());
  }
}

// A meta is attached to the input buffer if no other element holds the buffer.
TEST(metas) {
  for (const std::string analyser : analysers) {
    Chain chain("gleffects_identity ! " + analyser + " attach-meta=true");
    GstElement *element = chain[name_of(analyser)];
    BufferWatch in(element, "sink"), out(element, "src");
    for (int i = 0; i < 4; i++) {
      const Frame frame = reference::random_frame(48, 32, i);
      expect_same(frame, chain.filter(frame), analyser);
    }
    const auto came = in.take(), went = out.take();
    expect(came.size() == 4 && came == went, analyser + " attaches to what came");
    expect(came.back().metas == 0 && went.back().metas == 1, analyser + " attaches its meta");
  }
}

// With sharing=copy the frame is uploaded once; other methods transfer nothing.
TEST(transfers) {
  for (const std::string analyser : analysers) {
    Chain chain(analyser);
    for (int i = 0; i < 6; i++) chain.filter(reference::random_frame(48, 32, i));
    const guint64 copies = test::stat(chain[name_of(analyser)], "copies");
    expect(copies == (test::copies_frames() ? 6 : 0),
           analyser + ": " + std::to_string(copies) + " transfers of 6 frames");
  }
}

TEST(display_while_playing) {
  for (const std::string analyser : analysers) {
    Chain chain("gleffects_identity ! " + analyser);
    GstElement *element = chain[name_of(analyser)];
    BufferWatch in(element, "sink"), out(element, "src");
    for (int i = 0; i < 24; i++) {
      const bool draws = i / 3 % 2;
      gst_util_set_object_arg(G_OBJECT(element), "display",
                              draws ? drawing(analyser).c_str() : "none");
      const Frame frame = reference::random_frame(64, 48, i);
      const Frame got = chain.filter(frame);
      const auto came = in.take(), went = out.take();
      expect(came.size() == 1 && went.size() == 1, "one frame in, one out");
      expect((came == went) == !draws, analyser + ": a drawing has a frame of its own");
      expect((frame.rgba == got.rgba) == !draws, analyser + ": frame " + std::to_string(i));
    }
    test::expect_none(chain.messages().errors());
  }
}

TEST(equalize_while_playing) {
  Chain chain("glclhistogram");
  BufferWatch in(chain["glclhistogram"], "sink"), out(chain["glclhistogram"], "src");
  for (const char *equalize : {"none", "luma", "none", "rgb", "none"}) {
    gst_util_set_object_arg(G_OBJECT(chain["glclhistogram"]), "equalize", equalize);
    const Frame frame = reference::random_frame(64, 48);
    const Frame got = chain.filter(frame);
    const bool passes = in.take() == out.take();
    expect(passes == (std::string(equalize) == "none"), "equalised frames are others");
    if (passes) expect_same(frame, got, "the frame");
  }
}

// Both branches of a tee have the same memory, and only one has the metas.
TEST(after_tee) {
  for (const std::string analyser : analysers) {
    Pipeline pipeline(
        "videotestsrc pattern=snow num-buffers=12 ! "
        "video/x-raw,format=RGBA,width=64,height=48 ! glupload ! glcolorconvert ! "
        "gleffects_identity ! tee name=tee ! queue ! " +
        analyser +
        " attach-meta=true ! tee name=after ! queue ! gldownload ! fakesink name=first sync=false "
        "tee. ! queue ! identity name=plain ! gldownload ! fakesink name=second sync=false "
        "after. ! queue ! glclinvert ! gldownload ! fakesink name=third sync=false");
    const auto &first = pipeline.collect("first"), &second = pipeline.collect("second"),
               &third = pipeline.collect("third");
    BufferWatch in(pipeline[name_of(analyser)], "sink"), out(pipeline[name_of(analyser)], "src"),
        plain(pipeline["plain"], "src");
    expect(pipeline.run(), "no EOS");
    const auto came = in.take(), went = out.take(), others = plain.take();
    expect(came.size() == 12 && went.size() == 12 && others.size() == 12, "every frame comes");
    for (size_t i = 0; i < 12; i++) {
      expect(came[i].memory == went[i].memory && others[i].memory == went[i].memory,
             analyser + ": the memory is shared");
      expect(others[i].metas == 0, "the other branch has no meta");
    }
    expect(went.back().metas == 1, "this one has");
    expect(first.size() == 12 && second.size() == 12 && third.size() == 12, "all frames arrive");
    for (size_t i = 0; i < 12; i++) {
      expect_same(first[i], second[i], analyser + ": both branches");
      expect_same(test::inverted(first[i]), third[i], analyser + ": behind the analyser");
    }
    test::expect_none(pipeline.messages().errors());
  }
}

// Buffers of a pool are reused: a branch that holds a buffer neither loses it nor sees it change.
TEST(several_in_a_row) {
  Chain chain(
      "glclinvert ! glclhistogram display=none attach-meta=true ! glclmotion display=none "
      "attach-meta=true ! queue ! glopenclflow display=none attach-meta=true ! glclinvert");
  BufferWatch in(chain["glclhistogram"], "sink"), out(chain["glopenclflow"], "src");
  for (int i = 0; i < 20; i++) {
    if (i == 10) gst_util_set_object_arg(G_OBJECT(chain["glclmotion"]), "display", "prediction");
    if (i == 11) gst_util_set_object_arg(G_OBJECT(chain["glclmotion"]), "display", "none");
    const Frame frame = reference::random_frame(48, 32, i);
    const Frame got = chain.filter(frame);
    if (i != 10) expect_same(frame, got, "frame " + std::to_string(i));
    const auto came = in.take(), went = out.take();
    expect(i == 10 || came == went, "one buffer goes through");
    expect(went[0].metas == (i == 0 ? 1 : 3), "with all metas");
  }
}
