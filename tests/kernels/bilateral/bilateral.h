// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of the bilateral engines.
#pragma once

#include "bilateral/bilateral.h"

#include <random>

#include "kernels/engine.h"
#include "reference/conversion/conversion.h"

using Settings = glcl::bilateral::BilateralFilter::Settings;
using Weight = glcl::bilateral::BilateralFilter::Weight;

constexpr Weight weights[] = {Weight::intensity, Weight::color, Weight::per_channel};

inline std::string describe(const Settings &s, const Frame &frame) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) + ", radius " +
         std::to_string(s.radius) + ", sigma-space " + std::to_string(s.sigma_space) +
         ", sigma-range " + std::to_string(s.sigma_range) + ", weight " +
         std::to_string(static_cast<int>(s.weight)) + ", iterations " +
         std::to_string(s.iterations) + ", split " + std::to_string(s.split);
}

/// The frame with 16 bits per channel; the lower ones are random.
inline reference::PlanarFrame deep(const Frame &frame) {
  reference::PlanarFrame result(glcl::PixelFormat::rgba64, frame.width, frame.height);
  std::mt19937 random(1);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    result.planes[0].values[i] = static_cast<uint16_t>(frame.rgba[i] << 8 | (random() & 255));
  return result;
}

template <class Engine>
reference::PlanarFrame run_deep(Bench &bench, Engine &engine, const Settings &settings,
                                const reference::PlanarFrame &frame) {
  const auto &format = glcl::PixelFormat::rgba64;
  const int padding = engine.layout() == Layout::buffer ? 3 : 0;
  const Picture in = reference::upload(*bench.queue, frame, engine.layout(), padding),
                out = reference::upload(*bench.queue,
                                        reference::PlanarFrame(format, frame.width, frame.height),
                                        engine.layout(), 2 * padding);
  engine.run(*bench.queue, settings, in, out);
  return reference::download(*bench.queue, out, format);
}

/// Checks codes of 16 bits with a tolerance; alpha has to be equal. Returns the largest difference.
inline int check_codes(const reference::PlanarFrame &got, const reference::PlanarFrame &expected,
                       int tolerance, const std::string &what) {
  int most = 0;
  for (size_t i = 0; i < got.planes[0].values.size(); i++) {
    const int value = got.planes[0].values[i], wanted = expected.planes[0].values[i];
    fail_unless(std::abs(value - wanted) <= (i % 4 == 3 ? 0 : tolerance),
                "%s: code %d of pixel %zu, reference %d", what.c_str(), value, i / 4, wanted);
    most = std::max(most, std::abs(value - wanted));
  }
  return most;
}
