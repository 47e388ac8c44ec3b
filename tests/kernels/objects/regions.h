// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of regions and their limits.
#pragma once

#include <string>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "objects/motiongroups.h"
#include "objects/regions.h"

/// Levels from 0 to 255, and slightly beyond as after rounding.
inline std::vector<float> levels_of(int width, int height) {
  std::vector<float> levels(size_t(width) * height);
  for (size_t i = 0; i < levels.size(); i++)
    levels[i] = float((i * 2654435761u >> 7) % 2561) / 10 - 0.25f;
  return levels;
}

/// The state of a camera that has stood still for long.
inline glcl::camera::CameraState still_camera() {
  glcl::camera::CameraState state{};
  state.fit.gain = 1;
  state.frames = 100;
  return state;
}

/// The groups of a frame in which no block moves.
inline glcl::objects::MotionGroups no_groups(Bench &bench, int width, int height) {
  glcl::objects::MotionGroups groups(*bench.context, width, height,
                                     glcl::camera::frame_geometry(width, height));
  groups.clear(*bench.queue);
  return groups;
}

/// Fails if the first regions of a list are not the expected ones.
inline void expect_regions(const glcl::objects::RegionList &result,
                           const std::vector<glcl::objects::Region> &expected,
                           const std::string &what) {
  fail_unless(result.count == int(expected.size()), "%s: %d regions, expected %zu", what.c_str(),
              result.count, expected.size());
  for (int i = 0; i < std::min(result.count, glcl::objects::MAX_REGIONS); i++) {
    const glcl::objects::Region &a = result.regions[i], &b = expected[size_t(i)];
    fail_unless(a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom &&
                    a.area == b.area && a.distance == b.distance && a.levels == b.levels &&
                    a.squares == b.squares,
                "%s: region %d is (%d, %d, %d, %d) of %d, expected (%d, %d, %d, %d) of %d",
                what.c_str(), i, a.left, a.top, a.right, a.bottom, a.area, b.left, b.top, b.right,
                b.bottom, b.area);
    fail_unless(a.moving == b.moving && a.vx == b.vx && a.vy == b.vy,
                "%s: %d px of region %d move by (%d, %d), expected %d by (%d, %d)", what.c_str(),
                a.moving, i, a.vx, a.vy, b.moving, b.vx, b.vy);
    fail_unless(
        a.cells == b.cells && a.change == b.change && a.outside == b.outside &&
            a.outside_change == b.outside_change,
        "%s: region %d changes by %d in %d cells, outside by %d in %d; expected %d, %d, %d, %d",
        what.c_str(), i, a.change, a.cells, a.outside_change, a.outside, b.change, b.cells,
        b.outside_change, b.outside);
  }
}
