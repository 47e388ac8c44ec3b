// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips with known camera and objects, made from photographs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl/rect.h"
#include "reference/frames.h"

namespace clips {

using reference::Frame;

/// The overlap of two boxes, 0 to 1.
double intersection_over_union(const glcl::RectF &a, const glcl::RectF &b);

/// For each true box the index of the found box that it overlaps most, by at least `least_iou`, or
/// -1. A found box counts once; earlier true boxes choose first.
std::vector<int> matched_boxes(const std::vector<glcl::RectF> &truth,
                               const std::vector<glcl::RectF> &found, double least_iou);

/// A camera's view of a plane: the frame's centre at (x, y), rotated by `angle` radians, `zoom` px
/// per px of the plane.
struct CameraView {
  double x = 0, y = 0, angle = 0, zoom = 1;
};

struct Truth {
  CameraView view;
  std::vector<glcl::RectF> boxes;  ///< the visible part of each object
  std::vector<bool> countable;     ///< true if enough of an object is visible
};

/// A clip that renders its frames on request.
class Clip {
 public:
  /// The motion of camera and objects by name: "fixed", "pan", … and "one", "crossing", …; with
  /// "crossing 1" and so on, two objects meet from a side that depends on the number.
  Clip(const std::string &camera, const std::string &objects, double noise, const Frame &picture,
       int width, int height, unsigned seed);

  static const std::vector<std::string> &cameras();
  static const std::vector<std::string> &scenarios();

  std::string name() const;
  const std::string &camera() const { return camera_; }
  const std::string &objects() const { return objects_; }
  double noise() const { return noise_; }
  Frame frame(int number, Truth &truth) const;

 private:
  struct MovingObject {
    double x, y, vx, vy;  // px relative to the frame's centre; per frame
    double half_width, half_height;
    int stops = -1, goes = -1;  // frames in which it stops and moves on; -1: never
    bool round = true;
    double blur = 0;  // the exposure, as a part of the frame interval
    double texture_x = 0, texture_y = 0;
    int texture = 0;
    double at_x(double t) const;
    double at_y(double t) const;
    double moving_time(double t) const;
  };
  void cross(unsigned number);
  Frame seen_by_camera(const std::vector<float> &levels, int number) const;
  CameraView smooth_view(double t) const;
  CameraView view(int t) const;
  double level(int texture, double x, double y) const;

  std::string camera_, objects_;
  double noise_;
  int width_, height_;
  unsigned seed_;
  std::vector<MovingObject> moving_objects_;
  struct Grey {
    int width, height;
    std::vector<float> levels;
  };
  std::vector<Grey> textures_;  // the background first
};

}  // namespace clips
