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
  static constexpr int most = 10000;
  /// The report of a frame: a PointSummary, then `count` PointRecords.
  using PointSummary = klt::PointSummary;
  using PointRecord = klt::PointRecord;
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

  // The parts of a TrackedPoint, by slots.
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
