// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::chain {

/// The parameter values of a chain on the device, its tables of colours, and its maps: what filters
/// make of each level with these values, see Map.
class LevelMaps {
 public:
  /// Takes the kernels of `count` maps from a program. Throws cl::Error.
  void set_program(Context &context, const cl::Program &program, size_t count);
  /// Sets the points of the tables of colours, cubes_of() the chain. Throws cl::Error.
  void set_cubes(const cl::Context &context, const std::vector<float> &points);
  /// Changes the values. Throws cl::Error.
  void set_values(const cl::Context &context, const std::vector<float> &values);
  /// Enqueues the maps, if the values changed.
  void update(Queue &queue);

  const cl::Buffer &values() const { return values_; }
  const cl::Buffer &cubes() const { return cubes_; }
  const cl::Buffer &maps() const { return maps_; }

 private:
  std::vector<Kernel> kernels_;
  cl::Buffer values_, cubes_, maps_;
  bool mapped_ = false;  // true if maps_ match the values
};

}  // namespace glcl::chain
