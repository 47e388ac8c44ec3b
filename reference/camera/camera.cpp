// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace reference {

namespace {

using Complex = std::complex<float>;

constexpr float none = 1e9f;

uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

Complex shift(const Similarity &m) { return {m.x, m.y}; }
Complex turn(const Similarity &m) { return {m.dilation, m.rotation}; }
Similarity similarity(Complex shift, Complex turn) {
  return {shift.real(), shift.imag(), turn.real(), turn.imag()};
}

bool fits(const Similarity &motion, const CameraVector &v, float error) {
  return v[0] < none &&
         std::norm(vector_at(motion, {v[0], v[1]}) - Complex(v[2], v[3])) < error * error;
}

}  // namespace

Complex vector_at(const Similarity &motion, Complex z) { return shift(motion) + turn(motion) * z; }

Similarity after(const Similarity &a, const Similarity &b) {
  return similarity(shift(a) + shift(b) + turn(b) * shift(a),
                    turn(a) + turn(b) + turn(a) * turn(b));
}

Similarity inverse(const Similarity &motion) {
  const Complex back = 1.0f / (1.0f + turn(motion));
  return similarity(-shift(motion) * back, back - 1.0f);
}

Similarity through(const CameraVector &a, const CameraVector &b, bool translation) {
  const Complex offset(a[0] - b[0], a[1] - b[1]), change(a[2] - b[2], a[3] - b[3]);
  Complex turn = std::conj(offset) * change / std::max(std::norm(offset), 1.0f);
  if (translation || std::norm(offset) < 1 || std::norm(turn) > 0.25f) turn = 0;
  const Complex place = 0.5f * Complex(a[0] + b[0], a[1] + b[1]),
                v = 0.5f * Complex(a[2] + b[2], a[3] + b[3]);
  return similarity(v - turn * place, turn);
}

int Ransac::count(const Similarity &motion) const {
  return int(std::count_if(vectors_.begin(), vectors_.end(), [&](const CameraVector &v) {
    return fits(motion, v, settings_.error);
  }));
}

Similarity Ransac::drawn(int iteration) const {
  if (!valid) return {};
  const auto next = [&](uint32_t number) {
    size_t at = mixed(settings_.seed ^ mixed(number)) % vectors_.size();
    while (vectors_[at][0] >= none) at = (at + 1) % vectors_.size();
    return vectors_[at];
  };
  return through(next(2 * uint32_t(iteration)), next(2 * uint32_t(iteration) + 1),
                 settings_.translation);
}

Ransac::Ransac(const std::vector<CameraVector> &vectors,
               const glcl::camera::Ransac::Settings &settings)
    : vectors_(vectors), settings_(settings) {
  for (const CameraVector &v : vectors) valid += v[0] < none;
  const int rounds = (settings.most + settings.least - 1) / settings.least;
  inliers.assign(size_t(rounds) * settings.least, -1);
  for (int group = 0; group < settings.least; group++) {
    int own = 0;
    for (int round = 0; round < rounds; round++) {
      const int iteration = group + round * settings.least;
      own = std::max(own, inliers[size_t(iteration)] = count(drawn(iteration)));
      if (float(valid - own) < settings.converged * float(valid) || valid < 2) break;
    }
  }
  best = int(std::max_element(inliers.begin(), inliers.end()) - inliers.begin());
}

Similarity Ransac::fitted(int iteration, int *count) const {
  Similarity motion = drawn(iteration);
  *count = -1;
  for (int k = 0; k <= 3; k++) {
    std::complex<double> place, velocity, product;
    double square = 0;
    const int before = std::exchange(*count, 0);
    const auto each = [&](auto work) {
      for (const CameraVector &v : vectors_)
        if (fits(motion, v, settings_.error))
          work(std::complex<double>(v[0], v[1]), std::complex<double>(v[2], v[3]));
    };
    each([&](auto z, auto v) { place += z, velocity += v, ++*count; });
    if (k == 3 || !*count || *count == before) break;
    place /= *count, velocity /= *count;
    each([&](auto z, auto v) {
      product += std::conj(z - place) * (v - velocity);
      square += std::norm(z - place);
    });
    const std::complex<double> turn = settings_.translation || square < 1 ? 0 : product / square;
    motion = similarity(Complex(velocity - turn * place), Complex(turn));
  }
  return motion;
}

double Ransac::reaches(const Similarity &motion) const {
  std::vector<CameraVector> inliers;
  for (const CameraVector &v : vectors_)
    if (fits(motion, v, settings_.error)) inliers.push_back(v);
  const auto mean = [&](auto of) {
    double sum = 0;
    for (const CameraVector &v : inliers) sum += of(v);
    return sum / std::max(double(inliers.size()), 1.0);
  };
  // Of two of x, y, vx, vy.
  const auto product = [&](size_t a, size_t b) {
    return mean([=](const CameraVector &v) { return double(v[a]) * v[b]; });
  };
  const auto covariance = [&](size_t a, size_t b) {
    return product(a, b) - mean([=](const CameraVector &v) { return v[a]; }) *
                               mean([=](const CameraVector &v) { return v[b]; });
  };
  const auto ramp = [](double value, double from, double to) {
    return std::clamp((value - from) / (to - from), 0.0, 1.0);
  };
  const double width = std::max(settings_.width, 1e-3f), height = std::max(settings_.height, 1e-3f);
  const double across = std::sqrt(12 * std::max({covariance(0, 0) / (width * width),
                                                 covariance(1, 1) / (height * height), 0.0}));
  const double uu = product(2, 2), vv = product(3, 3), uv = product(2, 3);
  const double along = std::sqrt(
      12 *
      std::max(covariance(0, 0) * uu + 2 * covariance(0, 1) * uv + covariance(1, 1) * vv, 0.0) /
      std::max(width * width * uu + height * height * vv, 1e-6));
  const double speed = std::min(std::sqrt(uu + vv), 1.0);
  const double sideways = settings_.directed ? speed * (1 - ramp(along, 0.35, 0.5)) : 0;
  return std::min(ramp(across, 0.6, 0.8), 1 - sideways);
}

std::vector<CameraVector> block_vectors(const Texel &luma, int width, int height,
                                        const std::vector<glcl::motion::Vector> &vectors, int cell,
                                        int columns, float noise) {
  const int rows = int(vectors.size()) / columns, step = std::max(16 / cell, 1);
  const int taken = std::min({step, 2 * columns - 1, 2 * rows - 1});
  std::vector<CameraVector> list;
  for (int j = 0; j < std::max(rows / step, 1); j++)
    for (int i = 0; i < std::max(columns / step, 1); i++) {
      const int column = i * taken + taken / 2, row = j * taken + taken / 2;
      const auto v = vectors[size_t(row) * columns + column];
      const int mx = column * cell + cell / 2, my = row * cell + cell / 2;
      double xx = 0, yy = 0, xy = 0;
      for (int y = my - 8; y < my + 8; y += 2)
        for (int x = mx - 8; x < mx + 8; x += 2) {
          const double right = 0.5 * (luma(x + 1, y) - luma(x - 1, y)),
                       down = 0.5 * (luma(x, y + 1) - luma(x, y - 1));
          xx += right * right, yy += down * down, xy += right * down;
        }
      const double weakest =
          (0.5 * (xx + yy) - std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy)) / 64;
      if (weakest >= 3 + noise && mx < width && my < height)
        list.push_back({float(mx) - float(width) / 2 - float(v.x) / 4,
                        float(my) - float(height) / 2 - float(v.y) / 4, float(v.x) / 4,
                        float(v.y) / 4});
      else
        list.push_back({none, none, 0, 0});
    }
  return list;
}

std::vector<float> shrunk(const Texel &luma, const glcl::camera::FrameGeometry &frame) {
  const int n = int(frame.shrink);
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

namespace {

/// Interpolates a picture between its pixels.
struct Sampler {
  const std::vector<float> &levels;
  int width, height;

  bool inside(double x, double y) const {
    return x >= -0.01 && y >= -0.01 && x <= width - 0.99 && y <= height - 0.99;
  }
  double pixel(int x, int y) const {
    return levels[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  }
  double at(double x, double y) const {
    const int left = std::clamp(int(std::floor(x)), 0, std::max(width - 2, 0)),
              top = std::clamp(int(std::floor(y)), 0, std::max(height - 2, 0));
    const double u = std::clamp(x - left, 0.0, 1.0), v = std::clamp(y - top, 0.0, 1.0);
    return (1 - v) * ((1 - u) * pixel(left, top) + u * pixel(left + 1, top)) +
           v * ((1 - u) * pixel(left, top + 1) + u * pixel(left + 1, top + 1));
  }
};

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

struct Bent {
  Similarity motion;
  Complex bend;

  Complex from(Complex z) const { return bent(motion, bend, z); }
};

}  // namespace

Complex bent(const Similarity &motion, Complex bend, Complex z) {
  return z + vector_at(motion, z) + (bend.real() * z.real() + bend.imag() * z.imag()) * z;
}

Complex unbent(const Similarity &back, Complex bend, Complex z) {
  Complex from = z + vector_at(back, z);
  for (int i = 0; i < 3; i++) {
    const Complex straight = z - (bend.real() * from.real() + bend.imag() * from.imag()) * from;
    from = straight + vector_at(back, straight);
  }
  return from;
}

RowLight::RowLight(const glcl::camera::FrameGeometry &frame)
    : ratios(size_t(frame.size.s[1] + 7) / 8, 1.0f) {}

float RowLight::at(float y) const {
  const int count = int(ratios.size());
  const float place = std::clamp((y + 0.5f) / 8 - 0.5f, 0.0f, float(count - 1));
  const int band = std::min(int(place), std::max(count - 2, 0));
  const float here = ratios[size_t(band)], next = ratios[size_t(std::min(band + 1, count - 1))];
  return 1 + part * (here + (place - float(band)) * (next - here) - 1);
}

float RowLight::mean() const {
  const float sum = std::accumulate(ratios.begin(), ratios.end(), 0.0f);
  return 1 + part * (sum / float(ratios.size()) - 1);
}

namespace {

/// The ratios of a frame's pixels to the background.
std::vector<float> ratios_of(const std::vector<float> &small, const std::vector<float> &background,
                             const std::vector<bool> &visible,
                             const glcl::camera::FrameGeometry &frame, const Bent &motion,
                             float gain, float offset) {
  const int width = frame.size.s[0], height = frame.size.s[1];
  const Sampler pixels{small, width, height};
  const Complex centre(frame.centre.s[0], frame.centre.s[1]);
  const Similarity back = inverse(motion.motion);
  constexpr float step = 1.0f / 256, least = 0.75f - step / 2;
  std::vector<float> ratios;
  for (int top = 0; top < height; top += 8) {
    std::array<int, 128> counts{};
    for (int y = top; y < std::min(top + 8, height); y += 2)
      for (int x = 0; x < width; x += 2) {
        const Complex from =
            unbent(back, motion.bend, Complex(float(x), float(y)) - centre) + centre;
        if (!pixels.inside(from.real(), from.imag())) continue;
        const int left = std::clamp(int(std::rint(from.real())), 0, width - 1),
                  above = std::clamp(int(std::rint(from.imag())), 0, height - 1);
        const size_t at = size_t(above) * width + left;
        const float level = gain * background[at] + offset;
        if (!visible[at] || level < 16) continue;
        const float place = (small[size_t(y) * width + x] / level - least) / step;
        if (place >= 0 && place < 128) counts[size_t(place)]++;
      }
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    int below = 0;
    size_t i = 0;
    while (i < 127 && 2 * (below + counts[i]) < all) below += counts[i++];
    ratios.push_back(
        all ? least + step * (float(i) + (0.5f * float(all) - float(below)) / float(counts[i]))
            : 1);
  }
  return ratios;
}

}  // namespace

RowLight RowLight::guessed(const std::vector<float> &small, const std::vector<float> &background,
                           const std::vector<bool> &visible,
                           const glcl::camera::FrameGeometry &frame,
                           const glcl::camera::CameraState &state, bool motion) const {
  RowLight light = *this;
  Similarity step = motion && state.reliable ? state.vectors : Similarity{};
  step.x /= frame.shrink, step.y /= frame.shrink;
  std::fill(light.ratios.begin(), light.ratios.end(), 1.0f);
  if (part > 0)
    light.ratios = ratios_of(
        small, background, visible, frame,
        {after(state.from_frame, step), {state.bend_frame[0], state.bend_frame[1]}}, 1, 0);
  return light;
}

RowLight RowLight::measured(const std::vector<float> &small, const std::vector<float> &background,
                            const std::vector<bool> &visible,
                            const glcl::camera::FrameGeometry &frame,
                            const glcl::camera::CameraState &state) const {
  RowLight light(frame);
  if (state.fresh) return light;
  light.ratios = ratios_of(small, background, visible, frame,
                           {state.fit.motion, {state.fit.bend[0], state.fit.bend[1]}},
                           state.fit.gain, state.fit.offset);
  const auto count = float(light.ratios.size());
  float rolls = 0, sum = 0, changes = 0;
  for (float ratio : light.ratios) {
    const float roll = std::abs(ratio - 1);
    rolls += float(roll > 0.01f) + float(roll > 0.02f);
    sum += ratio - 1, changes += roll;
  }
  const float now = count < 6 ? 0 : std::clamp(2 * rolls / count - 1, 0.0f, 1.0f);
  const float kept = 0.9f * part;
  light.part = std::max(now, kept < 0.01f ? 0 : kept);
  light.swing = std::max(now * (changes - std::abs(sum)) / count, 0.9f * swing);
  return light;
}

namespace {

/// Whether a motion leaves the middle and the corners within so many px of frames.
bool stays(const Similarity &motion, float most, const glcl::camera::FrameGeometry &frame) {
  return std::abs(shift(motion)) <= most &&
         std::abs(turn(motion)) * frame.radius * frame.shrink <= most;
}
/// Whether nearly all vectors are the camera's.
bool agree(const glcl::camera::CameraState &state) { return state.inliers >= 0.9f * state.counted; }

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
  const RowLight &lit;
};

constexpr double scatter[] = {24, 16, 8}, light = 1.0 / 64;
constexpr int coarse[] = {8, 4, 1};

AlignmentSums sums_of(const Aligned &aligned, int step, const Bent &motion,
                      const std::vector<Bent> &others, double gain, double offset) {
  const auto &[small, background, visible, frame, lit] = aligned;
  const int width = frame.size.s[0], height = frame.size.s[1];
  const int rows = int(std::ceil(double(width) * height / 140000));
  const Sampler current{small, width, height};
  const Complex centre(frame.centre.s[0], frame.centre.s[1]);
  AlignmentSums sums;
  const Blocks blocks{current, coarse[step]};
  const int c = coarse[step];
  int number = 0;
  for (int y = 0; y<height; y += c> 1 ? c : rows)
    for (int x = 0; x < width; x += c, number++) {
      const float middle = 0.5f * float(c - 1);
      const Complex z = Complex(float(x) + middle, float(y) + middle) - centre,
                    p = motion.from(z) + centre;
      int count = 0;
      double level = 0, least = INFINITY, most = -INFINITY;
      for (int j = 0; j < c; j++)
        for (int i = 0; i < c; i++) {
          const size_t at =
              size_t(std::min(y + j, height - 1)) * width + std::min(x + i, width - 1);
          if (!visible[at]) continue;
          count++, level += background[at];
          least = std::min<double>(least, background[at]),
          most = std::max<double>(most, background[at]);
        }
      if (2 * count <= c * c || !current.inside(p.real(), p.imag())) continue;
      level /= count;
      const int nx = int(std::rint(p.real() - middle)), ny = int(std::rint(p.imag() - middle));
      const double gx = (blocks.mean(nx + c, ny) - blocks.mean(nx - c, ny)) / (2 * c),
                   gy = (blocks.mean(nx, ny + c) - blocks.mean(nx, ny - c)) / (2 * c);
      const double row = lit.at(p.imag()), residual = row * (gain * level + offset) - blocks.at(p);
      const double w = weight(residual, scatter[step]), u = z.real() / frame.radius,
                   v = z.imag() / frame.radius, out = gx * u + gy * v;
      const double d[] = {gx, gy, out, gy * u - gx * v, out * u, out * v, -light * (level - 128),
                          -1};
      for (int i = 0; i < parameters; i++) {
        for (int j = 0; j < parameters; j++) sums.m[i][j] += w * d[i] * d[j];
        sums.m[i][parameters] += w * d[i] * residual;
      }
      sums.weights += w;
      if (step || number % 4) continue;
      const double contrast = (most - least) * (most - least),
                   votes = contrast / (contrast + 16 * 16);
      sums.votes_for[0] += votes * w;
      for (size_t k = 0; k < others.size(); k++) {
        const Complex q = others[k].from(z) + centre;
        if (current.inside(q.real(), q.imag()))
          sums.votes_for[k + 1] += votes * weight(row * level - blocks.nearest(q), scatter[step]);
      }
    }
  return sums;
}

}  // namespace

void align(const std::vector<float> &small, const std::vector<float> &background,
           const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
           glcl::camera::Compensation compensation, bool first, const RowLight &lit,
           glcl::camera::CameraState &state) {
  using glcl::camera::Compensation;
  const bool moves = compensation != Compensation::none && state.reliable,
             turns = moves && compensation == Compensation::first_order_flow;
  const Complex bend_before(state.bend_frame[0], state.bend_frame[1]);
  const auto going = [&](Similarity step, bool in_frames = true) -> Bent {
    if (in_frames) step.x /= frame.shrink, step.y /= frame.shrink;
    return {after(state.from_frame, step),
            bend_before + (turns ? state.curve : 0.0f) * shift(step)};
  };
  Bent motion = going(moves ? state.vectors : Similarity{});
  std::vector<Bent> others{going({})};
  for (int i = 0; i < 9; i++) {
    Similarity step = state.step;
    const int column = i % 3 - 1, row = i / 3 - 1;
    step.x = step.x / frame.shrink + float(near_step * column);
    step.y = step.y / frame.shrink + float(near_step * row);
    others.push_back(going(step, false));
  }
  const bool stands = stays(state.vectors, 0.25f, frame) && agree(state);
  double gain = 1, offset = 0;
  for (int step = 0; step < 3 && !first; step++) {
    auto [m, weights, votes_for] =
        sums_of({small, background, visible, frame, lit}, step, motion, others, gain, offset);
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
  settle(motion.motion, motion.bend, gain, offset, frame, first, lit, state);
}

void settle(const Similarity &motion, Complex bend, double gain, double offset,
            const glcl::camera::FrameGeometry &frame, bool first, const RowLight &lit,
            glcl::camera::CameraState &state) {
  const Similarity still{};
  const bool likely = std::abs(motion.dilation) < 0.5f && std::abs(motion.rotation) < 0.5f &&
                      gain > 0.25 && gain < 4;
  if (first || state.cut || !likely) {
    state.fit = {still, {}, 1, 0};
    std::fill_n(state.bend_background, 2, 0.0f), std::fill_n(state.bend_frame, 2, 0.0f);
    state.curve = state.brightness = state.lag = 0;
    state.step = state.from_background = state.from_frame = still;
    std::fill_n(state.path, 4, 0.0f);
    state.frames = 0, state.fresh = 1;
  } else {
    state.fit = {motion, {bend.real(), bend.imag()}, float(gain), float(offset)};
    state.step = after(inverse(state.from_frame), motion);
    state.step.x *= frame.shrink, state.step.y *= frame.shrink;
    const std::complex<float> grown = 1.0f + turn(state.step),
                              path = grown * std::complex<float>(state.path[0], state.path[1]) +
                                     shift(state.step);
    state.path[0] = path.real(), state.path[1] = path.imag();
    state.path[2] += std::log(std::abs(grown)), state.path[3] += std::arg(grown);
    const Complex way = shift(state.step) / frame.shrink,
                  more = bend - Complex(state.bend_frame[0], state.bend_frame[1]);
    const float square = std::norm(way), all = frame.radius * frame.radius;
    if (square > 1) {
      const float now = (more.real() * way.real() + more.imag() * way.imag()) / square;
      state.curve += 0.3f * (std::clamp(now, 0.0f, 1.5f / all) - state.curve);
    }
    const bool whole = std::abs(turn(motion)) * frame.radius + std::abs(bend) * all < 0.5f;
    for (int i = 0; i < 2; i++) {
      state.bend_background[i] = whole ? 0 : state.fit.bend[i];
      state.bend_frame[i] = whole ? state.fit.bend[i] : 0;
    }
    if (whole) {
      state.from_background = {-std::rint(motion.x), -std::rint(motion.y), 0, 0};
      state.from_frame = after(state.from_background, motion);
    } else {
      state.from_background = inverse(motion);
      state.from_frame = still;
    }
    state.brightness =
        0.9f * state.brightness + float(128 * (lit.mean() * gain - 1) + lit.mean() * offset);
    state.lag = std::max(std::abs(state.brightness), 0.9f * state.lag);
    state.frames++, state.fresh = 0;
  }
  state.cut = 0;
}

}  // namespace reference
