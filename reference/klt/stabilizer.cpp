// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stabilizer.h"

#include <algorithm>
#include <cmath>

namespace reference::klt {

namespace {

Complex moved(const Similarity &motion, Complex z) { return z + vector_at(motion, z); }

/// a + part b, number by number.
Similarity sum(const Similarity &a, float part, const Similarity &b) {
  return {a.x + part * b.x, a.y + part * b.y, a.dilation + part * b.dilation,
          a.rotation + part * b.rotation};
}

/// Keeps the output, `zoom` times the frame, within the frame.
Similarity bounded(Similarity from_stabilized, float zoom, float width, float height) {
  const float half[2] = {std::max(width / 2, 0.5f), std::max(height / 2, 0.5f)};
  const float rotation = std::abs(from_stabilized.rotation), most = (1 - zoom) / zoom;
  const float across = std::max(half[0] / half[1], half[1] / half[0]);
  const float need =
      std::max(from_stabilized.dilation + rotation * across, -from_stabilized.dilation);
  const float part = need > most ? most / need : 1;
  from_stabilized.dilation *= part, from_stabilized.rotation *= part;
  const auto bound = [&](float shift, float along, float across) {
    const float reach = zoom * ((1 + from_stabilized.dilation) * along +
                                std::abs(from_stabilized.rotation) * across);
    const float left = std::max(along - reach, 0.0f);
    return std::clamp(shift, -left, left);
  };
  from_stabilized.x = bound(from_stabilized.x, half[0], half[1]);
  from_stabilized.y = bound(from_stabilized.y, half[1], half[0]);
  return from_stabilized;
}

}  // namespace

Stabilizer::Stabilizer(int width, int height, const glcl::camera::Ransac::Settings &ransac)
    : width_(float(width - 1)), height_(float(height - 1)), ransac_(ransac) {
  ransac_.converged = 0.5f;
  ransac_.width = float(width), ransac_.height = float(height);
}

void Stabilizer::run(const Settings &settings, const std::vector<Point> &slots, bool fresh) {
  const Complex centre(width_ / 2, height_ / 2);
  Similarity to_stabilized, velocity;
  float confidence = -1;
  bool few_agree = false;
  if (fresh) {
    anchors_.clear();
  } else {
    std::vector<CameraVector> displacements;
    for (const Point &point : slots) {
      displacements.push_back({1e9f, 1e9f, 0, 0});
      const auto anchor = anchors_.find(point.id);
      if (!point.alive || point.age == 0 || anchor == anchors_.end()) continue;
      const Complex at = moved(state_.to_stabilized,
                               Complex(point.tracked_x, point.tracked_y) - centre),
                    displacement = anchor->second - at;
      displacements.back() = {at.real(), at.imag(), displacement.real(), displacement.imag()};
    }
    const Ransac found(displacements, ransac_);
    int inliers = 0;
    const Similarity motion = found.fitted(found.best, &inliers);
    few_agree = float(inliers) < 0.6f * float(found.valid);
    velocity = settings.smoothing ? state_.velocity : Similarity();
    confidence =
        found.valid ? float(found.reaches(motion)) * float(inliers) / float(found.valid) : -1;
    const bool reliable =
        inliers >= 6 && 8 * inliers >= found.valid && found.reaches(motion) >= 0.5;
    to_stabilized = after(state_.to_stabilized, reliable ? motion : velocity);
  }
  float position_gain = 0, velocity_gain = 0;
  const auto zoom = float(1 - 2 * settings.margin);
  const Similarity residual = sum(to_stabilized, -1, velocity);
  const auto part_of_margin = [&](const Similarity &motion) {
    const auto part = [&](float shift, float length) {
      return std::abs(shift) / std::max((1 - zoom) * length / 2, 0.5f);
    };
    return zoom < 1 ? std::min(std::max(part(motion.x, width_), part(motion.y, height_)), 1.0f) : 1;
  };
  if (settings.smoothing) {
    const float used = part_of_margin(residual);
    const float kept = std::exp(-1 / float(settings.smoothing) - 0.07f * used * used);
    position_gain = 1 - kept * kept, velocity_gain = (1 - kept) * (1 - kept);
  }
  const Similarity target = sum(velocity, position_gain, residual);
  const Similarity from_stabilized =
      bounded(after(target, inverse(to_stabilized)), zoom, width_, height_);
  const Similarity held = inverse(from_stabilized);
  std::map<int, Complex> anchors;
  for (const Point &point : slots) {
    const auto anchor = anchors_.find(point.id);
    if (!point.alive) {
      if (anchor != anchors_.end() && !anchors.count(point.id))
        anchors[point.id] = moved(held, moved(inverse(to_stabilized), anchor->second));
      continue;
    }
    const Complex at = moved(held, Complex(point.tracked_x, point.tracked_y) - centre);
    Complex next = at;
    if (anchor != anchors_.end() && !settings.smoothing) {
      const Complex was = moved(held, moved(inverse(to_stabilized), anchor->second));
      if (!few_agree || std::norm(at - was) < 1.5f * 1.5f) next = was + (at - was) / 16.0f;
    }
    anchors[point.id] = next;
  }
  anchors_ = std::move(anchors);
  const Complex grown = Complex(1 + held.dilation, held.rotation) / zoom,
                shift = centre + Complex(held.x, held.y) / zoom - grown * centre;
  state_ = {held,
            sum(velocity, velocity_gain, residual),
            from_stabilized,
            zoom,
            {grown.real(), -grown.imag(), shift.real(), grown.imag(), grown.real(), shift.imag()},
            confidence,
            part_of_margin(from_stabilized)};
}

namespace {

/// The cubic through sixteen pixels of a picture whose edge is repeated; `load (x, y)` gives them.
template <class Load>
double cubic_at(std::complex<float> at, int width, int height, const Load &load) {
  const auto weights = [](double t) {
    return std::array{-0.5 * t * t * t + t * t - 0.5 * t, 1.5 * t * t * t - 2.5 * t * t + 1,
                      -1.5 * t * t * t + 2 * t * t + 0.5 * t, 0.5 * t * t * t - 0.5 * t * t};
  };
  const float left = std::floor(at.real()), top = std::floor(at.imag());
  const auto across = weights(at.real() - left), down = weights(at.imag() - top);
  double sum = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++)
      sum += down[j] * across[i] *
             load(std::clamp(int(left) - 1 + i, 0, width - 1),
                  std::clamp(int(top) - 1 + j, 0, height - 1));
  return sum;
}

}  // namespace

std::complex<float> Stabilizer::source_position(std::complex<float> position) const {
  const Complex centre(width_ / 2, height_ / 2);
  return moved(state_.from_stabilized, state_.zoom * (position - centre)) + centre;
}

Frame Stabilizer::show(const Frame &frame) const {
  Frame shown(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int k = 0; k < 4; k++) {
        const double value =
            cubic_at(source_position({float(x), float(y)}), frame.width, frame.height,
                     [&](int column, int row) { return frame.at(column, row)[k]; });
        shown.at(x, y)[k] = uint8_t(std::lround(std::clamp(value, 0.0, 255.0)));
      }
  return shown;
}

std::vector<double> Stabilizer::values_at(const PlanarFrame &frame, const glcl::ChromaSite &site,
                                          int plane, int x, int y) const {
  const glcl::PixelFormat &format = *frame.format;
  const PlanarFrame::Plane &of = frame.planes[plane];
  const bool chroma = plane > 0, wide = format.bits == 16;
  const float side = chroma ? float(1 << format.chroma_shift) : 1;
  const Complex first = chroma ? Complex(site.left ? 0 : 0.5f, site.top ? 0 : 0.5f) : Complex(0);
  const Complex at = (source_position(side * Complex(float(x), float(y)) + first) - first) / side;
  std::vector<double> values(wide ? 1 : of.channels);
  for (size_t k = 0; k < values.size(); k++) {
    const double value = cubic_at(at, of.width, of.height, [&](int column, int row) {
      return wide ? of.at(column, row, 0) + 256 * of.at(column, row, 1)
                  : of.at(column, row, int(k)) >> format.padding;
    });
    values[k] = std::clamp(value, 0.0, double((1 << format.bits) - 1));
  }
  return values;
}

}  // namespace reference::klt
