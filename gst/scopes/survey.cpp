// SPDX-License-Identifier: LGPL-2.1-or-later
#include "survey.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::scopes {

namespace {

constexpr int gpu_group = 256;

}  // namespace

ScopeSurvey::ScopeSurvey(Context &context, int width, int height, const FrameFormat &frame,
                         int group)
    : values_(frame, ScopeMode::luma), width_(width), height_(height) {
  const Device &device = context.device();
  group_ = group ? group : device.is_cpu() ? 1 : gpu_group;
  try {
    const std::string options = frame_options(frame) + values_.options() + define("GROUP", group_) +
                                one_group_option(device.device);
    const Program program = context.program("scopes/survey.cl", options);
    rows_ = Kernel(context, program, "scope_survey_rows", {size_t(group_), 1});
    sums_ = Kernel(context, program, "scope_survey_sums", {1, 1});
    row_sums_ = make_buffer(context.cl(), sizeof(cl_uint) * SURVEY_SUMS * height);
    state_ = make_buffer(context.cl(), sizeof(cl_int));
    numbers_ = make_buffer(context.cl(), sizeof(cl_ulong) * SURVEY_VALUES);
    kept_ = make_buffer(context.cl(), sizeof(cl_ushort));
  } catch (const cl::Error &error) {
    throw Error("The scopes can't be set up on " + device.name + ".", error);
  }
}

Survey ScopeSurvey::survey_of(const Rect &area, const SurveyLimits &limits, bool compares) const {
  Survey survey{};
  survey.area = int4_of(area);
  const bool rgb = !values_.frame.pixels->has_luma();
  const ScopeValues stored(values_.frame, rgb ? ScopeMode::rgb : ScopeMode::ycbcr);
  for (int i = 0; i < stored.channels; i++)
    survey.least.s[i] = stored.black(i), survey.most.s[i] = stored.white(i);
  std::tie(survey.gamut_low, survey.gamut_high) = values_.rgb_limits(limits.gamut_tolerance);
  const int black = values_.black(0), white = values_.white(0);
  survey.black = static_cast<int>(std::floor(black + limits.black / 100 * (white - black)));
  survey.compares = compares;
  survey.still = static_cast<cl_ulong>(limits.still / 100 * values_.levels *
                                       (double(area.width) * area.height));
  return survey;
}

const cl::Buffer &ScopeSurvey::run(Queue &queue, const Picture &in, const Rect &area,
                                   const SurveyLimits &limits, bool compares) {
  const Survey survey = survey_of(area, limits, compares);
  if (compares && !(compared_ == area)) {
    ensure_size(kept_, queue.context().cl(), 2 * sizeof(cl_ushort) * size_t(width_) * height_);
    queue.cl().enqueueFillBuffer(state_, cl_int(-1), 0, sizeof(cl_int));
  }
  compared_ = compares ? area : Rect{};
  rows_(queue, {size_t(area.height) * group_, 1}, in, row_sums_, kept_, state_, survey);
  sums_(queue, sums_.group(), row_sums_, numbers_, state_, survey);
  return numbers_;
}

SurveyNumbers::SurveyNumbers(const Rect &area, const void *survey) {
  cl_ulong numbers[SURVEY_VALUES];
  std::memcpy(numbers, survey, survey_bytes);
  const double pixels = double(area.width) * area.height;
  out_of_range = static_cast<double>(numbers[SURVEY_OUT_OF_RANGE]) / pixels;
  out_of_gamut = static_cast<double>(numbers[SURVEY_OUT_OF_GAMUT]) / pixels;
  black = static_cast<double>(numbers[SURVEY_BLACK]) / pixels;
  still = numbers[SURVEY_MOTION] == SURVEY_STILL;
}

}  // namespace glcl::scopes
