// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of filters on frames of planes, against their formulas in double precision.
#include <algorithm>
#include <cmath>

#include "chain/chain.h"
#include "kernels/planes.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::chain::Chain;
using reference::Colours;

namespace {

/// Calls with each colour channel.
template <class Work>
Colours mapped(const Colours &in, const Work &work) {
  Colours out = in;
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++)
      for (int c = 0; c < 3; c++) out.at(x, y)[c] = std::clamp(work(x, y, c), 0.0, 255.0);
  return out;
}

Colours clamped(const Colours &in) {
  return mapped(in, [&](int x, int y, int c) { return in.at(x, y)[c]; });
}

double around(const Colours &in, int x, int y, int c) {
  return in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1))[c];
}

Colours sharpened(const Colours &in, double amount) {
  return mapped(in, [&](int x, int y, int c) {
    const double own = in.at(x, y)[c];
    return own + amount * (4 * own - around(in, x - 1, y, c) - around(in, x + 1, y, c) -
                           around(in, x, y - 1, c) - around(in, x, y + 1, c));
  });
}

Colours blurred(const Colours &in) {
  return mapped(in, [&](int x, int y, int c) {
    double sum = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++)
        sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) * around(in, x + dx, y + dy, c);
    return sum / 16;
  });
}

/// A chain, and its result of a frame and the one before.
struct Sample {
  const char *filters;
  Colours (*expected)(const Colours &now, const Colours &before);
};

const Sample samples[] = {
    {"invert(strength=0.9)",
     [](const Colours &now, const Colours &) {
       return mapped(now, [&](int x, int y, int c) {
         return now.at(x, y)[c] + 0.9 * (255 - 2 * now.at(x, y)[c]);
       });
     }},
    {"sharpen(amount=0.25) ! lut(points=[0.1 0.4 1])",
     [](const Colours &now, const Colours &) {
       const Colours sharp = sharpened(now, 0.25);
       return mapped(sharp, [&](int x, int y, int c) {
         const double level = sharp.at(x, y)[c] / 255;
         return 255 * (level < 0.5 ? 0.1 + 0.6 * level : 0.4 + 1.2 * (level - 0.5));
       });
     }},
    {"blend(amount=0.3) ! convolve(matrix=[1 2 1; 2 4 2; 1 2 1])",
     [](const Colours &now, const Colours &before) {
       return blurred(mapped(now, [&](int x, int y, int c) {
         return 0.7 * now.at(x, y)[c] + 0.3 * before.at(x, y)[c];
       }));
     }},
    {"gamma(value=1)", [](const Colours &now, const Colours &) { return now; }}};

std::string name_of(const Sample &sample, const PixelFormat &format, Layout layout) {
  return std::string(sample.filters) + " on " + format.name +
         (layout == Layout::image ? " in images" : " in buffers");
}

/// Steps that a result may be away from the reference: the half that rounding takes, and what 16
/// bits between filters lose.
double tolerance(const PixelFormat &format) { return format.bits == 16 ? 2.5 : 0.56; }

void check_sample(Bench &bench, const Sample &sample, const FrameFormat &frame, int plan) {
  const PixelFormat &format = *frame.pixels;
  auto variant = Chain::tunable().defaults(bench.context->device(), "");
  variant["plan"] = plan;
  Chain chain(*bench.context, glcl::chain::parse_chain(sample.filters, "test", {}),
              {false, frame, variant});
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {33, 7}, {131, 22}}) {
    chain.reset();
    std::vector<Colours> seen;
    for (const bool soft : {false, true}) {
      const PlanarFrame planar = random_planes(format, width, height, soft);
      const Picture in = upload(bench, planar, frame.layout),
                    out = upload(bench, PlanarFrame(format, width, height), frame.layout);
      chain.run(*bench.queue, in, out);
      seen.push_back(clamped(Colours(planar, frame.colorimetry)));
      check_planes(download(bench, out, format), sample.expected(seen.back(), seen.front()),
                   frame.colorimetry, tolerance(format),
                   name_of(sample, format, frame.layout) + ", " + chain.describe());
    }
  }
}

}  // namespace

TEST(test_chains_equal_the_reference_in_every_format) {
  Bench bench;
  size_t turn = 0;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    const Colorimetry colorimetry{0.2126, 0.0722, turn % 3 == 2};
    const bool all = format.bits == 10;
    for (size_t i = 0; i < std::size(samples); i++)
      if (all || i % 2 == turn % 2)
        check_sample(bench, samples[i], {layout, format, colorimetry},
                     i == 2 ? Chain::plan_unfused : 0);
    turn++;
  });
}

// Soft colours come back within a step from a chain that does nothing.
TEST(test_a_chain_without_effect_keeps_values) {
  Bench bench;
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    if (layout == Layout::image) return;
    Chain chain(*bench.context, glcl::chain::parse_chain("invert(strength=0)", "test", {}),
                {false, FrameFormat(layout, format, {}), {}});
    const PlanarFrame frame = random_planes(format, 64, 48, true);
    const Picture out = upload(bench, PlanarFrame(format, 64, 48), layout);
    chain.run(*bench.queue, upload(bench, frame, layout), out);
    const PlanarFrame got = download(bench, out, format);
    for (size_t i = 0; i < got.planes.size(); i++)
      for (size_t k = 0; k < got.planes[i].values.size(); k++)
        if (format.bits < 16)
          fail_unless(got.planes[i].values[k] == frame.planes[i].values[k],
                      "%s: plane %zu changes from %d to %d", format.name, i,
                      frame.planes[i].values[k], got.planes[i].values[k]);
    check_planes(got, Colours(frame, {}), {}, 1, format.name);
  });
}
