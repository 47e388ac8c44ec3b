// SPDX-License-Identifier: LGPL-2.1-or-later
// Odd streams: played backward, cut off, interlaced, without times or with times that jump, of
// bytes, of buffers that hold something else than their caps say. The analyzers' messages stay sane
// through all of it.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <tuple>

#include <gst/video/video.h>

#include "pipeline.h"
#include "reference/textured.h"
#include "result.h"

using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;
using test::Pipeline;

namespace {

constexpr GstClockTime frame_time = 40 * GST_MSECOND;
constexpr GstClockTime none = GST_CLOCK_TIME_NONE;

/// All that look for what happens from frame to frame, with a message for every frame.
const char *const analyzers =
    "glclhistogram shot-detection=true interval=0 ! glclmotion interval=0 ! "
    "glopenclflow interval=0 display=none";

Frame scene(int number, int width = 64, int height = 48, unsigned seed = 1) {
  return reference::textured_frame(width, height, {2.0 * number, 1.0 * number}, seed);
}

// Messages

struct Told {
  std::string name;
  GstClockTime timestamp, stream_time, running_time, duration;
  double x, y;  // mean vector; NAN where there is none
  guint64 frame;
};

void check_value(const char *message, const char *field, const GValue *value) {
  if (G_VALUE_HOLDS(value, test::field_array()))
    for (guint i = 0; i < test::values(value)->n_values; i++)
      check_value(message, field, test::values(value)->values + i);
  if (!G_VALUE_HOLDS_DOUBLE(value)) return;
  const double number = g_value_get_double(value);
  constexpr const char *parts[] = {"moving",      "confidence",   "zero",
                                   "clipped-low", "clipped-high", "score"};
  const bool part = std::any_of(std::begin(parts), std::end(parts),
                                [&](const char *name) { return !std::strcmp(name, field); });
  const bool sane = !std::strcmp(field, "psnr") ? number >= 0  // infinite where frames are equal
                    : part                      ? number >= 0 && number <= 1
                                                : std::abs(number) <= 65025;
  fail_unless(sane, "%s: %s=%g", message, field, number);
}

/// The message, after a look at each of its fields.
Told read(const GstStructure *structure) {
  Told told{gst_structure_get_name(structure), 0, 0, 0, 0, NAN, NAN, 0};
  const std::pair<const char *, GstClockTime *> times[] = {{"timestamp", &told.timestamp},
                                                           {"stream-time", &told.stream_time},
                                                           {"running-time", &told.running_time},
                                                           {"duration", &told.duration}};
  for (const auto &[field, time] : times)
    expect(gst_structure_get_clock_time(structure, field, time), std::string("no ") + field);
  gst_structure_get_double(structure, "mean-x", &told.x);
  gst_structure_get_double(structure, "mean-y", &told.y);
  gst_structure_get_uint64(structure, "frame", &told.frame);
  for (int i = 0; i < gst_structure_n_fields(structure); i++) {
    const char *field = gst_structure_nth_field_name(structure, static_cast<guint>(i));
    check_value(told.name.c_str(), field, gst_structure_get_value(structure, field));
  }
  return told;
}

class Story : public std::vector<Told> {
 public:
  std::vector<Told> of(const std::string &name) const {
    std::vector<Told> found;
    std::copy_if(begin(), end(), std::back_inserter(found),
                 [&](const Told &told) { return told.name == name; });
    return found;
  }
  /// The messages of each analyzer have these timestamps, in this order.
  void expect_times(const std::vector<GstClockTime> &of_all,
                    const std::vector<GstClockTime> &of_moved) const {
    for (const auto &[name, times] : {std::pair{"glclhistogram", of_all},
                                      {"glclmotion", of_moved},
                                      {"glopenclflow", of_moved}}) {
      std::string got, wanted;
      for (const Told &told : of(name)) got += " " + std::to_string(told.timestamp / GST_MSECOND);
      for (GstClockTime time : times) wanted += " " + std::to_string(time / GST_MSECOND);
      expect(got == wanted, std::string(name) + " told of" + got + " instead of" + wanted + " ms");
    }
  }
  /// Every frame that has vectors moved like this.
  void expect_vectors(double x, double y) const {
    for (const Told &told : *this)
      if (!std::isnan(told.x))
        fail_unless(std::hypot(told.x - x, told.y - y) < 0.5,
                    "%s at %d ms: (%g, %g) instead of (%g, %g)", told.name.c_str(),
                    int(told.timestamp / GST_MSECOND), told.x, told.y, x, y);
  }
};

/// All that was told until now.
Story story(test::Messages &messages) {
  Story story;
  while (GstMessage *message = messages.next(GST_MESSAGE_ELEMENT, 0)) {
    story.push_back(read(gst_message_get_structure(message)));
    gst_message_unref(message);
  }
  return story;
}

size_t count(const std::vector<test::Message> &messages, const std::vector<std::string> &words) {
  return static_cast<size_t>(
      std::count_if(messages.begin(), messages.end(), [&](const test::Message &message) {
        return std::all_of(words.begin(), words.end(),
                           [&](const std::string &word) { return message.names(word); });
      }));
}

// Streams

/// A chain, its caps and its segments in the test's hand.
class Stream {
 public:
  explicit Stream(const std::string &elements = analyzers) : chain(elements) {}

  void caps(int width, int height, const std::string &rest = "framerate=25/1") {
    const std::string text = "video/x-raw,format=RGBA,width=" + std::to_string(width) +
                             ",height=" + std::to_string(height) + "," + rest;
    gst_harness_set_src_caps_str(chain.harness(), text.c_str());
  }
  void event(GstEvent *event) { gst_harness_push_event(chain.harness(), event); }
  void segment(const GstSegment &segment) { event(gst_event_new_segment(&segment)); }

  GstFlowReturn push(GstBuffer *buffer) { return gst_harness_push(chain.harness(), buffer); }
  /// Pushes the frame and takes what comes out.
  void push(const Frame &frame, GstClockTime time, GstClockTime duration = frame_time,
            guint flags = 0) {
    GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
    GST_BUFFER_PTS(buffer) = time;
    GST_BUFFER_DURATION(buffer) = duration;
    GST_BUFFER_FLAG_SET(buffer, flags);
    expect(push(buffer) == GST_FLOW_OK, "a frame is refused");
    buffer = chain.pull_buffer();
    expect(GST_BUFFER_PTS(buffer) == time, "frames keep their time");
    gst_buffer_unref(buffer);
  }
  /// Ends the stream: all that was told since the last time.
  Story end() {
    event(gst_event_new_eos());
    const Story all = story(chain.messages());
    expect_none(chain.messages().errors());
    return all;
  }

  Chain chain;
};

GstSegment time_segment(double rate = 1, GstClockTime start = 0, GstClockTime stop = none) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = start;
  segment.stop = stop;
  segment.position = rate < 0 ? stop : start;
  return segment;
}

std::vector<GstClockTime> frames(int first, int last, int step = 1) {
  std::vector<GstClockTime> times;
  for (int i = first; step > 0 ? i <= last : i >= last; i += step)
    times.push_back(static_cast<GstClockTime>(i) * frame_time);
  return times;
}

// Files

constexpr int clip_frames = 30;

/// A folder with a clip: 128 × 96 px, groups of 12 frames, the picture goes 2 px to the left in
/// every frame. Where the encoder is missing there is none.
struct Clip {
  explicit Clip(const std::string &mux) {
    g_autofree gchar *made = g_dir_make_tmp("glcl-streams-XXXXXX", nullptr);
    expect(made, "a folder");
    folder = made;
    path = folder + "/clip";
    for (const char *name : {"openh264enc", "avdec_h264", "h264parse", "mp4mux", "qtdemux"}) {
      GstElementFactory *factory = gst_element_factory_find(name);
      missing = missing || !factory;
      if (!factory) std::printf("SKIP: GStreamer has no element %s\n", name);
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

/// Plays to the end or an error: all that is told. The errors are not ours.
Story play(Pipeline &pipeline) {
  Story story;
  pipeline.set(GST_STATE_PLAYING);
  for (;;) {
    GstMessage *message = pipeline.messages().next(
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_SEGMENT_DONE,
        60 * GST_SECOND);
    expect(message, "the pipeline hangs");
    const bool element = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT;
    const GstStructure *structure = element ? gst_message_get_structure(message) : nullptr;
    if (element && gst_structure_has_field(structure, "running-time"))
      story.push_back(read(structure));
    gst_message_unref(message);
    if (!element) break;
  }
  for (const test::Message &error : pipeline.messages().errors())
    expect(error.source.rfind("gl", 0) != 0, error.source + ": " + error.text);
  return story;
}

const std::string upload_and_analyze =
    std::string(" ! glupload ! glcolorconvert ! ") + analyzers + " ! fakesink name=sink sync=false";

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

// Backward frames come in the reverse order of their times, and whoever plays them marks every one,
// or the first of each group, as a discontinuity.
GST_START_TEST(backward) {
  for (const auto &[rate, marked] : {std::pair{-1.0, 100}, {-1.0, 4}, {-2.0, 1}}) {
    Stream stream;
    stream.caps(64, 48);
    const GstSegment segment = time_segment(rate, 0, 10 * frame_time);
    stream.segment(segment);
    for (int i = 9; i >= 0; i--)
      stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                  (9 - i) % marked ? 0 : GST_BUFFER_FLAG_DISCONT);
    const Story story = stream.end();
    story.expect_times(frames(9, 0, -1), frames(8, 0, -1));
    story.expect_vectors(-2, -1);
    for (const Told &told : story) {
      expect(told.stream_time == told.timestamp, "stream-time goes backward");
      expect(told.running_time ==
                 static_cast<GstClockTime>((10 * frame_time - told.timestamp) / -rate),
             "running-time goes forward");
    }
  }
}
GST_END_TEST

// Messages are due by running time, which at twice the speed passes at half a frame for each.
GST_START_TEST(backward_interval) {
  for (const int rate : {-1, -2}) {
    Stream stream("glclhistogram interval=80000000");
    stream.caps(64, 48);
    stream.segment(time_segment(rate, 0, 12 * frame_time));
    for (int i = 11; i >= 0; i--) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
    const auto told = stream.end();
    expect(told.size() == (rate == -1 ? 6 : 3), std::to_string(told.size()) + " messages");
    for (size_t i = 0; i < told.size(); i++)
      expect(told[i].timestamp == (11 + 2 * rate * guint64(i)) * frame_time, "at even distances");
  }
}
GST_END_TEST

GST_START_TEST(backward_break) {
  Stream stream;
  stream.caps(64, 48);
  stream.segment(time_segment(-1, 0, 40 * frame_time));
  const auto push = [&](int i, guint flags = 0) {
    stream.push(scene(i % 20), static_cast<GstClockTime>(i) * frame_time, frame_time, flags);
  };
  push(39);
  push(38);
  push(20, GST_BUFFER_FLAG_DISCONT);  // a gap
  push(19);
  push(30, GST_BUFFER_FLAG_DISCONT);  // the wrong way
  push(29);
  const std::vector<GstClockTime> all = {39 * frame_time, 38 * frame_time, 20 * frame_time,
                                         19 * frame_time, 30 * frame_time, 29 * frame_time};
  stream.end().expect_times(all, {all[1], all[3], all[5]});
}
GST_END_TEST

GST_START_TEST(backward_shot) {
  Stream stream("glclhistogram shot-detection=true post-messages=false");
  stream.caps(64, 48);
  stream.segment(time_segment(-1, 0, 30 * frame_time));
  for (int i = 29; i >= 0; i--)
    stream.push(i >= 15 ? scene(i) : reference::relit(scene(i), 0.3, 0),
                static_cast<GstClockTime>(i) * frame_time, frame_time, GST_BUFFER_FLAG_DISCONT);
  const auto shots = stream.end().of("shot");
  expect(shots.size() == 1, std::to_string(shots.size()) + " shots");
  expect(shots[0].frame == 15 && shots[0].timestamp == 14 * frame_time, "where it begins");
}
GST_END_TEST

GST_START_TEST(decoded_backward) {
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
    story(pipeline.messages());
    const Story story = play(pipeline);
    const auto flow = story.of("glopenclflow"), motion = story.of("glclmotion");
    fail_unless(flow.size() == clip_frames - 1 && motion.size() == flow.size(),
                "%zu and %zu of %d frames have vectors", flow.size(), motion.size(), clip_frames);
    for (const Told &told : flow)
      fail_unless(rate > 0 ? told.x < -1 : told.x > 1, "rate %g, %d ms: %g px", rate,
                  int(told.timestamp / GST_MSECOND), told.x);
    for (size_t i = 1; i < flow.size(); i++)
      expect(flow[i].running_time > flow[i - 1].running_time, "running-time goes forward");
  }
}
GST_END_TEST

GST_START_TEST(truncated) {
  for (const std::string mux :
       {"video/x-h264,stream-format=byte-stream", "mp4mux faststart=true"}) {
    const Clip clip(mux);
    if (clip.missing) return;
    std::filesystem::resize_file(clip.path, std::filesystem::file_size(clip.path) * 3 / 5);
    Pipeline pipeline("filesrc location=" + clip.path + (mux[0] == 'm' ? " ! qtdemux" : "") +
                      " ! h264parse ! avdec_h264" + upload_and_analyze);
    const size_t told = play(pipeline).of("glclhistogram").size();
    fail_unless(told > 5 && told < size_t(clip_frames), "%s: %zu frames", mux.c_str(), told);
  }
}
GST_END_TEST

GST_START_TEST(interlaced) {
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
    const size_t told = count(warnings, {mode, "interlace-mode", "gldeinterlace", "deinterlace"});
    expect(told == (two ? 2 : 0), std::string(mode) + ": " + std::to_string(told) + " warnings");
    for (const test::Message &warning : warnings)
      expect(!warning.names("interlace-mode") || warning.source == "flow" ||
                 warning.source.rfind("glclmotion", 0) == 0,
             "for " + warning.source + " fields are as good as frames");
  }
}
GST_END_TEST

GST_START_TEST(deinterlaced) {
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
GST_END_TEST

// Frames in two buffers, formats of several planes: the caps say no, and nobody gets a frame.
GST_START_TEST(other_caps) {
  for (const char *caps :
       {"video/x-raw(memory:GLMemory, format:Interlaced),format=RGBA,interlace-mode=alternate",
        "video/x-raw(format:Interlaced),format=RGBA,interlace-mode=alternate",
        "video/x-raw(memory:GLMemory),format=NV12", "video/x-raw(memory:GLMemory),format=I420",
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
GST_END_TEST

GST_START_TEST(segments) {
  Stream stream;
  stream.caps(64, 48);
  GstSegment segment = time_segment(1, 10 * GST_SECOND, 20 * GST_SECOND);
  segment.time = 100 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  segment.offset = GST_SECOND;
  stream.segment(segment);
  for (int i = 0; i < 3; i++)
    stream.push(scene(i), 11 * GST_SECOND + static_cast<GstClockTime>(i) * frame_time);
  // The next one begins where the running time of the last one is.
  segment = time_segment();
  segment.base = 5 * GST_SECOND + 3 * frame_time;
  stream.segment(segment);
  for (int i = 0; i < 3; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  // And one whose frames lie outside of it.
  stream.segment(time_segment(1, GST_SECOND, 2 * GST_SECOND));
  for (int i = 0; i < 3; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  const Story story = stream.end();
  expect(story.of("glclhistogram").size() == 9, "every frame has a message");
  for (const char *name : {"glclmotion", "glopenclflow"})
    expect(story.of(name).size() == 6, "each segment begins anew");
  const auto told = story.of("glclhistogram");
  for (size_t i = 0; i < 9; i++) {
    const GstClockTime in_part = i % 3 * frame_time;
    const GstClockTime stream_time = i < 3 ? 101 * GST_SECOND + in_part : i < 6 ? in_part : none;
    const GstClockTime running_time = i < 3   ? 5 * GST_SECOND + in_part
                                      : i < 6 ? 5 * GST_SECOND + 3 * frame_time + in_part
                                              : none;
    fail_unless(told[i].stream_time == stream_time && told[i].running_time == running_time,
                "frame %zu: %" GST_TIME_FORMAT ", %" GST_TIME_FORMAT, i,
                GST_TIME_ARGS(told[i].stream_time), GST_TIME_ARGS(told[i].running_time));
  }
}
GST_END_TEST

// A loop by segment seeks: stream time begins again, running time goes on.
GST_START_TEST(segment_seeks) {
  Pipeline pipeline(
      "videotestsrc pattern=ball ! video/x-raw,format=RGBA,width=64,height=48,framerate=25/1" +
      upload_and_analyze);
  expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  GstClockTime last = 0;
  for (int round = 0; round < 4; round++) {
    const int flags = (round ? 0 : GST_SEEK_FLAG_FLUSH) | (round < 3 ? GST_SEEK_FLAG_SEGMENT : 0);
    expect(gst_element_seek(pipeline.bin(), 1, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags),
                            GST_SEEK_TYPE_SET, 4 * frame_time, GST_SEEK_TYPE_SET, 9 * frame_time),
           "the seek failed");
    if (!round) story(pipeline.messages());
    // What is told of the last frames may come with the next round.
    for (const Told &told : play(pipeline).of("glclhistogram")) {
      fail_unless(told.stream_time >= 4 * frame_time && told.stream_time < 9 * frame_time);
      expect(told.running_time > last || told.running_time == 0, "running-time goes on");
      last = told.running_time;
    }
  }
  expect(last == (4 * 5 - 1) * frame_time, "all rounds are told of");
}
GST_END_TEST

GST_START_TEST(gaps) {
  Stream stream;
  stream.caps(64, 48);
  std::vector<GstClockTime> all;
  GstClockTime time = 0;
  for (const int missing : {0, 0, 2, 0, 100, 0}) {
    if (missing) stream.event(gst_event_new_gap(time, missing * frame_time));
    time += missing * frame_time;
    stream.push(scene(static_cast<int>(all.size())), time);
    all.push_back(time);
    time += frame_time;
  }
  // Blocks are sought in whatever frame came before, flow only where time goes on.
  const Story story = stream.end();
  story.expect_vectors(2, 1);
  expect(story.of("glclhistogram").size() == all.size(), "every frame has a message");
  expect(story.of("glclmotion").size() == all.size() - 1, "blocks have vectors across a gap");
  expect(story.of("glopenclflow").size() == all.size() - 2, "but not every pixel");
}
GST_END_TEST

// Neither timestamps nor durations, then timestamps alone; a still camera of 0/1 frames a second.
GST_START_TEST(no_times) {
  for (const char *framerate : {"framerate=25/1", "framerate=0/1"}) {
    Stream stream;
    stream.caps(64, 48, framerate);
    for (int i = 0; i < 4; i++) stream.push(scene(i), none, none);
    const Story untimed = stream.end();
    untimed.expect_times({none, none, none, none}, {none, none, none});
    untimed.expect_vectors(2, 1);
    for (const Told &told : untimed)
      expect(told.stream_time == none && told.running_time == none && told.duration == none,
             "no time comes from nowhere");
    stream.event(gst_event_new_flush_start());
    stream.event(gst_event_new_flush_stop(TRUE));
    stream.segment(time_segment());
    // Nobody knows what a gap is where nobody knows how long a frame is.
    const std::vector<GstClockTime> times = {0, GST_SECOND, GST_SECOND, 90 * GST_SECOND};
    for (int i = 0; i < 4; i++) stream.push(scene(i), times[i], i % 2 ? none : 0);
    const Story story = stream.end();
    story.expect_times(times, {times[1], times[2], times[3]});
    story.expect_vectors(2, 1);
  }
}
GST_END_TEST

GST_START_TEST(jumping_times) {
  Stream stream;
  stream.caps(64, 48);
  std::vector<GstClockTime> all, after_all, steady;
  int number = 0;
  const std::vector<GstClockTime> starts = {0, 100 * GST_SECOND, 3 * GST_SECOND,
                                            0, G_MAXINT64 / 2,   0};
  for (const GstClockTime start : starts)
    for (int i = 0; i < 2; i++, number++) {
      all.push_back(start + static_cast<GstClockTime>(i) * frame_time);
      if (number) after_all.push_back(all.back());
      if (i) steady.push_back(all.back());
      stream.push(scene(number), all.back());
    }
  const Story story = stream.end();
  story.expect_vectors(2, 1);
  expect(story.of("glclhistogram").size() == all.size(), "every frame has a message");
  expect(story.of("glclmotion").size() == after_all.size(), "blocks have vectors");
  const auto flow = story.of("glopenclflow");
  expect(flow.size() == steady.size(), "pixels have vectors where time goes on");
  for (size_t i = 0; i < steady.size(); i++) expect(flow[i].timestamp == steady[i], "there");
}
GST_END_TEST

GST_START_TEST(discontinuity_everywhere) {
  Stream stream;
  stream.caps(64, 48);
  for (int i = 0; i < 5; i++)
    stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                GST_BUFFER_FLAG_DISCONT);
  stream.end().expect_times(frames(0, 4), {});
}
GST_END_TEST

// The frame after those that were dropped because they are late comes marked as a discontinuity.
GST_START_TEST(late_frame) {
  Stream stream("glclmotion interval=0 ! glopenclflow interval=0 display=none");
  stream.caps(64, 48);
  for (int i = 0; i < 2; i++) stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time);
  gst_harness_push_upstream_event(
      stream.chain.harness(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 60 * GST_MSECOND, frame_time));
  GstBuffer *late = stream.chain.buffer_of(scene(2));
  GST_BUFFER_PTS(late) = 2 * frame_time;
  stream.push(late);
  stream.push(scene(3), 3 * frame_time);
  const Story story = stream.end();
  for (const char *name : {"glclmotion", "glopenclflow"}) {
    const auto told = story.of(name);
    expect(told.size() == 2 && told[1].timestamp == 3 * frame_time, "it leaves no gap");
    expect(std::hypot(told[1].x - 4, told[1].y - 2) < 0.5, "the vectors span it");
  }
}
GST_END_TEST

GST_START_TEST(sizes_everywhere) {
  Stream stream;
  constexpr std::array<std::pair<int, int>, 3> sizes = {{{64, 48}, {33, 17}, {96, 64}}};
  for (int i = 0; i < 9; i++) {
    const auto [width, height] = sizes[i % 3];
    stream.caps(width, height);
    stream.push(scene(i, width, height), static_cast<GstClockTime>(i) * frame_time);
  }
  stream.end().expect_times(frames(0, 8), {});
}
GST_END_TEST

GST_START_TEST(gap_flag) {
  Stream stream;
  stream.caps(64, 48);
  for (int i = 0; i < 4; i++)
    stream.push(scene(i), static_cast<GstClockTime>(i) * frame_time, frame_time,
                i % 2 ? GST_BUFFER_FLAG_GAP : 0);
  const Story story = stream.end();
  story.expect_times(frames(0, 3), frames(1, 3));
  story.expect_vectors(2, 1);
}
GST_END_TEST

GST_START_TEST(other_buffers) {
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
GST_END_TEST

// A buffer that is smaller than its frame gets no further than glupload.
GST_START_TEST(short_buffer) {
  Stream stream;
  stream.caps(64, 48);
  stream.push(scene(0), 0);
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 100, nullptr);
  GST_BUFFER_PTS(buffer) = frame_time;
  expect(stream.push(buffer) != GST_FLOW_OK, "it is taken");
  for (const test::Message &error : stream.chain.messages().errors())
    expect(error.source.rfind("glupload", 0) == 0, error.source + ": " + error.text);
}
GST_END_TEST

// appsrc's segments are of bytes where it is not told otherwise.
GST_START_TEST(bytes) {
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
  const Story story = play(pipeline);
  story.expect_times(frames(0, 4), {frame_time, 2 * frame_time, 4 * frame_time});
  story.expect_vectors(2, 1);
  for (const Told &told : story)
    expect(told.stream_time == none && told.running_time == none, "bytes are no times");
}
GST_END_TEST

// Properties that are read on the way to PAUSED.
GST_START_TEST(set_too_late) {
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
      expect(warnings(property.c_str(), name) == 0, "nothing is told yet");
      gst_util_set_object_arg(G_OBJECT(stream.chain[entry[0]]), entry[1], entry[2]);
      expect(value(entry) == old, property + value(entry) + " instead of " + old);
      expect(warnings((property + entry[2]).c_str(), name) == 1, property + " is told once");
    }
  }
  gst_element_set_state(stream.chain.bin(), GST_STATE_READY);
  for (const auto &entry : of) {
    gst_util_set_object_arg(G_OBJECT(stream.chain[entry[0]]), entry[1], entry[2]);
    expect(value(entry).find(entry[2]) != std::string::npos, std::string(entry[1]) + " is taken");
    expect(count(stream.chain.messages().warnings(), {entry[1], "is READY"}) == 0, "in silence");
  }
}
GST_END_TEST

// Eight pipelines at once, each started and stopped fifty times. OpenGL contexts that draw at once
// make llvmpipe of Mesa 25.0.7 wait for ever, so there all have one. That of Mesa 22.3.6 crashes in
// uploads where freed memory is overwritten, without our elements too.
GST_START_TEST(eight_pipelines) {
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
      for (int round = 0; round < 50; round++) {
        Pipeline pipeline(
            std::string("videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=64,height=48,"
                        "framerate=25/1 ! glupload ! ") +
            elements[(i + round) % 4] + " ! fakesink sync=false");
        if (context) gst_element_set_context(pipeline.bin(), context);
        const size_t told = play(pipeline).size();
        expect_none(pipeline.messages().errors());
        const size_t wanted[] = {0, 2, 1, 1};
        fail_unless(told == wanted[(i + round) % 4], "%s told %zu times", elements[(i + round) % 4],
                    told);
      }
    });
  for (std::thread &thread : threads) thread.join();
  if (context) gst_context_unref(context);
}
GST_END_TEST

static Suite *streams_suite() {
  Suite *suite = suite_create("streams");
  TCase *tcase = test::add_tcase(suite, "streams");
  tcase_add_test(tcase, backward);
  tcase_add_test(tcase, backward_interval);
  tcase_add_test(tcase, backward_break);
  tcase_add_test(tcase, backward_shot);
  tcase_add_test(tcase, interlaced);
  tcase_add_test(tcase, deinterlaced);
  tcase_add_test(tcase, other_caps);
  tcase_add_test(tcase, segments);
  tcase_add_test(tcase, segment_seeks);
  tcase_add_test(tcase, gaps);
  tcase_add_test(tcase, no_times);
  tcase_add_test(tcase, jumping_times);
  tcase_add_test(tcase, discontinuity_everywhere);
  tcase_add_test(tcase, late_frame);
  tcase_add_test(tcase, sizes_everywhere);
  tcase_add_test(tcase, gap_flag);
  tcase_add_test(tcase, other_buffers);
  tcase_add_test(tcase, short_buffer);
  tcase_add_test(tcase, bytes);
  tcase_add_test(tcase, set_too_late);
  tcase_add_test(tcase, eight_pipelines);
  // Parsers leave the list of all typefinders behind.
  TCase *files = tcase_create("files");
  suite_add_tcase(suite, files);
  tcase_add_test(files, decoded_backward);
  tcase_add_test(files, truncated);
  return suite;
}

int main(int argc, char **argv) { return test::run(argc, argv, streams_suite, "streams"); }
