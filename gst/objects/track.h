// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "camera/camera.h"
#include "objects/interface.h"
#include "opencl/rect.h"

namespace glcl::objects {

/// The size of a frame, px.
struct FrameSize {
  int width, height;
};

/// How an object is. It is unknown while the camera moves.
enum class ObjectState {
  unknown,
  moving,
  stationary,  ///< it has moved, and stands still
  left,        ///< it was put down, and stands still
  removed      ///< a thing of the old background is gone from here
};

/// A moving object, as results report it.
struct Object {
  uint64_t id = 0;  ///< from 1, never reused
  RectF box;
  ObjectState state = ObjectState::unknown;
  double still_seconds = 0;  ///< since it stands still; 0 while it moves
  float vx = 0, vy = 0;      ///< px per frame, in the picture
  float score = 0;           ///< 0 … 1: how far it exceeds the noise
  int age = 0;               ///< frames since it was first seen
  struct Point {
    float x, y;
  };
  std::deque<Point>
      trail;  ///< earlier smoothed centres, moved with the camera; at most TRAIL_POINTS
};

/// Where a track stands still.
struct TrackStand {
  RectF place;               // its box since it stands
  RectF whole;               // its last box there that has not shrunk
  double seconds = 0;        // since then
  int frames = 0;            // in which it was found there
  float moving_area = 0;     // mean area of its boxes before, px²
  bool over = false;         // its object has ended, and begins again only elsewhere
  double least_seconds = 0;  // until it stands: what moves slowly leaves each place soon

  /// Takes its box in the next frame.
  void update(const RectF &box, double passed);
};

/// How far a track has come: passers-by come further than things that swing in their place.
struct TrackTravel {
  RectF first;         // where it was first seen
  float largest = 0;   // largest side of its boxes, px
  float way = 0;       // its largest distance from its start, in largest sides
  float off = 0;       // its distance in the last frame
  RectF swept;         // what it covered since it was last learned from
  double seconds = 0;  // since then
};

/// How a track moves, without the camera's motion.
struct TrackMotion {
  float dx = 0, dy = 0;                                  // px per frame
  float size_change_x = 0, size_change_y = 0;            // mean change of its size per frame, px
  float prediction_error_x = 0, prediction_error_y = 0;  // mean distance from the prediction, px
  float vx = 0, vy = 0;  // by the vectors of the last frame, px per frame
  int moving = 0;        // frames in a row in which these differ from the camera's, and are alike
  bool jumps = false;    // it moves further per frame than its length
  TrackStand stand;
  TrackTravel travel;
};

/// How a side of a track moves outwards while the others stay.
struct SideAdvance {
  int frames = 0, pauses = 0;  // in which it moved on; in a row since then
  float way = 0;               // px by which it has moved
  RectF from;                  // the box before that, moved along with the camera
};

/// The side of a track that moves outwards while the others stay.
struct LeadingSide {
  std::array<SideAdvance, 4> sides;  // left, right, top, bottom
  int side = 0, frames = 0;          // from 1, 0 for no side; frames in which it moved on
  int departing = 0;  // the side towards which it leaves the place where it was parked
};

/// How a track shares its region with other tracks.
struct TrackOcclusion {
  bool shares_region = false;  // in this frame
  uint64_t last_sharer = 0;    // the older track that last shared with it
  int shared_balance = 0;      // frames with a shared region minus frames without
  int exceeded = 0;            // frames in a row in which a region exceeded its tracks
  float occluded_px = 0;       // recent distance by which a shared region held it back
};

/// Why a track may be no object.
struct TrackDoubt {
  bool crowd = false;  // it began with many others at once
  float softness = 0;  // of its detections, mean; light and shadows have soft outlines
};

/// A tracked region: an object, or a candidate for one.
struct Track {
  Object object;
  RectF box;               // its place, also while it is not reported
  RectF before, expected;  // in the previous frame; predicted for this frame
  RectF observed;          // box of its last regions, with uncovered background
  RectF start_box;         // where it was first seen, moved along with the camera
  TrackMotion motion;
  LeadingSide leading;
  TrackOcclusion occlusion;
  int found = 1, missed = 0;  // frames: in total; in a row
  double missed_seconds = 0;  // in a row
  TrackDoubt doubt;
  uint64_t serial = 0;  // its number
  float level = 0;      // mean grey level

  /// True if it was found often enough, or is an object.
  bool established() const { return found >= 5 || object.id; }
};

/// A region of a frame, or several close together.
struct Detection {
  RectF box;
  float area = 0, score = 0;
  float level = 0;       // mean grey level
  bool moving = false;   // its vectors differ from the camera's motion
  float vx = 0, vy = 0;  // by this, px per frame
  float softness = 0;    // 0 … 1, of its outline: see softness_of()
  int claims = 0;
  void add(const Detection &other);
};
/// The indices of the detections of each track.
using Claims = std::vector<std::vector<int>>;
/// The merged detections of one track: `own` bounds the detections that only this track claims,
/// `shared` those that other tracks claim too.
struct TrackObservation {
  std::optional<RectF> own, shared;
  Detection all;
  float score = 0;
};

constexpr int lead_frames = 3;  ///< frames until a moving side starts a parked object
constexpr float clear_score = 0.8f, faint_score = 0.5f;

/// Moves a track with the camera and by its own velocity.
void predict(Track &track, const camera::SimilarityMotion &step, const FrameSize &size);
TrackObservation observation_of(const std::vector<int> &mine, const std::vector<Detection> &list);
/// Updates a track by its regions of this frame.
void update_found(Track &track, const TrackObservation &found, bool jumped, const FrameSize &size);
/// Updates the object from the track's box.
void update_object(Track &track, const FrameSize &size);
/// True if the left and right side, or the top and bottom, moved in the same direction; if
/// doubtful, by at least half of the size. Uncovered background is foreground too, but it stays and
/// shrinks.
bool has_moved(const Track &track, float brightness_peak, const FrameSize &size, bool doubtful);

}  // namespace glcl::objects
