// SPDX-License-Identifier: LGPL-2.1-or-later
// What moves by itself, one pixel after the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "objects/memory.h"
#include "objects/regions.h"
#include "reference/camera/camera.h"
#include "reference/frames.h"
#include "reference/noise/noise.h"

namespace reference {

/// As glcl::objects::Memory; `regions`: of the frame before.
struct Memory {
  explicit Memory(const glcl::camera::FrameGeometry &frame);
  void next(const glcl::objects::Memory::Bounds &bounds, const std::vector<float> &small,
            const glcl::camera::CameraState &state, const NoiseTable &noise,
            const std::vector<glcl::objects::Region> &regions = {});
  /// How the rows of the next frames are lit.
  void set_rows(const RowLight &rows) { rows_ = rows; }
  /// The variance of renewed noise in the next frames, levels².
  void set_flicker(float variance) { flicker_ = variance; }
  /// The scene's deviation in the next frames, levels, and what part of it counts.
  void set_deviation(float deviation, float part) {
    scene_ = part * deviation, last_deviation_ = deviation;
  }
  /// And as it follows from the frames seen.
  float counted_deviation() const { return counted_deviation_; }

  struct Pixel {
    float scenery = 0, other = 0;
    int age = 0, other_age = 0;
    int away = 0;
    float margin = 0;     ///< how far from a decision it was, levels
    float variance = 0;   ///< about its scenery, levels²
    float strays = 0;     ///< how far from its scenery it is, beyond edges and light, levels
    bool counts = false;  ///< for the scene's deviation
  };
  std::vector<Pixel> pixels;

 private:
  Pixel pixel(int x, int y, const glcl::objects::Memory::Bounds &bounds,
              const std::vector<float> &small, const glcl::camera::CameraState &state,
              const NoiseTable &noise, const std::vector<glcl::objects::Region> &regions) const;
  glcl::camera::FrameGeometry frame_;
  RowLight rows_;
  float flicker_ = 0, scene_ = 0, last_deviation_ = 0, counted_deviation_ = 0;
};

/// The scene's deviation after a frame by how far its pixels are from their scenery, as
/// objects/deviation.clh says.
float deviation(const std::vector<float> &distances, float before);

/// As glcl::objects::Shadows.
class Shadows {
 public:
  using Colour = std::array<float, 2>;  ///< R − Y, B − Y, levels

  explicit Shadows(const glcl::camera::FrameGeometry &frame);
  /// `scenery`, `ages`, `front`: as glcl::objects::Memory has them, of the remembered picture. The
  /// front with shadows in it.
  std::vector<uint8_t> next(const reference::Frame &in, const std::vector<float> &small,
                            const glcl::camera::CameraState &state,
                            const std::vector<float> &scenery, const std::vector<int> &ages,
                            const std::vector<uint8_t> &front, bool anew);

  std::vector<Colour> colours;  ///< of the scenery, in 64ths
  std::vector<float> margins;   ///< how far from a decision a pixel was, parts

 private:
  bool is_shadow(int x, int y, const std::vector<Colour> &seen, const std::vector<float> &small,
                 const glcl::camera::CameraState &state, const std::vector<float> &scenery,
                 const std::vector<int> &ages, const std::vector<uint8_t> &front,
                 float *margin) const;
  glcl::camera::FrameGeometry frame_;
};

/// As glcl::objects::Regions; `mask`: of the cells, or none.
std::vector<glcl::objects::Region> regions(const std::vector<uint8_t> &front,
                                           const std::vector<float> &small, int width, int height,
                                           int least, const std::vector<uint8_t> &mask = {});

/// As glcl::objects::Regions::mask().
std::vector<uint8_t> region_mask(const std::vector<uint8_t> &front, int width,
                                 const std::vector<glcl::objects::Region> &regions,
                                 const std::vector<uint8_t> &mask = {});

}  // namespace reference
