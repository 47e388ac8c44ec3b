// SPDX-License-Identifier: LGPL-2.1-or-later
#include "align.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sampler.h"

namespace reference {

namespace {

double weight(double residual, double scatter) {
  const double part = 1 / (1 + residual * residual / (scatter * scatter));
  return part * part;
}

constexpr int parameters = 8, near_step = 4;
using Row = std::array<double, parameters + 1>;

/// Solves matrix · x = right by Gauss.
std::array<double, parameters> solved(std::array<Row, parameters> m) {
  for (int k = 0; k < parameters; k++)
    for (int i = 0; i < parameters; i++)
      if (i != k) {
        const double part = m[i][k] / m[k][k];
        for (int j = k; j <= parameters; j++) m[i][j] -= part * m[k][j];
      }
  std::array<double, parameters> x{};
  for (int i = 0; i < parameters; i++) x[i] = m[i][parameters] / m[i][i];
  return x;
}

/// Means of a frame over blocks.
struct Blocks {
  const Sampler &current;
  int coarse;

  double mean(int left, int top) const {
    double sum = 0;
    for (int j = 0; j < coarse; j++)
      for (int i = 0; i < coarse; i++) sum += current.pixel(left + i, top + j);
    return sum / (coarse * coarse);
  }
  double nearest(Complex p) const {
    const float middle = 0.5f * float(coarse - 1);
    return mean(int(std::rint(p.real() - middle)), int(std::rint(p.imag() - middle)));
  }
  double at(Complex p) const {
    if (coarse == 1) return current.at(p.real(), p.imag());
    const float middle = 0.5f * float(coarse - 1), x = p.real() - middle, y = p.imag() - middle;
    const int left = int(std::floor(x)), top = int(std::floor(y));
    const double u = x - float(left), v = y - float(top);
    return (1 - v) * ((1 - u) * mean(left, top) + u * mean(left + 1, top)) +
           v * ((1 - u) * mean(left, top + 1) + u * mean(left + 1, top + 1));
  }
};

/// True if a motion leaves the middle and the corners within so many px of frames.
bool stays(const Similarity &motion, float most, const glcl::camera::FrameGeometry &frame) {
  return std::abs(shift(motion)) <= most &&
         std::abs(turn(motion)) * frame.radius * frame.reduction <= most;
}
/// True if nearly all vectors are the camera's.
bool agree(const glcl::camera::CameraState &state) {
  return state.inliers >= 0.9f * state.vector_count;
}

/// Of a step of the alignment: the normal equations, and how much speaks for each motion.
struct AlignmentSums {
  std::array<Row, parameters> m{};
  double weights = 0;
  std::array<double, 11> votes_for{};
};

/// A frame and its background, which are to be aligned.
struct Aligned {
  const std::vector<float> &small, &background;
  const std::vector<bool> &visible;
  const glcl::camera::FrameGeometry &frame;
  const RowBrightness &row_brightness;
};

constexpr double scatter[] = {24, 16, 8}, light = 1.0 / 64;
constexpr int coarse[] = {8, 4, 1};

/// A block of the background, and the frame at the place to which a motion takes it.
struct Pair {
  Complex p;                                             ///< its middle in the frame, px
  double level = 0, least = INFINITY, most = -INFINITY;  ///< of the background
  double residual = 0;
  std::array<double, 6> slopes{};  ///< along the parameters of the motion
};

/// Pairs of a step.
class Pairs {
 public:
  Pairs(const Aligned &aligned, int side, const Bent &motion, double gain, double offset)
      : aligned_(aligned), side_(side), motion_(motion), gain_(gain), offset_(offset) {}

  /// The pair of the block with a corner; unset if it does not count.
  std::optional<Pair> at(int x, int y) const {
    const auto &[small, background, visible, frame, row_brightness] = aligned_;
    const int width = frame.size.s[0], height = frame.size.s[1], c = side_;
    const Sampler current{small, width, height};
    const Blocks blocks{current, c};
    const Complex centre(frame.centre.s[0], frame.centre.s[1]);
    const float middle = 0.5f * float(c - 1);
    const Complex z = Complex(float(x) + middle, float(y) + middle) - centre;
    Pair pair;
    pair.p = motion_.from(z) + centre;
    int count = 0;
    for (int j = 0; j < c; j++)
      for (int i = 0; i < c; i++) {
        const size_t at = size_t(std::min(y + j, height - 1)) * width + std::min(x + i, width - 1);
        if (!visible[at]) continue;
        count++, pair.level += background[at];
        pair.least = std::min<double>(pair.least, background[at]),
        pair.most = std::max<double>(pair.most, background[at]);
      }
    if (2 * count <= c * c || !current.inside(pair.p.real(), pair.p.imag())) return {};
    pair.level /= count;
    const int nx = int(std::rint(pair.p.real() - middle)),
              ny = int(std::rint(pair.p.imag() - middle));
    const double gx = (blocks.mean(nx + c, ny) - blocks.mean(nx - c, ny)) / (2 * c),
                 gy = (blocks.mean(nx, ny + c) - blocks.mean(nx, ny - c)) / (2 * c);
    pair.residual =
        row_brightness.at(pair.p.imag()) * (gain_ * pair.level + offset_) - blocks.at(pair.p);
    const double u = z.real() / frame.radius, v = z.imag() / frame.radius, out = gx * u + gy * v;
    pair.slopes = {gx, gy, out, gy * u - gx * v, out * u, out * v};
    return pair;
  }
  /// The difference of the pair next to it; unset without one.
  std::optional<Pair> difference(const Pair &pair, int x, int y) const {
    const int apart = std::max(side_, 4);
    if (x + apart + side_ > aligned_.frame.size.s[0] ||
        y + apart + side_ > aligned_.frame.size.s[1])
      return {};
    std::optional<Pair> next = at(x + apart, y + apart);
    if (!next) return {};
    const double part = 2 * (next->level + 1) / (pair.level + next->level + 2);
    next->residual = part * pair.residual - (2 - part) * next->residual;
    for (size_t i = 0; i < pair.slopes.size(); i++)
      next->slopes[i] = part * pair.slopes[i] - (2 - part) * next->slopes[i];
    return next;
  }

 private:
  const Aligned &aligned_;
  int side_;
  const Bent &motion_;
  double gain_, offset_;
};

/// `stands`: the camera stands by its vectors.
AlignmentSums sums_of(const Aligned &aligned, int step, const Bent &motion,
                      const std::vector<Bent> &others, double gain, double offset, bool stands) {
  const auto &[small, background, visible, frame, row_brightness] = aligned;
  const int width = frame.size.s[0], height = frame.size.s[1];
  const int rows = int(std::ceil(double(width) * height / 140000));
  const Sampler current{small, width, height};
  const Complex centre(frame.centre.s[0], frame.centre.s[1]);
  AlignmentSums sums;
  const int c = coarse[step];
  const Blocks blocks{current, c};
  const Pairs pairs(aligned, c, motion, gain, offset);
  int number = 0;
  for (int y = 0; y<height; y += c> 1 ? c : rows)
    for (int x = 0; x < width; x += c, number++) {
      const std::optional<Pair> pair = pairs.at(x, y);
      if (!pair) continue;
      const double w = weight(pair->residual, scatter[step]);
      const double lights[] = {-light * (pair->level - 128), -1};
      const std::optional<Pair> moves = !stands ? pair
                                        : step  ? pairs.difference(*pair, x, y)
                                                : std::nullopt;
      const double most = moves ? 2 * (std::hypot(moves->slopes[0], moves->slopes[1]) + 0.5) : 0,
                   moved = !moves   ? 0
                           : stands ? weight(moves->residual, std::min(scatter[step], most))
                                    : w;
      for (size_t i = 0; i < 6 && moves; i++) {
        for (size_t j = 0; j < 6; j++) sums.m[i][j] += moved * moves->slopes[i] * moves->slopes[j];
        for (size_t j = 0; j < 2 && !stands; j++) {
          sums.m[i][6 + j] += w * pair->slopes[i] * lights[j];
          sums.m[6 + j][i] += w * pair->slopes[i] * lights[j];
        }
        sums.m[i][parameters] += moved * moves->slopes[i] * moves->residual;
      }
      for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) sums.m[6 + i][6 + j] += w * lights[i] * lights[j];
        sums.m[6 + i][parameters] += w * lights[i] * pair->residual;
      }
      sums.weights += w;
      if (step || number % 4) continue;
      const double contrast = (pair->most - pair->least) * (pair->most - pair->least),
                   votes = contrast / (contrast + 16 * 16);
      sums.votes_for[0] += votes * w;
      const Complex z = Complex(float(x), float(y)) + Complex(0.5f, 0.5f) * float(c - 1) - centre;
      for (size_t k = 0; k < others.size(); k++) {
        const Complex q = others[k].from(z) + centre;
        if (current.inside(q.real(), q.imag()))
          sums.votes_for[k + 1] +=
              votes * weight(row_brightness.at(pair->p.imag()) * pair->level - blocks.nearest(q),
                             scatter[step]);
      }
    }
  return sums;
}

}  // namespace

std::vector<float> shrunk(const Texel &luma, const glcl::camera::FrameGeometry &frame) {
  const int n = int(frame.reduction);
  std::vector<float> small;
  for (int y = 0; y < frame.size.s[1]; y++)
    for (int x = 0; x < frame.size.s[0]; x++) {
      int sum = 0;
      for (int j = -n; j < 2 * n; j++)
        for (int i = -n; i < 2 * n; i++)
          sum += (i >= 0 && i < n ? 2 : 1) * (j >= 0 && j < n ? 2 : 1) *
                 int(luma(x * n + i, y * n + j));
      small.push_back(float(sum) / float(16 * n * n));
    }
  return small;
}

void align(const std::vector<float> &small, const std::vector<float> &background,
           const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
           glcl::camera::Compensation compensation, bool first, const RowBrightness &row_brightness,
           glcl::camera::CameraState &state) {
  using glcl::camera::Compensation;
  const bool moves = compensation != Compensation::none && state.reliable,
             turns = moves && compensation == Compensation::first_order_flow;
  const Complex bend_before(state.bend_frame.s[0], state.bend_frame.s[1]);
  const auto going = [&](Similarity step, bool in_frames = true) -> Bent {
    if (in_frames) step.x /= frame.reduction, step.y /= frame.reduction;
    return {after(state.from_frame, step),
            bend_before + (turns ? state.bend_rate : 0.0f) * shift(step)};
  };
  Bent motion = going(moves ? state.vector_motion : Similarity{});
  std::vector<Bent> others{going({})};
  for (int i = 0; i < 9; i++) {
    Similarity step = state.frame_motion;
    const int column = i % 3 - 1, row = i / 3 - 1;
    step.x = step.x / frame.reduction + float(near_step * column);
    step.y = step.y / frame.reduction + float(near_step * row);
    others.push_back(going(step, false));
  }
  const bool stands = stays(state.vector_motion, 0.25f, frame) && agree(state);
  double gain = 1, offset = 0;
  for (int step = 0; step < 3 && !first; step++) {
    auto [m, weights, votes_for] = sums_of({small, background, visible, frame, row_brightness},
                                           step, motion, others, gain, offset, stands && moves);
    size_t best = 0;
    for (size_t i = 1; i < votes_for.size(); i++)
      if (votes_for[i] > 1.0001 * votes_for[best]) best = i;
    if (step == 0 && moves && best > 0 && !stands) {
      motion = others[best - 1];
      continue;
    }
    for (int i = 0; i < parameters; i++) {
      m[i][i] += 0.01 * weights + 1e-3;
      if ((i < 2 && !moves) || (i >= 2 && i < 6 && !turns)) {
        for (int j = 0; j < parameters; j++) m[i][j] = m[j][i] = 0;
        m[i][i] = 1, m[i][parameters] = 0;
      }
    }
    const auto found = solved(m);
    const double radius = frame.radius;
    motion.motion.x += float(found[0]), motion.motion.y += float(found[1]);
    motion.motion.dilation += float(found[2] / radius),
        motion.motion.rotation += float(found[3] / radius);
    motion.bend += Complex(std::complex<double>(found[4], found[5]) / (radius * radius));
    gain += light * found[6];
    offset += found[7] - 128 * light * found[6];
  }
  update_state(motion.motion, motion.bend, gain, offset, frame, first, row_brightness, state);
}

void update_state(const Similarity &motion, Complex bend, double gain, double offset,
                  const glcl::camera::FrameGeometry &frame, bool first,
                  const RowBrightness &row_brightness, glcl::camera::CameraState &state) {
  const Similarity still{};
  const bool likely = std::abs(motion.dilation) < 0.5f && std::abs(motion.rotation) < 0.5f &&
                      gain > 0.25 && gain < 4;
  if (first || state.cut || !likely) {
    state.fit = {still, {}, 1, 0};
    state.bend_background = state.bend_frame = {};
    state.bend_rate = state.brightness = state.brightness_peak = 0;
    state.frame_motion = state.from_background = state.from_frame = still;
    state.path = {};
    state.frames = 0, state.model_empty = 1;
  } else {
    state.fit = {motion, {{bend.real(), bend.imag()}}, float(gain), float(offset)};
    state.frame_motion = after(inverse(state.from_frame), motion);
    state.frame_motion.x *= frame.reduction, state.frame_motion.y *= frame.reduction;
    const Complex grown = 1.0f + turn(state.frame_motion),
                  path =
                      grown * Complex(state.path.s[0], state.path.s[1]) + shift(state.frame_motion);
    state.path.s[0] = path.real(), state.path.s[1] = path.imag();
    state.path.s[2] += std::log(std::abs(grown)), state.path.s[3] += std::arg(grown);
    const Complex way = shift(state.frame_motion) / frame.reduction,
                  more = bend - Complex(state.bend_frame.s[0], state.bend_frame.s[1]);
    const float square = std::norm(way), all = frame.radius * frame.radius;
    if (square > 1) {
      const float now = (more.real() * way.real() + more.imag() * way.imag()) / square;
      state.bend_rate += 0.3f * (std::clamp(now, 0.0f, 1.5f / all) - state.bend_rate);
    }
    const bool whole = std::abs(turn(motion)) * frame.radius + std::abs(bend) * all < 0.5f;
    state.bend_background = whole ? cl_float2{} : state.fit.bend;
    state.bend_frame = whole ? state.fit.bend : cl_float2{};
    if (whole) {
      state.from_background = {-std::rint(motion.x), -std::rint(motion.y), 0, 0};
      state.from_frame = after(state.from_background, motion);
    } else {
      state.from_background = inverse(motion);
      state.from_frame = still;
    }
    state.brightness = 0.9f * state.brightness + float(128 * (row_brightness.mean() * gain - 1) +
                                                       row_brightness.mean() * offset);
    state.brightness_peak = std::max(std::abs(state.brightness), 0.9f * state.brightness_peak);
    state.frames++, state.model_empty = 0;
  }
  state.cut = 0;
}

}  // namespace reference
