// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "objects.h"

namespace glcl::objects {

/// Px of frames; right and bottom lie beyond it.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;

  float width() const { return right - left; }
  float height() const { return bottom - top; }
  float area() const { return width() * height(); }
  float x() const { return (left + right) / 2; }
  float y() const { return (top + bottom) / 2; }
  Box moved(float dx, float dy) const { return {left + dx, top + dy, right + dx, bottom + dy}; }
};
/// The area of what two have in common.
float common(const Box &a, const Box &b);
Box around(const Box &a, const Box &b);

struct Object {
  uint64_t id = 0;  ///< from 1, never given twice
  Box box;
  float vx = 0, vy = 0;  ///< px a frame, in the picture
  float score = 0;       ///< 0 … 1: how far it stands out from the noise
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
    int min_frames = 2;    ///< an object begins once it was found in so many
    double gap = 0.5;      ///< s; it ends once it was not found for so long
    double max_speed = 0;  ///< px a frame, farther than it is long; 0: a quarter of the longer side
  };
  /// What a frame brought.
  struct Report {
    std::vector<Object> objects;  ///< those of this frame, by id
    std::vector<Object> begun, ended;
  };

  /// For frames of width × height px.
  Tracker(int width, int height) : width_(width), height_(height) {}

  /// The next frame's regions, of `seconds` after the one before; those of less than `least` px²
  /// are no new objects.
  Report step(const Settings &settings, const Result &result, const camera::FrameGeometry &frame,
              double least, double seconds);
  /// What was followed is gone.
  Report reset();
  /// Where the objects are likely to be in the next frame.
  std::vector<Object> ahead() const;

 private:
  struct Track {
    Object object;
    Box box;                           // where it is, also where it is not told
    Box before, expected;              // where it was, and where it was expected in this frame
    Box seen;                          // what was found there last, with what it uncovered
    Box began;                         // where it was first seen, moved along with the camera
    float dx = 0, dy = 0;              // px a frame, beside the camera
    float wobble_x = 0, wobble_y = 0;  // by how much its size changes from frame to frame, px
    float off_x = 0, off_y = 0;        // how far from where it was expected, lately, px
    int found = 1, missed = 0;         // frames, in all; in a row
    double lost = 0;                   // s
    bool crowd = false;                // it began with many others at once
    bool leaps = false;                // it goes further in a frame than it is long
    bool hidden = false;               // behind or before another
    uint64_t serial = 0, other = 0;    // its own, that of an older one that it met
    float level = 0;                   // mean of what it shows
    float pushed = 0;                  // px that what was shared kept it from going on, lately
    int leader = 0, leads = 0;  // the side that alone went on, and in how many frames in a row
    int exceeded = 0;  // frames, in a row, that what was shared was more than those who did
    int together = 0;  // frames that they shared what was found, less those they did not
  };
  struct Detection {
    Box box;
    float area = 0, score = 0;
    float level = 0;  // mean of what it shows
    int claims = 0;
    void add(const Detection &other);
  };
  /// For each track, the detections that lie where it is expected.
  using Claims = std::vector<std::vector<int>>;
  /// What a track has of them: on its own, with other tracks.
  struct Found {
    std::optional<Box> alone, shared;
    Detection all;
    float score = 0;
  };

  static bool fills(const Detection &a, const Detection &b);
  std::vector<Detection> detections(const Result &result, const camera::FrameGeometry &frame) const;
  void predict(Track &track, const camera::SimilarityMotion &step) const;
  /// A track that has but begun gives way to one that is known.
  Claims claim(std::vector<Detection> &list) const;
  /// Of several that are too far from each other for its size it has those nearest.
  void keep_nearest(size_t which, std::vector<int> &mine, std::vector<Detection> &list) const;
  Claims associate(std::vector<Detection> &list);
  static Found found_by(const std::vector<int> &mine, const std::vector<Detection> &list);
  void update(size_t which, const Claims &claimed, const std::vector<Detection> &list, bool leapt,
              double seconds);
  void update_shared(size_t which, const Found &found, const Claims &claimed);
  void update_found(Track &track, const Found &found, bool leapt) const;
  /// How much its size and place change, and which side leads.
  static void update_change(Track &track, const Box &expected, const Box &box, bool leapt);
  static void update_motion(Track &track, const Box &expected, const Box &box, bool leapt);
  void update_object(Track &track) const;
  Box followed(const Track &track, const Box &was, Box box) const;
  static int leading(const Box &was, const Box &box);
  bool has_moved(const Track &track, float lag) const;
  void meet(size_t which, const Claims &claimed);
  void part(size_t which, size_t older, Claims &claimed, std::vector<Detection> &list);
  std::vector<bool> leap(const Settings &settings, double least, Claims &claimed,
                         std::vector<Detection> &list) const;
  bool begins(const Settings &settings, const Track &track, float lag) const;
  void share(size_t which, const Box &all, const std::vector<size_t> &others);
  static bool known(const Track &track) { return track.found >= 5 || track.object.id; }
  static bool kept_back(const Track &track);
  static bool one_thing(const Track &older, const Track &track);
  bool told(const Settings &settings, const Track &track) const;
  bool inside(const Box &box) const;
  bool is_gone(const Settings &settings, const Track &track) const;
  /// Whether it is one thing with an older track, which then takes its number over.
  bool merges(size_t which);
  /// Removes the tracks that are gone, and the younger of two in one place.
  void remove(const Settings &settings, Report &report);
  /// Begins a track for each detection that no track has.
  void add(const Result &result, const std::vector<Detection> &list, double least);

  int width_, height_;
  std::vector<Track> tracks_;
  uint64_t last_id_ = 0, last_serial_ = 0;
};

}  // namespace glcl::objects
