// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/team.h"
#include "search.h"

namespace glcl::motion {

/// A full search whose candidates several devices share, row of candidates by row: each finds the
/// least keys among its own on the device, the host takes the least of all. Keys are those of
/// Search for any number of devices and any shares.
class SharedSearch {
 public:
  /// For frames of width × height px; `block` as for Search. Throws Error::failed.
  SharedSearch(Team &team, int block, int width, int height);

  /// Makes the next frame a first one.
  void reset() { first_ = true; }

  /// Searches a frame in the one of the last call; `luma`: its bytes as Plane lays them out. Waits.
  /// Gives the keys; none for the first frame. Throws Error::settings as Search::run does.
  const std::vector<Key> &next(const uint8_t *luma, const Window &window, int lambda);
  /// The same with chosen shares: rows of candidates for each device.
  const std::vector<Key> &next(const uint8_t *luma, const Window &window, int lambda,
                               const std::vector<int> &shares);

 private:
  struct Part {
    Search search;
    Plane planes[2];
    cl::Buffer keys;
    std::vector<Key> found;
    uint64_t frames[2] = {0, 0};  // that the planes hold
  };

  void upload(Team::Member &member, Part &part, uint64_t frame);

  Team &team_;
  Plane layout_;
  std::vector<Part> parts_;         // by member
  std::vector<uint8_t> frames_[2];  // the last two, on the host
  uint64_t frame_ = 0;
  bool first_ = true;
  std::vector<Key> keys_;
};

}  // namespace glcl::motion
