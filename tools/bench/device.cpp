// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "measure.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "reference/transfer.h"

namespace glcl::bench {

namespace {

using ContextPointer = std::shared_ptr<Context>;
using Adders = std::vector<void (*)(std::vector<DeviceLine> &)>;

Adders &adders() {
  static Adders all;
  return all;
}

constexpr size_t buffer_bytes = 64 << 20;
constexpr int width = 1920, height = 1080;
constexpr double seconds = 0.1;

size_t items_of(const Context &context) {
  return size_t(context.device().device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) * 256 * 32;
}

Kernel kernel_of(const ContextPointer &context, const std::string &name, const std::string &options,
                 Size group = {256, 1}) {
  return {*context, context->program("bench/device.cl", options), name, group};
}

/// True if the sums of all work-items add up to `wanted`.
std::function<bool(Queue &)> adds_up(const cl::Buffer &sums, size_t items, double wanted) {
  return [=](Queue &queue) {
    const auto values = read<float>(queue, sums, items);
    return std::accumulate(values.begin(), values.end(), 0.0) == wanted;
  };
}

/// A kernel that reads a large buffer of elements once and adds up the first two numbers of each.
DeviceTime read_all(const ContextPointer &context, const std::string &name,
                    const std::string &options, size_t element_bytes) {
  Kernel kernel = kernel_of(context, name, options);
  const size_t items = items_of(*context), size = element_bytes / sizeof(float);
  const std::vector<float> numbers = small_numbers(buffer_bytes / sizeof(float));
  const cl::Buffer in = filled(*context, numbers);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  double sum = 0;
  for (size_t i = 0; i < numbers.size(); i++) sum += i % size < 2 ? numbers[i] : 0;
  return timed(
      context, buffer_bytes,
      [&](Queue &queue) {
        kernel(queue, {items, 1}, in, out, static_cast<cl_int>(buffer_bytes / element_bytes));
      },
      adds_up(out, items, sum));
}

/// A kernel from one image to another, with `pixels` pixels per work-item.
template <class... More>
DeviceTime image_to_image(const ContextPointer &context, const std::string &name,
                          const std::string &options, int pixels, double reads, bool inverts,
                          More... more) {
  Kernel kernel = kernel_of(context, name, options, {32, 8});
  Queue upload_queue(context);
  reference::Frame frame = reference::random_frame(width, height);
  const Picture in = reference::upload(upload_queue, frame, Layout::image);
  const Picture out = make_picture(context->cl(), width, height, Layout::image);
  if (inverts)
    for (uint8_t &level : frame.rgba) level = static_cast<uint8_t>(255 - level);
  return timed(
      context, (reads + 1) * 4.0 * width * height,
      [&](Queue &queue) {
        kernel(queue, {size_t(width / pixels), size_t(height)}, in.image, out.image, more...);
      },
      [&](Queue &queue) { return reference::download(queue, out).rgba == frame.rgba; });
}

DeviceTime buffer_to_buffer(const ContextPointer &context) {
  Kernel kernel = kernel_of(context, "identity_buffer", "-DIDENTITY");
  Queue upload_queue(context);
  const reference::Frame frame = reference::random_frame(width, height);
  const Picture in = reference::upload(upload_queue, frame, Layout::buffer);
  const Picture out = make_picture(context->cl(), width, height, Layout::buffer);
  return timed(
      context, 8.0 * width * height,
      [&](Queue &queue) {
        kernel(queue, {size_t(width) * height, 1}, in.buffer, out.buffer, width * height);
      },
      [&](Queue &queue) { return reference::download(queue, out).rgba == frame.rgba; });
}

/// Applies `expression` of x, an OpenCL function, repeatedly. `f` is the same on the host; native
/// functions come close to it.
DeviceTime function(const ContextPointer &context, const std::string &options,
                    const char *expression, double (*f)(double)) {
  constexpr int rounds = 64;
  Kernel kernel = kernel_of(context, "function", options + "-DF(x)=" + std::string(expression));
  const size_t items = items_of(*context);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  return timed(
      context, 4.0 * rounds * items,
      [&](Queue &queue) {
        kernel(queue, {items, 1}, out, rounds);
      },
      [&](Queue &queue) {
        const auto values = read<float>(queue, out, items);
        for (size_t i = 0; i < items; i += 1 + items / 64) {
          double expected = 0;
          for (int k = 0; k < 4; k++) {
            double x = 0.25 + 1e-6 * static_cast<double>(i) + 0.125 * k;
            for (int round = 0; round < rounds; round++) x = f(x);
            expected += x;
          }
          if (!(std::abs(values[i] - expected) <= 0.01 * expected)) return false;
        }
        return true;
      });
}

/// Gathers single floats, `stride` items apart or at random.
DeviceTime gather(const ContextPointer &context, int stride) {
  Kernel kernel = kernel_of(context, "access", "-DSTRIDE=" + std::to_string(stride));
  const size_t items = items_of(*context);
  const std::vector<float> numbers = small_numbers(buffer_bytes / sizeof(float));
  const cl::Buffer in = filled(*context, numbers);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  double sum = 0;
  for (uint32_t x = 0; x < items; x++)
    for (uint32_t i = 0; i < 16; i++) {
      const auto step = i * static_cast<uint32_t>(items);
      sum += numbers[(stride > 0 ? x * stride + step : (x + step) * 2654435761u >> 4) %
                     numbers.size()];
    }
  return timed(
      context, 16.0 * sizeof(float) * items,
      [&](Queue &queue) {
        kernel(queue, {items, 1}, in, out, static_cast<cl_int>(numbers.size()));
      },
      adds_up(out, items, sum));
}

DeviceTime unrolled(const ContextPointer &context, const std::string &options) {
  Kernel kernel = kernel_of(context, "unrolled", options);
  const size_t items = items_of(*context), count = (1 << 20) / 16;
  const std::vector<float> numbers = small_numbers(4 * count);
  const cl::Buffer in = filled(*context, numbers);
  const cl::Buffer out(context->cl(), CL_MEM_WRITE_ONLY, items * sizeof(float));
  double sum = 0;
  for (size_t x = 0; x < items; x++)
    for (size_t i = 0; i < 64; i++) {
      const float *vector = &numbers[4 * ((x + i) % count)];
      sum += static_cast<double>(i) * (vector[0] + vector[1]);
    }
  return timed(
      context, 64.0 * 16 * items,
      [&](Queue &queue) {
        kernel(queue, {items, 1}, in, out, static_cast<cl_int>(count));
      },
      adds_up(out, items, sum));
}

/// A frame to the device or back, by the wall clock: with `pinned` the driver allocated the host
/// memory.
DeviceTime transfer(const ContextPointer &context, bool pinned, bool upload) {
  const reference::Frame frame = reference::random_frame(width, height);
  const size_t bytes = frame.rgba.size();
  const cl::Buffer device = filled(*context, upload ? std::vector<uint8_t>(bytes) : frame.rgba);
  const cl::Buffer host(context->cl(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  std::vector<uint8_t> pageable(bytes);
  Queue mapping(context);
  auto *memory = pinned ? static_cast<uint8_t *>(mapping.cl().enqueueMapBuffer(
                              host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes))
                        : pageable.data();
  if (upload) std::copy(frame.rgba.begin(), frame.rgba.end(), memory);
  const DeviceTime time = timed_by_wall(
      context, static_cast<double>(bytes),
      [&](Queue &queue) {
        if (upload)
          queue.cl().enqueueWriteBuffer(device, CL_FALSE, 0, bytes, memory);
        else
          queue.cl().enqueueReadBuffer(device, CL_FALSE, 0, bytes, memory);
      },
      [&](Queue &queue) {
        return upload ? read<uint8_t>(queue, device, bytes) == frame.rgba
                      : std::equal(frame.rgba.begin(), frame.rgba.end(), memory);
      });
  if (pinned) {
    mapping.cl().enqueueUnmapMemObject(host, memory);
    mapping.cl().finish();
  }
  return time;
}

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  const auto add = [&](const char *what, const std::string &variant, const char *unit,
                       std::function<DeviceTime(const ContextPointer &)> measure) {
    lines.push_back({what, variant, unit, std::move(measure)});
  };
  const auto text = [](int n) { return std::to_string(n); };

  for (int n : {1, 2, 4, 8, 16})
    add("vector loads", n == 1 ? "float" : "float" + text(n), "GB/s",
        [=](const ContextPointer &context) {
          return read_all(context, "vector_loads", "-DLOADS -DN=" + text(n), n * sizeof(float));
        });
  add("identity kernel", "buffer", "GB/s", buffer_to_buffer);
  for (const auto &[variant, name] : {std::pair{"image, pixel coordinates", "identity_image"},
                                      {"image, normalised coordinates", "identity_normalised"}})
    add("identity kernel", variant, "GB/s", [name = name](const ContextPointer &context) {
      return image_to_image(context, name, "-DIDENTITY", 1, 1, false);
    });
  const char *copies[] = {"by the items", "async_work_group_copy", "the same, a tile ahead"};
  for (int n : {0, 1, 2})
    add("copies to local memory", copies[n], "GB/s", [=](const ContextPointer &context) {
      return read_all(context, "local_copies", "-DTILE=" + text(n), 16);
    });
  for (int n : {0, 1})
    add("prefetch", n ? "the next read" : "none", "GB/s", [=](const ContextPointer &context) {
      return read_all(context, "prefetched", "-DPREFETCH=" + text(n), 16);
    });
  for (int n : {1, 2, 4, 8, 16})
    add("pixels per item", text(n), "GB/s", [=](const ContextPointer &context) {
      return image_to_image(context, "pixels_per_item", "-DPIXELS=" + text(n), n, 1, true);
    });
  const std::tuple<const char *, const char *, double (*)(double)> functions[] = {
      {"exp2", "exp2(-x)", [](double x) { return std::exp2(-x); }},
      {"native_exp2", "native_exp2(-x)", [](double x) { return std::exp2(-x); }},
      {"division", "(1.0f/(x+0.5f))", [](double x) { return 1 / (x + 0.5); }},
      {"native_divide", "native_divide(1.0f,x+0.5f)", [](double x) { return 1 / (x + 0.5); }},
      {"sqrt", "sqrt(x+0.5f)", [](double x) { return std::sqrt(x + 0.5); }},
      {"native_sqrt", "native_sqrt(x+0.5f)", [](double x) { return std::sqrt(x + 0.5); }},
      {"sin", "sin(x)", [](double x) { return std::sin(x); }},
      {"native_sin", "native_sin(x)", [](double x) { return std::sin(x); }}};
  for (const auto &[variant, expression, f] : functions)
    add("functions", variant, "Gop/s",
        [expression = expression, f = f](const ContextPointer &context) {
          return function(context, "", expression, f);
        });
  for (const auto &[variant, options] : {std::pair{"none", ""},
                                         {"-cl-mad-enable", "-cl-mad-enable "},
                                         {"-cl-fast-relaxed-math", "-cl-fast-relaxed-math "},
                                         {"-cl-opt-disable", "-cl-opt-disable "}})
    add("build options", variant, "Gop/s",
        [options = std::string(options)](const ContextPointer &context) {
          return function(context, options, "(x*0.5f+sqrt(x)*0.25f)",
                          [](double x) { return x * 0.5 + std::sqrt(x) * 0.25; });
        });
  for (int n : {1, 2, 4, 8, 16})
    add("unrolling", text(n), "GB/s",
        [=](const ContextPointer &context) { return unrolled(context, "-DUNROLL=" + text(n)); });
  for (bool upload : {true, false})
    for (bool pinned : {false, true})
      add(upload ? "frame to the device" : "frame to the host",
          pinned ? "pinned memory" : "pageable memory", "GB/s",
          [=](const ContextPointer &context) { return transfer(context, pinned, upload); });
  for (int n : {1, 2, 4, 8, 16, 32, -1})
    add("access pattern", n < 0 ? "anywhere" : "every " + text(n), "GB/s",
        [=](const ContextPointer &context) { return gather(context, n); });
  for (int n : {1, 2, 4, 8})
    add("reads of one pixel", text(n), "GB/s", [=](const ContextPointer &context) {
      return image_to_image(context, "repeated_reads", "-DREPEATS=" + text(n), 1, n, false,
                            cl_int(0));
    });
});

DeviceTime checked(double microseconds, double amount, const ContextPointer &context,
                   const std::function<bool(Queue &)> &check) {
  Queue queue(context);
  return {microseconds, amount / microseconds / 1e3, check(queue)};
}

}  // namespace

DeviceTime timed(const ContextPointer &context, double amount, std::function<void(Queue &)> enqueue,
                 const std::function<bool(Queue &)> &check) {
  Run run;
  run.enqueue = std::move(enqueue);
  const Times times = measure(context, run, seconds);
  return checked(times.events > 0 ? times.events : times.wall, amount, context, check);
}

DeviceTime timed_by_wall(const ContextPointer &context, double amount,
                         std::function<void(Queue &)> enqueue,
                         const std::function<bool(Queue &)> &check) {
  Run run;
  run.enqueue = std::move(enqueue);
  return checked(measure(context, run, seconds).wall, amount, context, check);
}

std::vector<float> small_numbers(size_t count) {
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; i++) numbers[i] = static_cast<float>(i % 5);
  return numbers;
}

DeviceLines::DeviceLines(void (*add)(std::vector<DeviceLine> &)) { adders().push_back(add); }

std::vector<DeviceLine> device_lines() {
  std::vector<DeviceLine> lines;
  for (const auto add : adders()) add(lines);
  return lines;
}

}  // namespace glcl::bench
