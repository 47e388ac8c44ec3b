// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scopes.h"

namespace reference {

/// Draws the marks that the settings display on a frame in RGBA, or on an overlay in BGRA.
void draw_marks(Frame &out, const ScopeFrame &frame, const glcl::scopes::ScopeSettings &settings,
                bool overlay, const ScopeNoise &noise);

}  // namespace reference
