// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flow.h"

namespace glcl::opticalflow {

/// Settings that belong together; what is not named here has its default.
enum class Preset { fast, balanced, accurate };

struct PresetValues {
  Flow::Channels channels;
  int refinement;
};

inline PresetValues preset_values(Preset preset) {
  switch (preset) {
    case Preset::fast:
      return {Flow::Channels::grey, 0};
    case Preset::balanced:
      return {Flow::Channels::census, 0};
    case Preset::accurate:
      return {Flow::Channels::census, 2};
  }
  return {};
}

}  // namespace glcl::opticalflow
