// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <map>
#include <vector>

#include "klt/klt.h"
#include "reference/frames.h"
#include "reference/noise/noise.h"

namespace reference {

/// The points that glcl::klt chooses and follows, point by point.
namespace klt {

using Settings = glcl::klt::Klt::Settings;
using Record = glcl::klt::Points::Record;

struct Plane {
  Plane(int w, int h) : width(w), height(h), values(size_t(w) * h) {}
  /// The edge is repeated.
  float at(int x, int y) const;
  float &operator()(int x, int y) { return values[size_t(y) * width + x]; }
  /// Between texels.
  float between(int x, int y, float part_x, float part_y) const;

  int width, height;
  std::vector<float> values;
};
using Pyramid = std::vector<Plane>;

Pyramid pyramid(const Frame &frame, int levels);

/// For white noise of variance 1 in the frame: variances of texels and slopes, by level.
struct Gain {
  double texel, slope;
};
std::vector<Gain> gains(int levels);
/// Its effect on the smaller eigenvalue of a window of 7×7 px, in the mean.
double eigenvalue_gain();

/// The gradient of a smoothed plane.
std::pair<Plane, Plane> gradient(const Plane &plane);
/// The smaller eigenvalue of its tensor; 0 in the rim.
Plane eigenvalues(const Plane &plane);

struct Corner {
  int x, y;
  float value;
};
/// The patch of a point where it was chosen: the texels around it, relative to its centre, with
/// their slopes.
struct Template {
  struct Texel {
    int i, j;
    double value, gx, gy;
  };
  int radius = 0;
  float middle = 0;
  std::vector<Texel> texels;
};

/// A point that is followed.
struct Point {
  int id = 0, age = 0;
  float x = 0, y = 0;  ///< the reported place
  float tracked_x = 0, tracked_y = 0;
  float vx = 0, vy = 0, residue = 0;
  bool alive = false;
  float eigenvalue = 0;     ///< where it was chosen
  double form[2] = {1, 0};  ///< how it is grown and turned since, a complex number
  int grown = 0;            ///< texels, of the window's radius
  int left = 0;             ///< of the deviation, 1024ths, after the last fit; -1 without one
  int doubts = 0;           ///< frames in a row in which it does not look as it did
  Template kept;
};

/// The `need` best places, best first, by a sort of all candidates. `noise`: variance in levels².
std::vector<Corner> select(const Plane &values, const Settings &settings, double noise, int need,
                           const std::vector<Point> &points = {});

/// Follows a point from `steps` frames before; false where it is lost. `usual`: the mean of
/// Point::left in the frame before.
bool track(const Pyramid &before, const Pyramid &after, const Settings &settings,
           const NoiseTable &noise, int usual, int steps, Point &point);

/// Whether a frame is blank, as glcl::klt::BlankFrames has it, after so many blank ones in a row;
/// `saved`: the points before they were tracked.
bool is_blank(const Plane &before, const Plane &after, const NoiseTable &noise, int row,
              const std::vector<Point> &saved, const std::vector<Point> &points);

/// All of it, frame by frame.
class Klt {
 public:
  void run(const Settings &settings, const Frame &frame);
  void reset() { before_.clear(); }
  /// As the device reports it.
  glcl::klt::Points::PointSummary summary() const;
  std::vector<Record> report() const;

 private:
  Pyramid before_;
  std::vector<Point> points_ = std::vector<Point>(glcl::klt::Points::most);
  NoiseTable noise_{}, usual_noise_{};
  bool noise_known_ = false, noise_set_ = false;
  int frames_ = 0, since_ = 0, next_id_ = 0, features_ = 0, usual_ = 0, blank_ = 0;
  unsigned followed_ = 0, lost_ = 0, chosen_ = 0, cut_ = 0, all_lost_ = 0, all_cuts_ = 0,
           all_blank_ = 0;
};

}  // namespace klt

}  // namespace reference
