// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace glcl::rules {

namespace {

constexpr int circle_corners = 48;
constexpr double tick_part = 0.04;                      // of the frame's shorter side
constexpr double least_margin = 2, margin_part = 0.01;  // px; of the frame's shorter side
constexpr double more_angle = M_PI / 18;                // for an object inside

double box_part(const RuleObject &object, int width, int height) {
  return double(object.box.width()) * object.box.height() / (double(width) * height);
}

uint64_t nanoseconds(double seconds) { return static_cast<uint64_t>(seconds * 1e9); }

}  // namespace

void Rules::set(std::shared_ptr<const RuleSet> rules) {
  if (rules == rules_) return;
  events_ = end(now_);
  rules_ = std::move(rules);
  zones_.assign(rules_->zones.size(), {});
  for (size_t i = 0; i < zones_.size(); i++) {
    ZoneState &state = zones_[i];
    state.low = {INFINITY, INFINITY}, state.high = {-INFINITY, -INFINITY};
    for (const RulePoint &fraction : rules_->zones[i].polygon) {
      const RulePoint point = in_frame(fraction);
      state.polygon.push_back(point);
      state.low = {std::min(state.low.x, point.x), std::min(state.low.y, point.y)};
      state.high = {std::max(state.high.x, point.x), std::max(state.high.y, point.y)};
    }
  }
  lines_.assign(rules_->lines.size(), {});
  meter_.reset();
  if (rules_->world) {
    GroundMarks marks = rules_->world->marks;
    for (RulePoint &point : marks.points) point = in_frame(point);
    meter_.emplace(marks);
  }
  anchored_ = false;
}

/// An object at a border makes one event: it has to pass the border by this distance, px.
double Rules::margin() const {
  return std::max(least_margin, margin_part * std::min(width_, height_));
}

RulePoint Rules::in_frame(const RulePoint &fraction) const {
  return {fraction.x * width_, fraction.y * height_};
}

/// Where a point of this frame was in the frame for which the rules were set.
RulePoint Rules::anchored(const RulePoint &point) const {
  const std::complex<double> centre(width_ / 2.0, height_ / 2.0), now(point.x, point.y),
      first = (now - centre - camera_.shift) / camera_.scale,
      then = centre + anchor_.scale * first + anchor_.shift;
  return {then.real(), then.imag()};
}

/// The points of an object that count. For rules on the ground they are where they were in the
/// frame for which the rules were set.
std::vector<RulePoint> Rules::points_of(const RuleObject &object, RulePart part,
                                        RuleAnchor anchor) const {
  const RectF &box = object.box;
  const double x = (box.left + box.right) / 2.0, y = (box.top + box.bottom) / 2.0;
  std::vector<RulePoint> points;
  if (part == RulePart::bottom) points = {{x, box.bottom}};
  if (part == RulePart::center) points = {{x, y}};
  if (part == RulePart::any)
    for (const double down : {double(box.top), y, double(box.bottom)})
      for (const double across : {double(box.left), x, double(box.right)})
        points.push_back({across, down});
  if (anchor == RuleAnchor::ground)
    for (RulePoint &point : points) point = anchored(point);
  return points;
}

/// The largest depth of the points in a zone, px: below 0 outside. Far inside and outside it is a
/// bound.
double Rules::depth_in_zone(const RuleZone &zone, const ZoneState &state,
                            const std::vector<RulePoint> &points) const {
  const std::vector<RulePoint> &polygon = state.polygon;
  const RulePoint center = in_frame(zone.center);
  double deepest = -INFINITY;
  for (const RulePoint &point : points) {
    const double beyond = std::max({state.low.x - point.x, point.x - state.high.x,
                                    state.low.y - point.y, point.y - state.high.y});
    double depth = polygon.empty()
                       ? zone.radius * width_ - std::hypot(point.x - center.x, point.y - center.y)
                   : beyond > margin() ? -beyond
                                       : depth_in(polygon, point);
    if (zone.inverse) depth = -depth;
    deepest = std::max(deepest, depth);
    if (deepest > margin()) break;
  }
  return deepest;
}

void Rules::leave(const RuleZone &zone, const Visit &visit, uint64_t now) {
  if (!visit.entered) return;
  add({RuleEvent::Kind::leave, zone.name, visit.object, elapsed(now, visit.since), 0, false});
}

void Rules::leave_all(const RuleZone &zone, ZoneState &state, uint64_t now) {
  for (const auto &[id, visit] : state.visits) leave(zone, visit, now);
  state.visits.clear();
}

/// True if an object moves in the direction of a zone. Inside, a bit less is enough.
bool Rules::heads(const RuleZone &zone, const Path &path, bool inside) const {
  if (!zone.heading) return true;
  const Heading heading{zone.heading->angle, zone.heading->tolerance + (inside ? more_angle : 0)};
  return path.follows(
      heading, zone.anchor == RuleAnchor::ground ? &Path::Step::ground : &Path::Step::picture,
      inside ? margin() / 2 : margin());
}

void Rules::step_object(const RuleZone &zone, ZoneState &state, const Seen &seen, uint64_t now) {
  const RuleObject &object = seen.object;
  const auto found = state.visits.find(object.id);
  const bool inside = found != state.visits.end();
  const double depth = depth_in_zone(zone, state, seen.at(zone.anchor));
  const bool large = box_part(object, width_, height_) >= zone.min_area;
  const bool heads_on = heads(zone, seen.path, inside);
  if (!inside && (depth <= margin() || !large || !heads_on)) return;
  if (inside && (depth < -margin() || !heads_on)) {
    leave(zone, found->second, now);
    state.visits.erase(found);
    return;
  }
  Visit &visit = inside ? found->second : state.visits[object.id];
  visit.since = inside ? std::min(visit.since, now) : now;  // the stream may go back
  visit.object = object;
  const uint64_t lasted = elapsed(now, visit.since);
  if (!visit.entered && lasted >= nanoseconds(zone.min_duration)) {
    visit.entered = true;
    add({RuleEvent::Kind::enter, zone.name, object, 0, 0, false});
  }
  if (visit.entered && !visit.loiters && zone.loiter > 0 && lasted >= nanoseconds(zone.loiter)) {
    visit.loiters = true;
    add({RuleEvent::Kind::loiter, zone.name, object, lasted, 0, false});
  }
}

/// Reports that the number of objects in a zone has reached `count`, or no longer does.
void Rules::count(const RuleZone &zone, ZoneState &state) {
  if (zone.count == 0) return;
  const auto inside =
      static_cast<int>(std::count_if(state.visits.begin(), state.visits.end(),
                                     [](const auto &visit) { return visit.second.entered; }));
  const bool full = inside >= zone.count;
  if (std::exchange(state.full, full) != full)
    add({RuleEvent::Kind::count, zone.name, {}, 0, inside, false});
}

void Rules::step_line(const RuleLine &line, std::map<uint64_t, Side> &sides, const Seen &seen) {
  const RuleObject &object = seen.object;
  if (box_part(object, width_, height_) < line.min_area) return;
  // A box has one side only: of several points, that of the one in the middle.
  const std::vector<RulePoint> &points = seen.at(line.anchor);
  const RulePoint point = points[points.size() / 2], from = in_frame(line.from),
                  to = in_frame(line.to);
  const double distance = right_of(from, to, point);
  if (std::abs(distance) <= margin()) return;
  const Side now{distance > 0, point};
  const auto before = sides.find(object.id);
  if (before != sides.end() && before->second.right != now.right &&
      segments_meet(from, to, before->second.point, point) &&
      line.direction != (now.right ? RuleDirection::right_to_left : RuleDirection::left_to_right))
    add({RuleEvent::Kind::cross, line.name, object, 0, 0, now.right});
  sides[object.id] = now;
}

/// Anchors rules on the ground to the first frame after they were set, and to that after a cut or
/// from which on the place is known.
void Rules::follow(const CameraPlace &camera) {
  const bool found = camera.frames >= 0 && camera_.frames < 0;
  if (!anchored_ || camera.frames < camera_.frames || found) {
    anchor_ = camera;
    known_.clear();
  }
  anchored_ = true;
  camera_ = camera;
}

Rules::Seen Rules::seen(const RuleObject &object, RulePart part, uint64_t now) {
  const std::vector<RulePoint> picture = points_of(object, part, RuleAnchor::picture),
                               ground = points_of(object, part, RuleAnchor::ground);
  Known &known = known_[object.id];
  const size_t middle = picture.size() / 2;
  std::array edge{RulePoint{object.box.left, object.box.bottom},
                  RulePoint{object.box.right, object.box.bottom}};
  if (rules_->world && rules_->world->anchor == RuleAnchor::ground)
    for (RulePoint &point : edge) point = anchored(point);
  const RulePoint foot{(edge[0].x + edge[1].x) / 2, (edge[0].y + edge[1].y) / 2};
  known.path.add({now, picture[middle], ground[middle], foot});
  if (meter_) known.on_ground = meter_->measure(known.path, edge, object.box.height());
  return {object, {picture, ground}, known.path};
}

std::optional<OnGround> Rules::on_ground(uint64_t id) const {
  if (!meter_) return {};
  const auto found = known_.find(id);
  return found == known_.end() ? OnGround{} : found->second.on_ground;
}

void Rules::add(RuleEvent event) {
  event.on_ground = on_ground(event.object.id);
  events_.push_back(std::move(event));
}

void Rules::step_zone(const RuleZone &zone, ZoneState &state, const std::vector<Seen> &all,
                      const RuleTime &time) {
  if (!zone.active.empty() && !zone.active.contain(time.of_week))
    leave_all(zone, state, time.stream);
  else
    for (const Seen &seen : all) step_object(zone, state, seen, time.stream);
  count(zone, state);
}

std::vector<RuleEvent> Rules::step(const std::vector<RuleObject> &objects,
                                   const std::vector<RuleObject> &ended, RulePart part,
                                   const CameraPlace &camera, const RuleTime &time) {
  follow(camera);
  now_ = time.stream;
  for (const RuleObject &object : ended) {
    for (size_t i = 0; i < zones_.size(); i++) {
      std::map<uint64_t, Visit> &visits = zones_[i].visits;
      const auto found = visits.find(object.id);
      if (found == visits.end()) continue;
      leave(rules_->zones[i], found->second, now_);
      visits.erase(found);
    }
    for (std::map<uint64_t, Side> &sides : lines_) sides.erase(object.id);
  }
  std::vector<Seen> all;
  for (const RuleObject &object : objects) all.push_back(seen(object, part, now_));
  for (size_t i = 0; i < zones_.size(); i++) step_zone(rules_->zones[i], zones_[i], all, time);
  for (size_t i = 0; i < lines_.size(); i++)
    for (const Seen &seen : all) step_line(rules_->lines[i], lines_[i], seen);
  for (const RuleObject &object : ended) known_.erase(object.id);
  return std::exchange(events_, {});
}

std::vector<RuleEvent> Rules::forget(uint64_t now) {
  for (size_t i = 0; i < zones_.size(); i++) {
    leave_all(rules_->zones[i], zones_[i], now);
    count(rules_->zones[i], zones_[i]);
  }
  for (auto &sides : lines_) sides.clear();
  known_.clear();
  return std::exchange(events_, {});
}

std::vector<RuleEvent> Rules::end(uint64_t now) {
  anchored_ = false;
  return forget(now);
}

/// Where a point of a rule is in this frame, px.
RulePoint Rules::shown(const RulePoint &point, RuleAnchor anchor) const {
  if (anchor == RuleAnchor::picture) return point;
  const std::complex<double> centre(width_ / 2.0, height_ / 2.0),
      first = (std::complex<double>(point.x, point.y) - centre - anchor_.shift) / anchor_.scale,
      now = centre + camera_.scale * first + camera_.shift;
  return {now.real(), now.imag()};
}

/// The corners of a zone in this frame, px; a circle has many.
std::vector<RulePoint> Rules::corners_of(size_t zone) const {
  const RuleZone &rule = rules_->zones[zone];
  std::vector<RulePoint> corners = zones_[zone].polygon;
  const RulePoint center = in_frame(rule.center);
  for (int corner = 0; corner < circle_corners && rule.polygon.empty(); corner++) {
    const double angle = 2 * M_PI * corner / circle_corners, radius = rule.radius * width_;
    corners.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
  }
  for (RulePoint &corner : corners) corner = shown(corner, rule.anchor);
  return corners;
}

std::vector<ZoneArea> Rules::sensitive_areas(const RuleTime &time) const {
  std::vector<ZoneArea> areas;
  for (size_t i = 0; i < zones_.size(); i++) {
    const RuleZone &zone = rules_->zones[i];
    if (zone.sensitivity && (zone.active.empty() || zone.active.contain(time.of_week)))
      areas.push_back({corners_of(i), zone.inverse, float(*zone.sensitivity)});
  }
  return areas;
}

std::vector<RuleOutline> Rules::outlines() const {
  std::vector<RuleOutline> outlines;
  for (size_t i = 0; i < zones_.size(); i++) {
    RuleOutline outline{corners_of(i), !zones_[i].visits.empty()};
    outline.points.push_back(outline.points.front());
    outlines.push_back(outline);
  }
  for (const RuleLine &line : rules_->lines) {
    const RulePoint from = in_frame(line.from), to = in_frame(line.to),
                    middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    const double length = std::hypot(to.x - from.x, to.y - from.y),
                 tick = tick_part * std::min(width_, height_) / length;
    // From the middle to the right, seen from `from` to `to`.
    const RulePoint right{-tick * (to.y - from.y), tick * (to.x - from.x)};
    std::vector<RulePoint> points{from, middle};
    if (line.direction != RuleDirection::right_to_left)
      points.insert(points.end(), {{middle.x + right.x, middle.y + right.y}, middle});
    if (line.direction != RuleDirection::left_to_right)
      points.insert(points.end(), {{middle.x - right.x, middle.y - right.y}, middle});
    points.push_back(to);
    for (RulePoint &point : points) point = shown(point, line.anchor);
    outlines.push_back({points, false});
  }
  return outlines;
}

}  // namespace glcl::rules
