// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "colourwatch.h"
#include "rulefile.h"
#include "viewwatch.h"

namespace glcl::rules {

/// Something that happened to the camera.
struct SceneChange {
  enum class Kind { switched, covered, defocused, frozen };
  Kind kind;
  bool on = false;      ///< it begins; for a switch, to grey
  uint64_t lasted = 0;  ///< ns, not for a switch
};

/// Notices what happens to a camera, from measures of its pictures. Every begin has an end.
class SceneWatch {
 public:
  /// The wanted events of a frame. `follows`: the frame before is known.
  std::vector<SceneChange> step(const ScenePicture &picture, bool follows,
                                const SceneWishes &wishes, uint64_t now);
  /// Ends everything.
  std::vector<SceneChange> end(uint64_t now);
  /// True while no object may begin.
  bool disturbed() const { return disturbed_; }

 private:
  ColourWatch colours_;
  ViewWatch view_;
  LastingState frozen_;
  bool disturbed_ = false;
};

}  // namespace glcl::rules
