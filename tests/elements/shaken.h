// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "reference/textured.h"

namespace test {

/// The motion of a hand-held camera in frame `i`, for reference::textured_frame.
inline reference::Motion shaken(int i) {
  return {2.6 * std::sin(0.9 * i) + 1.7 * std::sin(0.37 * i), 2.1 * std::sin(0.7 * i + 1),
          0.01 * std::sin(0.5 * i), 1};
}

}  // namespace test
