// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenepicture.h"

namespace glcl::rules {

/// Notices when a camera turns from colour to grey, for infrared light, or back: the chroma of the
/// whole picture changes while its structure stays. docs/methods/scene-events.md has the rules.
class ColourWatch {
 public:
  enum class Kind { colour, grey };

  /// The kind that the picture has turned to, some time after the switch.
  std::optional<Kind> step(const ScenePicture &picture, uint64_t now);
  void reset() { *this = {}; }
  /// True while the picture changes, and for a second after a switch.
  bool disturbed(uint64_t now) const;

 private:
  /// The looks of pictures of a kind.
  struct Look {
    Kind kind = Kind::colour;
    std::vector<float> level;       // of the last one
    double colour = 0, bright = 0;  // means
    uint64_t seen = 0;              // its time
  };

  static std::optional<Kind> kind_of(const ScenePicture &picture);
  void follow(const ScenePicture &picture, uint64_t now);
  bool is_same(const ScenePicture &picture) const;
  bool has_turned(const ScenePicture &picture) const;

  std::optional<Look> look_;      // unset while it is unknown
  std::optional<Kind> next_;      // a kind that is not certain yet
  uint64_t since_ = 0;            // since when, ns
  int frames_ = 0;                // of it
  bool fades_ = false;            // the last picture lost its colour
  std::optional<uint64_t> last_;  // the last switch
};

}  // namespace glcl::rules
