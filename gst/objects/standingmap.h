// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <vector>

#include "camera/camera.h"
#include "objects/interface.h"
#include "opencl/rect.h"

namespace glcl::objects {

/// True while the camera stands: the picture has not moved for a second, or never did.
class CameraRest {
 public:
  /// Takes a frame, `seconds` after the previous one. Returns true if the picture has moved since
  /// it last stood.
  bool moves(const camera::CameraState &state, const camera::FrameGeometry &frame, double seconds);
  bool rests() const { return !moved_ || quiet_ >= 1; }
  /// False if the last frame may be off by more than a pixel.
  bool aligned() const { return aligned_; }

 private:
  std::optional<cl_float4> path_;  // where it stands, slowly adapted
  cl_float4 last_{};               // where it seemed to be in the last frame
  bool moved_ = false, aligned_ = true;
  double quiet_ = 0;    // s since it moved
  double off_ = 0;      // s for which it has been elsewhere
  int off_frames_ = 0;  // the same
};

/// Where the background shows something else than the old background that was there before: things
/// that came or went, and stand still for longer than the background model needs to learn them. It
/// remembers the old background in cells of STANDING_CELL px of the reduced frame, and follows its
/// light. Only for a camera that rests.
class StandingMap {
 public:
  /// An area that differs from the old background.
  struct StandingArea {
    RectF box;           ///< px of frames
    float size = 0;      ///< px² of frames
    double seconds = 0;  ///< since it differs
    enum class Outline {
      unclear,
      present,
      old
    } outline;         ///< the background whose edges lie along its outline
    bool lit = false;  ///< it shows the old background in another light
  };

  /// Takes a frame, `seconds` after the previous one.
  void pass(double seconds) { passed_ += seconds, age_ += seconds, frames_++; }
  /// Takes BackgroundModel::means() of the last frame. Cells become old background after
  /// `most_seconds`.
  void sample(const cl_ushort *means, const camera::FrameGeometry &frame, double most_seconds);
  /// The part of a box that differs from the old background, 0 … 1.
  float part_of(const RectF &box) const;
  /// The areas that differ, without the given boxes, of at least `least` px².
  std::vector<StandingArea> areas(const std::vector<RectF> &without, float least) const;
  /// The cells of a box become old background. If their levels before show again, these do
  /// too. `in_between`: the place is still changing, so what was there before stays known.
  void adopt(const RectF &box, bool in_between = false);
  /// The things in a box have an owner, so that they last, and are new once they have no owner.
  void hold(const RectF &box);
  /// Forgets everything.
  void reset() { *this = {}; }

 private:
  struct Cell {
    float level = -1;    // of the old background; below 0: unknown
    float before = -1;   // of the old background before that
    float now = 0;       // of the background in the last sample
    float seconds = -1;  // since it differs; below 0: it does not
  };
  struct CellSpan {
    int left, top, right, bottom;  // cells; right and bottom are exclusive
  };
  struct Edges;
  using Cells = std::vector<int>;

  bool differs(int x, int y) const;
  bool in_area(int x, int y) const;
  float contrast_at(int x, int y) const;
  float gain_of(const cl_ushort *means) const;
  void update(int x, int y, float now, float passed, double most_seconds);
  CellSpan span_of(const RectF &box) const;
  StandingArea area_of(const Cells &cells, std::vector<bool> &inside) const;
  StandingArea::Outline outline_of(const Cells &cells, const std::vector<bool> &inside) const;
  bool is_lit(const Cells &cells) const;

  int columns_ = 0, rows_ = 0;
  float side_ = 1;  // px of frames per cell
  std::vector<Cell> cells_;
  int count_ = 0;                // of cells that differ
  double passed_ = 0, age_ = 0;  // s since the last sample, since the last reset
  int frames_ = 0;
};

}  // namespace glcl::objects
