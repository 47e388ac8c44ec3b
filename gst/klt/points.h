// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "klt/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::klt {

/// The tracked points on the device. A point keeps its slot until it is lost.
class Points {
 public:
  static constexpr int most = MOST_POINTS;
  /// The report of a frame: a PointSummary, then `count` PointRecords.
  using PointSummary = klt::PointSummary;
  using PointRecord = klt::PointRecord;
  /// The size of a report with `features` slots.
  static size_t bytes(int features) {
    return sizeof(PointSummary) + size_t(features) * sizeof(PointRecord);
  }

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels, cl::Error
  /// if it refuses memory.
  Points(Context &context, int width, int height);

  /// The settings of update_slots() for a frame.
  struct SlotSettings {
    int features = 1000;      ///< slots in use
    int min_alive = 1;        ///< new points are selected if fewer are alive
    bool select_due = false;  ///< new points are selected in any case; BlankFrames::keep() follows
    bool restart = false;     ///< all earlier points are removed
  };
  /// Enqueues the update of the slots after tracking: removes lost points from their slots, and
  /// decides whether new points are selected.
  void update_slots(Queue &queue, const SlotSettings &settings);
  /// Enqueues the report of a frame with `features` slots in use. `noise`: see
  /// noise::Noise::variances(); reported as unknown unless `noise_known`.
  void report(Queue &queue, int features, const cl::Buffer &noise, bool noise_known);
  /// Summary, then PointRecord[count] in the order of slots; overwritten by the next report().
  const cl::Buffer &report() const { return report_; }

  /// The value in occupancy() of pixels near a point of this frame, 1 … 65535.
  int occupancy_mark() const { return occupancy_mark_; }
  /// Advances occupancy_mark(), before tracking. After the last one it enqueues clearing
  /// occupancy().
  void next_occupancy_mark(Queue &queue);

  /// TrackedPoints.
  const cl::Buffer &points() const { return points_; }
  /// int4 (x, y, radius, 0): the position of selection, px, and the radius of the window.
  const cl::Buffer &template_windows() const { return template_windows_; }
  /// The points before tracking: TrackedPoint by slot.
  const cl::Buffer &before_tracking() const { return before_tracking_; }
  /// The patches of the points in the first `slots` slots, from the frames where they were
  /// selected. Allocates if there are more slots than before.
  const cl::Buffer &templates(Queue &queue, int slots);
  /// The counters of all points, see kernels/klt/interface.h.
  const cl::Buffer &state() const { return state_; }
  /// The vacant slots, int.
  const cl::Buffer &vacant() const { return vacant_; }
  /// A ushort per pixel: the mark of the last frame with a point nearby.
  const cl::Buffer &occupancy() const { return occupancy_; }

 private:
  void clear(Queue &queue);

  cl::Context context_;
  cl_int2 size_;
  Kernel remove_lost_, report_kernel_;
  cl::Buffer points_, state_, template_windows_, before_tracking_, vacant_, occupancy_, templates_,
      report_;
  int occupancy_mark_ = 0;
  int slots_ = 0;  // in use until the last update_slots()
  bool cleared_ = false;
};

}  // namespace glcl::klt
