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

/// The fraction of the margin that a motion uses.
float part_of_margin(const Similarity &motion, float zoom, float width, float height) {
  const auto part = [&](float shift, float length) {
    return std::abs(shift) / std::max((1 - zoom) * length / 2, 0.5f);
  };
  return zoom < 1 ? std::min(std::max(part(motion.x, width), part(motion.y, height)), 1.0f) : 1;
}

/// True if a motion differs from the expected one by at most a quarter.
bool continues(const Similarity &motion, const Similarity &expected) {
  const float way = std::hypot(expected.x, expected.y);
  return way > 0 && std::hypot(motion.x - expected.x, motion.y - expected.y) <= way / 4;
}

/// A shift that uses at most half of the margin that the last one left. `length`: of the frame.
float eased(float shift, float before, float zoom, float length) {
  const float limit = (1 - zoom) * std::max(length / 2, 0.5f);
  const float was = std::clamp(before, -limit, limit);
  return std::clamp(shift, (was - limit) / 2, (was + limit) / 2);
}

}  // namespace

Stabilizer::Stabilizer(int width, int height, const glcl::camera::Ransac::Settings &ransac)
    : width_(float(width - 1)), height_(float(height - 1)), ransac_(ransac) {
  ransac_.converged = 0.5f;
  ransac_.width = float(width), ransac_.height = float(height);
}

Stabilizer::Moved Stabilizer::find_motion(const Settings &settings,
                                          const std::vector<Point> &slots) const {
  const Complex centre(width_ / 2, height_ / 2);
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
  const auto valid = float(found.valid), reach = float(found.reaches(motion));
  const Similarity expected = settings.smoothing ? state_.camera : Similarity();
  const bool known =
      inliers >= 6 && 8 * inliers >= found.valid && (reach >= 0.5f || continues(motion, expected));
  return {known ? motion : expected, expected, known, float(inliers) < 0.6f * valid,
          found.valid ? reach * float(inliers) / valid : -1};
}

void Stabilizer::move_anchors(const std::vector<Point> &slots, const Similarity &from,
                              const Similarity &to, const KeepsAnchor &keeps) {
  const Complex centre(width_ / 2, height_ / 2);
  std::map<int, Complex> anchors;
  for (const Point &point : slots) {
    const auto anchor = anchors_.find(point.id);
    const bool known = anchor != anchors_.end();
    const Complex was = known ? moved(to, moved(from, anchor->second)) : Complex();
    if (!point.alive) {
      if (known && !anchors.count(point.id)) anchors[point.id] = was;
      continue;
    }
    const Complex at = moved(to, Complex(point.tracked_x, point.tracked_y) - centre);
    anchors[point.id] = known && keeps(at - was) ? was + (at - was) / 16.0f : at;
  }
  anchors_ = std::move(anchors);
}

void Stabilizer::run(const Settings &settings, const std::vector<Point> &slots, bool fresh) {
  if (fresh) anchors_.clear();
  const Moved found = fresh ? Moved() : find_motion(settings, slots);
  const auto zoom = float(1 - 2 * settings.margin);
  const Similarity to_stabilized = fresh ? Similarity() : after(state_.to_stabilized, found.motion);
  Similarity velocity;
  float position_gain = 0, velocity_gain = 0;
  if (settings.smoothing && !fresh) {
    velocity = state_.velocity;
    const float used = part_of_margin(sum({}, 4, found.motion), zoom, width_, height_);
    const float part =
        state_.camera_weight > 0 ? 1 - std::pow(0.9f, float(state_.unknown_count)) : used * used;
    if (found.known) velocity = sum(velocity, part, sum(found.motion, -1, found.expected));
  }
  const Similarity residual = sum(to_stabilized, -1, velocity);
  if (settings.smoothing) {
    const float used = part_of_margin(residual, zoom, width_, height_);
    const float kept = std::exp(-1 / float(settings.smoothing) - 0.07f * used * used);
    position_gain = 1 - kept * kept, velocity_gain = (1 - kept) * (1 - kept);
  }
  const Similarity target = sum(velocity, position_gain, residual);
  Similarity wanted = after(target, inverse(to_stabilized));
  if (settings.smoothing && !fresh) {
    wanted.x = eased(wanted.x, state_.from_stabilized.x, zoom, width_);
    wanted.y = eased(wanted.y, state_.from_stabilized.y, zoom, height_);
  }
  const Similarity from_stabilized = bounded(wanted, zoom, width_, height_);
  const Similarity held = inverse(from_stabilized);
  move_anchors(slots, inverse(to_stabilized), held, [&](Complex offset) {
    return !settings.smoothing && (!found.few_agree || std::norm(offset) < 1.5f * 1.5f);
  });
  const Complex centre(width_ / 2, height_ / 2),
      grown = Complex(1 + held.dilation, held.rotation) / zoom,
      shift = centre + Complex(held.x, held.y) / zoom - grown * centre;
  State next{held,
             sum(velocity, velocity_gain, residual),
             from_stabilized,
             zoom,
             {grown.real(), -grown.imag(), shift.real(), grown.imag(), grown.real(), shift.imag()},
             found.confidence,
             part_of_margin(from_stabilized, zoom, width_, height_),
             {},
             0,
             0};
  if (!fresh) remember(next, found);
  state_ = next;
}

void Stabilizer::remember(State &next, const Moved &found) const {
  next.camera_weight = state_.camera_weight / 2 + float(found.known);
  next.camera = state_.camera;
  if (found.known)
    next.camera = sum(next.camera, 1 / next.camera_weight, sum(found.motion, -1, state_.camera));
  next.unknown_count = found.known ? 0 : state_.unknown_count + 1;
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
