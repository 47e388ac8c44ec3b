// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "hierarchical.h"
#include "lumahistory.h"
#include "multidevicesearch.h"
#include "noisegate.h"
#include "range.h"
#include "subpel.h"
#include "vectorfield.h"

namespace glcl::motion {

/// A full search for one block size with a range per area.
struct AdaptiveSearch {
  Search search;
  Range range;
};

/// How the range of a search is found if the settings have none.
struct SearchRange {
  AdaptiveSearch *adaptive = nullptr;                  ///< null: all areas have the same range
  bool follows = false;                                ///< the previous frame used `adaptive` too
  MultiDeviceSearch::PreliminarySearch preliminary{};  ///< of a search on several devices
};

/// The search for one block size, in three steps: whole pixels, fractions, and the test against
/// noise.
class BlockSearch {
 public:
  /// For frames with the layout of a plane. `pool`: the devices that share full searches; null: one
  /// device. Throws Error::failed or cl::Error if a device refuses.
  BlockSearch(Context &context, const MotionSettings &settings, const LumaPlane &layout,
              DevicePool *pool);

  /// Enqueues the search for whole pixels. With a pool, `results` waits for it, and the result is
  /// its error, see MultiDeviceSearch::enqueue(). `number`: of the frame.
  std::shared_ptr<const DeferredError> search(Queue &queue, Queue &results, uint64_t number,
                                              const SearchPlanes &planes,
                                              const MotionSettings &settings,
                                              const SearchRange &range);
  /// Enqueues the refinement to fractions of pixels. `halves`: see Subpel::prepare().
  void refine(Queue &queue, const SearchPlanes &planes, const MotionSettings &settings,
              const cl::Buffer &halves);
  /// Enqueues the vector 0 for blocks whose motion noise explains, if the settings have noise.
  /// Returns the keys of the blocks.
  const cl::Buffer &gate(Queue &queue, const SearchPlanes &planes, const MotionSettings &settings,
                         const noise::Noise &noise);

  /// The arrays of the field.
  const FieldBuffers &field() const { return field_; }
  /// See MultiDeviceSearch::range_square(); only with a pool.
  const cl::Buffer &range_square() const { return multi_device_->range_square(); }

 private:
  Search search_;
  Hierarchy hierarchy_;
  Hexagon hexagon_;
  Subpel subpel_;
  NoiseGate noise_gate_;
  cl::Buffer keys_, gated_keys_;  // gated_keys_: after noise_gate_
  FieldBuffers field_;
  std::unique_ptr<MultiDeviceSearch> multi_device_;
};

}  // namespace glcl::motion
