// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "image.h"
#include "launchthrottle.h"
#include "picture.h"
#include "queue.h"

namespace glcl {

/// Work-items along x and y.
struct Size {
  size_t x = 1, y = 1;
};

/// What common/frame.clh is built with for pictures of a layout.
const char *frame_options(Layout layout);
/// Where a work-item has FRAME_ROWS pixels of a frame, see common/frame.clh: how many there are,
/// and the group.
Size frame_items(Layout layout, int width, int height);
Size frame_group(Layout layout);

/// The largest group that device and kernel take: `wish`, its longer side halved until it fits. The
/// kernel's own where it has reqd_work_group_size.
Size fit_group(const cl::Kernel &kernel, const cl::Device &device, Size wish);

/// The items of a group that does all of a launch's work: a power of two, 1024 where the device
/// takes that many.
size_t one_group(const cl::Device &device);
/// -DONE_GROUP=n, for kernels that demand a group of that many: one_group(), on CPUs 1, since one
/// core has the group there, and a single item is compiled and run about twice as fast.
std::string one_group_option(const cl::Device &device);

/// A kernel and the work-group it runs with. Arguments are kept per object: one object, one thread.
class Kernel {
 public:
  Kernel() = default;
  /// The group is `group` or, where that is more than the device takes for this kernel, the next
  /// smaller one; a kernel with reqd_work_group_size has that one. The program is needed, and
  /// waited for, at the first call that is more than copying; that one throws Error::failed where
  /// it does not build or has no such kernel.
  Kernel(Context &, const Program &program, const std::string &name, Size group)
      : program_(program), name_(name), group_(group) {}
  /// The same of a program that is built already. Throws Error::failed where it has no such kernel.
  Kernel(Context &context, const cl::Program &program, const std::string &name, Size group);

  explicit operator bool() const { return !name_.empty(); }

  /// Where it takes long it may be launched in bands, one after the other: parts of the y range,
  /// told apart by get_global_id(1) or GROUP_ROW of common/bands.clh. So nothing hangs on
  /// get_group_id(1), get_num_groups(1) or get_global_size(1), nor on the order of groups along y.
  Kernel &in_bands() {
    speed_ = std::make_shared<LaunchThrottle::Seconds>(0);
    return *this;
  }
  /// What an item of the launches to come costs beside one of earlier launches, in any unit: the
  /// neighbours it reads, for instance.
  Kernel &costs(double cost) {
    cost_ = cost;
    return *this;
  }

  Size group() const {
    make();
    return group_;
  }

  /// Enqueues the kernel over at least `items` work-items (rounded up to whole groups, so the
  /// kernel must test its bounds) with `arguments` in order; a Picture is its image, or its buffer
  /// and its pitch, as IN_FRAME and OUT_FRAME of common/frame.clh take it; several pictures are as
  /// many arguments. Does not wait.
  template <class... Arguments>
  void operator()(Queue &queue, Size items, const Arguments &...arguments) {
    make();
    cl_uint index = 0;
    (set(index, arguments), ...);
    launch(queue, items);
  }

 private:
  template <class Argument>
  void set(cl_uint &index, const Argument &argument) {
    kernel_.setArg(index++, argument);
  }
  void set(cl_uint &index, const Image &image) {
    kernel_.setArg(index++, static_cast<const cl::Image2D &>(image));
  }
  void set(cl_uint &index, const Picture &picture);
  void set(cl_uint &index, const std::vector<Picture> &pictures) {
    for (const Picture &picture : pictures) set(index, picture);
  }

  /// Makes the kernel from its program where that is still to be done.
  void make() const {
    if (program_) make(program_.device(), program_.get());
  }
  void make(const Device &device, const cl::Program &program) const;
  void launch(Queue &queue, Size items);
  double work(Size groups) const;
  bool is_long(Size groups) const;
  void launch_in_bands(Queue &queue, LaunchThrottle &throttle, Size groups);
  cl::Event enqueue(Queue &queue, Size groups, size_t row);

  mutable Program program_;  // none once the kernel is made
  mutable cl::Kernel kernel_;
  std::string name_;
  mutable Size group_;
  bool launched_ = false;
  double cost_ = 1;
  // Of one in bands: for a group of items that cost 1; 0 while it was not measured.
  std::shared_ptr<LaunchThrottle::Seconds> speed_;
};

}  // namespace glcl
