// SPDX-License-Identifier: LGPL-2.1-or-later
// Points that are followed against their reference, and the reference against known motion.
#include "klt/tracking.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "kernels/bands.h"
#include "klt.h"

using glcl::klt::Klt;
using reference::Motion;

namespace {

/// How far the points of a device are from the reference's: the same ones, within 0.01 px for 99.9
/// %.
struct Compared {
  size_t points = 0, off = 0;
  ~Compared() {
    std::printf("%zu of %zu points are further than 0.01 px from the reference\n", off, points);
    fail_unless(off * 1000 <= points, "%zu of %zu points are off", off, points);
  }
  void check(const List &list, const reference::klt::Klt &reference, const std::string &what) {
    const auto expected = reference.report();
    const Points::PointSummary own = list.summary, other = reference.summary();
    fail_unless(own.count == other.count && own.lost == other.lost &&
                    own.selected == other.selected && own.cut == other.cut &&
                    own.blank == other.blank && own.all_blank == other.all_blank &&
                    own.all_lost == other.all_lost && own.all_selected == other.all_selected &&
                    own.all_cuts == other.all_cuts,
                "%s: %u points, %u lost, %u new, cut %u, blank %u; expected %u, %u, %u, %u, %u",
                what.c_str(), own.count, own.lost, own.selected, own.cut, own.blank, other.count,
                other.lost, other.selected, other.cut, other.blank);
    fail_unless(std::abs(own.mean_x - other.mean_x) < 0.01 &&
                    std::abs(own.mean_y - other.mean_y) < 0.01 &&
                    std::abs(own.mean_age - other.mean_age) < 0.01,
                "%s: means (%g, %g), %g; expected (%g, %g), %g", what.c_str(), own.mean_x,
                own.mean_y, own.mean_age, other.mean_x, other.mean_y, other.mean_age);
    fail_unless(std::abs(own.noise - other.noise) <= 0.02 * std::abs(other.noise) + 0.01,
                "%s: noise %g, expected %g", what.c_str(), own.noise, other.noise);
    for (size_t i = 0; i < expected.size(); i++) {
      const PointRecord &a = list.points[i], &b = expected[i];
      fail_unless(a.id == b.id && a.age == b.age,
                  "%s: point %zu is %u of age %u, expected %u of %u", what.c_str(), i, a.id, a.age,
                  b.id, b.age);
      off += !(std::hypot(a.x - b.x, a.y - b.y) <= 0.01 &&
               std::hypot(a.vx - b.vx, a.vy - b.vy) <= 0.02 &&
               std::abs(a.residue - b.residue) <= 0.02 + 0.01 * b.residue);
    }
    points += expected.size();
  }
};

/// Runs both over frames.
void compare(Bench &bench, Compared &compared, const std::vector<Frame> &frames, Layout layout,
             const Settings &settings, const std::string &what) {
  Klt engine(*bench.context, frames[0].width, frames[0].height, layout);
  reference::klt::Klt reference;
  for (size_t i = 0; i < frames.size(); i++) {
    engine.run(*bench.queue, settings, bench.upload(frames[i], layout, 3));
    engine.report(*bench.queue);
    reference.run(settings, frames[i]);
    compared.check(download(bench, engine.points()), reference,
                   what + ", frame " + std::to_string(i));
  }
}

std::vector<Frame> moving(int width, int height, const Motion &step, int count = 4) {
  std::vector<Frame> frames;
  for (int i = 0; i < count; i++)
    frames.push_back(reference::textured_frame(
        width, height, {i * step.x, i * step.y, i * step.angle, std::pow(step.zoom, i)}));
  return frames;
}

}  // namespace

TEST(test_sizes) {
  Bench bench;
  Compared compared;
  for (const auto &[width, height] :
       {std::pair{1, 1}, {5, 3}, {9, 40}, {64, 48}, {65, 33}, {161, 97}, {200, 130}})
    for (Layout layout : {Layout::image, Layout::buffer}) {
      const auto frames = moving(width, height, {2.3, -1.4, 0.004});
      compare(bench, compared, frames, layout, {}, size_text(frames[0]));
    }
}

TEST(test_settings) {
  Bench bench;
  Compared compared;
  const auto frames = moving(161, 97, {2.3, -1.4, 0.004});
  const auto with = [&](const char *what, const std::function<void(Settings &)> &change) {
    Settings settings;
    settings.features = 150;
    change(settings);
    compare(bench, compared, frames, Layout::buffer, settings, what);
  };
  for (int window : {9, 15, 31}) with("window", [&](Settings &s) { s.window = window; });
  for (int levels : {1, 2, 4, 6}) with("levels", [&](Settings &s) { s.levels = levels; });
  with("iterations", [](Settings &s) { s.iterations = 2; });
  with("residue", [](Settings &s) { s.max_residue = 0.6; });
  with("all kept", [](Settings &s) { s.max_residue = 255, s.reselect = 0; });
  with("back", [](Settings &s) { s.check = true; });
  with("every frame", [](Settings &s) { s.reselect = 1; });
  with("far", [](Settings &s) { s.reselect = 1, s.min_distance = 9; });
  with("cells", [](Settings &s) { s.reselect = 1, s.cells = 4; });
  with("few", [](Settings &s) { s.reselect = 0, s.min_features = 149; });
  with("noise", [](Settings &s) { s.noise = 2; });
}

TEST(test_content) {
  Bench bench;
  Compared compared;
  const int w = 161, h = 97;
  const auto both = [&](const char *what, std::vector<Frame> frames) {
    compare(bench, compared, frames, Layout::buffer, {}, what);
  };
  const Frame still = reference::textured_frame(w, h), flat = reference::flat_frame(w, h);
  both("flat", {flat, flat, flat});
  both("gradient", {reference::gradient_frame(w, h), reference::gradient_frame(w, h)});
  both("light", {still, reference::relit(still, 0.7, 10), reference::relit(still, 1.3, -20)});
  const Frame natural = reference::natural_frame(w + 5, h + 5);
  both("natural", {reference::crop(natural, 0, 0, w, h), reference::crop(natural, 5, 3, w, h)});
  both("cut", {still, reference::textured_frame(w, h, {}, 9), flat, still});
  std::vector<Frame> noisy;
  for (const Frame &frame : moving(w, h, {1.2, 0.7}))
    noisy.push_back(reference::noisy(frame, 3, unsigned(noisy.size()) + 1));
  both("noisy", noisy);
}

namespace {

/// A frame in which part of the picture is gone.
Frame without(const Frame &frame, const std::function<uint8_t(int x, int y)> &level, int top) {
  Frame result = frame;
  for (int y = top; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) std::fill_n(result.at(x, y), 3, level(x, y));
  return result;
}

/// A clip of a moving camera; from frame 3 on frames are blank.
struct BlankFrames {
  const char *name;
  int count, top;  // frames; px
  std::function<uint8_t(int x, int y)> level;
};

}  // namespace

// A frame in which nothing is to be seen is no cut: after it all points go on, with their ids. In
// between they have their last places, and no residue.
TEST(test_blank) {
  Bench bench;
  Compared compared;
  const int w = 161, h = 97;
  const auto black = [](int, int) { return uint8_t(0); };
  const auto grey = [](int, int) { return uint8_t(128); };
  const auto stripes = [](int x, int) { return uint8_t(90 + x % 13 * 8); };
  const auto hand = [](int x, int y) {
    return uint8_t(60 + 20 * std::sin(0.02 * x) * std::cos(0.03 * y));
  };
  for (const BlankFrames &blank : {BlankFrames{"black", 1, 0, black},
                                   {"covered", 9, 0, hand},
                                   {"damaged", 1, h / 4, grey},
                                   {"smeared", 2, h / 4, stripes}}) {
    auto frames = moving(w, h, {0.7, -0.4}, 16);
    for (int i = 3; i < 3 + blank.count; i++)
      frames[size_t(i)] = without(frames[size_t(i)], blank.level, blank.top);
    for (size_t i = 0; i < frames.size(); i++)
      frames[i] = reference::noisy(frames[i], 1.5, unsigned(i) + 1);
    Settings settings;
    settings.features = 150;
    Klt engine(*bench.context, w, h, Layout::buffer);
    reference::klt::Klt reference;
    List before, list;
    for (int i = 0; i < int(frames.size()); i++) {
      engine.run(*bench.queue, settings, bench.upload(frames[size_t(i)], Layout::buffer));
      engine.report(*bench.queue);
      reference.run(settings, frames[size_t(i)]);
      list = download(bench, engine.points());
      const std::string what = blank.name + std::string(", frame ") + std::to_string(i);
      compared.check(list, reference, what);
      const bool is_blank = i >= 3 && i < 3 + blank.count;
      fail_unless(list.summary.blank == is_blank && !list.summary.cut, "%s: blank %u, cut %u",
                  what.c_str(), list.summary.blank, list.summary.cut);
      if (i == 2) before = list;
      for (size_t k = 0; is_blank && k < list.points.size(); k++)
        fail_unless(list.points[k].residue == -1 && list.points[k].vx == 0 &&
                        list.points[k].x == before.points[k].x,
                    "%s: point %zu is not at its last place", what.c_str(), k);
    }
    size_t kept = 0;
    for (const PointRecord &point : list.points)
      kept += std::any_of(before.points.begin(), before.points.end(),
                          [&](const PointRecord &other) { return other.id == point.id; });
    fail_unless(kept * 5 >= before.points.size() * 3, "%s: %zu of %zu points are left", blank.name,
                kept, before.points.size());
  }
}

// Another scene is a cut at once, also after a blank frame and where it is smooth for the most
// part; and so is a picture that stays black.
TEST(test_cut) {
  Bench bench;
  Compared compared;
  const int w = 161, h = 97;
  const auto black = [](int, int) { return uint8_t(0); };
  const Frame first = reference::textured_frame(w, h),
              other = reference::textured_frame(w, h, {}, 9);
  const auto cut_at = [&](const char *what, const std::vector<Frame> &frames) {
    Klt engine(*bench.context, w, h, Layout::buffer);
    reference::klt::Klt reference;
    int cut = -1;
    for (int i = 0; i < int(frames.size()); i++) {
      engine.run(*bench.queue, {}, bench.upload(frames[size_t(i)], Layout::buffer));
      engine.report(*bench.queue);
      reference.run({}, frames[size_t(i)]);
      const List list = download(bench, engine.points());
      compared.check(list, reference, what + std::string(", frame ") + std::to_string(i));
      if (list.summary.cut) cut = i;
    }
    return cut;
  };
  const Frame none = without(other, black, 0), little = without(other, black, h / 5);
  std::vector<Frame> stays(36, none);
  stays[0] = stays[1] = stays[2] = first;
  const int at_once = cut_at("cut", {first, first, first, other, other}),
            smooth = cut_at("smooth", {first, first, first, little, little}),
            later = cut_at("by black", {first, first, first, none, other, other}),
            never = cut_at("black", stays);
  fail_unless(at_once == 3 && smooth == 3 && later == 4 && never == 33, "cuts at %d, %d, %d, %d",
              at_once, smooth, later, never);
}

namespace {

/// An event of a clip that begins at frame 12, of `length` frames.
struct Disturbance {
  const char *name;
  std::function<Frame(const Frame &frame, int number)> change;
  int cuts = 0;
  double least_kept = 0.5;  ///< part of the points before it that go on with their ids
  bool compared = false;    ///< with the reference
  bool still = false;       ///< the camera only moves by the change
};
constexpr int event = 12, scenes = 34;

Frame altered(const Frame &frame, const std::function<double(int x, int y, double level)> &change) {
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++)
        result.at(x, y)[c] =
            uint8_t(std::lround(std::clamp(change(x, y, frame.at(x, y)[c]), 0.0, 255.0)));
  return result;
}

/// A hand that comes from the left over four frames, stays for five, and leaves.
Frame covered(const Frame &frame, int i) {
  const double front =
      std::clamp(std::min(i, 13 - i) / 4.0, 0.0, 1.0) * 1.3 * frame.width - 0.15 * frame.width;
  return altered(frame, [&](int x, int y, double level) {
    const double share = std::clamp((front - x - 0.3 * (y - frame.height / 2)) / 12, 0.0, 1.0);
    return i < 0 || i > 13 ? level
                           : level + share * (40 + 10 * std::sin((x + 0.5 * y) / 40) - level);
  });
}

/// A camera that is torn round by up to 65 px a frame, blurred as it is exposed.
Frame whipped(int width, int height, int i) {
  const auto at = [](double t) {
    const double part = std::clamp(t / 16, 0.0, 1.0);
    return 700 * part * part * (3 - 2 * part);
  };
  constexpr int steps = 12;
  std::vector<double> sum(size_t(width) * height * 4);
  for (int k = 0; k < steps; k++) {
    const Frame one = reference::textured_frame(width, height, {at(i - 0.5 * k / steps), 0});
    for (size_t n = 0; n < sum.size(); n++) sum[n] += one.rgba[n] / double(steps);
  }
  Frame result(width, height);
  for (size_t n = 0; n < sum.size(); n++) result.rgba[n] = uint8_t(std::lround(sum[n]));
  return result;
}

/// A camera that turns by 26 px a frame from one frame to the next, blurred by half of that, and
/// stops after eight.
Frame panned(int width, int height, int i) {
  Frame result = reference::textured_frame(width, height, {26.0 * std::min(i + 1, 8), 0});
  const Frame blurred =
      reference::textured_frame(width, height, {26.0 * std::min(i + 1, 8) - 6, 0});
  for (size_t n = 0; n < result.rgba.size() && i < 8; n++)
    result.rgba[n] = uint8_t((result.rgba[n] + blurred.rgba[n]) / 2);
  return result;
}

std::vector<Disturbance> disturbances(int w, int h) {
  const Frame other = reference::textured_frame(w, h, {}, 9);
  const auto during = [](int first, int count, const auto &change) {
    return [=](const Frame &frame, int i) {
      return i >= first && i < first + count ? altered(frame, change) : frame;
    };
  };
  const auto grey = [h](int, int y, double level) { return y < h / 4 ? level : 128.0; };
  return {
      {"lamp", during(0, 99, [w](int x, int, double v) { return v * (0.35 + 0.9 * x / w); })},
      {"infrared filter", during(0, 99, [](int, int, double v) { return 0.6 * v + 40; })},
      {"lower third", during(0, 12,
                             [h](int x, int y, double v) {
                               return y < h * 2 / 3 ? v : x / 3 * y % 5 ? 20 : 220;
                             })},
      {"black frames", during(0, 3, [](int, int, double) { return 0.0; }), 0, 0.6},
      {"damaged frames", during(0, 3, grey), 0, 0.6},
      {"flash", during(0, 2, [](int, int, double v) { return 0.45 * v + 140; }), 0, 0.6},
      {"clipping flash",
       during(0, 2, [w](int x, int, double v) { return (1 + 1.6 * x / w) * v + 40; }), 0, 0.6,
       true},
      {"covered lens", covered, 0, 0.3, true},
      {"passing thing",
       [other](const Frame &frame, int i) {
         const double front = i * 0.16 * frame.width;
         return i < 0 ? frame : altered(frame, [&](int x, int y, double level) {
           const double along = front - x;
           return along < 0 || along > 0.5 * frame.width || y < 8
                      ? level
                      : 0.35 * other.at(int(along), y)[0];
         });
       },
       0, 0},
      {"whip pan",
       [](const Frame &frame, int i) {
         return i < 0 ? frame : whipped(frame.width, frame.height, i);
       },
       0, 0, false, true},
      {"pan at full speed",
       [](const Frame &frame, int i) {
         return i < 0 ? frame : panned(frame.width, frame.height, i);
       },
       0, 0, true, true},
      {"cut", [other](const Frame &frame, int i) { return i < 0 ? frame : other; }, 1, 0},
      {"cut after a cover",
       [other](const Frame &frame, int i) { return covered(i < 7 ? frame : other, i); }, 1, 0},
  };
}

}  // namespace

// Only another scene is a cut. Points go on after a disturbance. A covered lens makes two points
// meet; a rounding decides which of them ends, so points are compared where the device rounds
// correctly.
TEST(test_disturbances) {
  Bench bench;
  const bool rounds = bench.context->device().device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() &
                      CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  Compared compared;
  const int w = 240, h = 135;
  for (const Disturbance &disturbance : disturbances(w, h)) {
    Settings settings;
    settings.features = 150;
    Klt engine(*bench.context, w, h, Layout::buffer);
    reference::klt::Klt reference;
    List before, list;
    unsigned cuts = 0;
    for (int i = 0; i < scenes; i++) {
      const double moved = disturbance.still ? 0 : i;
      const Frame own = reference::textured_frame(w, h, {0.5 * moved, -0.3 * moved});
      const Frame frame =
          reference::noisy(disturbance.change(own, i - event), 1.5, unsigned(i) + 1);
      engine.run(*bench.queue, settings, bench.upload(frame, Layout::buffer));
      engine.report(*bench.queue);
      list = download(bench, engine.points());
      if (disturbance.compared && rounds) {
        reference.run(settings, frame);
        compared.check(list, reference, disturbance.name + (", frame " + std::to_string(i)));
      }
      cuts += list.summary.cut;
      if (i == event - 1) before = list;
    }
    size_t kept = 0;
    for (const PointRecord &point : list.points)
      kept += std::any_of(before.points.begin(), before.points.end(),
                          [&](const PointRecord &other) { return other.id == point.id; });
    const double part = double(kept) / double(before.points.size());
    std::printf("%s: %u cuts, %.2f of the points go on\n", disturbance.name, cuts, part);
    fail_unless(int(cuts) == disturbance.cuts && part >= disturbance.least_kept,
                "%s: %u cuts, %.2f of the points go on", disturbance.name, cuts, part);
  }
}

// Blocks that stay behind, as an encoder leaves them: what fits leave is large in most windows.
TEST(test_coding) {
  Bench bench;
  Compared compared;
  std::vector<Frame> frames = moving(161, 97, {0.3, -0.2, 0.006}, 16);
  for (size_t i = 1; i < frames.size(); i++)
    for (int y = 0; y < 97; y++)
      for (int x = 0; x < 161; x++)
        if ((x / 4 * 7 + y / 4 * 5 + i * 3) % 4 < 2)
          std::copy_n(frames[i - 1].at(x, y), 4, frames[i].at(x, y));
  Settings settings;
  settings.reselect = 0;
  compare(bench, compared, frames, Layout::buffer, settings, "coding");
}

// Settings that change from frame to frame, and a stream that breaks.
TEST(test_changes) {
  Bench bench;
  Compared compared;
  Klt engine(*bench.context, 161, 97, Layout::buffer);
  reference::klt::Klt reference;
  const auto frames = moving(161, 97, {1.3, -0.4}, 12);
  Settings settings;
  for (size_t i = 0; i < frames.size(); i++) {
    if (i == 2) settings.features = 40;
    if (i == 4) settings.levels = 5, settings.reselect = 1;
    if (i == 5) settings.features = 300, settings.levels = 2;
    if (i == 8) settings.window = 15, settings.noise = 1;
    if (i == 9) settings.noise = -1;
    if (i == 10) engine.reset(), reference.reset();
    engine.run(*bench.queue, settings, bench.upload(frames[i], Layout::buffer));
    engine.report(*bench.queue);
    reference.run(settings, frames[i]);
    compared.check(download(bench, engine.points()), reference, "frame " + std::to_string(i));
  }
}

// Work-groups of several sizes find the same.
TEST(test_lanes) {
  Bench bench;
  const auto frames = moving(161, 97, {2.3, -1.4, 0.004}, 2);
  using namespace glcl::klt;
  Pyramids pyramids(*bench.context, 161, 97, Layout::buffer);
  glcl::noise::Noise noise(*bench.context, glcl::noise::Noise::Texels::gaussian, 161, 97);
  noise.set(*bench.queue, 0);
  const cl::Buffer before = pyramids.make(), after = pyramids.make();
  pyramids.build(*bench.queue, bench.upload(frames[0], Layout::buffer), 3, before);
  pyramids.build(*bench.queue, bench.upload(frames[1], Layout::buffer), 3, after);
  List lists[3];
  for (int i = 0; i < 3; i++) {
    Points points(*bench.context, 161, 97);
    Selection selection(*bench.context, 161, 97);
    Tracking tracking(*bench.context, i ? 2 << (2 * i) : 1);  // 32 are those of GPUs
    Settings settings;
    settings.window = 9;
    points.next_occupancy_mark(*bench.queue);
    points.update_slots(*bench.queue, {200, 1, true, true});
    selection.run(*bench.queue, settings, pyramids.plane(before), noise.variances(), 200, points);
    tracking.run(*bench.queue, settings, pyramids, before, after, noise.variances(), 200, 3,
                 points);
    points.update_slots(*bench.queue, {200, 1, false, false});
    points.report(*bench.queue, 200, noise.variances(), true);
    lists[i] = download(bench, points);
    fail_unless(lists[i].points.size() > 100 && lists[i].points.size() == lists[0].points.size());
    for (size_t k = 0; k < lists[i].points.size(); k++)
      fail_unless(std::hypot(lists[i].points[k].x - lists[0].points[k].x,
                             lists[i].points[k].y - lists[0].points[k].y) < 0.005);
  }
}

// Points that are followed in bands are the same to the last bit.
TEST(test_bands) {
  Bench bench;
  const auto frames = moving(161, 97, {2.3, -1.4, 0.004});
  Settings settings;
  settings.features = 150, settings.reselect = 1, settings.check = true;
  std::vector<List> lists;
  const auto work = [&] {
    Klt engine(*bench.context, 161, 97, Layout::buffer);
    for (const Frame &frame : frames) {
      engine.run(*bench.queue, settings, bench.upload(frame, Layout::buffer));
      engine.report(*bench.queue);
      lists.push_back(download(bench, engine.points()));
    }
  };
  work();
  const int more = more_bands(bench, work);
  fail_unless(more > 0, "%d more bands", more);
  for (size_t i = 0; i < frames.size(); i++) {
    const auto &whole = lists[i].points, &parts = lists[frames.size() + i].points;
    fail_unless(whole.size() == parts.size() && (i == 0 || whole.size() > 100));
    fail_unless(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof whole[0]) == 0,
                "frame %zu differs", i);
  }
}

// In noise a static scene is static, and moving objects move.
TEST(test_still) {
  Bench bench;
  for (double level : {2.0, 6.0, 16.0}) {
    const Frame still = reference::textured_frame(320, 240);
    Klt engine(*bench.context, 320, 240, Layout::buffer);
    Settings settings;
    settings.features = 300;
    const auto step = [&](const Frame &frame, unsigned number) {
      engine.run(*bench.queue, settings,
                 bench.upload(reference::noisy(frame, level, number), Layout::buffer));
      engine.report(*bench.queue);
      return download(bench, engine.points());
    };
    double moved = 0, followed = 0;
    for (unsigned i = 0; i < 20; i++) {
      const List list = step(still, i);
      if (i < 2) continue;
      for (const PointRecord &point : list.points)
        moved += std::hypot(point.vx, point.vy) > 0, followed += point.age > 0;
    }
    fail_unless(followed > 1000 && moved <= 0.01 * followed, "noise %g: %g of %g move", level,
                moved, followed);
    double x = 0, y = 0;
    for (unsigned i = 1; i <= 5; i++) {
      const List list = step(reference::textured_frame(320, 240, {2.0 * i, 1.0 * i}), 99 + i);
      x += list.summary.mean_x, y += list.summary.mean_y;
    }
    fail_unless(std::abs(x - 10) < 0.5 + level / 16 && std::abs(y - 5) < 0.5 + level / 16,
                "noise %g: (%g, %g)", level, x, y);
  }
}
