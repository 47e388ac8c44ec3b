// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pathplanner.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl::klt {

namespace {

constexpr int earlier = 2;           // positions before the path that its differences reach
constexpr double path_step = 0.003;  // PATH_STEP of tuned.clh

size_t group_items(const Device &device) {
  return device.is_cpu() ? 1 : std::min<size_t>(64, one_group(device.device));
}

/// A symmetric matrix, by rows.
using Matrix = std::vector<double>;

/// Adds the squared differences of an order to the equations of `count` positions, of which only
/// the last `unknown` ones are free.
void add_differences(Matrix &equations, int unknown, int count, int order, double weight) {
  const std::vector<double> parts =
      order == 1 ? std::vector<double>{-1, 1} : std::vector<double>{1, -2, 1};
  const int known = count - unknown;
  for (int begin = 0; begin + order < count; begin++)
    for (int i = 0; i <= order; i++)
      for (int j = 0; j <= order; j++) {
        const int row = begin + i - known, column = begin + j - known;
        if (row >= 0 && column >= 0)
          equations[size_t(row * unknown + column)] += weight * parts[i] * parts[j];
      }
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
Matrix inverse(Matrix matrix, int size) {
  Matrix result(matrix.size());
  for (int i = 0; i < size; i++) result[size_t(i * size + i)] = 1;
  for (int pivot = 0; pivot < size; pivot++) {
    const double by = 1 / matrix[size_t(pivot * size + pivot)];
    for (int j = 0; j < size; j++)
      matrix[size_t(pivot * size + j)] *= by, result[size_t(pivot * size + j)] *= by;
    for (int i = 0; i < size; i++) {
      const double part = matrix[size_t(i * size + pivot)];
      if (i == pivot || part == 0) continue;
      for (int j = 0; j < size; j++) {
        matrix[size_t(i * size + j)] -= part * matrix[size_t(pivot * size + j)];
        result[size_t(i * size + j)] -= part * result[size_t(pivot * size + j)];
      }
    }
  }
  return result;
}

}  // namespace

PathPlanner::PathWeights PathPlanner::weights(int smoothing) {
  if (smoothing == 0) return {1, 1, 0};
  return {0, 1, std::pow(double(smoothing), -4)};
}

std::vector<float> PathPlanner::inverses(int frames, const PathWeights &weights, double step) {
  std::vector<float> all;
  for (int known = 0; known <= earlier; known++) {
    Matrix equations(size_t(frames) * frames);
    for (int i = 0; i < frames; i++) equations[size_t(i * frames + i)] = weights.pull + step;
    add_differences(equations, frames, frames + std::min(known, 1), 1, weights.jump);
    add_differences(equations, frames, frames + known, 2, weights.bend);
    for (const double number : inverse(equations, frames)) all.push_back(float(number));
  }
  return all;
}

PathPlanner::PathPlanner(Context &context) {
  const Program program = context.program(
      "klt/path.cl", "-DITEMS=" + std::to_string(group_items(context.device())));
  record_ = Kernel(context, program, "klt_record_step", {1, 1});
  plan_ = Kernel(context, program, "klt_plan_path", {});
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  try {
    steps_ = buffer(KEPT_STEPS * sizeof(CameraStep));
    shown_ = buffer(sizeof(ShownPath));
    state_ = buffer(sizeof(StabilizerState));
    matrices_ = buffer((earlier + 1) * size_t(most + 1) * (most + 1) * sizeof(float));
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
  const std::vector<float> numbers = inverses(frames, weights(smoothing), path_step);
  // The write takes a copy of the numbers, so it need not be waited for.
  const cl::Buffer copy(queue.context().cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                        numbers.size() * sizeof(float), const_cast<float *>(numbers.data()));
  queue.cl().enqueueCopyBuffer(copy, matrices_, 0, 0, numbers.size() * sizeof(float));
  frames_ = frames, smoothing_ = smoothing;
}

void PathPlanner::plan(Queue &queue, const Stabilizer::Settings &settings,
                       const Stabilizer &stabilizer, int64_t frame) {
  make_matrices(queue, ahead_ + 1, settings.smoothing);
  const PathWeights weight = weights(settings.smoothing);
  const PathWindow window{int(frame % KEPT_STEPS), int(std::min<int64_t>(next_ - frame, frames_)),
                          frames_, float(weight.jump), float(weight.pull)};
  plan_(queue, plan_.group(), steps_, window, stabilizer.filter(settings), matrices_, shown_,
        state_);
}

}  // namespace glcl::klt
