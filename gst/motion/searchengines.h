// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <memory>

#include "blocksearch.h"
#include "opencl/lazy.h"

namespace glcl::motion {

/// Builds the searches for each block size when they are needed, in the background after the first.
class SearchEngines {
 public:
  /// For frames of width × height px.
  SearchEngines(Context &context, int width, int height)
      : context_(&context), layout_(width, height) {}

  /// Lets the devices of a pool share full searches, see BlockMotion::share().
  void share(std::unique_ptr<DevicePool> pool) { pool_ = std::move(pool); }
  bool shared() const { return pool_ != nullptr; }

  /// Builds the engines for these settings, and waits for them.
  void prepare(const MotionSettings &settings);
  /// True if these engines are built; otherwise builds them in the background. Throws the error of
  /// a failed build once.
  bool ready(const MotionSettings &settings);
  /// Waits for searches on several devices, and destroys the engines that use them.
  void clear_blocks() { blocks_.clear(); }

  /// The engine for a block, which is built.
  BlockSearch &blocks(int block) { return *blocks_.at(block).value(); }
  const BlockSearch &blocks(int block) const { return *blocks_.at(block).value(); }

  /// Sets the range of a search if these settings have none, and returns how it is found. `before`:
  /// the result for the previous frame. `frames`: the number of frames with this one.
  SearchRange select_range(MotionSettings &settings, const SearchRange &before, uint64_t frames);
  /// The maximum squared error of a prediction that reaches the target.
  double largest_error(const MotionSettings &settings) const;

 private:
  BlockSearch build(const MotionSettings &settings) const;
  AdaptiveSearch build_adaptive(int block) const;

  Context *context_;
  LumaPlane layout_;
  std::unique_ptr<DevicePool> pool_;
  std::map<int, Lazy<BlockSearch>> blocks_;  // by block size
  std::map<int, Lazy<AdaptiveSearch>> adaptive_;
};

}  // namespace glcl::motion
