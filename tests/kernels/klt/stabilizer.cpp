// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture that is held still against its reference, and the reference against known motion.
#include "reference/klt/stabilizer.h"

#include <cmath>
#include <cstdio>

#include "kernels/buffers.h"
#include "kernels/planes.h"
#include "klt.h"
#include "klt/stabilizer.h"

using glcl::FrameFormat;
using glcl::klt::Klt;
using glcl::klt::Stabilizer;
using glcl::klt::StabilizerState;
using reference::Motion;
using Reference = reference::klt::Stabilizer;

namespace {

/// The device's own points, so that both anchor the same.
std::vector<reference::klt::Point> slots_of(Bench &bench, const Klt &klt) {
  const size_t count = size_t(klt.features());
  const auto all = download<glcl::klt::TrackedPoints>(bench, klt.points().points(), 1);
  const glcl::klt::TrackedPoints &points = all.front();
  std::vector<reference::klt::Point> slots(count);
  for (size_t i = 0; i < count; i++) {
    slots[i].id = points.identity[i].s[0], slots[i].age = points.identity[i].s[1],
    slots[i].alive = points.identity[i].s[2] == glcl::klt::LIVE;
    slots[i].tracked_x = points.position[i].s[2], slots[i].tracked_y = points.position[i].s[3];
  }
  return slots;
}

/// The place of a frame's pixel in the output.
reference::Point shown_at(const StabilizerState &steady, reference::Point p) {
  const float *m = steady.rows;
  return {m[0] * p.x + m[1] * p.y + m[2], m[3] * p.x + m[4] * p.y + m[5]};
}

struct Clip {
  std::vector<Frame> frames;
  Klt::Settings klt;
  Stabilizer::Settings settings;
  Layout layout = Layout::buffer;
  bool pixels = true;  // are compared as well
  std::function<void(int, Stabilizer::Settings &)> change;
};

/// Runs both over a clip; returns the states of each frame.
std::vector<StabilizerState> compare(Bench &bench, Agreement &agreement, const Clip &clip,
                                     const std::string &what) {
  const int width = clip.frames[0].width, height = clip.frames[0].height;
  Klt klt(*bench.context, width, height, clip.layout);
  Stabilizer stabilizer(*bench.context, width, height, clip.layout);
  Reference reference(width, height, glcl::camera::Ransac::defaults(bench.context->device()));
  Stabilizer::Settings settings = clip.settings;
  std::vector<StabilizerState> all;
  for (size_t i = 0; i < clip.frames.size(); i++) {
    const std::string name = what + ", frame " + std::to_string(i);
    if (clip.change) clip.change(int(i), settings);
    const Picture in = bench.upload(clip.frames[i], clip.layout, 3),
                  out = bench.upload(Frame(width, height), clip.layout, 1);
    klt.run(*bench.queue, clip.klt, in);
    stabilizer.run(*bench.queue, settings, klt);
    stabilizer.show(*bench.queue, in, out);
    const auto counters = download<cl_int>(bench, klt.points().state(), glcl::klt::STATES);
    const bool cut = counters[glcl::klt::CUT], blank = counters[glcl::klt::BLANK_COUNT];
    if (blank)
      reference.hold();
    else
      reference.run(settings, slots_of(bench, klt), klt.fresh() || cut);
    const StabilizerState own = download<StabilizerState>(bench, stabilizer.state(), 1)[0];
    for (const reference::Point corner : {reference::Point{0, 0},
                                          {double(width - 1), 0},
                                          {0, double(height - 1)},
                                          {double(width - 1), double(height - 1)}}) {
      const auto a = shown_at(own, corner), b = shown_at(reference.state(), corner);
      fail_unless(std::hypot(a.x - b.x, a.y - b.y) < 0.01,
                  "%s: corner (%g, %g) is shown at (%g, %g), expected (%g, %g)", name.c_str(),
                  corner.x, corner.y, a.x, a.y, b.x, b.y);
    }
    fail_unless(std::abs(own.margin_used - reference.state().margin_used) < 0.01,
                "%s: %g of the margin, expected %g", name.c_str(), own.margin_used,
                reference.state().margin_used);
    if (clip.pixels) agreement.check(bench.download(out), reference.show(clip.frames[i]), name);
    all.push_back(own);
  }
  return all;
}

Motion shaken(int i) {
  return {2.6 * std::sin(0.9 * i) + 1.7 * std::sin(0.37 * i), 2.1 * std::sin(0.7 * i + 1),
          0.01 * std::sin(0.5 * i), 1 + 0.004 * std::sin(0.3 * i)};
}

Clip shaking(int width, int height, int count) {
  Clip clip;
  for (int i = 0; i < count; i++)
    clip.frames.push_back(reference::textured_frame(width, height, shaken(i)));
  clip.klt.features = 200;
  return clip;
}

/// The motion of a shaking scene in the output, px: the mean over the picture of the distances of
/// its places from their mean places.
double shake(const std::vector<StabilizerState> &all, const std::function<Motion(int)> &motion,
             int width, int height, size_t first = 0) {
  double sum = 0, count = 0;
  for (int y = height / 4; y <= height * 3 / 4; y += height / 4)
    for (int x = width / 4; x <= width * 3 / 4; x += width / 4) {
      std::vector<reference::Point> positions;
      reference::Point mean;
      for (size_t i = first; i < all.size(); i++) {
        positions.push_back(
            shown_at(all[i], motion(int(i)).apply({double(x), double(y)}, width, height)));
        mean.x += positions.back().x, mean.y += positions.back().y;
      }
      mean.x /= double(positions.size()), mean.y /= double(positions.size());
      for (const reference::Point &p : positions)
        sum += std::hypot(p.x - mean.x, p.y - mean.y), count++;
    }
  return sum / count;
}

/// The second differences of the picture's motion from a frame on, as a part of the camera's.
double second_differences(const std::vector<StabilizerState> &all,
                          const Stabilizer::Settings &settings,
                          const std::function<Motion(int)> &camera, int first, int width,
                          int height) {
  double shown = 0, own = 0;
  const double zoom = 1 / (1 - 2 * settings.margin);
  for (int i = first; i < int(all.size()); i++) {
    // The place that a camera without shake has in its middle.
    const reference::Point p{width / 2.0 + shaken(i).x - camera(i).x, height / 2.0};
    const auto seen = [&](int k) { return camera(k).apply(p, width, height); };
    const auto second = [&](auto at) {
      const reference::Point a = at(i), b = at(i - 1), c = at(i - 2);
      return std::pow(a.x - 2 * b.x + c.x, 2) + std::pow(a.y - 2 * b.y + c.y, 2);
    };
    shown += second([&](int k) { return shown_at(all[size_t(k)], seen(k)); }) / (zoom * zoom);
    own += second(seen);
  }
  return std::sqrt(shown / own);
}

}  // namespace

TEST(test_sizes) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  for (const auto &[width, height] :
       {std::pair{1, 1}, {5, 3}, {9, 40}, {64, 48}, {65, 33}, {161, 97}})
    for (Layout layout : {Layout::image, Layout::buffer}) {
      Clip clip = shaking(width, height, 5);
      clip.layout = layout;
      compare(bench, agreement, clip, size_text(clip.frames[0]));
    }
}

TEST(test_settings) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  for (const auto &[smoothing, margin] :
       {std::pair{0, 0.1}, {1, 0.1}, {10000, 0.4}, {20, 0.0}, {0, 0.01}}) {
    Clip clip = shaking(161, 97, 6);
    clip.settings.smoothing = smoothing, clip.settings.margin = margin;
    compare(bench, agreement, clip, "smoothing " + std::to_string(smoothing));
  }
  Clip clip = shaking(161, 97, 12);
  clip.change = [](int i, Stabilizer::Settings &settings) {
    if (i == 3) settings.smoothing = 0;
    if (i == 5) settings.margin = 0;
    if (i == 7) settings.margin = 0.3, settings.smoothing = 5;
  };
  compare(bench, agreement, clip, "changes");
}

TEST(test_content) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const auto both = [&](const char *what, const std::vector<Frame> &frames) {
    Clip clip;
    clip.frames = frames;
    clip.settings.margin = 0.3;
    return compare(bench, agreement, clip, what);
  };
  const int w = 161, h = 97;
  const Frame random = reference::random_frame(w, h), flat = reference::flat_frame(w, h),
              gradient = reference::gradient_frame(w, h),
              natural = reference::natural_frame(w + 5, h + 5),
              still = reference::textured_frame(w, h);
  both("random", {random, random, reference::random_frame(w, h, 2)});
  both("flat", {flat, flat, flat});
  both("gradient", {gradient, gradient});
  both("natural", {reference::crop(natural, 0, 0, w, h), reference::crop(natural, 5, 3, w, h)});
  both("noisy", {reference::noisy(still, 4, 1), reference::noisy(still, 4, 2),
                 reference::noisy(still, 4, 3)});
  const auto cut = both("cut", {still, reference::textured_frame(w, h, {3, 2}),
                                reference::textured_frame(w, h, {3, 2}, 9)});
  fail_unless(std::hypot(cut[1].to_stabilized.x + 3, cut[1].to_stabilized.y + 2) < 0.5,
              "the shift is found: %g, %g", cut[1].to_stabilized.x, cut[1].to_stabilized.y);
  fail_unless(std::hypot(cut[2].to_stabilized.x, cut[2].to_stabilized.y) == 0, "a cut begins anew");
}

// A picture that does not move stays unchanged.
TEST(test_unmoved) {
  Bench bench;
  const Frame frame = reference::random_frame(67, 41);
  for (Layout layout : {Layout::image, Layout::buffer}) {
    Klt klt(*bench.context, 67, 41, layout);
    Stabilizer stabilizer(*bench.context, 67, 41, layout);
    const Picture in = bench.upload(frame, layout), out = bench.upload(Frame(67, 41), layout);
    Stabilizer::Settings settings;
    settings.margin = 0;
    klt.run(*bench.queue, {}, in);
    stabilizer.run(*bench.queue, settings, klt);
    stabilizer.show(*bench.queue, in, out);
    check_equal(bench.download(out), frame, "without a margin");
  }
}

// Luma and chroma with all bits, each where its samples lie.
TEST(test_planes_equal_the_reference) {
  Bench bench;
  const glcl::Colorimetry colorimetry;
  int moved = 0;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    for (const auto &[width, height, site] : {std::tuple(161, 97, glcl::ChromaSite{true, false}),
                                              {64, 48, glcl::ChromaSite{}},
                                              {1, 1, glcl::ChromaSite{false, true}}}) {
      FrameFormat access(layout, format, colorimetry);
      access.chroma_site = site;
      Klt klt(*bench.context, width, height, layout);
      Stabilizer stabilizer(*bench.context, width, height, access);
      Reference reference(width, height, glcl::camera::Ransac::defaults(bench.context->device()));
      const Clip clip = shaking(width, height, 4);
      for (size_t i = 0; i < clip.frames.size(); i++) {
        klt.run(*bench.queue, clip.klt, bench.upload(clip.frames[i], layout));
        stabilizer.run(*bench.queue, clip.settings, klt);
        reference.run(clip.settings, slots_of(bench, klt), klt.fresh());
        const PlanarFrame frame = random_planes(format, width, height, false);
        const Picture out = upload(bench, PlanarFrame(format, width, height), layout);
        stabilizer.show(*bench.queue, upload(bench, frame, layout), out);
        const PlanarFrame got = download(bench, out, format);
        // The places are some thousandths of a px apart, and neighbours all values.
        const double tolerance = 0.6 + 0.02 * (1 << format.bits);
        check_values(got, tolerance, format.name, [&](int plane, int x, int y) {
          return reference.values_at(frame, site, plane, x, y);
        });
        moved += got.planes[0].values != frame.planes[0].values;
      }
    }
  });
  fail_unless(moved > 20, "the frames move");
}

// Nothing beyond the frame is ever shown, however the camera moves; an even motion is followed.
TEST(test_bounds) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const int w = 161, h = 97;
  for (int smoothing : {0, 10}) {
    Clip clip;
    for (int i = 0; i < 16; i++)
      clip.frames.push_back(reference::textured_frame(w, h, {-4.0 * i, 1.5 * i, 0.04 * i, 1}));
    clip.klt.features = 150;
    clip.settings.smoothing = smoothing;
    const auto all = compare(bench, agreement, clip, "pan");
    double reached = 0;
    for (const StabilizerState &steady : all)
      for (const double x : {0.0, w - 1.0})
        for (const double y : {0.0, h - 1.0}) {
          const auto p = shown_at(steady, {x, y});
          // The frame's corners are outside of the output.
          const double in_x = x ? w - 1 - p.x : p.x, in_y = y ? h - 1 - p.y : p.y;
          reached = std::max(reached, std::min(in_x, in_y));
        }
    fail_unless(reached < 0.05, "something beyond the frame is shown: %g px", reached);
  }
}

// A shaking picture is stabilised: in noise, with few points, in changing light, behind passing
// objects.
TEST(test_still) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const int w = 200, h = 140, count = 20;
  const auto held = [&](const char *what, Clip clip) {
    clip.settings.smoothing = 0;
    clip.pixels = false;
    const double left = shake(compare(bench, agreement, clip, what), shaken, w, h);
    std::printf("%s: a shake of %.3f px is left\n", what, left);
    fail_unless(left <= 0.3, "%s: a shake of %g px is left", what, left);
  };
  const Clip clip = shaking(w, h, count);
  StabilizerState none{};
  none.rows[0] = none.rows[4] = 1;
  const double before = shake(std::vector<StabilizerState>(count, none), shaken, w, h);
  fail_unless(before > 1.5, "the clip shakes by %g px", before);
  held("shaking", clip);
  Clip few = clip;
  few.klt.features = 12;
  few.klt.min_distance = 20;
  held("few points", few);
  Clip noisy = clip;
  for (int i = 0; i < count; i++)
    noisy.frames[i] = reference::noisy(
        reference::relit(noisy.frames[i], 1 + 0.2 * std::sin(0.4 * i), 0), 6, unsigned(i) + 1);
  held("noise and light", noisy);
  Clip passed = clip;
  for (int i = 0; i < count; i++) {
    const Frame front = reference::textured_frame(w, h, {5.0 * i, 0}, 5);
    passed.frames[i] = reference::covered(passed.frames[i], front, [&](int x, int y) {
      return std::hypot(x - 30 - 5 * i, y - 80) < 45;
    });
  }
  held("something passes", passed);
}

// With smoothing, deliberate camera motion stays, and shake is removed.
TEST(test_smooth) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const int w = 200, h = 140, count = 45;
  const auto pan = [](int i) {
    Motion motion = shaken(i);
    motion.x -= 0.8 * i;
    return motion;
  };
  Clip clip;
  for (int i = 0; i < count; i++) clip.frames.push_back(reference::textured_frame(w, h, pan(i)));
  clip.klt.features = 150;
  clip.pixels = false;
  clip.settings.smoothing = 20;
  clip.settings.margin = 0.15;
  const auto all = compare(bench, agreement, clip, "smooth");
  // From frame to frame the middle of the picture moves by the pan, and hardly otherwise.
  double rest = 0, shaking = 0, moved = 0;
  for (int i = 21; i < count; i++) {
    const auto at = [&](int k) {
      return shown_at(all[size_t(k)], pan(k).apply({w / 2.0 + 0.8 * i, h / 2.0}, w, h));
    };
    const double zoom = 1 / (1 - 2 * clip.settings.margin);
    rest += std::hypot((at(i).x - at(i - 1).x) / zoom + 0.8, (at(i).y - at(i - 1).y) / zoom) /
            (count - 21);
    shaking +=
        std::hypot(shaken(i).x - shaken(i - 1).x, shaken(i).y - shaken(i - 1).y) / (count - 21);
    moved += (at(i).x - at(i - 1).x) / zoom / (count - 21);
  }
  std::printf("steps of %.3f px besides the pan instead of %.3f\n", rest, shaking);
  fail_unless(shaking > 1 && rest < 0.2 * shaking, "steps of %g px instead of %g", rest, shaking);
  fail_unless(std::abs(moved + 0.8) < 0.2, "the pan is %g px a frame", moved);
}

// Where a pan begins, shake goes on being taken away at the defaults: in its first second the
// picture's second differences are at most half of the camera's.
TEST(test_pan_begins) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const int w = 320, h = 180, begins = 12, count = begins + 25;
  for (const double by : {2.0, 4.0, 8.0}) {
    const auto pan = [&](int i) {
      Motion motion = shaken(i);
      motion.x -= by * std::max(i - begins, 0);
      return motion;
    };
    Clip clip;
    for (int i = 0; i < count; i++) clip.frames.push_back(reference::textured_frame(w, h, pan(i)));
    clip.klt.features = 150;
    clip.pixels = false;
    const auto all = compare(bench, agreement, clip, "a pan begins");
    const double part = second_differences(all, clip.settings, pan, begins, w, h);
    std::printf("a pan of %g px begins: %.2f of the camera's second differences\n", by, part);
    fail_unless(part <= 0.5, "a pan of %g px begins: %g of the camera's second differences", by,
                part);
  }
}

// A camera that travels over the ground sees near places pass faster, so no motion of the whole
// picture keeps points at their first places. Its shake is removed nevertheless.
TEST(test_travel) {
  Bench bench;
  Agreement agreement;
  agreement.most = 0.02;
  const int w = 240, h = 160, count = 40, bands = 8, middle = bands / 2;
  const auto camera = [&](int i, int band) {
    Motion motion = shaken(i);
    motion.x -= 0.7 * i * band;
    return motion;
  };
  Clip clip;
  for (int i = 0; i < count; i++) {
    Frame frame(w, h);
    for (int band = 0; band < bands; band++) {
      const Frame near = reference::textured_frame(w, h, camera(i, band));
      const int first = h / bands * band;
      std::copy(near.at(0, first), near.at(0, first) + size_t(4) * w * (h / bands),
                frame.at(0, first));
    }
    clip.frames.push_back(std::move(frame));
  }
  clip.klt.features = 200;
  clip.pixels = false;
  for (const int smoothing : {12, 50}) {
    clip.settings.smoothing = smoothing;
    const auto all = compare(bench, agreement, clip, "a camera travels");
    const double part = second_differences(
        all, clip.settings, [&](int i) { return camera(i, middle); }, 10, w, h);
    std::printf("smoothing %d: %.2f of the camera's second differences\n", smoothing, part);
    fail_unless(part <= 0.5, "smoothing %d: %g of the camera's second differences", smoothing,
                part);
  }
}

// Blank frames do not move the picture, and after them it is where it was.
TEST(test_blank) {
  Bench bench;
  Agreement agreement;
  Clip clip = shaking(200, 130, 16);
  clip.settings.smoothing = 0;
  for (size_t i : {5, 6, 7, 11})
    std::fill(clip.frames[i].rgba.begin(), clip.frames[i].rgba.end(), i == 11 ? 255 : 0);
  const auto all = compare(bench, agreement, clip, "blank frames");
  for (size_t i : {5, 6, 7, 11})
    fail_unless(all[i].confidence == -1 && all[i].rows[2] == all[i - 1].rows[2] &&
                    all[i].rows[5] == all[i - 1].rows[5],
                "frame %zu is moved", i);
  std::vector<StabilizerState> seen;
  std::vector<int> numbers;
  for (int i = 0; i < 16; i++)
    if (all[size_t(i)].confidence >= 0 || i == 0)
      seen.push_back(all[size_t(i)]), numbers.push_back(i);
  const auto motion = [&](int i) { return shaken(numbers[size_t(i)]); };
  const double left = shake(seen, motion, 200, 130);
  fail_unless(seen.size() == 12 && left < 0.1, "%zu frames, %g px are left", seen.size(), left);
}
