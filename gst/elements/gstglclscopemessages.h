// SPDX-License-Identifier: LGPL-2.1-or-later
// The message `glclscope`.
#pragma once

#include "base/gstglclanalyzer.h"
#include "scopes/numbers.h"
#include "scopes/survey.h"

namespace glcl::scopes {

/// Posts the message `glclscope`. `pixels`: of the counted area.
void post(GstGLCLAnalyzer *self, const FrameTimes &times, const ScopeValues &values,
          uint64_t pixels, const ScopeNumbers &numbers, const SurveyNumbers &survey);

}  // namespace glcl::scopes
