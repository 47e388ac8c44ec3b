// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "reference/frames.h"
#include "reference/noise/noise.h"
#include "reference/opticalflow/field.h"

namespace reference::opticalflow {

/// The flow as glcl::opticalflow::Flow defines it, one plane after the other. `flicker`: the
/// state of the previous frames; none by default.
Field flow(const Frame &before, const Frame &after, glcl::opticalflow::Flow::Channels channels,
           const glcl::opticalflow::Flow::Settings &settings, Flicker *flicker = nullptr);

/// As glcl::opticalflow::LucasKanade defines it: one window after the other, in double precision.
Field lucas_kanade(const Frame &before, const Frame &after,
                   const glcl::opticalflow::LucasKanade::Settings &settings);

}  // namespace reference::opticalflow
