// SPDX-License-Identifier: LGPL-2.1-or-later
// The message `glclscope`.
#pragma once

#include "base/gstglclanalyzer.h"
#include "scopes/numbers.h"

namespace glcl::scopes {

/// Posts the message `glclscope`: numbers of ScopeCounts::numbers() for an area of the frame.
void post(GstGLCLAnalyzer *self, const FrameTimes &times, const ScopeValues &values,
          const Rect &area, int columns, const uint32_t *numbers);

}  // namespace glcl::scopes
