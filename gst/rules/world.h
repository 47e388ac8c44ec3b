// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "geometry.h"
#include "path.h"

namespace glcl::rules {

/// Four points of the picture, and their places on the ground.
struct GroundMarks {
  std::array<RulePoint, 4> points;  ///< fractions of the frame, or px
  std::array<RulePoint, 4> metres;
};

/// The map from the picture to the ground by four marks: a homography.
class GroundMap {
 public:
  explicit GroundMap(const GroundMarks &marks);

  /// False if three marks lie on one line, in the picture or on the ground, or if the ground would
  /// have its horizon between the marks.
  bool valid() const { return valid_; }
  /// The place of a point of the picture, m. Unset on the horizon and beyond.
  std::optional<RulePoint> at(const RulePoint &point) const;

 private:
  double depth_at(const RulePoint &point) const;

  bool valid_ = false;
  RulePoint centre_;                // of the marks in the picture
  double scale_ = 1;                // of picture coordinates
  std::array<double, 9> matrix_{};  // row by row
};

/// A number and its standard error, 0 or more; unknown below 0.
struct Measured {
  double value = -1, error = -1;
  bool known() const { return error >= 0; }
};

/// An object on the ground.
struct OnGround {
  Measured speed;  ///< km/h
  Measured size;   ///< of the lower edge, m
};

/// Measures objects on the ground.
class GroundMeter {
 public:
  /// Marks in px.
  explicit GroundMeter(const GroundMarks &marks);

  /// Measures an object by its path; `edge` is the lower edge of its box, `height` that of the box,
  /// px.
  OnGround measure(const Path &path, const std::array<RulePoint, 2> &edge, double height) const;

 private:
  template <class Quantity>
  double error_of(const Quantity &quantity, double value, double height) const;

  GroundMap map_;
  std::vector<GroundMap> variants_;  // one for each coordinate of a mark that is moved by a pixel
};

}  // namespace glcl::rules
