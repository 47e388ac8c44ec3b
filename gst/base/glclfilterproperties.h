// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "glclproperties.h"
#include "glclstats.h"

namespace glcl {

/// The settings of every element: its properties `device`, `sharing` and `profile`.
struct FilterSettings {
  std::string device = "auto";
  int sharing = 0;  ///< a value of the enumeration of the property; 0 is auto
  bool profile = false;

  /// The sharing methods to try, in this order.
  std::vector<const sharing::SharingMethod *> methods() const;
};

/// Installs the properties above, and `active-sharing` and `stats`, which can only be read.
void install_filter_properties(GObjectClass *object_class,
                               Guarded<FilterSettings> &(*settings_of)(GObject *),
                               StatsRecorder &(*stats_of)(GObject *));

}  // namespace glcl
