// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the optical flow and compares it with its reference.
#pragma once

#include "opticalflow/flow.h"

#include <cmath>
#include <string>

#include "kernels/engine.h"
#include "reference/opticalflow/flow.h"

using glcl::opticalflow::Flow;
using Channels = Flow::Channels;
using FlowSettings = Flow::Settings;
using reference::opticalflow::Field;

constexpr Channels kinds[] = {Channels::grey, Channels::census};  // the loop index of the tests

inline Layout device_layout(const Bench &bench) {
  return glcl::layout_for(bench.context->device());
}

inline std::string text(const FlowSettings &s, const Frame &frame, Channels channels) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) +
         (channels == Channels::census ? ", census" : ", grey") + ", levels " +
         std::to_string(s.levels) + ", warps " + std::to_string(s.warps) + ", window " +
         std::to_string(s.window) + ", median " + std::to_string(s.median) + ", refinement " +
         std::to_string(s.refinement);
}

inline Field run(Bench &bench, Flow &flow, const FlowSettings &settings, const Frame &before,
                 const Frame &after) {
  flow.reset();
  flow.prepare(settings);
  fail_if(flow.run(*bench.queue, settings, reference::upload(*bench.queue, before, flow.layout())),
          "the first frame has a flow");
  const int padding = flow.layout() == Layout::buffer ? 5 : 0;
  fail_unless(flow.run(*bench.queue, settings,
                       reference::upload(*bench.queue, after, flow.layout(), padding)));
  return reference::opticalflow::download(*bench.queue, flow.field());
}

/// At most 0.01 px (and a hundredth of confidence) off on 99.9 % of the pixels, or on all but
/// `most_off`.
inline void compare(const Field &result, const Field &expected, const std::string &what,
                    double most_off = 0.001) {
  size_t off = 0, unsure = 0;
  double worst = 0;
  for (size_t i = 0; i < expected.confidence.size(); i++) {
    const double error = std::hypot(result.vectors[2 * i] - expected.vectors[2 * i],
                                    result.vectors[2 * i + 1] - expected.vectors[2 * i + 1]);
    fail_unless(std::isfinite(error) && std::isfinite(result.confidence[i]), "%s: no number at %zu",
                what.c_str(), i);
    worst = std::max(worst, error);
    off += error > 0.01;
    unsure += std::abs(result.confidence[i] - expected.confidence[i]) > 0.01;
  }
  fail_unless(double(off) <= most_off * double(expected.confidence.size()),
              "%s: %zu of %zu vectors are off, the worst by %g px", what.c_str(), off,
              expected.confidence.size(), worst);
  fail_unless(unsure * 100 <= expected.confidence.size(), "%s: %zu confidences are off",
              what.c_str(), unsure);
}
