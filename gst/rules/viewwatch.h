// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lasting.h"
#include "scenepicture.h"

namespace glcl::rules {

/// Learns the view of a camera that stands still, and notices when the lens is covered or out of
/// focus. docs/methods/scene-events.md has the rules.
class ViewWatch {
 public:
  struct Changes {
    std::optional<LastingChange> covered, defocused;
  };

  /// A frame. `covered`, `defocused`: these are wanted.
  Changes step(const ScenePicture &picture, bool covered, bool defocused, uint64_t now);
  /// Ends everything; the view is learnt again.
  Changes end(uint64_t now);
  /// True while so much of the view is hidden or blurred that no object is to be believed.
  bool disturbed() const { return disturbed_; }

 private:
  /// A picture beside the known view: the parts of its textured cells, and its coarse structure.
  struct Comparison {
    bool known = false;            ///< the view has enough texture
    double lost = 0, blurred = 0;  ///< parts of the cells that lost their detail
    Likeness coarse;
    bool blinded = false;  ///< most of the picture is white
  };

  void learn(const ScenePicture &picture, double seconds);
  void begin(const ScenePicture &picture, uint64_t now);
  Comparison compare(const ScenePicture &picture) const;
  void take_other(const ScenePicture &picture, bool other, uint64_t now, Changes &changes);
  bool is_hidden(const Comparison &seen, const ScenePicture &picture, uint64_t now);

  std::vector<float> level_, detail_;  // of the known view
  int columns_ = 0;
  double learnt_ = 0;               // s
  std::optional<uint64_t> last_;    // the frame before
  std::optional<uint64_t> partly_;  // the last one in which a part of the view was hidden
  std::optional<uint64_t> other_;   // since when the picture has been another one
  uint64_t calm_ = 0;               // the last disturbed frame
  bool replaced_ = false;           // the picture lost its structure at once, as in a cut
  bool disturbed_ = false;
  LastingState covered_, defocused_;
};

}  // namespace glcl::rules
