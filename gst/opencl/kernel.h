// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "frameformat.h"
#include "image.h"
#include "launchthrottle.h"
#include "picture.h"
#include "queue.h"
#include "rect.h"

namespace glcl {

/// Work-items along x and y.
struct Size {
  size_t x = 1, y = 1;
};

/// A rectangle for kernels: left, top, width, height, px.
inline cl_int4 int4_of(const Rect &of) { return {{of.x, of.y, of.width, of.height}}; }

/// Number of work-items if each processes FRAME_ROWS pixels of a frame (common/frame.clh), and the
/// group.
Size frame_items(Layout layout, int width, int height);
Size frame_group(Layout layout);

/// Number of work-items if each processes the pixels of a frame that share a chroma sample
/// (common/planes.clh); in RGBA and grey, a pixel.
Size block_items(const Picture &frame);

/// The largest group that device and kernel support: `wish`, with its longer side halved until it
/// fits. A kernel with reqd_work_group_size keeps that size.
Size fit_group(const cl::Kernel &kernel, const cl::Device &device, Size wish);

/// Size of a single group that does all the work of a launch: a power of two, 1024 if the device
/// supports it.
size_t one_group(const cl::Device &device);
/// The option -DONE_GROUP=n for kernels that require a group of that size. n is one_group(), but 1
/// on CPUs: a group runs on one core there, and a single item compiles and runs about twice as
/// fast.
std::string one_group_option(const cl::Device &device);

/// A kernel and its work-group. Arguments are stored per object, so use an object on one thread
/// only.
class Kernel {
 public:
  Kernel() = default;
  /// The group is `group`, or the next smaller one that the device supports for this kernel; a
  /// kernel with reqd_work_group_size keeps that size. The first call other than a copy waits for
  /// the program; it throws Error::failed if the program does not compile or has no such kernel.
  Kernel(Context &, const Program &program, const std::string &name, Size group)
      : program_(program), name_(name), group_(group) {}
  /// The same for a compiled program. Throws Error::failed if it has no such kernel.
  Kernel(Context &context, const cl::Program &program, const std::string &name, Size group);

  explicit operator bool() const { return !name_.empty(); }

  /// Allows long launches in bands, one after the other: parts of the y range, identified by
  /// get_global_id(1) or GROUP_ROW of common/bands.clh. So the kernel must not depend on
  /// get_group_id(1), get_num_groups(1), get_global_size(1) or the order of groups along y.
  Kernel &in_bands() {
    speed_ = std::make_shared<LaunchThrottle::Seconds>(0);
    return *this;
  }
  /// Sets the cost of a work-item of the next launches relative to earlier ones, in any unit, for
  /// example the number of neighbours it reads.
  Kernel &costs(double cost) {
    cost_ = cost;
    return *this;
  }

  Size group() const {
    make();
    return group_;
  }

  /// Enqueues the kernel over at least `items` work-items with `arguments` in order. The number of
  /// work-items is rounded up to whole groups, so the kernel must test its bounds. A Picture passes
  /// for each plane its image, or its buffer and pitch; IN_FRAME and OUT_FRAME of common/frame.clh
  /// and IN_PLANES of common/planes.clh declare these parameters. A FirstPlane passes only that
  /// plane. Numbers are passed one by one or in a struct of the folder's interface.h. Does not
  /// wait. Throws Error::failed if the arguments do not fit the kernel's parameters: their number
  /// and, where the driver reports them, their kinds are checked in the first call.
  template <class... Arguments>
  void operator()(Queue &queue, Size items, const Arguments &...arguments) {
    make();
    cl_uint index = 0;
    (set(index, arguments), ...);
    if (!checked_) check_count(index);
    launch(queue, items);
  }

 private:
  enum class Kind { value, buffer, image, local };

  template <class Argument>
  void set(cl_uint &index, const Argument &argument) {
    if constexpr (std::is_base_of_v<cl::Memory, Argument>) {
      set(index, std::is_base_of_v<cl::Image, Argument> ? Kind::image : Kind::buffer,
          sizeof argument(), &argument());
    } else {
      static_assert(std::is_trivially_copyable_v<Argument> && !std::is_pointer_v<Argument> &&
                        !std::is_same_v<Argument, bool>,
                    "values are numbers, vectors of OpenCL and structs of them");
      set(index, Kind::value, sizeof argument, &argument);
    }
  }
  void set(cl_uint &index, const Image &image) {
    set(index, static_cast<const cl::Image2D &>(image));
  }
  void set(cl_uint &index, const cl::LocalSpaceArg &local) {
    set(index, Kind::local, local.size_, nullptr);
  }
  void set(cl_uint &index, const Picture &picture);
  void set(cl_uint &index, const FirstPlane &plane);
  void set(cl_uint &index, const std::vector<Picture> &pictures) {
    for (const Picture &picture : pictures) set(index, picture);
  }

  void set(cl_uint &index, Kind kind, size_t bytes, const void *argument);
  void check_kind(cl_uint index, Kind kind) const;
  void check_count(cl_uint arguments);

  /// Creates the kernel from its program if necessary.
  void make() const {
    if (program_ && !kernel_()) make(program_.device(), program_.get());
  }
  void make(const Device &device, const cl::Program &program) const;
  void launch(Queue &queue, Size items);
  double work(Size groups) const;
  bool is_long(Size groups) const;
  void launch_in_bands(Queue &queue, LaunchThrottle &throttle, Size groups);
  cl::Event enqueue(Queue &queue, Size groups, size_t row);

  Program program_;  // kept as long as the kernel, so that the context does not drop it
  mutable cl::Kernel kernel_;
  std::string name_;
  mutable Size group_;
  bool checked_ = false;  // the arguments of the first call fitted
  bool launched_ = false;
  double cost_ = 1;
  // Of a kernel in bands: time per group of items with cost 1; 0 until measured.
  std::shared_ptr<LaunchThrottle::Seconds> speed_;
};

}  // namespace glcl
