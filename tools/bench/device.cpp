// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include "measure.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"

namespace glcl::bench {

namespace {

using Shared = std::shared_ptr<Context>;

constexpr size_t buffer_bytes = 64 << 20;
constexpr int width = 1920, height = 1080;
constexpr double seconds = 0.1;

DeviceTime timed(const Shared &context, double amount, std::function<void(Queue &)> enqueue) {
  Run run;
  run.enqueue = std::move(enqueue);
  const Times times = measure(context, run, seconds);
  const double microseconds = times.events > 0 ? times.events : times.wall;
  return {microseconds, amount / microseconds / 1e3};
}

size_t items_of(const Context &context) {
  return size_t(context.device().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) * 256 * 32;
}

Kernel kernel_of(const Shared &context, const std::string &name, const std::string &options,
                 Size group = {256, 1}) {
  return {*context, context->program("bench/device.cl", options), name, group};
}

/// A kernel that reads a large buffer of elements once.
DeviceTime read_all(const Shared &context, const std::string &name, const std::string &options,
                    size_t element_bytes) {
  Kernel kernel = kernel_of(context, name, options);
  const size_t items = items_of(*context);
  const cl::Buffer in(context->cl(), CL_MEM_READ_ONLY, buffer_bytes);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  return timed(context, buffer_bytes, [&](Queue &queue) {
    kernel(queue, {items, 1}, in, out, static_cast<cl_int>(buffer_bytes / element_bytes));
  });
}

/// A kernel from an image to another; `pixels` of them for each item.
template <class... More>
DeviceTime image_to_image(const Shared &context, const std::string &name,
                          const std::string &options, int pixels, double reads, More... more) {
  Kernel kernel = kernel_of(context, name, options, {32, 8});
  const Picture in = make_picture(context->cl(), width, height, Layout::image);
  const Picture out = make_picture(context->cl(), width, height, Layout::image);
  return timed(context, (reads + 1) * 4.0 * width * height, [&](Queue &queue) {
    kernel(queue, {size_t(width / pixels), size_t(height)}, in.image, out.image, more...);
  });
}

DeviceTime buffer_to_buffer(const Shared &context) {
  Kernel kernel = kernel_of(context, "identity_buffer", "-DIDENTITY");
  const Picture in = make_picture(context->cl(), width, height, Layout::buffer);
  const Picture out = make_picture(context->cl(), width, height, Layout::buffer);
  return timed(context, 8.0 * width * height, [&](Queue &queue) {
    kernel(queue, {size_t(width) * height, 1}, in.buffer, out.buffer, width * height);
  });
}

DeviceTime function(const Shared &context, const std::string &options) {
  constexpr int rounds = 64;
  Kernel kernel = kernel_of(context, "function", options);
  const size_t items = items_of(*context);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  return timed(context, 4.0 * rounds * items, [&](Queue &queue) {
    kernel(queue, {items, 1}, out, rounds);
  });
}

/// Gathers of single floats.
DeviceTime gather(const Shared &context, const std::string &options) {
  Kernel kernel = kernel_of(context, "access", options);
  const size_t items = items_of(*context);
  const cl::Buffer in(context->cl(), CL_MEM_READ_ONLY, buffer_bytes);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  return timed(context, 16.0 * sizeof(float) * items, [&](Queue &queue) {
    kernel(queue, {items, 1}, in, out, static_cast<cl_int>(buffer_bytes / sizeof(float)));
  });
}

DeviceTime unrolled(const Shared &context, const std::string &options) {
  Kernel kernel = kernel_of(context, "unrolled", options);
  const size_t items = items_of(*context);
  const cl::Buffer in(context->cl(), CL_MEM_READ_ONLY, 1 << 20);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  return timed(context, 64.0 * 16 * items, [&](Queue &queue) {
    kernel(queue, {items, 1}, in, out, (1 << 20) / 16);
  });
}

/// A frame to the device or back, by the wall clock: with pinned memory the host's copy is one that
/// the driver allocated.
DeviceTime transfer(const Shared &context, bool pinned, bool upload) {
  const size_t bytes = size_t(width) * height * 4;
  const cl::Buffer device(context->cl(), CL_MEM_READ_WRITE, bytes);
  const cl::Buffer host(context->cl(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  std::vector<char> pageable(bytes);
  Queue mapping(context);
  void *memory =
      pinned ? mapping.cl().enqueueMapBuffer(host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes)
             : pageable.data();
  Run run;
  run.enqueue = [&](Queue &queue) {
    if (upload)
      queue.cl().enqueueWriteBuffer(device, CL_FALSE, 0, bytes, memory);
    else
      queue.cl().enqueueReadBuffer(device, CL_FALSE, 0, bytes, memory);
  };
  const double microseconds = measure(context, run, seconds).wall;
  if (pinned) {
    mapping.cl().enqueueUnmapMemObject(host, memory);
    mapping.cl().finish();
  }
  return {microseconds, static_cast<double>(bytes) / microseconds / 1e3};
}

std::vector<DeviceLine> make_lines() {
  std::vector<DeviceLine> lines;
  const auto add = [&](const char *what, const std::string &variant, const char *unit,
                       std::function<DeviceTime(const Shared &)> measure) {
    lines.push_back({what, variant, unit, std::move(measure)});
  };
  const auto text = [](int n) { return std::to_string(n); };

  for (int n : {1, 2, 4, 8, 16})
    add("vector loads", n == 1 ? "float" : "float" + text(n), "GB/s", [=](const Shared &context) {
      return read_all(context, "vector_loads", "-DLOADS -DN=" + text(n), n * sizeof(float));
    });
  add("identity kernel", "buffer", "GB/s", buffer_to_buffer);
  for (const auto &[variant, name] : {std::pair{"image, pixel coordinates", "identity_image"},
                                      {"image, normalised coordinates", "identity_normalised"}})
    add("identity kernel", variant, "GB/s", [name = name](const Shared &context) {
      return image_to_image(context, name, "-DIDENTITY", 1, 1);
    });
  for (int n : {0, 1})
    add("copies to local memory", n ? "async_work_group_copy" : "by the items", "GB/s",
        [=](const Shared &context) {
          return read_all(context, "local_copies", "-DTILE=" + text(n), 16);
        });
  for (int n : {0, 1})
    add("prefetch", n ? "the next read" : "none", "GB/s", [=](const Shared &context) {
      return read_all(context, "prefetched", "-DPREFETCH=" + text(n), 16);
    });
  for (int n : {1, 2, 4, 8, 16})
    add("pixels per item", text(n), "GB/s", [=](const Shared &context) {
      return image_to_image(context, "pixels_per_item", "-DPIXELS=" + text(n), n, 1);
    });
  for (const auto &[variant, expression] : {std::pair{"exp2", "exp2(-x)"},
                                            {"native_exp2", "native_exp2(-x)"},
                                            {"division", "(1.0f/(x+0.5f))"},
                                            {"native_divide", "native_divide(1.0f,x+0.5f)"},
                                            {"sqrt", "sqrt(x+0.5f)"},
                                            {"native_sqrt", "native_sqrt(x+0.5f)"},
                                            {"sin", "sin(x)"},
                                            {"native_sin", "native_sin(x)"}})
    add("functions", variant, "Gop/s",
        [expression = std::string(expression)](const Shared &context) {
          return function(context, "-DF(x)=" + expression);
        });
  for (const auto &[variant, options] : {std::pair{"none", ""},
                                         {"-cl-mad-enable", "-cl-mad-enable "},
                                         {"-cl-fast-relaxed-math", "-cl-fast-relaxed-math "},
                                         {"-cl-opt-disable", "-cl-opt-disable "}})
    add("build options", variant, "Gop/s", [options = std::string(options)](const Shared &context) {
      return function(context, options + "-DF(x)=(x*0.5f+sqrt(x)*0.25f)");
    });
  for (int n : {1, 2, 4, 8, 16})
    add("unrolling", text(n), "GB/s",
        [=](const Shared &context) { return unrolled(context, "-DUNROLL=" + text(n)); });
  for (bool upload : {true, false})
    for (bool pinned : {false, true})
      add(upload ? "frame to the device" : "frame to the host",
          pinned ? "pinned memory" : "pageable memory", "GB/s",
          [=](const Shared &context) { return transfer(context, pinned, upload); });
  for (int n : {1, 2, 4, 8, 16, 32, -1})
    add("access pattern", n < 0 ? "anywhere" : "every " + text(n), "GB/s",
        [=](const Shared &context) { return gather(context, "-DSTRIDE=" + text(n)); });
  for (int n : {1, 2, 4, 8})
    add("reads of one pixel", text(n), "GB/s", [=](const Shared &context) {
      return image_to_image(context, "repeated_reads", "-DREPEATS=" + text(n), 1, n, cl_int(0));
    });
  return lines;
}

}  // namespace

const std::vector<DeviceLine> &device_lines() {
  static const std::vector<DeviceLine> lines = make_lines();
  return lines;
}

}  // namespace glcl::bench
