// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flow.h"

#include <algorithm>
#include <string>

#include "flowlayout.h"
#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

bool fits(const Device &device, const Parameters &variant) {
  return Flow::local_bytes(variant) <= device.local_memory();
}

Parameters default_variant(const Device &device, const std::string &problem) {
  Parameters cpu{{"group-x", 16}, {"group-y", 1}, {"tile-x", 64},
                 {"tile-y", 64},  {"sums", 4},    {"steps", 1}};
  if (device.is_cpu() && fits(device, cpu)) return cpu;
  if (problem == "dense") {
    Parameters dense{{"group-x", 32}, {"group-y", 8}, {"tile-x", 32},
                     {"tile-y", 32},  {"sums", 4},    {"steps", 1}};
    if (!fits(device, dense)) dense["tile-y"] = 16;
    return dense;
  }
  const int rows = one_group(device.device) < 512 ? 8 : 16;
  return {{"group-x", 32}, {"group-y", rows}, {"tile-x", 32},
          {"tile-y", 32},  {"sums", 4},       {"steps", 3}};
}

bool possible_variant(const Device &device, const std::string &problem, const Parameters &variant) {
  const size_t items = size_t(variant.at("group-x")) * variant.at("group-y");
  return items <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         (problem == "coarse" || variant.at("steps") == 1) && fits(device, variant);
}

}  // namespace

size_t Flow::local_bytes(const Parameters &variant) {
  const SolverForm form(variant, window_radius);
  return TileMemory::dense(form.tile, form.radius, form.sums).dense_bytes();
}

const Tunable &Flow::tunable() {
  static const Tunable tunable{"flow",
                               {"coarse", "dense"},
                               {"opticalflow/warp.cl"},
                               {{"group-x", {16, 32}},
                                {"group-y", {1, 8, 16}},
                                {"tile-x", {32, 64}},
                                {"tile-y", {16, 32, 64}},
                                {"sums", {2, 4}},
                                {"steps", {1, 2, 3}}},
                               default_variant,
                               possible_variant};
  return tunable;
}

Flow::Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels)
    : Flow(context, width, height, frame, channels,
           tuned_parameters(tunable(), context.device(), "coarse"),
           tuned_parameters(tunable(), context.device(), "dense")) {}

Flow::Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels,
           const Parameters &coarse, const Parameters &dense) try
    : context_(context.shared_from_this()),
      frame_(frame),
      channels_(channels),
      pyramids_(context, width, height, frame, channels),
      solver_(context, pyramids_, channels, coarse, dense),
      finish_(context, pyramids_, channels) {
  const std::vector<FlowLevel> &levels = pyramids_.all_levels();
  const int refined = std::min(automatic_levels(width, height), Refinement::levels);
  for (int i = 0; i < refined; i++) {
    refined_levels_.push_back(levels[i].cl());
    refined_gains_.push_back(pyramids_.gains()[i].s[0]);
  }
  if (has_candidates(static_cast<int>(levels.size())))
    candidates_ = std::make_unique<CandidateSearch>(context, pyramids_, channels);
} catch (const cl::Error &error) {
  throw Error("The optical flow can't be set up on " + context.device().name + ".", error);
}

bool Flow::has_candidates(int levels) const {
  return Candidates::selection_level(pyramids_.width(), pyramids_.height()) + 1 < levels;
}

void Flow::set_format(const FrameFormat &frame) {
  if (!frame.same_grey(frame_)) reset();
  pyramids_.set_format(*context_, frame);
  frame_ = frame;
}

bool Flow::run(Queue &queue, const Settings &settings, const Picture &in) {
  check_picture(in, pyramids_.width(), pyramids_.height(), frame_, "The optical flow");
  try {
    const int levels = std::min(this->levels(settings), pyramids_.known_levels());
    CandidateSearch *candidates = has_candidates(levels) ? candidates_.get() : nullptr;
    if (candidates_) candidates_->next_frame(candidates && !settings.check);
    const int first_small = pyramids_.add_frame(queue, settings, in);
    const FlowPyramid &previous = pyramids_.previous(), &current = pyramids_.current();
    if (candidates)
      candidates->start(queue, pyramids_, settings.check ? current : previous,
                        settings.check ? previous : current);
    pyramids_.complete(queue, settings, first_small);
    if (!levels) return false;
    if (settings.check) {
      find_flow(queue, settings, levels, candidates, true);
      if (candidates) candidates->forget();
    }
    find_flow(queue, settings, levels, candidates, false);
    if (refines(settings)) refine(queue, settings);
    if (settings.check) finish_.check(queue);
    return true;
  } catch (const cl::Error &error) {
    throw Error("Running the optical flow failed.", error);
  }
}

/// Enqueues the flow from the previous frame to the current one, or the reverse if `backward`.
void Flow::find_flow(Queue &queue, const Settings &settings, int levels,
                     CandidateSearch *candidates, bool backward) {
  const FlowPyramid &previous = pyramids_.previous(), &current = pyramids_.current();
  const cl::Buffer &brightness = backward ? pyramids_.reverse_brightness() : pyramids_.brightness();
  const bool by_matches = candidates && channels_ == Channels::grey;
  const FramePair frames{pyramids_, backward ? current : previous, backward ? previous : current,
                         brightness, by_matches ? candidates->brightness() : brightness};
  if (candidates) candidates->match(queue, frames);
  solver_.solve(queue, settings, frames, levels, candidates);
  finish_.run(queue, settings, frames, solver_, backward);
}

void Flow::prepare(const Settings &settings) {
  try {
    if (refines(settings)) refinement_.get([this] { return Refinement(*context_); });
  } catch (const cl::Error &error) {
    throw Error("The optical flow can't be refined on " + context_->device().name + ".", error);
  }
}

void Flow::refine(Queue &queue, const Settings &settings) {
  Refinement *refinement = refinement_.poll([this] { return Refinement(*context_); });
  if (!refinement) return;
  const FlowPyramid &previous = pyramids_.previous();
  refinement->run(
      queue, settings.refinement,
      {previous.census, pyramids_.current().census, previous.grey, pyramids_.noise().variances(),
       refined_levels_, refined_gains_, finish_.keep_factors(), finish_.cells(settings),
       window_class(settings.window) + 1},
      field().vectors, field().confidence);
}

}  // namespace glcl::opticalflow
