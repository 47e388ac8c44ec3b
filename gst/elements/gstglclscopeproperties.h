// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glclscope.
#pragma once

#include "base/glclproperties.h"
#include "base/glclregion.h"
#include "gstglclscopeevents.h"
#include "scopes/layout.h"

namespace glcl::scopes {

/// The values of the properties.
struct ScopeProperties : ScopeSettings, ScopeEventSettings {
  Rect roi;
};

void add_properties(Properties<ScopeProperties> &properties);

}  // namespace glcl::scopes
