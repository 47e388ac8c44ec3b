// SPDX-License-Identifier: LGPL-2.1-or-later
#include "klt.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reference::klt {

void Klt::run(const Settings &settings, const Frame &frame) {
  const int most = glcl::klt::Pyramids::most_levels(frame.width, frame.height);
  Pyramid now = pyramid(frame, std::min(settings.levels, most));
  const bool fresh = before_.empty();
  frames_ = fresh ? 0 : frames_ + 1;
  features_ = settings.features;
  bool comparable = !fresh && now.size() == before_.size() && frames_ > 1;
  if (settings.noise >= 0 || (fresh && !noise_known_)) {
    const NoiseTable set = even_noise(std::max(settings.noise, 0.0));
    comparable = comparable && noise_set_ && set == noise_;
    noise_ = set;
    noise_known_ = settings.noise >= 0;
    noise_set_ = true;
  } else if (!fresh && (noise_set_ || frames_ <= 8 || frames_ % 11 == 0)) {
    noise_set_ = false;
    noise_ = noise(
        glcl::noise::Noise::Texels::gaussian, frame.width, frame.height,
        [&](int x, int y) { return before_[0].at(x, y); },
        [&](int x, int y) { return now[0].at(x, y); }, &noise_);
    noise_known_ = true;
  }
  unsigned alive = 0, lost = 0, calm = 0;
  int left = 0, fitted = 0;
  const std::vector<Point> saved = points_;
  for (Point &point : points_) {
    if (fresh) point.alive = false;
    if (!point.alive) continue;
    point.alive = track(before_, now, settings, noise_, usual_, 1 + blank_, point);
    if (point.residual >= 0) left += point.residual, fitted++;
  }
  if (!comparable) kept_.pyramid.clear();
  const Blank found =
      comparable ? find_blank(before_, now, usual_noise_, blank_, saved, points_, kept_) : Blank();
  const bool blank = found.blank, was_blank = blank_ > 0;
  if (blank) points_ = found.returns ? kept_.points : saved;
  blank_ = blank ? found.row + 1 : 0, all_blank_ += blank;
  if (blank) now = found.returns ? kept_.pyramid : before_, noise_ = usual_noise_;
  if (!fresh) usual_noise_ = noise_;
  for (int i = 0; i < int(points_.size()); i++) {
    Point &point = points_[i];
    if (fresh || !(blank ? point : saved[i]).alive) continue;
    point.alive = point.alive && i < features_;
    (point.alive ? alive : lost)++;
    const float fast = 0.05f * float(frame.width);
    calm += !point.alive && (saved[i].age > 0 || was_blank) &&
            saved[i].vx * saved[i].vx + saved[i].vy * saved[i].vy <= fast * fast;
  }
  const unsigned all = alive + lost;
  usual_count_ = fresh ? 0 : std::max(all, usual_count_ - usual_count_ / 8);
  cut_ =
      all >= 16 && alive * 3 < all && 2 * all >= usual_count_ && 2 * calm >= lost && !found.stays;
  if (cut_) usual_count_ = 0;
  if (cut_)
    for (Point &point : points_) lost += std::exchange(point.alive, false);
  if (!blank) usual_ = fitted && !cut_ ? left / fitted : 0;
  followed_ = cut_ ? 0 : alive;
  lost_ = lost, all_lost_ += lost, all_cuts_ += cut_;
  const bool due = fresh || (settings.reselect && frames_ - since_ >= settings.reselect);
  if (due) since_ = frames_;
  chosen_ = 0;
  const bool chooses = !blank && int(followed_) < features_ &&
                       (due || int(followed_) < std::min(settings.min_features, features_));
  if (chooses) {
    size_t slot = 0;
    for (const Corner &corner :
         select(eigenvalues(now[0]), settings, noise_[0], features_ - int(followed_), points_)) {
      while (points_[slot].alive) slot++;
      const auto x = float(corner.x), y = float(corner.y);
      Point &point = points_[slot++];
      point = {};
      point.id = next_id_++;
      point.x = point.tracked_x = x, point.y = point.tracked_y = y;
      point.alive = true, point.eigenvalue = corner.value;
      chosen_++;
    }
  }
  kept_.age = cut_ || chooses ? 10000 : kept_.age + 1;
  if (due) kept_ = {now, points_, blank_};
  before_ = now;
}

std::vector<PointRecord> Klt::report() const {
  std::vector<PointRecord> result;
  for (const Point &p : points_)
    if (p.alive)
      result.push_back({unsigned(p.id), p.x, p.y, blank_ ? 0 : p.vx, blank_ ? 0 : p.vy,
                        unsigned(p.age), blank_ ? -1 : p.residue});
  return result;
}

glcl::klt::Points::PointSummary Klt::summary() const {
  glcl::klt::Points::PointSummary s{followed_ + chosen_,
                                    lost_,
                                    chosen_,
                                    cut_,
                                    all_lost_,
                                    unsigned(next_id_),
                                    all_cuts_,
                                    -1,
                                    -1,
                                    0,
                                    0,
                                    0,
                                    -1,
                                    blank_ > 0,
                                    all_blank_};
  if (noise_known_) s.noise = std::sqrt(noise_[0]);
  for (const PointRecord &p : report())
    if (p.age && !blank_)
      s.mean_x += p.vx / float(followed_), s.mean_y += p.vy / float(followed_),
          s.mean_age += float(p.age) / float(followed_);
  return s;
}

}  // namespace reference::klt
