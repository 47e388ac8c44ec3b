// SPDX-License-Identifier: LGPL-2.1-or-later
// glopenclflow in pipelines: its displays, messages and metas, and frames without results.
#include "reference/opticalflow/flow.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/compat.h"
#include "opticalflow/renderer.h"
#include "pipeline.h"
#include "reference/opticalflow/signatures.h"
#include "reference/opticalflow/wheel.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using glcl::opticalflow::Flow;
using reference::Motion;
using reference::opticalflow::coloured;
using reference::opticalflow::Field;
using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::number;

namespace {

constexpr int width = 128, height = 96;

Frame scene(const Motion &motion = {}) { return reference::textured_frame(width, height, motion); }

Frame black() {
  Frame frame(width, height);
  for (size_t i = 3; i < frame.rgba.size(); i += 4) frame.rgba[i] = 255;
  return frame;
}

/// Most pixels are within two levels: a hundredth of a pixel per frame is visible.
void expect_similar(const Frame &expected, const Frame &got, const std::string &what) {
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(expected.rgba[i]) - int(got.rgba[i])) > 2;
  fail_unless(off * 500 <= expected.rgba.size(), "%s: %zu of %zu values differ", what.c_str(), off,
              expected.rgba.size());
}

const GstStructure *result_of(GstBuffer *frame) {
  return gst_buffer_get_glcl_result(frame, "glopenclflow");
}

/// Pushes a frame; true if it came out with vectors.
bool has_flow(Chain &chain, const Frame &frame) {
  chain.push(frame);
  GstBuffer *buffer = chain.pull_buffer();
  const bool has = result_of(buffer);
  gst_buffer_unref(buffer);
  return has;
}

GstStructure *next_message(Chain &chain) {
  chain.drain();
  GstStructure *message = chain.messages().structure("glopenclflow", 5 * GST_SECOND);
  expect(message, "no message");
  return message;
}

}  // namespace

TEST(color) {
  for (const char *method : {"pyramidal", "census", "lucas-kanade"}) {
    Chain chain(std::string("glopenclflow gain=4 window=9 method=") + method);
    const Motion motion = std::strcmp(method, "lucas-kanade") ? Motion{2, -1.2} : Motion{0.4, 0.3};
    const Frame before = scene(), after = scene(motion);
    expect_same(black(), chain.filter(before), "the first frame");
    Flow::Settings settings;
    settings.window = 9;
    const Field expected =
        !std::strcmp(method, "lucas-kanade")
            ? reference::opticalflow::lucas_kanade(before, after, {})
            : reference::opticalflow::flow(
                  before, after,
                  std::strcmp(method, "census") ? Flow::Channels::grey : Flow::Channels::census,
                  settings);
    expect_similar(coloured(expected, 4), chain.filter(after), method);
  }
}

TEST(still) {
  for (const char *method : {"pyramidal", "census", "lucas-kanade"}) {
    Chain chain(std::string("glopenclflow method=") + method);
    for (int i = 0; i < 3; i++) expect_same(black(), chain.filter(scene()), "a still scene");
  }
  Chain chain("glopenclflow preset=accurate");
  for (int i = 0; i < 3; i++)
    expect_same(black(), chain.filter(scene()), "accurate, a still scene");
}

TEST(directions) {
  std::vector<std::array<uint8_t, 3>> hues;
  for (int i = 0; i < 8; i++) {
    Chain chain("glopenclflow gain=1");
    const double angle = i * M_PI / 4;
    chain.filter(scene());
    const Frame out = chain.filter(scene({2 * std::cos(angle), 2 * std::sin(angle)}));
    const uint8_t *p = out.at(width / 2, height / 2);
    const auto rgb = reference::opticalflow::wheel(std::cos(angle), std::sin(angle), 1);
    for (int c = 0; c < 3; c++)
      fail_unless(std::abs(rgb[c] - p[c]) < 16, "direction %d: %d in channel %d", i, p[c], c);
    hues.push_back({p[0], p[1], p[2]});
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < i; j++) {
      int difference = 0;
      for (int c = 0; c < 3; c++)
        difference = std::max(difference, std::abs(hues[i][c] - hues[j][c]));
      fail_unless(difference > 60, "directions %d and %d look alike", i, j);
    }
}

TEST(displays) {
  const Frame before = scene(), after = scene({3, 1});
  const auto show = [&](const std::string &properties) {
    Chain chain("glopenclflow " + properties);
    expect_same(before, chain.filter(before), properties + ", first frame");
    return chain.filter(after);
  };
  expect_same(after, show("display=none"), "display=none");
  const auto changed = [&](const Frame &out) {
    size_t count = 0;
    for (size_t i = 0; i < out.rgba.size(); i++) count += out.rgba[i] != after.rgba[i];
    return double(count) / out.rgba.size();
  };
  expect(changed(show("display=overlay gain=3")) > 0.5, "the overlay tints what moves");
  const double arrows = changed(show("display=arrows gain=3"));
  expect(arrows > 0.05 && arrows < 0.7, "arrows leave most of the frame as it is");
  // The legend: a box in the lower right corner, darker than the frame, with white text.
  const Frame with = show("display=overlay legend=true gain=3"),
              without = show("display=overlay gain=3");
  expect(std::equal(with.at(0, 0), with.at(0, 40), without.at(0, 0)), "the rest is as it was");
  const uint8_t white[] = {255, 255, 255};
  int bright = 0;
  for (int y = height / 2; y < height; y++)
    for (int x = width / 2; x < width; x++) bright += std::equal(white, white + 3, with.at(x, y));
  expect(bright > 30, "the legend has text");
}

TEST(messages) {
  Chain chain("glopenclflow interval=0 display=none");
  const Motion motion{1.5, -2};
  const double angle = std::atan2(-2, 1.5);
  for (int i = 0; i < 4; i++) chain.filter(scene({i * motion.x, i * motion.y}));
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  for (int i = 1; i < 4; i++) {
    GstStructure *message = next_message(chain);
    GstClockTime timestamp = 0;
    gst_structure_get_clock_time(message, "timestamp", &timestamp);
    expect(timestamp == guint64(i) * 40 * GST_MSECOND, "the first frame has no message");
    expect(std::abs(number(message, "mean-x") - 1.5) < 0.1, "mean-x");
    expect(std::abs(number(message, "mean-y") + 2) < 0.1, "mean-y");
    expect(std::abs(number(message, "mean-magnitude") - 2.5) < 0.1, "mean-magnitude");
    expect(number(message, "max-magnitude") >= 2.4, "max-magnitude");
    expect(number(message, "moving") > 0.99, "moving");
    expect(std::abs(number(message, "direction") - angle) < 0.05, "direction");
    const double confidence = number(message, "confidence");
    expect(confidence > 0.5 && confidence <= 1, "confidence");
    gst_structure_free(message);
  }
}

/// Expects that a list in a meta equals the reference's.
static void expect_list(const Frame &before, const Frame &after, const GstStructure *result) {
  const auto grey = [](const Frame &frame) {
    return [&frame](int x, int y) {
      int sum = 0;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
          const uint8_t *p =
              frame.at(std::clamp(x + i, 0, width - 1), std::clamp(y + j, 0, height - 1));
          sum += (i ? 1 : 6) * (j ? 1 : 6) * (p[0] + p[1] + p[2]);
        }
      return float(sum) / 192;
    };
  };
  const auto expected = reference::signature_matches(width, height, grey(before), grey(after));
  const test::ResultArray of_list(result, "list"), of_count(result, "list-count");
  const std::vector<float> all = of_list.numbers<float>();
  const int count = of_count.numbers<gint32>().at(0);
  expect(count == int(expected.size()) && count > 300 && 4 * size_t(count) <= all.size(),
         "the number of single vectors");
  const float *list = all.data();
  for (const auto &[x, y, vx, vy] : expected) {
    expect(list[0] == x && list[1] == y && list[2] == vx && list[3] == vy, "the single vectors");
    list += 4;
  }
}

TEST(meta) {
  const Frame before = scene(), after = scene({2, 1});
  for (int grid : {1, 4, 16}) {
    const bool census = grid == 4;
    Chain chain("glopenclflow attach-meta=true display=none grid=" + std::to_string(grid) +
                (census ? " method=census" : ""));
    expect(!has_flow(chain, before), "the first frame has no vectors");
    chain.push(after);
    GstBuffer *buffer = chain.pull_buffer();
    const GstStructure *result = result_of(buffer);
    expect(result, "no meta");
    const int columns = width / grid, rows = height / grid;
    const test::ResultArray of_vectors(result, "vectors"), of_confidence(result, "confidence");
    expect(test::result_int(result, "grid") == grid && test::result_int(result, "width") == width &&
               test::result_int(result, "height") == height &&
               of_vectors.is("float32", {rows, columns, 2}) &&
               of_confidence.is("float32", {rows, columns}),
           "the shape of the meta");
    const Field expected = reference::opticalflow::flow(
        before, after, census ? Flow::Channels::census : Flow::Channels::grey, {});
#if HAVE_TENSOR_META
    GstTensorMeta *tensors = gst_buffer_get_tensor_meta(buffer);
    expect(tensors && tensors->num_tensors == 2, "two tensors");
    for (const gsize dims : {3, 2}) {
      const std::string name = dims == 3 ? "vectors" : "confidence";
      const gint index = gst_tensor_meta_get_index_from_id(
          tensors, g_quark_from_string(("glopenclflow-" + name).c_str()));
      expect(index >= 0, name);
      const GstTensor *tensor = gst_tensor_meta_get(tensors, gsize(index));
      expect(
          tensor->num_dims == dims && tensor->dims[0] == gsize(rows) &&
              tensor->dims[1] == gsize(columns) && (dims == 2 || tensor->dims[2] == 2) &&
              tensor->data == gst_value_get_buffer(gst_structure_get_value(result, name.c_str())),
          "the tensor is the array");
    }
#endif
    const std::vector<float> vectors = of_vectors.numbers<float>(),
                             confidence = of_confidence.numbers<float>();
    int off = 0;
    for (int i = 0; i < columns * rows; i++) {
      const int x = i % columns * grid + grid / 2, y = i / columns * grid + grid / 2;
      off += std::hypot(vectors[2 * i] - expected.x(x, y), vectors[2 * i + 1] - expected.y(x, y)) >
             0.01;
      off += std::abs(confidence[i] - expected.confidence[y * width + x]) > 0.01;
    }
    expect(off <= width * height / grid / grid / 200, "the vectors are the reference's");
    expect_list(before, after, result);
    gst_buffer_unref(buffer);
  }
}

// Frames after a break have no vectors.
TEST(breaks) {
  Chain chain("glopenclflow attach-meta=true display=color");
  const Frame a = scene(), b = scene({2, 1});
  expect(!has_flow(chain, a) && has_flow(chain, b), "two frames");

  GstBuffer *buffer = chain.buffer_of(a);
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  chain.push(buffer, width, height);
  buffer = chain.pull_buffer();
  expect(!result_of(buffer), "after DISCONT");
  gst_buffer_unref(buffer);
  expect(has_flow(chain, b), "the frame after that");

  buffer = chain.buffer_of(a);
  GST_BUFFER_PTS(buffer) += 10 * 40 * GST_MSECOND;
  chain.push(buffer, width, height);
  buffer = chain.pull_buffer();
  expect(!result_of(buffer), "after a gap");
  gst_buffer_unref(buffer);

  expect(!has_flow(chain, reference::textured_frame(64, 48)), "another size");
  expect(has_flow(chain, reference::textured_frame(64, 48, {1, 0})), "the second of that size");
  expect(!has_flow(chain, a), "the old size again");
  expect(has_flow(chain, b), "and its second");

  gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  expect(!has_flow(chain, a), "after a flush");
  expect(has_flow(chain, b), "and then");
}

/// The mean of the vectors that a buffer carries.
static reference::Point mean_of(GstBuffer *buffer) {
  const test::ResultArray array(result_of(buffer), "vectors");
  expect(bool(array), "the vectors can be mapped");
  const std::vector<float> vectors = array.numbers<float>();
  const size_t count = vectors.size() / 2;
  reference::Point sum;
  for (size_t i = 0; i < count; i++) sum.x += vectors[2 * i], sum.y += vectors[2 * i + 1];
  return {sum.x / double(count), sum.y / double(count)};
}

// A late frame is dropped without a gap: the next vectors span it.
TEST(late_frames) {
  Chain chain("glopenclflow attach-meta=true display=none");
  const auto frame = [](int i) { return scene({1.0 * i, 0.5 * i}); };
  for (int i = 0; i < 2; i++) {
    chain.push(frame(i));
    gst_buffer_unref(chain.pull_buffer());
  }
  // The sink reports that the frame of 40 ms was 60 ms late.
  gst_harness_push_upstream_event(
      chain.harness(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 60 * GST_MSECOND, 40 * GST_MSECOND));
  chain.push(frame(2));  // 80 ms
  chain.push(frame(3));
  GstBuffer *buffer = chain.pull_buffer();
  expect(GST_BUFFER_PTS(buffer) == 120 * GST_MSECOND, "the late frame was dropped");
  const auto mean = mean_of(buffer);
  fail_unless(std::hypot(mean.x - 2, mean.y - 1) < 0.1, "the vectors span it: (%g, %g)", mean.x,
              mean.y);
  gst_buffer_unref(buffer);
  GstMessage *message = chain.messages().next(GST_MESSAGE_QOS, GST_SECOND);
  expect(message, "a message reports it");
  gst_message_unref(message);
}

// No device computes 4000 frames/s of this size with this many warps.
TEST(slow_device) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=400 pattern=snow ! "
      "video/x-raw,format=RGBA,width=640,height=480,framerate=4000/1 ! glupload ! "
      "glopenclflow warps=20 check-backward=true ! fakesink name=sink sync=true qos=true");
  expect(pipeline.run(), "it plays to the end");
  const guint64 frames = test::stat(pipeline["glopenclflow"], "frames");
  expect(frames > 0 && frames < 400, "frames are dropped: " + std::to_string(frames));
}

TEST(other_metas) {
  Chain chain("glclhistogram attach-meta=true ! glopenclflow attach-meta=true");
  for (int i = 0; i < 2; i++) {
    chain.push(scene({double(i), 0}));
    GstBuffer *out = chain.pull_buffer();
    expect(gst_buffer_get_glcl_result(out, "glclhistogram"), "the histogram passes");
    expect(!result_of(out) == (i == 0), "the vectors");
    gst_buffer_unref(out);
  }
}

// Metas that are switched on while playing contain the list once its engine is built.
TEST(late_list) {
  Chain chain("glopenclflow display=none");
  chain.filter(scene());
  g_object_set(chain["glopenclflow"], "attach-meta", TRUE, nullptr);
  const gint64 late = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
  for (bool found = false; !found;) {
    chain.filter(scene());
    chain.push(scene({2, 1}));
    GstBuffer *buffer = chain.pull_buffer();
    const GstStructure *result = result_of(buffer);
    expect(result, "no meta");
    found = gst_structure_has_field(result, "list");
    if (found) expect_list(scene(), scene({2, 1}), result);
    gst_buffer_unref(buffer);
    expect(g_get_monotonic_time() < late, "there is a list");
    g_usleep(10000);
  }
  test::expect_none(chain.messages().errors());
}

TEST(settings) {
  Chain chain("glopenclflow attach-meta=true min-confidence=1 gain=1");
  chain.filter(scene());
  expect_same(black(), chain.filter(scene({2, 1})), "nothing is that sure");
  GstElement *flow = chain["glopenclflow"];
  g_object_set(flow, "window", 12, nullptr);
  gint window = 0;
  g_object_get(flow, "window", &window, nullptr);
  expect(window == 13, "windows are odd");
  // Any change takes effect while playing.
  int i = 0;
  for (const char *change : {"levels=1",        "warps=1",         "warps=20",
                             "window=63",       "window=3",        "alpha=1000",
                             "median=0",        "median=3",        "check-backward=true",
                             "display=arrows",  "display=overlay", "legend=true",
                             "grid=8",          "grid=16",         "gain=0",
                             "levels=16",       "refinement=2",    "preset=balanced",
                             "preset=accurate", "refinement=10",   "refinement=0",
                             "preset=fast"}) {
    const std::string text = change;
    const size_t equals = text.find('=');
    gst_util_set_object_arg(G_OBJECT(flow), text.substr(0, equals).c_str(),
                            text.substr(equals + 1).c_str());
    chain.filter(scene({double(++i % 3), 0}));
  }
  test::expect_none(chain.messages().errors());
}

// The values of a preset; single properties override it, set before or after it.
TEST(presets) {
  const struct {
    const char *properties, *preset, *method;
    int warps, refinement;
  } cases[] = {{"", "fast", "pyramidal", 2, 0},
               {"preset=balanced", "balanced", "census", 3, 0},
               {"preset=accurate", "accurate", "census", 3, 2},
               {"preset=accurate method=pyramidal", "accurate", "pyramidal", 3, 2},
               {"method=lucas-kanade preset=accurate", "accurate", "lucas-kanade", 3, 2},
               {"refinement=1 preset=accurate", "accurate", "census", 3, 1},
               {"preset=accurate refinement=0", "accurate", "census", 3, 0},
               {"warps=5 preset=accurate", "accurate", "census", 5, 2},
               {"preset=accurate preset=fast", "fast", "pyramidal", 2, 0},
               {"refinement=3 preset=accurate preset=fast", "fast", "pyramidal", 2, 3}};
  for (const auto &[properties, preset, method, warps, refinement] : cases) {
    GError *error = nullptr;
    GstElement *flow =
        gst_parse_launch((std::string("glopenclflow ") + properties).c_str(), &error);
    expect(flow && !error, properties);
    gint steps = -1, found = -1;
    g_object_get(flow, "warps", &steps, "refinement", &found, nullptr);
    const auto nick = [&](const char *name) {
      GValue value = G_VALUE_INIT;
      g_object_get_property(G_OBJECT(flow), name, &value);
      const std::string text =
          g_enum_get_value(G_ENUM_CLASS(g_type_class_peek(G_VALUE_TYPE(&value))),
                           g_value_get_enum(&value))
              ->value_nick;
      g_value_unset(&value);
      return text;
    };
    fail_unless(nick("preset") == preset && nick("method") == method && steps == warps &&
                    found == refinement,
                "%s: preset %s, method %s, warps %d, refinement %d", properties,
                nick("preset").c_str(), nick("method").c_str(), steps, found);
    gst_object_unref(flow);
  }
}

// A preset changes the method while playing. The old method is used until the new one is built.
// Then one frame has no vectors, and the next one has those of the preset. A method set by the user
// stays.
TEST(preset_changes) {
  const Frame before = scene(), after = scene({2, -1.2});
  Flow::Settings accurate;
  accurate.warps = 3, accurate.refinement = 2;
  const Frame grey = coloured(reference::opticalflow::flow(before, after, Flow::Channels::grey, {}),
                              4),
              refined = coloured(
                  reference::opticalflow::flow(before, after, Flow::Channels::census, accurate), 4);
  Chain chain("glopenclflow gain=4");
  chain.filter(before);
  expect_similar(grey, chain.filter(after), "fast");
  const gint64 late = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
  const auto set = [&](const char *preset) {
    gst_util_set_object_arg(G_OBJECT(chain["glopenclflow"]), "preset", preset);
  };
  const auto change = [&](const char *preset, const Frame &served) {
    set(preset);
    for (bool forward = false;; forward = !forward) {
      const Frame out = chain.filter(forward ? after : before);
      if (out.rgba == black().rgba) {
        if (forward) chain.filter(before);
        return;
      }
      if (forward) expect_similar(served, out, std::string("until there is ") + preset);
      expect(g_get_monotonic_time() < late, std::string("there is ") + preset);
      g_usleep(10000);
    }
  };
  change("accurate", grey);
  expect_similar(refined, chain.filter(after), "accurate");
  // Other properties of a preset take effect at once.
  change("fast",
         coloured(reference::opticalflow::flow(before, after, Flow::Channels::census, {}), 4));
  expect_similar(grey, chain.filter(after), "fast again");
  // If changes are faster than builds, the last one counts; here an engine is dropped.
  set("accurate");
  chain.filter(before);
  set("fast");
  for (int i = 0; i < 3; i++) {
    expect_similar(grey, chain.filter(after), "fast stays");
    chain.filter(before);
    g_usleep(100000);
  }

  Chain own("glopenclflow gain=4 method=pyramidal");
  own.filter(before);
  gst_util_set_object_arg(G_OBJECT(own["glopenclflow"]), "preset", "accurate");
  expect_similar(grey, own.filter(after), "method=pyramidal stays");
  test::expect_none(chain.messages().errors());
}

TEST(dump) {
  g_autofree gchar *folder = g_dir_make_tmp("glcl-flow-XXXXXX", nullptr);
  expect(folder, "a folder");
  const Frame before = scene(), after = scene({2, 1});
  {
    Chain chain(std::string("glopenclflow display=none dump-location=") + folder + "/%03d.flo");
    chain.filter(before);
    chain.filter(after);
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    test::expect_none(chain.messages().errors());
  }
  const Field dumped = reference::opticalflow::load_flo(std::string(folder) + "/000.flo");
  const Field expected = reference::opticalflow::flow(before, after, Flow::Channels::grey, {});
  expect(dumped.width == width && dumped.height == height, "the size of the dump");
  expect(reference::opticalflow::end_point_error(dumped, expected) < 0.01,
         "the dump holds the vectors");
  std::filesystem::remove_all(folder);
}

TEST(dump_without_files) {
  for (const char *location : {"/no/such/folder/%d.flo", "d-%s%n.flo", "%999999999d", "flow.flo"}) {
    test::Pipeline pipeline(
        "videotestsrc num-buffers=2 ! glupload ! glopenclflow name=flow ! fakesink");
    g_object_set(pipeline["flow"], "dump-location", location, nullptr);
    expect(!pipeline.reach(GST_STATE_PAUSED), std::string(location) + " reaches PAUSED");
    test::expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
                     {"dump-location", location});
    pipeline.set(GST_STATE_NULL);
    g_object_set(pipeline["flow"], "dump-location", "", nullptr);
    expect(pipeline.reach(GST_STATE_PAUSED), "without it PAUSED is reached");
  }
}

// The stream continues if some files can't be written, with one warning about the first.
TEST(dump_in_part) {
  g_autofree gchar *folder = g_dir_make_tmp("glcl-flow-XXXXXX", nullptr);
  expect(folder, "a folder");
  const std::filesystem::path path = folder;
  std::filesystem::create_symlink("/no/such/file", path / "1.flo");
  std::filesystem::create_directory(path / "2.flo");
  {
    Chain chain("glopenclflow display=none dump-location=" + (path / "%u.flo").string());
    for (int i = 0; i < 5; i++) chain.filter(scene({double(i), 0}));
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    test::expect_none(chain.messages().errors());
    test::expect_one(chain.messages().warnings(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
                     {"dump-location", (path / "1.flo").string(), "symbolic link"});
  }
  for (const char *name : {"0.flo", "3.flo"})
    expect(reference::opticalflow::load_flo((path / name).string()).width == width, name);
  std::filesystem::remove_all(path);
}
