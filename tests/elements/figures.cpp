// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines and circles of glclhough in pipelines: messages, metas, display, and changes while playing.
#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gst-glcl/gstglclresult.h"
#include "pipeline.h"
#include "reference/hough/figures.h"
#include "tests/support/result.h"

using reference::Stroke;
using test::Chain;
using test::expect;
using test::Frame;
using test::number;

namespace {

constexpr int width = 160, height = 120;
// Below and above a bar from the left to the right.
const Stroke lower{20, 48, 140, 68}, upper{21.3, 40.1, 141.3, 60.1};

Frame bar() {
  Frame frame = reference::level_frame(width, height, 90);
  reference::draw(frame, Stroke{20.65, 44.05, 140.65, 64.05}, 8, 200);
  return frame;
}

struct MessageLines {
  bool has_field = false;
  std::vector<Stroke> lines;
  std::vector<double> scores;
};

/// Compares a column of the list with its plain array.
void expect_column(const GstStructure *message, const GValueArray *rows, const char *field,
                   const char *column) {
  const GValue *plain =
      gst_structure_get_value(message, (std::string(field) + "-" + column).c_str());
  expect(plain && G_VALUE_HOLDS(plain, test::field_array()), column);
  const GValueArray *numbers = test::values(plain);
  expect(numbers->n_values == rows->n_values, column);
  for (guint i = 0; i < rows->n_values; i++)
    expect(g_value_get_double(numbers->values + i) ==
               number(gst_value_get_structure(rows->values + i), column),
           column);
}

MessageLines lines_of(const GstStructure *message) {
  MessageLines found;
  const GValue *field = gst_structure_get_value(message, "lines");
  found.has_field = field != nullptr;
  if (!field) return found;
  const GValueArray *rows = test::values(field);
  for (guint i = 0; i < rows->n_values; i++) {
    const GstStructure *line = gst_value_get_structure(rows->values + i);
    const Stroke ends{number(line, "x1"), number(line, "y1"), number(line, "x2"),
                      number(line, "y2")};
    const double across = ends.x2 - ends.x1, up = ends.y1 - ends.y2;
    expect(std::abs(number(line, "length") - std::hypot(across, up)) < 1e-6, "length");
    expect(std::abs(number(line, "angle") - std::atan2(up, across) * 180 / G_PI) < 1e-6, "angle");
    found.lines.push_back(ends);
    found.scores.push_back(number(line, "score"));
  }
  for (const char *column : {"x1", "y1", "x2", "y2", "angle", "length", "score"})
    expect_column(message, rows, "lines", column);
  return found;
}

/// The lines in the last message about a frame.
MessageLines lines_in(Chain &chain, const Frame &frame) {
  for (int i = 0; i < 2; i++) chain.filter(frame);
  chain.drain();
  MessageLines last;
  int messages = 0;
  while (GstStructure *message = chain.messages().structure("glclhough")) {
    last = lines_of(message);
    messages++;
    gst_structure_free(message);
  }
  expect(messages > 0, "a message");
  return last;
}

/// The same once the search works, whose kernels are built in the background.
MessageLines lines_soon(Chain &chain, const Frame &frame) {
  MessageLines found = lines_in(chain, frame);
  for (int i = 0; i < 500 && found.lines.empty(); i++) {
    g_usleep(20000);
    found = lines_in(chain, frame);
  }
  return found;
}

bool is_near(const Stroke &line, const Stroke &expected) {
  return std::hypot(line.x1 - expected.x1, line.y1 - expected.y1) < 3 &&
         std::hypot(line.x2 - expected.x2, line.y2 - expected.y2) < 3;
}

void expect_lines(const MessageLines &found, const std::vector<Stroke> &expected) {
  fail_unless(found.lines.size() == expected.size(), "%zu lines", found.lines.size());
  for (const Stroke &line : expected)
    expect(std::any_of(found.lines.begin(), found.lines.end(),
                       [&](const Stroke &one) { return is_near(one, line); }),
           "a line");
  for (const double score : found.scores) expect(score > 0.85 && score <= 1, "its score");
}

using Circle = reference::Arc;
const Circle left{50.3, 60.2, 30}, right{120, 50.6, 18};

Frame discs() {
  Frame frame = reference::level_frame(width, height, 90);
  reference::fill(frame, left, 190);
  reference::fill(frame, right, 40);
  return frame;
}

struct MessageCircles {
  bool has_field = false;
  std::vector<Circle> circles;
  std::vector<double> scores;
};

MessageCircles circles_of(const GstStructure *message) {
  MessageCircles found;
  const GValue *field = gst_structure_get_value(message, "circles");
  found.has_field = field != nullptr;
  if (!field) return found;
  const GValueArray *rows = test::values(field);
  for (guint i = 0; i < rows->n_values; i++) {
    const GstStructure *circle = gst_value_get_structure(rows->values + i);
    found.circles.push_back({number(circle, "x"), number(circle, "y"), number(circle, "radius")});
    found.scores.push_back(number(circle, "score"));
  }
  for (const char *column : {"x", "y", "radius", "score"})
    expect_column(message, rows, "circles", column);
  return found;
}

/// The circles in the last message about a frame.
MessageCircles circles_in(Chain &chain, const Frame &frame) {
  for (int i = 0; i < 2; i++) chain.filter(frame);
  chain.drain();
  MessageCircles last;
  int messages = 0;
  while (GstStructure *message = chain.messages().structure("glclhough")) {
    last = circles_of(message);
    messages++;
    gst_structure_free(message);
  }
  expect(messages > 0, "a message");
  return last;
}

void expect_circles(const MessageCircles &found, const std::vector<Circle> &expected) {
  fail_unless(found.circles.size() == expected.size(), "%zu circles", found.circles.size());
  for (const Circle &circle : expected)
    expect(std::any_of(found.circles.begin(), found.circles.end(),
                       [&](const Circle &one) {
                         return std::hypot(one.x - circle.x, one.y - circle.y) < 0.7 &&
                                std::abs(one.radius - circle.radius) < 0.7;
                       }),
           "a circle");
  for (const double score : found.scores) expect(score > 0.85 && score <= 1, "its score");
}

/// A region of interest of a frame.
struct FigureRegion {
  std::string kind;
  int x, y, width, height;
  const GstStructure *fields;
};

std::vector<FigureRegion> regions_of(GstBuffer *frame, const std::string &kind) {
  std::vector<FigureRegion> regions;
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered(
             frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto *region = reinterpret_cast<GstVideoRegionOfInterestMeta *>(meta);
    if (g_quark_to_string(region->roi_type) == kind)
      regions.push_back({kind, int(region->x), int(region->y), int(region->w), int(region->h),
                         gst_video_region_of_interest_meta_get_param(region, "glclhough")});
  }
  return regions;
}

/// Expects a region of the size that its fields give.
void expect_region(const FigureRegion &region) {
  const GstStructure *fields = region.fields;
  expect(fields, "a structure");
  expect(number(fields, "score") > 0.85 && number(fields, "score") <= 1, "its score");
  Stroke ends;
  if (region.kind == "line") {
    ends = {number(fields, "x1"), std::min(number(fields, "y1"), number(fields, "y2")),
            number(fields, "x2"), std::max(number(fields, "y1"), number(fields, "y2"))};
  } else {
    const double x = number(fields, "x"), y = number(fields, "y"), r = number(fields, "radius");
    ends = {x - r, y - r, x + r, y + r};
  }
  fail_unless(std::abs(region.x - ends.x1) <= 1 && std::abs(region.y - ends.y1) <= 1 &&
                  std::abs(region.x + region.width - 1 - ends.x2) <= 1 &&
                  std::abs(region.y + region.height - 1 - ends.y2) <= 1,
              "%s <%d, %d, %d, %d>", region.kind.c_str(), region.x, region.y, region.width,
              region.height);
}

/// A frame with regions of this kind. Regions are those of the latest frame with results, so the
/// frame is repeated until there are `count`.
GstBuffer *frame_with_regions(Chain &chain, const Frame &frame, const std::string &kind,
                              size_t count) {
  for (int i = 0; i < 200; i++) {
    chain.push(frame);
    GstBuffer *out = chain.pull_buffer();
    if (regions_of(out, kind).size() == count) return out;
    gst_buffer_unref(out);
    g_usleep(5000);
  }
  fail("not %zu regions of %s", count, kind.c_str());
  return nullptr;
}

}  // namespace

// Without lines=1 or more there is no field, and no array in the meta.
TEST(changes) {
  Chain chain("glclhough interval=0 attach-meta=true");
  GstElement *element = chain["glclhough"];
  expect(!lines_in(chain, bar()).has_field, "no lines");
  chain.push(bar());
  GstBuffer *plain = chain.pull_buffer();
  const auto names = test::result_arrays(gst_buffer_get_glcl_result(plain, "glclhough"));
  expect(names == std::vector<std::string>{"list-count", "list"}, "the arrays of templates only");
  gst_buffer_unref(plain);

  g_object_set(element, "lines", 10, nullptr);
  expect_lines(lines_soon(chain, bar()), {lower, upper});
  g_object_set(element, "min-line-length", 130, nullptr);
  const MessageLines none = lines_in(chain, bar());
  expect(none.has_field && none.lines.empty(), "none of them is that long");
  g_object_set(element, "min-line-length", 100, "lines", 1, nullptr);
  fail_unless(lines_in(chain, bar()).lines.size() == 1, "at most one");

  Frame parted = bar();
  for (int y = 0; y < height; y++)
    for (int x = 76; x < 84; x++) std::copy_n(parted.at(0, 0), 4, parted.at(x, y));
  g_object_set(element, "lines", 10, "min-line-length", 100, "max-line-gap", 4, nullptr);
  fail_unless(lines_in(chain, parted).lines.empty(), "a gap");
  g_object_set(element, "max-line-gap", 20, nullptr);
  fail_unless(lines_in(chain, parted).lines.size() == 2, "over the gap");

  g_object_set(element, "min-line-length", 30, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "roi", "<0,0,80,120>");
  for (const Stroke &line : lines_in(chain, bar()).lines)
    expect(line.x1 < 25 && line.x2 > 74 && line.x2 < 80, "up to the region's border");
  gst_util_set_object_arg(G_OBJECT(element), "roi", "<0,80,160,40>");
  expect(lines_in(chain, bar()).lines.empty(), "no line in the region");
  g_object_set(element, "lines", 0, nullptr);
  expect(!lines_in(chain, bar()).has_field, "no lines");
  test::expect_none(chain.messages().warnings());
  test::expect_none(chain.messages().errors());
}

// The first frame has its lines already, in the message and in the meta.
TEST(first_frame) {
  Chain chain("glclhough interval=0 attach-meta=true lines=5");
  chain.push(bar());
  GstBuffer *out = chain.pull_buffer();
  chain.drain();
  GstStructure *message = chain.messages().structure("glclhough");
  expect(message, "a message");
  const MessageLines found = lines_of(message);
  gst_structure_free(message);
  expect_lines(found, {lower, upper});
  {
    const GstStructure *result = gst_buffer_get_glcl_result(out, "glclhough");
    const test::ResultArray count(result, "lines-count"), lines(result, "lines"),
        list(result, "list");
    expect(count.is("int32", {1}) && lines.is("float32", {100, 5}) && list.is("float32", {64, 8}),
           "its arrays");
    fail_unless(count.numbers<gint32>() == std::vector<gint32>{2});
    const auto numbers = lines.numbers<float>();
    for (size_t i = 0; i < 2; i++) {
      const Stroke &line = found.lines[i];
      const std::vector<float> expected{float(line.x1), float(line.y1), float(line.x2),
                                        float(line.y2), float(found.scores[i])};
      expect(std::equal(expected.begin(), expected.end(), numbers.begin() + ptrdiff_t(5 * i)),
             "the line of the message");
    }
  }
  gst_buffer_unref(out);
}

// Lines are drawn in the colour, and nothing else changes.
TEST(display) {
  Chain chain("glclhough color=0xff00ff00 display=objects lines=2 post-messages=false");
  const Frame frame = bar(), out = chain.filter(frame);
  int green = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint8_t *p = out.at(x, y);
      if (p[0] != 0 || p[1] != 255 || p[2] != 0) {
        expect(std::equal(p, p + 4, frame.at(x, y)), "another pixel");
        continue;
      }
      green++;
      const double middle = 44.05 + (x - 20.65) / 6, off = std::abs(y - middle);
      fail_unless(off > 2 && off < 6.5, "(%d, %d)", x, y);
    }
  fail_unless(green > 300 && green < 700, "%d green", green);
  g_object_set(chain["glclhough"], "lines", 0, nullptr);
  test::expect_same(frame, chain.filter(frame), "no lines");
}

// Circles come and go while playing, also together with lines.
TEST(circles) {
  Chain chain("glclhough interval=0 attach-meta=true");
  GstElement *element = chain["glclhough"];
  expect(!circles_in(chain, discs()).has_field, "no circles");
  g_object_set(element, "circles", 10, nullptr);
  MessageCircles found = circles_in(chain, discs());
  for (int i = 0; i < 500 && found.circles.empty(); i++) {
    g_usleep(20000);
    found = circles_in(chain, discs());
  }
  expect_circles(found, {left, right});
  g_object_set(element, "radius-min", 24, nullptr);
  expect_circles(circles_in(chain, discs()), {left});
  g_object_set(element, "radius-min", 12, "radius-max", 24, nullptr);
  expect_circles(circles_in(chain, discs()), {right});
  g_object_set(element, "radius-min", 18, "radius-max", 5, nullptr);
  expect_circles(circles_in(chain, discs()), {right});
  g_object_set(element, "radius-min", 10, "radius-max", 100, "circles", 1, nullptr);
  fail_unless(circles_in(chain, discs()).circles.size() == 1, "the limit");
  g_object_set(element, "circles", 10, "lines", 10, nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "roi", "<0,0,50,120>");
  expect(circles_in(chain, discs()).circles.empty(), "a half is not enough");
  g_object_set(element, "min-circle-score", 0.3, nullptr);
  fail_unless(circles_in(chain, discs()).circles.size() == 1, "a lower score is");
  g_object_set(element, "circles", 0, nullptr);
  expect(!circles_in(chain, discs()).has_field, "no circles");
  test::expect_none(chain.messages().warnings());
}

// The arrays of a meta: templates, lines, circles.
TEST(circles_in_metas) {
  Chain chain("glclhough interval=0 attach-meta=true lines=5 circles=5 min-line-length=60");
  chain.push(discs());
  GstBuffer *out = chain.pull_buffer();
  chain.drain();
  GstStructure *message = chain.messages().structure("glclhough");
  expect(message, "a message");
  const MessageCircles found = circles_of(message);
  gst_structure_free(message);
  expect_circles(found, {left, right});
  {
    const GstStructure *result = gst_buffer_get_glcl_result(out, "glclhough");
    const test::ResultArray count(result, "circles-count"), circles(result, "circles"),
        lines_count(result, "lines-count");
    expect(count.is("int32", {1}) && circles.is("float32", {100, 4}), "its arrays");
    fail_unless(count.numbers<gint32>() == std::vector<gint32>{2} &&
                lines_count.numbers<gint32>() == std::vector<gint32>{0});
    const auto numbers = circles.numbers<float>();
    for (size_t i = 0; i < 2; i++) {
      const std::vector<float> expected{float(found.circles[i].x), float(found.circles[i].y),
                                        float(found.circles[i].radius), float(found.scores[i])};
      expect(std::equal(expected.begin(), expected.end(), numbers.begin() + ptrdiff_t(4 * i)),
             "the circle of the message");
    }
  }
  gst_buffer_unref(out);
}

TEST(circles_displayed) {
  Chain chain("glclhough color=0xff00ff00 display=objects circles=2 post-messages=false");
  const Frame frame = discs(), out = chain.filter(frame);
  int green = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint8_t *p = out.at(x, y);
      if (p[0] != 0 || p[1] != 255 || p[2] != 0) {
        expect(std::equal(p, p + 4, frame.at(x, y)), "another pixel");
        continue;
      }
      green++;
      const double off = std::min(std::abs(std::hypot(x - left.x, y - left.y) - left.radius),
                                  std::abs(std::hypot(x - right.x, y - right.y) - right.radius));
      fail_unless(off < 2.5, "(%d, %d)", x, y);
    }
  fail_unless(green > 450 && green < 1000, "%d green", green);
}

// Planes of luma have the same lines.
TEST(formats) {
  for (const char *format : {"NV12", "GRAY8", "BGRA"}) {
    Chain chain("glcolorconvert ! video/x-raw(memory:GLMemory),format=" + std::string(format) +
                " ! glclhough interval=0 lines=10 ! glcolorconvert");
    expect_lines(lines_in(chain, bar()), {lower, upper});
  }
}

TEST(every_size) {
  Chain chain(
      "glclhough interval=0 display=objects lines=100 min-line-length=10 max-line-gap=1000");
  for (const auto &[w, h] : {std::pair{1, 1}, {2, 1}, {17, 13}, {3, 65}, {131, 67}}) {
    const Frame frame = reference::level_frame(w, h, 128);
    test::expect_same(frame, chain.filter(frame), "size");
    chain.filter(reference::random_frame(w, h));
  }
  expect_lines(lines_in(chain, bar()), {lower, upper});
}

// Angles of lines in pixels that are not square: a warning gives a remedy.
TEST(not_square) {
  const auto chain = Chain::plain(
      "glupload ! glcolorconvert ! glclhough sharing=copy interval=0 lines=4 circles=4 ! "
      "gldownload");
  gst_harness_set_src_caps_str(chain->harness(),
                               "video/x-raw,format=RGBA,framerate=25/1,pixel-aspect-ratio=2/1,"
                               "width=160,height=120");
  gst_harness_push(chain->harness(), chain->buffer_of(bar()));
  gst_buffer_unref(chain->pull_buffer());
  chain->drain();
  const auto warnings = chain->messages().warnings();
  fail_unless(!warnings.empty() && warnings[0].names("lines") && warnings[0].names("2/1"),
              "%zu warnings", warnings.size());
}

// Each line and circle has a region of interest of its size, also without messages.
TEST(regions) {
  for (const char *messages : {"true", "false"}) {
    Chain chain(
        "glclhough interval=0 attach-meta=true lines=5 circles=5 min-line-length=60 "
        "post-messages=" +
        std::string(messages));
    GstBuffer *out = frame_with_regions(chain, bar(), "line", 2);
    for (const FigureRegion &line : regions_of(out, "line")) {
      expect_region(line);
      expect(line.width > 110 && line.height > 15 && line.height < 25, "a side of the bar");
    }
    expect(regions_of(out, "circle").empty(), "no circles");
    gst_buffer_unref(out);

    out = frame_with_regions(chain, discs(), "circle", 2);
    int widths = 0;
    for (const FigureRegion &circle : regions_of(out, "circle")) {
      expect_region(circle);
      widths += circle.width;
    }
    fail_unless(std::abs(widths - 2 * (30 + 18)) <= 4, "%d", widths);
    expect(regions_of(out, "line").empty(), "no lines");
    gst_buffer_unref(out);
  }
}

// The region of a circle that leaves the frame ends at the border.
TEST(regions_at_the_border) {
  Frame frame = reference::level_frame(width, height, 90);
  reference::fill(frame, Circle{8, 60, 30}, 190);
  Chain chain("glclhough interval=0 attach-meta=true circles=1 min-circle-score=0.3");
  GstBuffer *out = frame_with_regions(chain, frame, "circle", 1);
  const FigureRegion region = regions_of(out, "circle").front();
  fail_unless(region.x == 0 && std::abs(region.width - 39) <= 2 && std::abs(region.y - 30) <= 1 &&
                  std::abs(region.height - 61) <= 2,
              "<%d, %d, %d, %d>", region.x, region.y, region.width, region.height);
  gst_buffer_unref(out);
}
