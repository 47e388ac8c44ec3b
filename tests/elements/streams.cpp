// SPDX-License-Identifier: LGPL-2.1-or-later
// Unusual streams: truncated, interlaced, in byte segments, with buffers that differ from their
// caps. The analysers' messages stay valid. Unusual times are in timestamps.cpp.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <tuple>

#include <gst/video/video.h>

#include "film.h"
#include "messagelog.h"

using test::analyzers;
using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;
using test::frame_time;
using test::frames;
using test::LoggedMessage;
using test::MessageLog;
using test::Pipeline;
using test::play;
using test::read_log;
using test::scene;
using test::Stream;
using test::upload_and_analyze;

namespace {

constexpr GstClockTime none = GST_CLOCK_TIME_NONE;

size_t count(const std::vector<test::Message> &messages, const std::vector<std::string> &words) {
  return static_cast<size_t>(
      std::count_if(messages.begin(), messages.end(), [&](const test::Message &message) {
        return std::all_of(words.begin(), words.end(),
                           [&](const std::string &word) { return message.names(word); });
      }));
}

// Files

constexpr int clip_frames = 30;

/// A folder with a clip: 128 × 96 px, groups of 12 frames, the picture moves 2 px to the left per
/// frame. Empty without the encoder.
struct Clip {
  explicit Clip(const std::string &mux) {
    g_autofree gchar *made = g_dir_make_tmp("glcl-streams-XXXXXX", nullptr);
    expect(made, "a folder");
    folder = made;
    path = folder + "/clip";
    for (const char *name : {"openh264enc", "avdec_h264", "h264parse", "mp4mux", "qtdemux"}) {
      GstElementFactory *factory = gst_element_factory_find(name);
      missing = missing || !factory;
      if (!factory) film::leave_out(std::string("GStreamer has no element ") + name);
      gst_clear_object(&factory);
    }
    if (missing) return;
    Pipeline pipeline(
        "videotestsrc pattern=smpte horizontal-speed=2 num-buffers=" + std::to_string(clip_frames) +
        " ! video/x-raw,width=128,height=96,framerate=25/1 ! openh264enc gop-size=12 ! h264parse "
        "! " +
        mux + " ! filesink location=" + path);
    expect(pipeline.run(), "a clip is made");
  }
  ~Clip() { std::filesystem::remove_all(folder); }

  std::string folder, path;
  bool missing = false;
};

/// Puts another buffer in place of the next frame that reaches the element.
void replace_next(GstElement *element, GstBuffer *by) {
  GstPad *pad = gst_element_get_static_pad(element, "sink");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto *by = static_cast<GstBuffer *>(data);
        gst_buffer_copy_into(by, GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_COPY_TIMESTAMPS, 0, 0);
        gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
        GST_PAD_PROBE_INFO_DATA(info) = by;
        return GST_PAD_PROBE_REMOVE;
      },
      by, nullptr);
  gst_object_unref(pad);
}

void expect_refused(Stream &stream, const Frame &frame, const std::string &words) {
  GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
  GST_BUFFER_PTS(buffer) = frame_time;
  expect(stream.push(buffer) == GST_FLOW_ERROR, "the frame is taken");
  test::expect_one(stream.chain.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                   {words});
}

}  // namespace

// Parsers keep the list of all typefinders.
TEST_LEAVING(decoded_backward) {
  const Clip clip("mp4mux");
  if (clip.missing) return;
  for (const double rate : {1.0, -1.0, -2.0}) {
    Pipeline pipeline("filesrc location=" + clip.path + " ! qtdemux ! h264parse ! avdec_h264" +
                      upload_and_analyze);
    expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
    expect(gst_element_seek(pipeline.bin(), rate, GST_FORMAT_TIME,
                            static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                            GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, clip_frames * frame_time),
           "the seek failed");
    read_log(pipeline.messages());
    const MessageLog log = play(pipeline);
    const auto flow = log.of("glopenclflow"), motion = log.of("glclmotion");
    fail_unless(flow.size() == clip_frames - 1 && motion.size() == flow.size(),
                "%zu and %zu of %d frames have vectors", flow.size(), motion.size(), clip_frames);
    for (const LoggedMessage &logged : flow)
      fail_unless(rate > 0 ? logged.x < -1 : logged.x > 1, "rate %g, %d ms: %g px", rate,
                  int(logged.timestamp / GST_MSECOND), logged.x);
    for (size_t i = 1; i < flow.size(); i++)
      expect(flow[i].running_time > flow[i - 1].running_time, "running-time goes forward");
  }
}

TEST_LEAVING(truncated) {
  for (const std::string mux :
       {"video/x-h264,stream-format=byte-stream", "mp4mux faststart=true"}) {
    const Clip clip(mux);
    if (clip.missing) return;
    std::filesystem::resize_file(clip.path, std::filesystem::file_size(clip.path) * 3 / 5);
    Pipeline pipeline("filesrc location=" + clip.path + (mux[0] == 'm' ? " ! qtdemux" : "") +
                      " ! h264parse ! avdec_h264" + upload_and_analyze);
    const size_t logged = play(pipeline).of("glclhistogram").size();
    fail_unless(logged > 5 && logged < size_t(clip_frames), "%s: %zu frames", mux.c_str(), logged);
  }
}

TEST(interlaced) {
  constexpr guint marked = GST_VIDEO_BUFFER_FLAG_INTERLACED;
  const std::tuple<const char *, guint, bool> streams[] = {{"interleaved", 0, true},
                                                           {"mixed", 0, false},
                                                           {"mixed", marked, true},
                                                           {"fields", 0, true},
                                                           {"progressive", marked, false}};
  for (const auto &[mode, flags, two] : streams) {
    Stream stream(std::string("glclinvert name=pixels sharing=copy ! ") + analyzers +
                  " sharing=copy name=flow");
    stream.caps(64, 48, std::string("framerate=25/1,interlace-mode=") + mode);
    for (int i = 0; i < 3; i++)
      stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                  i == 1 ? flags : 0);
    stream.end().expect_times(frames(0, 2), frames(1, 2));
    const auto warnings = stream.chain.messages().warnings();
    const size_t logged = count(warnings, {mode, "interlace-mode", "gldeinterlace", "deinterlace"});
    expect(logged == (two ? 2 : 0),
           std::string(mode) + ": " + std::to_string(logged) + " warnings");
    for (const test::Message &warning : warnings)
      expect(!warning.names("interlace-mode") || warning.source == "flow" ||
                 warning.source.rfind("glclmotion", 0) == 0,
             "for " + warning.source + " fields are as good as frames");
  }
}

TEST(interlaced_by_settings) {
  Stream stream(
      "glclchain name=pixels filters=\"grey ! convolve(matrix=[-1 0 1])\" sharing=copy ! "
      "glclchain name=around filters=convolve(matrix=[1;2;1]) sharing=copy ! "
      "glclchain name=earlier filters=blend sharing=copy ! "
      "glclscope name=alone display=peaking+waveform layout=replace sharing=copy ! "
      "glclscope name=focus display=peaking sharing=copy ! "
      "glclhistogram name=edges shot-detection=true shot-method=shape sharing=copy");
  stream.caps(64, 48, "framerate=25/1,interlace-mode=interleaved");
  for (int i = 0; i < 3; i++)
    stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time);
  stream.end();
  std::vector<std::string> logged;
  for (const test::Message &warning : stream.chain.messages().warnings())
    if (warning.names("interlace-mode")) logged.push_back(warning.source);
  std::sort(logged.begin(), logged.end());
  expect(logged == std::vector<std::string>{"around", "earlier", "edges", "focus"},
         std::to_string(logged.size()) + " warnings");
}

TEST(deinterlaced) {
  for (const char *description :
       {"glupload ! glcolorconvert ! gldeinterlace", "deinterlace ! glupload ! glcolorconvert"}) {
    Pipeline pipeline(
        std::string("videotestsrc num-buffers=5 ! video/x-raw,format=RGBA,width=64,height=48,"
                    "interlace-mode=interleaved ! videoconvert ! ") +
        description + " ! glclbilateral sharing=copy ! fakesink sync=false");
    expect(pipeline.run(), "it plays");
    expect_none(pipeline.messages().warnings());
  }
}

// The element that measures rotation warns once that pixels are not square; no other does.
TEST(not_square) {
  for (const char *aspect : {"64/45", "16/15", "1/1"}) {
    Stream stream(
        "glclinvert sharing=copy ! glclchain filters=gauss(sigma=2) sharing=copy ! "
        "glclklt stabilize=true sharing=copy ! glclmotion name=still detect=true "
        "camera-compensation=none sharing=copy ! glclmotion name=turning detect=true sharing=copy "
        "! glclhough name=edges sharing=copy");
    stream.caps(64, 48, std::string("framerate=25/1,pixel-aspect-ratio=") + aspect);
    for (int i = 0; i < 4; i++)
      stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time);
    stream.end();
    std::vector<std::string> logged;
    for (const test::Message &warning : stream.chain.messages().warnings())
      if (warning.names("pixel-aspect-ratio") && warning.names(aspect))
        logged.push_back(warning.source);
    std::sort(logged.begin(), logged.end());
    expect(logged == (std::string(aspect) == "1/1" ? std::vector<std::string>{}
                                                   : std::vector<std::string>{"edges", "turning"}),
           std::string(aspect) + ": " + std::to_string(logged.size()) + " warnings");
  }
}

// Frames in two buffers, unsupported formats and host memory: negotiation fails, and no element
// gets a frame.
TEST(other_caps) {
  for (const char *caps :
       {"video/x-raw(memory:GLMemory, format:Interlaced),format=RGBA,interlace-mode=alternate",
        "video/x-raw(format:Interlaced),format=RGBA,interlace-mode=alternate",
        "video/x-raw(memory:GLMemory),format=NV21", "video/x-raw(memory:GLMemory),format=AYUV",
        "video/x-raw,format=NV12", "video/x-raw,format=I420", "video/x-raw,format=RGBA"})
    for (const char *element : {"glclinvert", "glclmotion"}) {
      const auto chain = Chain::plain(element);
      gst_harness_set_src_caps_str(
          chain->harness(),
          (std::string(caps) + ",width=64,height=48,framerate=25/1,texture-target=2D").c_str());
      GstBuffer *buffer = gst_buffer_new_allocate(nullptr, size_t(64) * 48 * 4, nullptr);
      GST_BUFFER_PTS(buffer) = 0;
      expect(gst_harness_push(chain->harness(), buffer) == GST_FLOW_NOT_NEGOTIATED, caps);
      expect_none(chain->messages().errors());
    }
}

TEST(sizes_everywhere) {
  Stream stream;
  constexpr std::array<std::pair<int, int>, 3> sizes = {{{64, 48}, {33, 17}, {96, 64}}};
  for (int i = 0; i < 9; i++) {
    const auto [width, height] = sizes[i % 3];
    stream.caps(width, height);
    stream.push(scene(i, width, height), static_cast<GstClockTime>(i) * frame_time);
  }
  stream.end().expect_times(frames(0, 8), {});
}

TEST(gap_flag) {
  Stream stream;
  stream.caps(64, 48);
  for (int i = 0; i < 4; i++)
    stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                i % 2 ? GST_BUFFER_FLAG_GAP : 0);
  const MessageLog log = stream.end();
  log.expect_times(frames(0, 3), frames(1, 3));
  log.expect_vectors(2, 1);
}

TEST(other_buffers) {
  for (const char *element : {"glclinvert", "glclmotion", "glopenclflow"}) {
    {
      Stream stream(element);
      stream.caps(64, 48);
      stream.push(scene(0), 0);
      replace_next(stream.chain[element], gst_buffer_new());
      expect_refused(stream, scene(1), "no OpenGL texture");
    }
    {
      Stream stream(element);
      stream.caps(64, 48);
      stream.push(scene(0), 0);
      replace_next(stream.chain[element], gst_buffer_new_allocate(nullptr, 64 * 48 * 4, nullptr));
      expect_refused(stream, scene(1), "no OpenGL texture");
    }
  }
}

// A fault that returns after a flush is reported again.
TEST(refused_after_a_flush) {
  Stream stream("glclinvert");
  stream.caps(64, 48);
  stream.push(scene(0), 0);
  for (size_t i = 1; i <= 2; i++) {
    replace_next(stream.chain["glclinvert"], gst_buffer_new());
    GstBuffer *buffer = stream.chain.buffer_of(scene(1));
    expect(stream.push(buffer) == GST_FLOW_ERROR, "the frame is taken");
    expect(stream.chain.messages().errors().size() == i, "an error after each flush");
    stream.event(gst_event_new_flush_start());
    stream.event(gst_event_new_flush_stop(TRUE));
    stream.segment(test::time_segment());
  }
}

// glupload rejects a buffer that is smaller than its frame.
TEST(short_buffer) {
  Stream stream;
  stream.caps(64, 48);
  stream.push(scene(0), 0);
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 100, nullptr);
  GST_BUFFER_PTS(buffer) = frame_time;
  expect(stream.push(buffer) != GST_FLOW_OK, "it is taken");
  for (const test::Message &error : stream.chain.messages().errors())
    expect(error.source.rfind("glupload", 0) == 0, error.source + ": " + error.text);
}

// appsrc's segments are in bytes by default.
TEST(bytes) {
  Pipeline pipeline(
      "appsrc name=source format=bytes caps=video/x-raw,format=RGBA,width=64,height=48,"
      "framerate=25/1" +
      upload_and_analyze);
  g_object_set(pipeline["glclhistogram"], "interval", guint64(100) * GST_MSECOND, nullptr);
  pipeline.set(GST_STATE_PLAYING);
  for (int i = 0; i < 5; i++) {
    const Frame frame = scene(i);
    GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(i) * frame_time;
    GST_BUFFER_DURATION(buffer) = frame_time;
    if (i == 3) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    GstFlowReturn flow = GST_FLOW_ERROR;
    g_signal_emit_by_name(pipeline["source"], "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
    expect(flow == GST_FLOW_OK, "a buffer is refused");
  }
  GstFlowReturn flow = GST_FLOW_ERROR;
  g_signal_emit_by_name(pipeline["source"], "end-of-stream", &flow);
  const MessageLog log = play(pipeline);
  log.expect_times(frames(0, 4), {frame_time, 2 * frame_time, 4 * frame_time});
  log.expect_vectors(2, 1);
  for (const LoggedMessage &logged : log)
    expect(logged.stream_time == none && logged.running_time == none, "bytes are no times");
}

// Properties that are read before PAUSED.
TEST(set_too_late) {
  const std::array<const char *, 3> of[] = {{"glclinvert", "device", "99:99"},
                                            {"glclinvert", "sharing", "gl"},
                                            {"glclmotion", "devices", "99:99"},
                                            {"glopenclflow", "method", "census"},
                                            {"glopenclflow", "dump-location", "/none/%d.flo"}};
  Stream stream(std::string("glclinvert sharing=copy ! ") + analyzers);
  stream.caps(64, 48);
  stream.push(scene(0), 0);
  const auto value = [&](const auto &entry) {
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(stream.chain[entry[0]]), entry[1], &value);
    g_autofree gchar *text =
        G_VALUE_HOLDS_STRING(&value) ? g_value_dup_string(&value) : gst_value_serialize(&value);
    g_value_unset(&value);
    return std::string(text ? text : "");
  };
  const auto warnings = [&](const char *property, const char *state) {
    return count(stream.chain.messages().warnings(), {property, state, "READY"});
  };
  for (const GstState state : {GST_STATE_PLAYING, GST_STATE_PAUSED}) {
    gst_element_set_state(stream.chain.bin(), state);
    const char *name = gst_element_state_get_name(state);
    for (const auto &entry : of) {
      const std::string old = value(entry), property = std::string(entry[1]) + "=";
      expect(warnings(property.c_str(), name) == 0, "no warning yet");
      gst_util_set_object_arg(G_OBJECT(stream.chain[entry[0]]), entry[1], entry[2]);
      expect(value(entry) == old, property + value(entry) + " instead of " + old);
      expect(warnings((property + entry[2]).c_str(), name) == 1, property + " is reported once");
    }
  }
  gst_element_set_state(stream.chain.bin(), GST_STATE_READY);
  for (const auto &entry : of) {
    gst_util_set_object_arg(G_OBJECT(stream.chain[entry[0]]), entry[1], entry[2]);
    expect(value(entry).find(entry[2]) != std::string::npos, std::string(entry[1]) + " is taken");
    expect(count(stream.chain.messages().warnings(), {entry[1], "is READY"}) == 0, "in silence");
  }
}

// Eight pipelines at once, each started and stopped many times. GL contexts that draw at the same
// time block llvmpipe of Mesa 25.0.7 forever, so all pipelines share one there. llvmpipe of Mesa
// 22.3.6 crashes in uploads if freed memory is overwritten, also without gst-glcl elements.
TEST_ALONE(eight_pipelines) {
  mallopt(M_PERTURB, 0);
  g_setenv("RUSTICL_DEBUG", "no_reuse_context", TRUE);
  GstContext *context = nullptr;
  if (test::shares_textures()) {
    GstGLDisplay *display = gst_gl_display_new();
    context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display);
    gst_object_unref(display);
  }
  constexpr const char *elements[] = {"glclinvert", "glclhistogram interval=0",
                                      "glclmotion interval=0",
                                      "glopenclflow interval=0 display=none"};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([=] {
      for (int round = 0; round < test::repeats(50); round++) {
        Pipeline pipeline(
            std::string("videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=64,height=48,"
                        "framerate=25/1 ! glupload ! ") +
            elements[(i + round) % 4] + " ! fakesink sync=false");
        if (context) gst_element_set_context(pipeline.bin(), context);
        const size_t logged = play(pipeline).size();
        expect_none(pipeline.messages().errors());
        const size_t wanted[] = {0, 2, 1, 1};
        fail_unless(logged == wanted[(i + round) % 4], "%s reported %zu times",
                    elements[(i + round) % 4], logged);
      }
    });
  for (std::thread &thread : threads) thread.join();
  if (context) gst_context_unref(context);
}
