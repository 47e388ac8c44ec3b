// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "objects.h"

namespace glcl::objects {

/// Px of frames; right and bottom are exclusive.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;

  float width() const { return right - left; }
  float height() const { return bottom - top; }
  float area() const { return width() * height(); }
  float x() const { return (left + right) / 2; }
  float y() const { return (top + bottom) / 2; }
  Box moved(float dx, float dy) const { return {left + dx, top + dy, right + dx, bottom + dy}; }
};
/// The common area of two boxes.
float common(const Box &a, const Box &b);
Box around(const Box &a, const Box &b);

struct Object {
  uint64_t id = 0;  ///< from 1, never given twice
  Box box;
  float vx = 0, vy = 0;  ///< px per frame, in the picture
  float score = 0;       ///< 0 … 1: how far it exceeds the noise
  int age = 0;           ///< frames since it was first seen
  struct Point {
    float x, y;
  };
  std::deque<Point>
      trail;  ///< where its middle was, moved along with the camera, at most Tracker::trail of them
};

/// Tracks regions from frame to frame on the host. Objects keep their number through a crossing and
/// while they are briefly not found.
class Tracker {
 public:
  static constexpr int trail = 32;

  struct Settings {
    int min_frames = 2;    ///< an object begins after so many detections
    double gap = 0.5;      ///< s; it ends after so long without a detection
    double max_speed = 0;  ///< px per frame, beyond its length; 0: a quarter of the longer side
  };
  /// The changes of a frame.
  struct Report {
    std::vector<Object> objects;  ///< those of this frame, by id
    std::vector<Object> begun, ended;
  };

  /// For frames of width × height px.
  Tracker(int width, int height) : width_(width), height_(height) {}

  /// Takes the regions of the next frame, `seconds` after the previous one. Regions of less than
  /// `least` px² begin no object.
  Report step(const Settings &settings, const RegionList &result,
              const camera::FrameGeometry &frame, double least, double seconds);
  /// Ends all objects.
  Report reset();
  /// The objects at their predicted places in the next frame.
  std::vector<Object> predicted() const;

 private:
  struct Track {
    Object object;
    Box box;                           // its place, also while it is not reported
    Box before, expected;              // in the previous frame; predicted for this frame
    Box seen;                          // of its last regions, with uncovered background
    Box began;                         // where it was first seen, moved along with the camera
    float dx = 0, dy = 0;              // px per frame, without the camera's motion
    float wobble_x = 0, wobble_y = 0;  // mean change of its size per frame, px
    float off_x = 0, off_y = 0;        // mean distance from the prediction, px
    int found = 1, missed = 0;         // frames, in all; in a row
    double missed_seconds = 0;         // in a row
    bool crowd = false;                // it began with many others at once
    bool jumps = false;                // it moves further per frame than its length
    bool hidden = false;               // it shares its region with another track
    uint64_t serial = 0, met = 0;      // its own; that of the older track that it shared with last
    float level = 0;                   // mean grey level
    float held_back_px = 0;            // recent distance by which a shared region held it back
    int leader = 0, leads = 0;         // leading(), and for how many frames in a row
    int exceeded = 0;                  // frames in a row in which a region exceeded its tracks
    int together = 0;                  // frames with a shared region, less frames without
  };
  struct Detection {
    Box box;
    float area = 0, score = 0;
    float level = 0;  // mean grey level
    int claims = 0;
    void add(const Detection &other);
  };
  /// The detections of each track.
  using Claims = std::vector<std::vector<int>>;
  /// The detections of one track: its own and those shared with others.
  struct Found {
    std::optional<Box> own, shared;
    Detection all;
    float score = 0;
  };

  static bool fills(const Detection &a, const Detection &b);
  std::vector<Detection> detections(const RegionList &result,
                                    const camera::FrameGeometry &frame) const;
  void predict(Track &track, const camera::SimilarityMotion &step) const;
  /// Assigns detections to the tracks predicted there. Known tracks take precedence over new ones.
  Claims claim(std::vector<Detection> &list) const;
  /// Leaves a track only the nearest of its detections if all together exceed its size.
  void keep_nearest(size_t which, std::vector<int> &mine, std::vector<Detection> &list) const;
  Claims associate(std::vector<Detection> &list);
  static Found found_of(const std::vector<int> &mine, const std::vector<Detection> &list);
  void update(size_t which, const Claims &claimed, const std::vector<Detection> &list, bool jumped,
              double seconds);
  void update_shared(size_t which, const Found &found, const Claims &claimed);
  void update_found(Track &track, const Found &found, bool jumped) const;
  /// Updates how much size and place change, and which side leads.
  static void update_change(Track &track, const Box &expected, const Box &box, bool jumped);
  static void update_motion(Track &track, const Box &expected, const Box &box, bool jumped);
  void update_object(Track &track) const;
  Box without_uncovered(const Track &track, const Box &was, Box box) const;
  static int leading(const Box &was, const Box &box);
  bool has_moved(const Track &track, float lag) const;
  void count_shared_frames(size_t which, const Claims &claimed);
  void separate(size_t which, size_t older, Claims &claimed, std::vector<Detection> &list);
  std::vector<bool> match_distant(const Settings &settings, double least, Claims &claimed,
                                  std::vector<Detection> &list) const;
  bool begins(const Settings &settings, const Track &track, float lag) const;
  void place_in_shared(size_t which, const Box &all, const std::vector<size_t> &others);
  static bool known(const Track &track) { return track.found >= 5 || track.object.id; }
  static bool held_back(const Track &track);
  static bool same_object(const Track &older, const Track &track);
  bool is_reported(const Settings &settings, const Track &track) const;
  bool inside(const Box &box) const;
  bool is_gone(const Settings &settings, const Track &track) const;
  /// Whether it is one object with an older track, which then takes over its number.
  bool merges(size_t which);
  /// Removes lost tracks, and the younger of two in one place.
  void remove(const Settings &settings, Report &report);
  /// Begins a track for each detection without a track.
  void add(const RegionList &result, const std::vector<Detection> &list, double least);

  int width_, height_;
  std::vector<Track> tracks_;
  uint64_t last_id_ = 0, last_serial_ = 0;
};

}  // namespace glcl::objects
