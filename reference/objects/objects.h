// SPDX-License-Identifier: LGPL-2.1-or-later
// Moving objects, pixel by pixel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "objects/backgroundmodel.h"
#include "objects/regions.h"
#include "reference/camera/align.h"
#include "reference/frames.h"
#include "reference/noise/noise.h"
#include "reference/objects/motiongroups.h"

namespace reference {

/// As glcl::objects::BackgroundModel; `regions`: of the previous frame.
struct BackgroundModel {
  explicit BackgroundModel(const glcl::camera::FrameGeometry &frame);
  void next(const glcl::objects::BackgroundModel::Bounds &bounds, const std::vector<float> &small,
            const glcl::camera::CameraState &state, const NoiseTable &noise,
            const std::vector<glcl::objects::Region> &regions = {});
  /// The overlay_marks() of the next frames; empty: none.
  void set_marks(const std::vector<uint8_t> &marks) { marks_ = marks; }
  /// The brightness of rows in the next frames.
  void set_rows(const RowBrightness &rows) { rows_ = rows; }
  /// The bounds of cells in the next frames; empty: none.
  void set_bounds(const std::vector<glcl::objects::BackgroundModel::Bounds> &bounds) {
    own_bounds_ = bounds;
  }
  /// The variance of intra-frame flicker in the next frames, levels².
  void set_flicker(float variance) { flicker_ = variance; }
  /// The scene's deviation in the next frames, levels, and the part of it that counts.
  void set_deviation(float deviation, float part) {
    scene_ = part * deviation, last_deviation_ = deviation;
  }
  /// The deviation after the last frame.
  float counted_deviation() const { return counted_deviation_; }

  struct Pixel {
    float background = 0, candidate = 0;
    int age = 0, candidate_age = 0;
    int eighths = 0;
    float margin = 0;     ///< distance from the nearest decision, levels
    float variance = 0;   ///< around its background, levels²
    float excess = 0;     ///< distance from its background beyond edges and light, levels
    bool counts = false;  ///< for the scene's deviation
  };
  std::vector<Pixel> pixels;

 private:
  /// A pixel beside what was expected of it; all in levels but the last three.
  struct Observation {
    float level, distance, enough, bound, candidate;
    float slack;
    bool in, resampled;
  };
  float background_at(std::complex<float> old, bool resampled) const;
  static void update(Pixel &p, const Observation &seen, const glcl::camera::CameraState &state);
  Pixel pixel(int x, int y, const glcl::objects::BackgroundModel::Bounds &bounds,
              const std::vector<float> &small, const glcl::camera::CameraState &state,
              const NoiseTable &noise, const std::vector<glcl::objects::Region> &regions) const;
  glcl::camera::FrameGeometry frame_;
  RowBrightness rows_;
  std::vector<uint8_t> marks_;
  std::vector<glcl::objects::BackgroundModel::Bounds> own_bounds_;
  float flicker_ = 0, scene_ = 0, last_deviation_ = 0, counted_deviation_ = 0;
};

/// The scene's deviation after a frame, from the distances of its pixels from their background. See
/// objects/deviation.clh.
float deviation(const std::vector<float> &distances, float before);

/// As glcl::objects::Shadows.
class Shadows {
 public:
  using Colour = std::array<float, 2>;  ///< R − Y, B − Y, levels

  explicit Shadows(const glcl::camera::FrameGeometry &frame);
  /// Returns the foreground with shadows. `background`, `ages`, `foreground`: as
  /// glcl::objects::BackgroundModel has them.
  std::vector<uint8_t> next(const reference::Frame &in, const std::vector<float> &small,
                            const glcl::camera::CameraState &state,
                            const std::vector<float> &background, const std::vector<int> &ages,
                            const std::vector<uint8_t> &foreground, bool anew);

  std::vector<Colour> colours;  ///< of the background, in 64ths
  std::vector<float> margins;   ///< distance of each pixel from the nearest decision, parts
  std::vector<int> changes;     ///< of each pixel, in eighths of a level

 private:
  bool is_shadow(int x, int y, const std::vector<Colour> &seen, const std::vector<float> &small,
                 const glcl::camera::CameraState &state, const std::vector<float> &background,
                 const std::vector<int> &ages, const std::vector<uint8_t> &foreground,
                 float *margin) const;
  glcl::camera::FrameGeometry frame_;
};

/// As glcl::objects::Regions; `mask`: of the cells, or empty. `groups`: without numbers, no block
/// moves. `changes`: empty: regions have none.
std::vector<glcl::objects::Region> regions(const std::vector<uint8_t> &foreground,
                                           const std::vector<float> &small, int width, int height,
                                           int least, const std::vector<uint8_t> &mask = {},
                                           const BlockGroups &groups = {},
                                           const std::vector<int> &changes = {});

/// As glcl::objects::Regions::mask().
std::vector<uint8_t> region_mask(const std::vector<uint8_t> &foreground, int width,
                                 const std::vector<glcl::objects::Region> &regions,
                                 const std::vector<uint8_t> &mask = {});

}  // namespace reference
