// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pathplanner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::klt {

namespace {

constexpr int earlier = 2;  // positions before the path that its differences reach

size_t group_items(const Device &device) {
  return device.is_cpu() ? 1 : std::min<size_t>(64, one_group(device.device));
}

/// The equations of positions whose squared differences are small: a symmetric matrix with two
/// diagonals on each side.
class Band {
 public:
  explicit Band(int size) : rows_(size_t(size)) {}

  void add_to_diagonal(double number) {
    for (Row &row : rows_) row[0] += number;
  }
  /// Adds squared differences: sums of positions with these weights. `known` positions come before.
  void add(const std::vector<double> &weights, double factor, int known) {
    const int count = int(weights.size()), size = int(rows_.size());
    for (int begin = -known; begin + count <= size; begin++)
      for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
          if (begin + j >= 0) rows_[begin + i][i - j] += factor * weights[i] * weights[j];
  }
  /// Replaces the matrix by its factor (Cholesky), for solve().
  void factorize() {
    for (int i = 0; i < int(rows_.size()); i++)
      for (int k = std::min(i, 2); k >= 0; k--) {
        double sum = rows_[i][k];
        for (int m = k + 1; m <= std::min(i, 2); m++) sum -= rows_[i][m] * rows_[i - k][m - k];
        rows_[i][k] = k ? sum / rows_[i - k][0] : std::sqrt(sum);
      }
  }
  /// Replaces the right side by the solution.
  void solve(std::vector<double> &right) const {
    const int size = int(rows_.size());
    for (int i = 0; i < size; i++) {
      for (int k = 1; k <= std::min(i, 2); k++) right[i] -= rows_[i][k] * right[i - k];
      right[i] /= rows_[i][0];
    }
    for (int i = size - 1; i >= 0; i--) {
      for (int k = 1; k <= std::min(size - 1 - i, 2); k++)
        right[i] -= rows_[i + k][k] * right[i + k];
      right[i] /= rows_[i][0];
    }
  }

 private:
  using Row = std::array<double, 3>;  // the diagonal, and the numbers before it
  std::vector<Row> rows_;
};

}  // namespace

PathPlanner::PathWeights PathPlanner::weights(int smoothing) {
  if (smoothing == 0) return {1, 1, 0};
  return {0, 1, std::pow(double(smoothing), -4)};
}

std::vector<float> PathPlanner::inverses(int frames, const PathWeights &weights) {
  std::vector<float> all;
  for (int size = 1; size <= frames; size++)
    for (int known = 0; known <= earlier; known++) {
      Band band(size);
      band.add_to_diagonal(weights.pull + path_step);
      band.add({-1, 1}, weights.jump, std::min(known, 1));
      band.add({1, -2, 1}, weights.bend, known);
      band.factorize();
      for (int column = 0; column < size; column++) {
        std::vector<double> numbers(size, 0.0);
        numbers[column] = 1;
        band.solve(numbers);
        for (const double number : numbers) all.push_back(float(number));
      }
    }
  return all;
}

PathPlanner::PathPlanner(Context &context) {
  const Program program =
      context.program("klt/path.cl", "-DITEMS=" + std::to_string(group_items(context.device())));
  record_ = Kernel(context, program, "klt_record_step", {1, 1});
  plan_ = Kernel(context, program, "klt_plan_path", {});
  try {
    steps_ = make_buffer(context.cl(), KEPT_STEPS * sizeof(CameraStep));
    shown_ = make_buffer(context.cl(), sizeof(ShownPath));
    state_ = make_buffer(context.cl(), sizeof(StabilizerState));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for look-ahead on " + context.device().name + ".", error);
  }
}

int64_t PathPlanner::record(Queue &queue, const Stabilizer::Settings &settings, int ahead,
                            const Stabilizer &stabilizer, const Klt &klt) {
  ahead_ = std::clamp(ahead, 1, most);
  const int fresh = std::exchange(forgotten_, false) || stabilizer.fresh();
  record_(queue, {1, 1}, klt.points().state(), stabilizer.camera(), fresh,
          stabilizer.filter(settings), stabilizer.previous_state(), steps_,
          int(next_ % KEPT_STEPS));
  return next_++;
}

void PathPlanner::make_matrices(Queue &queue, int frames, int smoothing) {
  if (frames == frames_ && smoothing == smoothing_) return;
  const std::vector<float> numbers = inverses(frames, weights(smoothing));
  matrices_ = upload_values(queue.context().cl(), numbers);
  frames_ = frames, smoothing_ = smoothing;
}

void PathPlanner::plan(Queue &queue, const Stabilizer::Settings &settings,
                       const Stabilizer &stabilizer, int64_t frame) {
  make_matrices(queue, ahead_ + 1, settings.smoothing);
  const PathWeights weight = weights(settings.smoothing);
  const PathWindow window{int(frame % KEPT_STEPS), int(std::min<int64_t>(next_ - frame, frames_)),
                          float(weight.jump), float(path_step)};
  plan_(queue, plan_.group(), steps_, window, stabilizer.filter(settings), matrices_, shown_,
        state_);
}

}  // namespace glcl::klt
