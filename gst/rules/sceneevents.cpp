// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sceneevents.h"

#include <algorithm>
#include <cmath>

namespace glcl::rules {

namespace {

constexpr double switched = 16, settled = 8;  // levels
constexpr uint64_t rest_time = 1000000000;    // ns
constexpr double follow_seconds = 300;        // in which errors of the path are forgotten
constexpr double still_part = 0.005, moved_part = 0.02;  // of the frame's longer side

}  // namespace

std::optional<double> SceneEvents::light(double light) {
  const bool was = switched_;
  if (std::abs(light) >= switched) switched_ = true;
  if (std::abs(light) < settled) switched_ = false;
  if (!switched_ || was) return {};
  return light;
}

/// How far the picture moves at most between two places, as a fraction of its longer side.
double SceneEvents::distance(const CameraPlace &from, const CameraPlace &to) const {
  const std::complex<double> grown = to.scale / from.scale, shift = to.shift - grown * from.shift;
  const double corner = std::hypot(width_, height_) / 2;
  return (std::abs(shift) + std::abs(grown - 1.0) * corner) / std::max(width_, height_);
}

/// Takes a step that was not that of the camera: known places follow it.
void SceneEvents::carry(const CameraPlace &to) {
  const std::complex<double> grown = to.scale / last_.scale, by = to.shift - grown * last_.shift;
  const auto follow = [&](CameraPlace &place) {
    place.shift = grown * place.shift + by;
    place.scale *= grown;
  };
  follow(place_);
  if (rest_) follow(*rest_);
}

/// Lets the place of the last rest follow the camera slowly: errors of its path add up. `passed`:
/// ns.
void SceneEvents::forget_errors(uint64_t passed) {
  const double part = 1 - std::exp(-double(passed) * 1e-9 / follow_seconds);
  rest_->shift += part * (place_.shift - rest_->shift);
  rest_->scale += part * (place_.scale - rest_->scale);
}

std::optional<CameraMoved> SceneEvents::camera(const CameraPlace &place, uint64_t now) {
  const bool cut = place.frames < last_.frames;
  if (cut) rest_.reset();
  if (began_ && !cut && place.crowded) carry(place);
  const uint64_t passed = elapsed(now, last_time_);
  last_ = place;
  last_time_ = now;
  if (!began_ || cut || now < since_ || distance(place_, place) > still_part) {
    began_ = true;
    place_ = place;
    since_ = now;
    return {};
  }
  if (elapsed(now, since_) < rest_time) return {};
  if (!rest_) rest_ = place_;
  if (distance(*rest_, place_) < moved_part) {
    forget_errors(passed);
    return {};
  }
  const CameraPlace from = *rest_;
  rest_ = place_;
  const std::complex<double> grown = place_.scale / from.scale;
  return CameraMoved{place_.shift - grown * from.shift, grown};
}

}  // namespace glcl::rules
