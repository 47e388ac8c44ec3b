// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::klt {

/// The tracked points on the device. A point keeps its slot until it is lost.
class Points {
 public:
  static constexpr int most = 10000;
  /// The report of a frame, in the kernels' layout, followed by `count` points.
  struct PointSummary {
    cl_uint count;   ///< points alive
    cl_uint lost;    ///< since the previous frame
    cl_uint chosen;  ///< new in this frame, a part of `count`
    cl_uint cut;     ///< 1 where more than two thirds of 16 or more points were lost, and so all
    cl_uint all_lost, all_chosen, all_cuts;  ///< of all frames so far
    cl_float confidence;                     ///< in the camera's motion, 0 to 1; below 0: not known
    cl_float mean_x, mean_y;  ///< px per frame, over the points tracked to this frame
    cl_float mean_age;        ///< frames, over the same
    cl_float noise;           ///< of the frames, standard deviation in levels; -1 where not known
    cl_uint blank;            ///< 1 where the frame is: its points are not seen
    cl_uint all_blank;        ///< blank frames so far
  };
  /// A tracked point in the report of a frame, in the kernels' layout.
  struct PointRecord {
    cl_uint id;        ///< given once
    cl_float x, y;     ///< px
    cl_float vx, vy;   ///< px from the previous frame
    cl_uint age;       ///< frames since it was chosen
    cl_float residue;  ///< levels, mean over the window; -1 where the point is not seen: it has its
                       ///< last place
  };
  static size_t bytes(int features) {
    return sizeof(PointSummary) + size_t(features) * sizeof(PointRecord);
  }

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Points(Context &context, int width, int height);

  /// The settings of account() for a frame: how many points there may be, and whether new ones are
  /// selected.
  struct AccountSettings {
    int features = 1000;  ///< slots in use
    int least = 1;        ///< points: new ones are chosen where fewer are alive
    bool due = false;     ///< new ones are chosen in any case
    bool fresh = false;   ///< earlier points are forgotten
  };
  /// After tracking: enqueues that lost points leave their slots, and whether new ones are chosen.
  void account(Queue &queue, const AccountSettings &settings);
  /// Enqueues summary and list of a frame with `features` slots in use; `noise` as noise/bands.clh
  /// has it.
  void report(Queue &queue, int features, const cl::Buffer &noise, bool noise_known);
  /// After it: enqueues the confidence of its summary, a float at an offset in bytes.
  void report_confidence(Queue &queue, const cl::Buffer &from, size_t offset) const;
  /// Summary, then PointRecord[count] in the order of slots; overwritten by the next report().
  const cl::Buffer &report() const { return report_; }

  /// The mark of places near points until the next account(): 1 to 65535.
  int stamp() const { return stamp_; }
  /// Before tracking: the next stamp.
  void next_stamp(Queue &queue);

  // As kernels/klt/points.clh has them.
  const cl::Buffer &place() const { return place_; }
  const cl::Buffer &motion() const { return motion_; }
  const cl::Buffer &who() const { return who_; }
  const cl::Buffer &form() const { return form_; }
  const cl::Buffer &births() const { return births_; }
  /// The points as they were before tracking.
  const cl::Buffer &saved() const { return saved_; }
  /// The patches of the points in the first `slots` slots, where they were chosen; allocates.
  const cl::Buffer &templates(Queue &queue, int slots);
  const cl::Buffer &state() const { return state_; }
  const cl::Buffer &vacant() const { return vacant_; }
  const cl::Buffer &stamps() const { return stamps_; }

 private:
  void clear(Queue &queue);

  cl::Context context_;
  size_t pixels_;
  Kernel account_, report_kernel_;
  cl::Buffer place_, motion_, who_, state_, form_, births_, saved_, vacant_, stamps_, templates_,
      report_;
  int stamp_ = 0;
  int slots_ = 0;  // in use until the last account()
  bool cleared_ = false;
};

}  // namespace glcl::klt
