// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "scopes/interface.h"
#include "values.h"

namespace glcl::scopes {

/// Limits for the pixels of a frame.
struct SurveyLimits {
  double gamut_tolerance = 5;  ///< per cent of the range of R, G and B
  double black = 10;           ///< the largest luma of black pixels, per cent from black to white
  double still = 0.1;  ///< the largest mean difference of luma in a frame that stands still, per
                       ///< cent of all code values
};

/// The size of a survey.
constexpr size_t survey_bytes = SURVEY_VALUES * sizeof(cl_ulong);

/// Shares of the pixels of a frame.
struct SurveyNumbers {
  /// `survey`: survey_bytes of ScopeSurvey::run() for an area, at any address.
  SurveyNumbers(const Rect &area, const void *survey);

  double out_of_range;  ///< with a code value outside of the legal range
  double out_of_gamut;  ///< with R, G or B outside of its limits
  double black;
  bool still;  ///< the frame was compared, and stands still
};

/// Counts illegal and black pixels, exactly, and compares frames with the last one that moved.
class ScopeSurvey {
 public:
  /// For frames of width × height px. Builds the kernels; throws Error::failed if the device
  /// refuses them or memory. `group`: work-items of a row; 0 chooses.
  ScopeSurvey(Context &context, int width, int height, const FrameFormat &frame, int group = 0);

  const ScopeValues &values() const { return values_; }
  /// Enqueues the survey of an area inside the frame: SURVEY_VALUES cl_ulong. They last until the
  /// next call. `compares`: compare with the kept frame. Never waits.
  const cl::Buffer &run(Queue &queue, const Picture &in, const Rect &area,
                        const SurveyLimits &limits, bool compares);
  /// Forgets the kept frame.
  void reset() { compared_ = {}; }

 private:
  Survey survey_of(const Rect &area, const SurveyLimits &limits, bool compares) const;

  ScopeValues values_;  // luma
  int width_, height_, group_;
  Kernel rows_, sums_;
  cl::Buffer row_sums_, kept_, state_, numbers_;  // the frames are made when needed
  Rect compared_;                                 // the area of the kept frame
};

}  // namespace glcl::scopes
