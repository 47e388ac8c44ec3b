// SPDX-License-Identifier: LGPL-2.1-or-later
#include "path.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace reference::klt {

namespace {

using Complex = std::complex<double>;
using Place = Path::Place;

constexpr int rounds = 100;
constexpr double step = 0.003, relaxed = 1.6, turn_share = 0.4;

/// First `a`, then `b`.
Place after(const Place &a, const Place &b) {
  return {b.grown * a.grown, b.grown * a.shift + b.shift};
}
Place inverse(const Place &a) { return {1.0 / a.grown, -a.shift / a.grown}; }

/// A path that is smooth: the squared differences of its positions and the earlier ones are small.
class Equations {
 public:
  /// `earlier`: positions, the latest first.
  Equations(int size, int smoothing, const std::vector<Complex> &earlier)
      : size_(size), pull_(smoothing ? std::pow(double(smoothing), -4) : 0) {
    all_.assign(earlier.rbegin(), earlier.rend());
    known_ = int(all_.size());
    all_.resize(size_t(known_ + size));
    rows_.assign(size_t(size), std::vector<double>(size_t(size)));
    constant_.assign(size_t(size), 0);
    for (int i = 0; i < size; i++) rows_[i][i] = pull_ + step;
    if (smoothing == 0) add({-1, 1});
    add({1, -2, 1});
    factor();
  }

  double pull() const { return pull_; }

  /// The solution for this right side, without the earlier positions.
  std::vector<Complex> solve(std::vector<Complex> right) const {
    for (int i = 0; i < size_; i++) {
      right[i] -= constant_[i];
      for (int j = 0; j < i; j++) right[i] -= rows_[i][j] * right[j];
      right[i] /= rows_[i][i];
    }
    for (int i = size_ - 1; i >= 0; i--) {
      for (int j = i + 1; j < size_; j++) right[i] -= rows_[j][i] * right[j];
      right[i] /= rows_[i][i];
    }
    return right;
  }

 private:
  /// Adds the squares of differences with these weights, of which one at least is free.
  void add(const std::vector<double> &weights) {
    const int count = int(weights.size());
    // A first difference reaches one earlier position.
    for (int begin = std::max(0, known_ - count + 1); begin + count <= known_ + size_; begin++)
      for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
          const int row = begin + i - known_, column = begin + j - known_;
          if (row < 0) continue;
          if (column < 0)
            constant_[row] += weights[i] * weights[j] * all_[begin + j];
          else
            rows_[row][column] += weights[i] * weights[j];
        }
  }
  /// Cholesky's factor, in place.
  void factor() {
    for (int i = 0; i < size_; i++)
      for (int j = 0; j <= i; j++) {
        double sum = rows_[i][j];
        for (int k = 0; k < j; k++) sum -= rows_[i][k] * rows_[j][k];
        rows_[i][j] = i == j ? std::sqrt(sum) : sum / rows_[j][j];
      }
  }

  int size_, known_ = 0;
  double pull_;
  std::vector<Complex> all_, constant_;
  std::vector<std::vector<double>> rows_;
};

/// The path after the rounds of the optimization. `within (offset, frame)` limits the distance from
/// the camera.
std::vector<Complex> find_path(const Equations &equations, const std::vector<Complex> &camera,
                               const std::function<Complex(Complex, size_t)> &within) {
  std::vector<Complex> path = camera, dual(camera.size());
  for (int round = 0; round < rounds; round++) {
    std::vector<Complex> right(camera.size());
    for (size_t i = 0; i < camera.size(); i++)
      right[i] = equations.pull() * camera[i] + step * (path[i] - dual[i]);
    const std::vector<Complex> smooth = equations.solve(right);
    for (size_t i = 0; i < camera.size(); i++) {
      const Complex wanted = relaxed * smooth[i] + (1 - relaxed) * path[i] + dual[i];
      path[i] = camera[i] + within(wanted - camera[i], i);
      dual[i] = wanted - path[i];
    }
  }
  return path;
}

/// The path of the camera, `change (i)` from frame i - 1 to i.
std::vector<Complex> camera_path(int frames, const std::function<Complex(int)> &change) {
  std::vector<Complex> path(frames);
  for (int i = 1; i < frames; i++) path[i] = path[i - 1] + change(i);
  return path;
}

Complex clamped(Complex z, double x, double y) {
  return {std::clamp(z.real(), -x, x), std::clamp(z.imag(), -y, y)};
}

}  // namespace

/// The last step and the given ones up to a cut; unknown motions between known ones change evenly.
std::vector<Path::Step> Path::with_estimates(const std::vector<Step> &steps) const {
  std::vector<Step> all{last_, steps.front()};
  for (size_t i = 1; i < steps.size() && !steps[i].restart; i++) all.push_back(steps[i]);
  size_t known = all.size();  // the next known one
  for (size_t i = all.size(); i--;) {
    if (!all[i].unknown_count) known = i;
    if (!all[i].unknown_count || known == all.size()) continue;
    const double part = all[i].unknown_count / (1.0 + all[known - 1].unknown_count);
    Place &motion = all[i].motion;
    motion.grown += part * (all[known].motion.grown - motion.grown);
    motion.shift += part * (all[known].motion.shift - motion.shift);
  }
  return all;
}

Place Path::plan(const std::vector<Step> &given, int smoothing, double margin) {
  if (given.front().restart) shown_.clear();
  std::vector<Step> steps = with_estimates(given);
  const Step before = steps.front();
  steps.erase(steps.begin());
  last_ = given.front();
  const int frames = int(steps.size());
  std::vector<Place> last_places = shown_;
  if (last_places.size() > 1) last_places[1] = after(last_places[1], inverse(before.motion));
  for (Place &place : last_places) place = after(place, inverse(steps.front().motion));
  const double zoom = 1 - 2 * margin, growth = (1 - zoom) / zoom;
  const double half[] = {std::max(half_[0], 0.5), std::max(half_[1], 0.5)};
  const double across = std::max(half[0] / half[1], half[1] / half[0]);

  std::vector<Complex> earlier, grown(frames);
  for (const Place &place : last_places) earlier.push_back(std::log(place.grown));
  const std::vector<Complex> turns =
      camera_path(frames, [&](int i) { return std::log(steps[i].motion.grown); });
  for (int i = 0; i < frames; i++) grown[i] = std::exp(turns[i]);
  const double most = turn_share * growth / 2;
  const std::vector<Complex> turned =
      find_path(Equations(frames, smoothing, earlier), turns,
                [&](Complex offset, size_t) { return clamped(offset, most, most / across); });

  const auto within = [&](Complex offset, size_t i) {
    const Complex own = std::exp(turned[i] - turns[i]);
    const auto left = [&](double along, double other) {
      return std::max(along - zoom * (own.real() * along + std::abs(own.imag()) * other), 0.0);
    };
    return grown[i] * clamped(offset / grown[i], left(half[0], half[1]), left(half[1], half[0]));
  };
  earlier.clear();
  for (const Place &place : last_places) earlier.push_back(place.shift);
  const std::vector<Complex> positions =
      camera_path(frames, [&](int i) { return grown[i - 1] * steps[i].motion.shift; });
  const std::vector<Complex> path =
      find_path(Equations(frames, smoothing, earlier), positions, within);
  const Place shown{std::exp(turned[0]), path[0]};
  shown_.insert(shown_.begin(), shown);
  if (shown_.size() > 2) shown_.pop_back();
  return shown;
}

}  // namespace reference::klt
