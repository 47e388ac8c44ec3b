// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flow.h"

namespace glcl::opticalflow {

/// Combinations of settings. All other settings have their defaults.
enum class Preset { fast, balanced, accurate };

struct PresetValues {
  Flow::Channels channels;
  int warps, refinement;
};

/// The settings of Flow in a preset.
inline Flow::Settings flow_settings(const PresetValues &values) {
  Flow::Settings settings;
  settings.warps = values.warps, settings.refinement = values.refinement;
  return settings;
}

inline PresetValues preset_values(Preset preset) {
  switch (preset) {
    case Preset::fast:
      return {Flow::Channels::grey, 2, 0};
    case Preset::balanced:
      return {Flow::Channels::census, 3, 0};
    case Preset::accurate:
      return {Flow::Channels::census, 3, 2};
  }
  return {};
}

}  // namespace glcl::opticalflow
