// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips whose camera and objects are known, made from pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/frames.h"

namespace clips {

using reference::Frame;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;  ///< px, right and bottom beyond it
  double area() const { return (right - left) * (bottom - top); }
};
double intersection_over_union(const Box &a, const Box &b);

/// How a camera sees a plane: the frame's centre at (x, y), turned by `angle` radians, `zoom` px to
/// one of the plane.
struct HoughRenderer {
  double x = 0, y = 0, angle = 0, zoom = 1;
};

struct Truth {
  HoughRenderer view;
  std::vector<Box> boxes;    ///< of each object what is seen of it
  std::vector<bool> counts;  ///< enough of it is seen to be found
};

/// A clip that is made as it is asked for, frame by frame.
class Clip {
 public:
  /// What a camera and objects do, by name: "fixed", "pan", … and "one", "crossing", …; with
  /// "crossing 1" and so on two that the number chooses meet, from any side.
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
  struct Thing {
    double x, y, vx, vy;  // px of the frame, from its centre; a frame
    double half_width, half_height;
    int stops = -1, goes = -1;  // frames
    bool round = true;
    double blur = 0;  // part of a frame that it is exposed
    double texture_x = 0, texture_y = 0;
    int texture = 0;
    double at_x(double t) const;
    double at_y(double t) const;
    double moves(double t) const;
  };
  void cross(unsigned number);
  HoughRenderer smooth_view(double t) const;
  HoughRenderer view(int t) const;
  double level(int texture, double x, double y) const;

  std::string camera_, objects_;
  double noise_;
  int width_, height_;
  unsigned seed_;
  std::vector<Thing> things_;
  struct Grey {
    int width, height;
    std::vector<float> levels;
  };
  std::vector<Grey> textures_;  // the scenery first
};

}  // namespace clips
