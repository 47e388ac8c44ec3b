// SPDX-License-Identifier: LGPL-2.1-or-later
// glclklt in pipelines: its points against the scalar reference, messages, metas, drawings, files.
#include "klt/klt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pipeline.h"
#include "reference/klt/klt.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using reference::klt::PointRecord;
using reference::klt::Settings;
using test::Chain;
using test::expect;
using test::Frame;
using test::number;
using Reference = reference::klt::Klt;

namespace {

constexpr int width = 161, height = 97;

/// A texture that moves by 1.6 px right and 0.9 px up from frame to frame.
Frame scene(int number, int w = width, int h = height, unsigned seed = 1) {
  return reference::textured_frame(w, h, {1.6 * number, -0.9 * number}, seed);
}

struct List {
  struct {
    unsigned count, lost, fresh, cut;
  } summary;
  std::vector<PointRecord> points;
};

List list_of(GstBuffer *buffer, int w = width, int h = height) {
  const GstStructure *result = gst_buffer_get_glcl_result(buffer, "glclklt");
  expect(result, "there is a result");
  expect(test::result_int(result, "width") == w && test::result_int(result, "height") == h,
         "it has the frame's size");
  const test::ResultArray summary(result, "summary"), points(result, "points"), ids(result, "ids"),
      ages(result, "ages"), residues(result, "residues"), count(result, "points-count");
  expect(summary.is("int32", {4}) && count.is("int32", {1}), "summary and count");
  List list;
  std::memcpy(&list.summary, summary.bytes(), sizeof list.summary);
  const unsigned number = list.summary.count;
  expect(count.numbers<unsigned>()[0] == number, "the same count");
  expect(number * 16 <= points.size() && number * 4 <= ids.size(),
         "no more than there are at most");
  const auto positions = points.numbers<float>(), left = residues.numbers<float>();
  const auto names = ids.numbers<unsigned>(), old = ages.numbers<unsigned>();
  for (unsigned i = 0; i < number; i++)
    list.points.push_back({names[i], positions[4 * i], positions[4 * i + 1], positions[4 * i + 2],
                           positions[4 * i + 3], old[i], left[i]});
  return list;
}

/// Pushes a frame and returns its points.
List listed(Chain &chain, GstBuffer *in, int w = width, int h = height) {
  expect(chain.push(in, w, h) == GST_FLOW_OK, "pushed");
  GstBuffer *out = chain.pull_buffer();
  const List list = list_of(out, w, h);
  gst_buffer_unref(out);
  return list;
}
List listed(Chain &chain, const Frame &frame) {
  return listed(chain, chain.buffer_of(frame), frame.width, frame.height);
}

void check(const List &list, const Reference &reference, const std::string &what) {
  const auto expected = reference.report();
  fail_unless(list.points.size() == expected.size(), "%s: %zu points, expected %zu", what.c_str(),
              list.points.size(), expected.size());
  size_t off = 0;
  for (size_t i = 0; i < expected.size(); i++) {
    const PointRecord &a = list.points[i];
    const PointRecord &b = expected[i];
    fail_unless(a.id == b.id && a.age == b.age, "%s: point %zu is %u, expected %u", what.c_str(), i,
                a.id, b.id);
    off += std::hypot(a.x - b.x, a.y - b.y) > 0.01 || std::hypot(a.vx - b.vx, a.vy - b.vy) > 0.02;
  }
  fail_unless(off * 1000 <= expected.size(), "%s: %zu points are off", what.c_str(), off);
  const auto summary = reference.summary();
  expect(list.summary.lost == summary.lost && list.summary.fresh == summary.selected &&
             list.summary.cut == summary.cut,
         what + ": summary");
}

GstStructure *message_of(Chain &chain) {
  GstStructure *message = chain.messages().structure("glclklt");
  expect(message, "a message");
  return message;
}

unsigned count(const GstStructure *structure, const char *field) {
  guint value = 0;
  expect(gst_structure_get_uint(structure, field, &value), std::string("no ") + field);
  return value;
}

bool is_color(const uint8_t *pixel) { return pixel[0] == 255 && pixel[1] == 220 && pixel[2] == 0; }

std::string text_of(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder that is removed with the object.
struct Folder {
  Folder() : path(g_dir_make_tmp("glcl-klt-XXXXXX", nullptr)) { expect(path, "a folder"); }
  ~Folder() {
    std::filesystem::remove_all(path);
    g_free(path);
  }
  Folder(const Folder &) = delete;
  gchar *path;
};

}  // namespace

TEST(points) {
  struct {
    const char *text;
    std::function<void(Settings &)> set;
  } cases[] = {{"features=100", [](Settings &s) { s.features = 100; }},
               {"features=40 window=10 levels=2 reselect=1",
                [](Settings &s) { s.features = 40, s.window = 11, s.levels = 2, s.reselect = 1; }},
               {"cells=4 min-distance=8 check-backward=true noise=1 quality=0.001",
                [](Settings &s) {
                  s.cells = 4, s.min_distance = 8, s.check = true, s.noise = 1, s.quality = 0.001;
                }},
               {"max-residue=0.8 iterations=4 min-features=100 min-eigenvalue=50", [](Settings &s) {
                  s.max_residue = 0.8, s.iterations = 4, s.min_features = 100,
                  s.min_eigenvalue = 50;
                }}};
  for (const auto &[text, set] : cases) {
    Chain chain(std::string("glclklt attach-meta=true ") + text);
    Settings settings;
    set(settings);
    Reference reference;
    for (int i = 0; i < 7; i++) {
      reference.run(settings, scene(i));
      check(listed(chain, scene(i)), reference, text + std::string(", frame ") + std::to_string(i));
    }
  }
}

TEST(messages) {
  Chain chain("glclklt interval=0");
  Reference reference;
  for (int i = 0; i < 6; i++) {
    chain.filter(scene(i));
    reference.run({}, scene(i));
    if (i == 5) gst_harness_push_event(chain.harness(), gst_event_new_eos());
  }
  for (int i = 0; i < 6; i++) {
    GstStructure *message = message_of(chain);
    GstClockTime timestamp = 0;
    gst_structure_get_clock_time(message, "timestamp", &timestamp);
    expect(timestamp == guint64(i) * 40 * GST_MSECOND, "its timestamp");
    gboolean cut = TRUE;
    expect(gst_structure_get_boolean(message, "cut", &cut) && !cut, "no cut");
    if (i == 0)
      expect(count(message, "tracked") == 0 && count(message, "new") > 100, "all are new");
    if (i == 3) {
      expect(count(message, "tracked") > 90 && count(message, "new") == 0, "none is new");
      fail_unless(std::abs(number(message, "mean-x") - 1.6) < 0.02, "they move right");
      fail_unless(std::abs(number(message, "mean-y") + 0.9) < 0.02, "and up");
      fail_unless(std::abs(number(message, "mean-age") - 3) < 1e-4, "since the first frame");
      expect(number(message, "noise") >= 0, "the noise is known");
    }
    if (i == 5) {
      const auto summary = reference.summary();
      expect(count(message, "tracked") == summary.count - summary.selected &&
                 count(message, "new") == summary.selected &&
                 count(message, "lost") == summary.lost,
             "as the reference");
    }
    gst_structure_free(message);
  }
}

// A message counts the points lost and chosen since the last one, and cuts in between.
TEST(cut_between_messages) {
  Chain chain("glclklt interval=160000000");  // every fourth frame
  for (int i = 0; i < 9; i++) chain.filter(scene(i, width, height, i < 6 ? 1 : 7));
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  unsigned alive = 0;
  for (int i = 0; i < 3; i++) {
    GstStructure *message = message_of(chain);
    gboolean cut = FALSE;
    gst_structure_get_boolean(message, "cut", &cut);
    expect(cut == (i == 2), "the cut is reported once");
    if (cut) expect(count(message, "lost") >= alive && alive > 100, "all were lost");
    if (cut) expect(count(message, "tracked") > 100, "others were chosen at once");
    alive += count(message, "new") - count(message, "lost");
    gst_structure_free(message);
  }
}

// Black frames lose no points, and the message reports blank frames.
TEST(blank_frames) {
  Chain chain("glclklt attach-meta=true interval=0");
  List before, list;
  for (int i = 0; i < 9; i++) {
    const bool blank = i == 4 || i == 5;
    list = listed(chain, blank ? Frame(width, height) : scene(i));
    if (i == 3) before = list;
    chain.drain();
    GstStructure *message = message_of(chain);
    expect(count(message, "blank") == unsigned(blank), "blank frames are counted");
    expect((count(message, "tracked") == 0) == (blank || i == 0), "no point is tracked there");
    expect(bool(gst_structure_has_field(message, "mean-x")) == !blank, "nor is motion known");
    gboolean cut = TRUE;
    expect(gst_structure_get_boolean(message, "cut", &cut) && !cut, "no cut");
    gst_structure_free(message);
    if (blank)
      for (const PointRecord &point : list.points) expect(point.residue == -1, "no point is seen");
  }
  size_t kept = 0;
  for (const PointRecord &point : list.points)
    for (const PointRecord &other : before.points) kept += point.id == other.id;
  fail_unless(kept * 4 > before.points.size() * 3, "%zu of %zu points are left", kept,
              before.points.size());
}

TEST(discontinuity) {
  Chain chain("glclklt attach-meta=true");
  const List first = listed(chain, scene(0));
  expect(first.summary.fresh == first.summary.count, "the first frame's points are new");
  List list = listed(chain, scene(1));
  expect(list.summary.fresh == 0 && list.points[0].id == first.points[0].id, "and followed");
  GstBuffer *broken = chain.buffer_of(scene(2));
  GST_BUFFER_FLAG_SET(broken, GST_BUFFER_FLAG_DISCONT);
  list = listed(chain, broken);
  expect(list.summary.fresh == list.summary.count && list.summary.lost == 0 && !list.summary.cut,
         "after a discontinuity all are new, and none was lost");
  expect(list.points[0].id == first.summary.count, "ids are not given again");
  for (int i = 0; i < 8; i++) gst_buffer_unref(chain.buffer_of(scene(3)));
  list = listed(chain, scene(3));
  expect(list.summary.fresh == list.summary.count, "after a gap as well");
  list = listed(chain, scene(0, 50, 30));
  expect(list.summary.fresh == list.summary.count, "and in another size");
}

// Caps that change only the frame rate change nothing about the drawings.
TEST(another_framerate) {
  Chain chain("glclklt attach-meta=true");
  const List first = listed(chain, scene(0));
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width",
                                      G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                                      GST_TYPE_FRACTION, 30, 1, nullptr);
  expect(gst_harness_push_event(chain.harness(), gst_event_new_caps(caps)), "other caps");
  gst_caps_unref(caps);
  const List next = listed(chain, scene(1));
  expect(next.summary.fresh == 0 && next.points[0].id == first.points[0].id, "points go on");
}

// Repeated frames, from videorate or cameras in low light: a still scene is still.
TEST(frames_that_come_twice) {
  Chain chain("glclklt interval=0 attach-meta=true");
  const Frame flat = reference::flat_frame(320, 240), still = scene(0, 320, 240);
  for (int i = 0; i < 2; i++) listed(chain, flat);
  for (unsigned i = 0; i < 30; i++) {
    const List list = listed(chain, reference::noisy(still, 4, 1 + i / 2));
    const auto moves = [](const PointRecord &point) {
      return std::hypot(point.vx, point.vy) > 0.01;
    };
    const auto moved = std::count_if(list.points.begin(), list.points.end(), moves);
    fail_unless(i < 4 || size_t(moved) * 100 <= list.points.size(), "%ld of %zu move in frame %u",
                long(moved), list.points.size(), i);
  }
  double noise = -1;
  while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
    const GstStructure *structure = gst_message_get_structure(message);
    if (gst_structure_has_field(structure, "noise")) noise = number(structure, "noise");
    gst_message_unref(message);
  }
  fail_unless(noise > 3 && noise < 5, "noise of %g instead of 4", noise);
}

// Lamps on the mains, with a rolling shutter, make faint texture lose some points, but not all.
TEST(light_of_rows) {
  Chain chain("glclklt attach-meta=true");
  const Frame still = reference::relit(scene(0, 320, 240), 0.3, 60);
  listed(chain, reference::rolling(still, 0.12, 0));
  const List list = listed(chain, reference::rolling(still, 0.12, 1));
  fail_unless(!list.summary.cut && list.summary.lost < 2 * list.summary.count, "%u lost, %u left",
              list.summary.lost, list.summary.count);
}

// Plain frames, tiny frames, and more points than pixels.
TEST(hardly_anything) {
  for (const auto &[w, h] : {std::pair{1, 1}, {2, 1}, {3, 65}, {17, 13}, {64, 48}}) {
    Chain chain("glclklt attach-meta=true features=10000 display=tracks");
    Reference reference;
    Settings settings;
    settings.features = 10000;
    for (int i = 0; i < 3; i++) {
      reference.run(settings, scene(i, w, h));
      check(listed(chain, scene(i, w, h)), reference, std::to_string(w) + "×" + std::to_string(h));
    }
    for (int i = 0; i < 3; i++) {
      const List list = listed(chain, reference::flat_frame(w, h));
      for (const PointRecord &point : list.points)
        expect(point.residue == -1, "no point is seen in one colour");
    }
    test::expect_none(chain.messages().errors());
  }
}

TEST(display) {
  Chain chain("glclklt attach-meta=true features=12 min-distance=20 trail=0");
  GstElement *element = chain["glclklt"];
  test::expect_same(scene(0), chain.filter(scene(0)), "nothing is drawn");
  List before;
  int lines = 0;
  for (int i = 1; i < 9; i++) {
    const bool tracks = i >= 4;
    gst_util_set_object_arg(G_OBJECT(element), "display", tracks ? "tracks" : "points");
    GstBuffer *in = chain.buffer_of(scene(3 * i));
    expect(chain.push(in, width, height) == GST_FLOW_OK, "pushed");
    GstBuffer *out = chain.pull_buffer();
    const List list = list_of(out);
    GstMapInfo map;
    expect(gst_buffer_map(out, &map, GST_MAP_READ), "the frame can be mapped");
    Frame drawn(width, height);
    std::memcpy(drawn.rgba.data(), map.data, drawn.rgba.size());
    gst_buffer_unmap(out, &map);
    gst_buffer_unref(out);
    expect(list.summary.count > 5, "there are points");
    for (const PointRecord &p : list.points) {
      const int x = int(std::lround(p.x)), y = int(std::lround(p.y));
      fail_unless(is_color(drawn.at(x, y)), "no dot at (%g, %g) in frame %d", p.x, p.y, i);
      if (!tracks || i == 4) continue;
      for (const PointRecord &q : before.points) {
        if (p.id != q.id) continue;
        lines++;
        const uint8_t *middle =
            drawn.at(int(std::lround((p.x + q.x) / 2)), int(std::lround((p.y + q.y) / 2)));
        fail_unless(middle[0] > 100 && middle[2] < 100,
                    "no line from (%g, %g) to (%g, %g): %d %d %d", q.x, q.y, p.x, p.y, middle[0],
                    middle[1], middle[2]);
      }
    }
    size_t same = 0;
    const Frame now = scene(3 * i);
    for (size_t k = 0; k < now.rgba.size(); k += 4) {
      same += std::equal(&now.rgba[k], &now.rgba[k] + 3, &drawn.rgba[k]);
      expect(now.rgba[k + 3] == drawn.rgba[k + 3], "alpha");
    }
    expect(same * 10 > now.rgba.size() / 4 * 8, "and the picture around");
    before = list;
  }
  expect(lines > 4, "there are lines");
  gst_util_set_object_arg(G_OBJECT(element), "display", "none");
  test::expect_same(scene(2), chain.filter(scene(2)), "nothing is drawn any more");
}

// Lines go back `trail` frames, or with 0 to the beginning, also for more frames than are stored.
TEST(trail) {
  const auto length = [](int trail, int frames) {
    Chain chain("glclklt display=tracks features=1 reselect=0 attach-meta=true window=15 trail=" +
                std::to_string(trail));
    const auto at = [](int i) {  // a spot on a wall
      Frame frame(400, 48);
      for (int y = 0; y < 48; y++)
        for (int x = 0; x < 400; x++) {
          const double off = std::hypot(x - 60 - 0.9 * i, y - 24) / 4;
          std::fill_n(frame.at(x, y), 4, uint8_t(60 + std::lround(120 * std::exp(-off * off))));
        }
      return frame;
    };
    Frame drawn;
    for (int i = 0; i < frames; i++) drawn = chain.filter(at(i));
    int first = 400, last = 0;
    for (int x = 0; x < 400; x++)
      for (int y = 0; y < 48; y++)
        if (drawn.at(x, y)[0] > drawn.at(x, y)[2] + 60)
          first = std::min(first, x), last = std::max(last, x);
    return last - first;
  };
  const int dot = length(1, 2), few = length(20, 60), all = length(0, 60);
  fail_unless(std::abs(few - dot - 17) <= 3, "20 frames are a line of %d px", few - dot);
  fail_unless(std::abs(all - dot - 52) <= 3, "60 frames are a line of %d px", all - dot);
  const int many = length(0, 280);
  fail_unless(std::abs(many - dot - 250) <= 6, "280 frames are a line of %d px", many - dot);
}

TEST(dump) {
  Folder folder;
  const std::string path = folder.path;
  Reference reference;
  std::vector<std::vector<PointRecord>> expected;
  for (const char *name : {"/tracks.csv", "/tracks.json"}) {
    Chain chain("glclklt features=30 dump-location=" + path + name);
    for (int i = 0; i < 4; i++) chain.filter(scene(i));
    gst_harness_push_event(chain.harness(), gst_event_new_eos());
    test::expect_none(chain.messages().errors());
  }
  for (int i = 0; i < 4; i++) {
    Settings settings;
    settings.features = 30;
    reference.run(settings, scene(i));
    expected.push_back(reference.report());
  }
  const auto json = nlohmann::json::parse(text_of(path + "/tracks.json"));
  expect(json.size() == 4, "a frame for each frame");
  std::stringstream csv(text_of(path + "/tracks.csv"));
  std::string line;
  std::getline(csv, line);
  expect(line == "frame,timestamp,id,x,y,vx,vy,age,residue", "the names of the columns");
  for (int i = 0; i < 4; i++) {
    const auto &frame = json[i];
    expect(frame["frame"] == i && frame["timestamp"] == i * 40000000, "frame and timestamp");
    expect(frame["points"].size() == expected[i].size(), "its points");
    for (size_t k = 0; k < expected[i].size(); k++) {
      const PointRecord &p = expected[i][k];
      const auto &point = frame["points"][k];
      expect(point["id"] == p.id && point["age"] == p.age, "id and age");
      fail_unless(std::abs(point["x"].get<double>() - p.x) < 0.02);
      fail_unless(std::abs(point["vy"].get<double>() - p.vy) < 0.02);
      expect(bool(std::getline(csv, line)), "a line for each point");
      unsigned number = 0, id = 0, age = 0;
      unsigned long time = 0;
      double x = 0, y = 0, vx = 0, vy = 0, residue = 0;
      expect(std::sscanf(line.c_str(), "%u,%lu,%u,%lf,%lf,%lf,%lf,%u,%lf", &number, &time, &id, &x,
                         &y, &vx, &vy, &age, &residue) == 9,
             line);
      expect(number == unsigned(i) && time == i * 40000000ul && id == p.id && age == p.age, line);
      fail_unless(std::abs(x - p.x) < 0.02 && std::abs(y - p.y) < 0.02);
    }
  }
  expect(!std::getline(csv, line), "and no more");
}

TEST(dump_without_file) {
  Folder folder;
  const std::string path = folder.path, link = path + "/link.csv";
  std::filesystem::create_symlink(path + "/target.csv", link);
  for (const std::string &location : {std::string("/no/such/folder/a.csv"), path + "/a.txt",
                                      path + "/.csv/a.json", link, std::string(".json.")}) {
    test::Pipeline pipeline("videotestsrc num-buffers=2 ! glupload ! glclklt name=klt ! fakesink");
    g_object_set(pipeline["klt"], "dump-location", location.c_str(), nullptr);
    expect(!pipeline.reach(GST_STATE_PAUSED), location + " reaches PAUSED");
    test::expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
                     {"dump-location", location});
    pipeline.set(GST_STATE_NULL);
    g_object_set(pipeline["klt"], "dump-location", "", nullptr);
    expect(pipeline.reach(GST_STATE_PAUSED), "without it PAUSED is reached");
  }
  expect(!std::filesystem::exists(path + "/target.csv"), "a link is not followed");
}

// After each restart the file and the frame numbers begin anew.
TEST(again) {
  Folder folder;
  const std::string path = folder.path + std::string("/tracks.json");
  test::Pipeline pipeline(
      "gltestsrc num-buffers=5 pattern=snow name=src ! "
      "video/x-raw(memory:GLMemory),width=160,height=120 ! glclklt "
      "display=tracks name=klt ! fakesink");
  g_object_set(pipeline["klt"], "dump-location", path.c_str(), nullptr);
  for (int i = 0; i < 3; i++) {
    expect(pipeline.run(), "it plays");
    pipeline.set(i == 1 ? GST_STATE_NULL : GST_STATE_READY);
    const auto json = nlohmann::json::parse(text_of(path));
    expect(json.size() == 5 && json[0]["frame"] == 0, "five frames");
  }
}

// All properties that may change while playing are changed, and two elements do not affect each
// other.
TEST(changes_while_playing) {
  Chain chain(
      "glclklt name=a attach-meta=true ! glclklt name=b features=25 display=tracks "
      "attach-meta=true");
  GstElement *a = chain["a"], *b = chain["b"];
  const std::function<void()> changes[] = {
      [&] { g_object_set(a, "features", 50, "display", 2, nullptr); },
      [&] { g_object_set(b, "features", 3000, "cells", 7, "trail", 3, nullptr); },
      [&] { g_object_set(a, "features", 4000, "reselect", 1, "display", 0, nullptr); },
      [&] { g_object_set(a, "window", 31, "levels", 6, nullptr); },
      [&] { g_object_set(b, "window", 7, "levels", 1, "noise", 5.0, nullptr); },
      [&] { g_object_set(a, "min-distance", 30, "check-backward", TRUE, nullptr); },
      [&] { g_object_set(b, "min-distance", 1, "noise", -1.0, "trail", 0, nullptr); }};
  int i = 0;
  for (const auto &change : changes) {
    change();
    for (int k = 0; k < 2; k++) {
      const List list = listed(chain, scene(i++));
      expect(list.summary.count > 0, "points");
    }
  }
  test::expect_none(chain.messages().errors());
}

// A static scene with camera noise is static, moving objects move, and flickering light causes no
// motion.
TEST(camera) {
  Chain chain("glclklt interval=0 features=200");
  const auto mean = [&](const Frame &frame) {
    chain.filter(frame);
    chain.drain();
    GstMessage *last = nullptr;
    while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
      if (last) gst_message_unref(last);
      last = message;
    }
    expect(last, "a message");
    const GstStructure *structure = gst_message_get_structure(last);
    const double x = number(structure, "mean-x");
    gst_message_unref(last);
    return x;
  };
  const Frame still = reference::textured_frame(320, 240);
  for (unsigned i = 0; i < 12; i++) {
    const double x = mean(reference::noisy(reference::relit(still, i % 2 ? 0.9 : 1, 0), 4, i));
    fail_unless(std::abs(x) < 0.01, "a still scene moves by %g", x);
  }
  double distance = 0;
  for (unsigned i = 1; i < 6; i++)
    distance +=
        mean(reference::noisy(reference::textured_frame(320, 240, {1.5 * i, 0}), 4, 50 + i));
  fail_unless(std::abs(distance - 7.5) < 1.6, "it has moved by %g px", distance);
}
