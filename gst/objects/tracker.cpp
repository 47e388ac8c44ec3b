// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "association.h"
#include "occlusion.h"

namespace glcl::objects {

namespace {

constexpr int most_reported_missed = 3;  // an object missed more often in a row is not reported
constexpr int most_new_missed = 1;       // a new track missed more often in a row ends
constexpr int settling_frames = 8;  // frames after a cut in which any number of objects may begin
constexpr int jump_frames = 3;      // detections before an object that jumps begins
constexpr int moving_frames = 3;    // in which vectors show the motion of a large object
constexpr float moving_area = 0.005f;     // part of the frame, of a large object
constexpr float fast_pan = 0.0125f;       // of the width per frame; then only vectors show motion
constexpr float block_area = 2048;        // px² of frames; anything as large moves by its vectors
constexpr float least_score = 0.1f;       // a new object with a lower score is noise
constexpr float most_softness = 0.15f;    // of a new object; light and soft shadows have more
constexpr float leaving_speed = 0.004f;   // of the shorter side per frame, of what leaves it
constexpr double standing_seconds = 1;    // in one place, of a stationary object
constexpr double least_hold_seconds = 1;  // until the map shows what has become background
constexpr int least_hold_frames = 2;      // the same

bool by_number(const Object &a, const Object &b) { return a.id < b.id; }

}  // namespace

bool Tracker::inside(const RectF &box) const {
  return common_area(box, {0, 0, float(size_.width), float(size_.height)}) >= 0.25f * box.area();
}

/// True if a track at an edge of the frame moves outwards.
bool Tracker::leaves(const Track &track) const {
  const RectF &box = track.object.box;
  const auto width = float(size_.width), height = float(size_.height),
             least = leaving_speed * std::min(width, height);
  const float x = track.object.vx, y = track.object.vy;
  return (box.left <= 1 && x < -least) || (box.right >= width - 1 && x > least) ||
         (box.top <= 1 && y < -least) || (box.bottom >= height - 1 && y > least);
}

bool Tracker::is_reported(const Track &track) const {
  return track.object.id && track.missed <= most_reported_missed && inside(track.box);
}

/// True if a track becomes an object in this frame. With min_frames = 1 it need not move first.
bool Tracker::begins(const Settings &settings, const Track &track, float brightness_peak,
                     float pan) const {
  if (track.object.id || track.missed || track.object.score < least_score) return false;
  if (track.doubt.softness > most_softness) return false;
  if (track.motion.stand.over || parked_.holds(track)) return false;
  if (settings.learn_scenery && scenery_.contains(track)) return false;
  if (settings.min_frames <= 1 && !track.doubt.crowd) return true;
  const float part = track.box.area() / (float(size_.width) * float(size_.height));
  if (track.motion.moving >= std::max(settings.min_frames, moving_frames) && part >= moving_area)
    return true;
  // Vectors show the motion of anything as large as some blocks, unless it has little contrast.
  const bool unmoved =
      pan >= LEAST_PAN && track.box.area() >= block_area && track.motion.moving < moving_frames;
  if (unmoved && (pan >= fast_pan * float(size_.width) || track.object.score < faint_score))
    return false;
  const bool doubtful = track.doubt.crowd || unmoved;
  // The place that a parked object leaves is foreground until the background is known there.
  const bool starts = track.leading.frames >= lead_frames && !doubtful && brightness_peak < 1 &&
                      track.object.score >= faint_score;
  return track.found >= std::max(settings.min_frames, track.motion.jumps ? jump_frames : 1) &&
         (starts || has_moved(track, brightness_peak, size_, doubtful));
}

void Tracker::update(size_t which, const Claims &claimed, const std::vector<Detection> &list,
                     bool jumped, double seconds) {
  Track &track = tracks_[which];
  const TrackObservation found = observation_of(claimed[which], list);
  // A region that two tracks claim contains both.
  if (found.shared && track.established()) {
    update_shared(tracks_, which, found, claimed);
  } else if (found.own || found.shared) {
    update_found(track, found, jumped, size_);
  } else {
    track.missed++;
    track.missed_seconds += seconds;
    track.motion.dx *= 0.8f, track.motion.dy *= 0.8f;
  }
  update_object(track, size_);
  // The visible part of an object that leaves the frame shrinks within its place.
  if (leaves(track)) track.motion.stand.frames = 0;
  if (!track.missed) track.motion.stand.update(track.box, seconds);
}

bool Tracker::is_gone(const Settings &settings, const Track &track) const {
  if (track.object.id) {
    const bool stands = settings.max_duration > 0 && track.motion.stand.seconds > 0,
               waits = stands && (track.missed_seconds < least_hold_seconds ||
                                  track.missed <= least_hold_frames);
    return (track.missed_seconds >= settings.gap && !waits) || (track.missed && !inside(track.box));
  }
  return track.missed > most_new_missed;
}

bool Tracker::merges(size_t which) {
  Track &track = tracks_[which];
  for (size_t o = 0; o < which; o++) {
    if (!same_object(tracks_[o], track)) continue;
    // Keep the track that moves on as before, with the reported number.
    if (held_back(tracks_[o]) && !held_back(track)) {
      std::swap(tracks_[o], track);
      if (track.object.id) std::swap(tracks_[o].object.id, track.object.id);
    }
    if (!tracks_[o].object.id) std::swap(tracks_[o].object.id, track.object.id);
    return true;
  }
  return false;
}

void Tracker::remove(const Settings &settings, Report &report) {
  for (size_t t = 0; t < tracks_.size();) {
    if (is_gone(settings, tracks_[t]) || merges(t)) {
      if (tracks_[t].object.id) report.ended.push_back(tracks_[t].object);
      scenery_.end(tracks_[t]);
      tracks_.erase(tracks_.begin() + ptrdiff_t(t));
    } else {
      t++;
    }
  }
}

void Tracker::add(const RegionList &result, const std::vector<Detection> &list, double least) {
  const auto is_new = [least](const Detection &detection) {
    return !detection.claims && detection.area >= float(least) &&
           detection.box.area() >= float(least);
  };
  const bool began_in_crowd = std::count_if(list.begin(), list.end(), is_new) >= crowd_size &&
                              result.state.frames >= settling_frames;
  for (const Detection &detection : list)
    if (is_new(detection)) {
      Track track;
      track.doubt = {began_in_crowd, detection.softness};
      track.box = track.observed = track.start_box = track.object.box = detection.box;
      track.object.score = detection.score;
      track.level = detection.level;
      track.motion.moving = detection.moving;
      track.motion.vx = detection.vx, track.motion.vy = detection.vy;
      track.serial = ++last_serial_;
      tracks_.push_back(track);
    }
}

void Tracker::begin(const Settings &settings, const camera::CameraState &state, Report &report) {
  const float pan = std::hypot(state.frame_motion.x, state.frame_motion.y);
  for (Track &track : tracks_)
    if (begins(settings, track, state.brightness_peak, pan)) {
      if (settings.max_duration > 0) parked_.note_begin(track.start_box);
      if (const std::optional<Object> parked = parked_.departs(track, standing_)) {
        track.object.id = parked->id;
        track.object.age += parked->age;
        continue;
      }
      track.object.id = ++last_id_;
      track.object.state = state_of(track);
      report.begun.push_back(track.object);
    }
}

ObjectState Tracker::state_of(const Track &track) const {
  if (!rest_.rests()) return ObjectState::unknown;
  const TrackStand &stand = track.motion.stand;
  return stand.seconds >= std::max(standing_seconds, stand.least_seconds) ? ObjectState::stationary
                                                                          : ObjectState::moving;
}

/// Ends the object of a track, which begins again only elsewhere.
void Tracker::end(size_t which, Report &report) {
  report.ended.push_back(tracks_[which].object);
  tracks_[which].object.id = 0;
  tracks_[which].motion.stand.over = true;
}

/// Forgets what stands still.
void Tracker::end_parked(Report &report) {
  for (const Object &object : parked_.objects()) report.ended.push_back(object);
  standing_.reset();
  parked_.reset();
}

void Tracker::rest(const Settings &settings, double least, double seconds, Report &report) {
  may_begin_ = settings.may_begin;
  if (settings.max_duration <= 0) return end_parked(report);
  const bool fresh = std::exchange(fresh_, false);
  std::vector<RectF> others;
  for (size_t t = 0; t < tracks_.size();) {
    const Track &track = tracks_[t];
    if (track.object.id && track.missed && parked_.takes(track, standing_)) {
      tracks_.erase(tracks_.begin() + ptrdiff_t(t));
      continue;
    }
    const RectF &place = track.motion.stand.place;
    if (track.object.id && track.motion.stand.seconds >= settings.max_duration) {
      standing_.adopt(place);
      end(t, report);
    }
    // A part of it may be background by now.
    if (track.object.id && track.motion.stand.frames && fresh) standing_.hold(place);
    if (track.object.id || track.motion.stand.over) others.insert(others.end(), {place, track.box});
    t++;
  }
  const ParkedObjects::Settings parking{settings.max_duration, settings.left_after, float(least),
                                        size_};
  ParkedObjects::Changes changes =
      parked_.step(parking, standing_, seconds, fresh && settings.may_begin, others);
  report.ended.insert(report.ended.end(), changes.ended.begin(), changes.ended.end());
  for (Object &object : changes.found) {
    object.id = ++last_id_;
    parked_.add(object);
    report.begun.push_back(object);
  }
}

void Tracker::learn_scenery(const Settings &settings, const camera::FrameGeometry &frame,
                            double seconds, Report &report) {
  if (!settings.learn_scenery || !rest_.rests()) return scenery_.reset();
  scenery_.pass(frame, seconds);
  for (size_t t = 0; t < tracks_.size(); t++) {
    if (tracks_[t].missed) continue;
    scenery_.follow(tracks_[t], seconds);
    if (tracks_[t].object.id && scenery_.contains(tracks_[t])) {
      end(t, report);
      tracks_[t].motion.stand.over = false;
    }
  }
}

void Tracker::list(Report &report) {
  std::map<uint64_t, ObjectState> states;
  const auto note = [&](const Object &object) {
    const auto before = states_.find(object.id);
    const bool same = before == states_.end() ? object.state == ObjectState::moving
                                              : before->second == object.state;
    if (!same) report.changed.push_back(object);
    states[object.id] = object.state;
  };
  for (Track &track : tracks_) {
    track.object.state = state_of(track);
    const bool stands = track.object.state == ObjectState::stationary;
    track.object.still_seconds = stands ? track.motion.stand.seconds : 0;
    // Its region shrinks while it becomes background.
    if (stands)
      track.object.box = clipped(track.motion.stand.whole, float(size_.width), float(size_.height));
    if (track.object.id) note(track.object);
    if (is_reported(track)) report.objects.push_back(track.object);
  }
  for (const Object &object : parked_.objects()) {
    note(object);
    report.objects.push_back(object);
  }
  std::sort(report.objects.begin(), report.objects.end(), by_number);
  states_ = states;
}

Tracker::Report Tracker::step(const Settings &settings, const RegionList &result,
                              const camera::FrameGeometry &frame, double least, double seconds) {
  if (result.state.cut || result.state.model_empty) return reset();
  standing_.pass(seconds);
  if (rest_.moves(result.state, frame, seconds)) standing_.reset();
  std::vector<Detection> list = detections(result, frame, size_);
  for (Track &track : tracks_) {
    track.before = track.box;
    predict(track, result.state.frame_motion, size_);
    track.expected = track.box;
  }
  Claims claimed = associate(tracks_, list);
  const std::vector<bool> jumped =
      match_distant(tracks_, settings.max_speed, least, size_, claimed, list);
  for (size_t t = 0; t < tracks_.size(); t++) update(t, claimed, list, jumped[t], seconds);
  Report report;
  rest(settings, least, seconds, report);
  remove(settings, report);
  if (settings.may_begin)
    add(result, list, least);
  else
    tracks_.erase(std::remove_if(tracks_.begin(), tracks_.end(),
                                 [](const Track &track) { return !track.object.id; }),
                  tracks_.end());
  learn_scenery(settings, frame, seconds, report);
  begin(settings, result.state, report);
  this->list(report);
  return report;
}

void Tracker::sample(const Settings &settings, const cl_ushort *means,
                     const camera::FrameGeometry &frame) {
  if (!may_begin_ || !rest_.rests() || !rest_.aligned()) return;
  standing_.sample(means, frame, settings.max_duration);
  fresh_ = true;
}

Tracker::Report Tracker::reset() {
  Report report;
  for (const Track &track : tracks_)
    if (track.object.id) report.ended.push_back(track.object);
  end_parked(report);
  tracks_.clear();
  states_.clear();
  rest_ = {};
  scenery_.reset();
  return report;
}

std::vector<Object> Tracker::predicted() const {
  std::vector<Object> list;
  for (const Track &track : tracks_)
    if (is_reported(track)) {
      list.push_back(track.object);
      list.back().box = clipped(track.object.box.moved(track.object.vx, track.object.vy),
                                float(size_.width), float(size_.height));
    }
  const std::vector<Object> parked = parked_.objects();
  list.insert(list.end(), parked.begin(), parked.end());
  std::sort(list.begin(), list.end(), by_number);
  return list;
}

}  // namespace glcl::objects
