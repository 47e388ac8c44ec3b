// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL host layer: work-groups, programs and their cache, kernel sources, errors.
#include <glib/gstdio.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kernels/opencl/hostlayer.h"
#include "opencl/binarycache.h"
#include "opencl/flaws.h"
#include "opencl/kernel.h"
#include "opencl/lazy.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/source.h"

using glcl::Size;

namespace {

cl::Program program_of(Context &context, const std::string &text) {
  cl::Program program(context.cl(), text);
  program.build({context.device().device}, "");
  return program;
}

const char *const fill_text =
    "__kernel void fill(__global uint *out, int width, int height) {"
    "  const int x = get_global_id(0), y = get_global_id(1);"
    "  if (x >= width || y >= height) return;"
    "  out[y * width + x] += y * 1000 + x + 1;"
    "}";

}  // namespace

TEST(test_fit_group) {
  const auto context = Context::of_device(test_device());
  const cl::Device &device = context->device().device;
  const cl::Kernel kernel(program_of(*context, fill_text), "fill");
  const size_t limit = std::min(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device),
                                device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  const Size small = glcl::fit_group(kernel, device, {4, 2});
  fail_unless(small.x == 4 && small.y == 2);
  for (Size wish : {Size{1u << 20, 1u << 20}, Size{1u << 20, 1}, Size{1, 1u << 20}, Size{0, 0},
                    Size{limit, 2}, Size{3, limit}}) {
    const Size group = glcl::fit_group(kernel, device, wish);
    fail_unless(group.x >= 1 && group.y >= 1 && group.x * group.y <= limit,
                "%zu×%zu became %zu×%zu", wish.x, wish.y, group.x, group.y);
  }
}

// Arguments that do not fit the parameters are an error that says which.
TEST(test_arguments) {
  const auto context = Context::of_device(test_device());
  glcl::Queue queue(context);
  cl::Program program(context->cl(), fill_text);
  program.build({context->device().device}, "-cl-kernel-arg-info");
  const cl::Buffer out(context->cl(), CL_MEM_READ_WRITE, 4);
  const cl_int one = 1;
  const auto refused = [&](const auto &...arguments) {
    glcl::Kernel fill(*context, program, "fill", {1, 1});
    std::string first;
    for (int i = 0; i < 2; i++) {  // again if called again
      const Error error = error_of([&] { fill(queue, {1, 1}, arguments...); });
      fail_unless(error.kind() == Error::Kind::failed && (i == 0 || error.what() == first));
      first = error.what();
    }
    return first;
  };
  const std::string ending = ": kernels and plugin are of different versions.";
  check_string(refused(out, one),
               "The kernel fill has 3 parameters, but is called with 2 arguments" + ending);
  check_string(refused(out, one, one, one),
               "The kernel fill has 3 parameters, but is called with 4 arguments" + ending);
  check_string(refused(out, one, cl_int4{}),
               "Argument 3 of the kernel fill does not fit its parameter" + ending);
  check_string(refused(out, out, one),
               "Argument 2 of the kernel fill is a buffer, its parameter a value" + ending);
  check_string(refused(cl::Local(4), one, one),
               "Argument 1 of the kernel fill is local memory, its parameter a buffer" + ending);
  glcl::Kernel(*context, program, "fill", {1, 1})(queue, {1, 1}, out, one, one);
  queue.cl().finish();
}

// The global size is padded to whole groups; every item inside runs once.
TEST(test_padded_launch) {
  const auto context = Context::of_device(test_device());
  glcl::Queue queue(context, true);
  const cl::Program program = program_of(*context, fill_text);
  const int width = 37, height = 11;
  for (Size group : {Size{1, 1}, Size{8, 8}, Size{5, 3}, Size{64, 2}}) {
    cl::Buffer out(context->cl(), CL_MEM_READ_WRITE, width * height * 4);
    queue.cl().enqueueFillBuffer(out, cl_uint(0), 0, width * height * 4);
    glcl::Kernel fill(*context, program, "fill", group);
    fill(queue, {size_t(width), size_t(height)}, out, width, height);
    std::vector<cl_uint> result(width * height);
    queue.cl().enqueueReadBuffer(out, CL_TRUE, 0, width * height * 4, result.data());
    for (int i = 0; i < width * height; i++)
      fail_unless_equals_int(result[i], i / width * 1000 + i % width + 1);
  }
  std::map<std::string, glcl::Timing> timings;
  queue.collect(timings);
  fail_unless_equals_int(timings["fill"].count, 4);
  fail_unless(timings["fill"].max >= timings["fill"].mean());
}

TEST(test_program_cache) {
  const Device device = test_device();
  const unsigned before = glcl::programs_compiled();
  Context first(device);
  const cl::Program program = first.program("bilateral/direct.cl").get();
  fail_unless_equals_int(glcl::programs_compiled(), before + 1);
  fail_unless(first.program("bilateral/direct.cl").get()() == program());

  // Another context on the device takes the binary, but for PoCL's, and it works.
  const unsigned once = device.platform_name == "Portable Computing Language" ? 2 : 1;
  const auto second = std::make_shared<Context>(device);
  const cl::Program reused = second->program("bilateral/direct.cl").get();
  fail_unless_equals_int(glcl::programs_compiled(), before + once);
  fail_unless(reused() != program());
  glcl::Queue queue(second);
  const glcl::Picture in = glcl::make_picture(second->cl(), 5, 3, glcl::Layout::image);
  const glcl::Picture out = glcl::make_picture(second->cl(), 5, 3, glcl::Layout::image);
  std::vector<uint8_t> pixels(5 * 3 * 4), result(pixels.size());
  std::iota(pixels.begin(), pixels.end(), 0);
  queue.cl().enqueueWriteImage(in.image, CL_TRUE, {0, 0, 0}, {5, 3, 1}, 0, 0, pixels.data());
  glcl::Kernel kernel(*second, reused, "bilateral_direct_color", {4, 4});
  kernel(queue, {5, 3}, in.image, in.image, out.image, cl_int4{{0, 0, 5, 3}}, -1.0f, -1.0f, 0, 0);
  queue.cl().enqueueReadImage(out.image, CL_TRUE, {0, 0, 0}, {5, 3, 1}, 0, 0, result.data());
  fail_unless(result == pixels);

  // Other options are another program.
  first.program("bilateral/direct.cl", "-DOTHER").get();
  fail_unless_equals_int(glcl::programs_compiled(), before + once + 1);
}

// The cache drops those binaries that were not requested for longest, but none that is in use.
TEST(test_binaries_are_bounded) {
  glcl::BinaryCache cache(1000);
  const auto add = [&](const std::string &source, size_t bytes) {
    const auto binary = cache.get(nullptr, source);
    fail_unless(binary->bytes.empty());
    binary->bytes.resize(bytes);
    return binary;
  };
  const auto is_kept = [&](const std::string &source) {
    return !cache.get(nullptr, source)->bytes.empty();
  };
  for (const char *source : {"a", "b", "c"}) add(source, 300);
  fail_unless(is_kept("a"));  // so "b" is the oldest
  add("d", 300);
  add("next", 0);
  fail_unless(is_kept("a") && is_kept("c") && is_kept("d"));
  fail_unless(!is_kept("b"));

  auto used = add("used", 2000);
  add("another", 0);
  fail_unless(is_kept("a") && is_kept("c") && is_kept("d"));
  fail_unless(cache.get(nullptr, "used") == used);
  used.reset();
  add("last", 0);
  fail_unless(!is_kept("a") && !is_kept("used"));

  // The sources count too.
  for (int i = 0; i < 1000; i++) add(std::to_string(i) + std::string(90, '-'), 100);
  int kept = 0;
  while (kept < 1000 && is_kept(std::to_string(999 - kept) + std::string(90, '-'))) kept++;
  fail_unless(kept == 5 || kept == 6, "%d", kept);
}

// Programs are built when they are needed; asking for one compiles nothing here.
TEST(test_program_on_demand) {
  Context context(test_device(), {}, {}, 0);
  const unsigned before = glcl::programs_compiled();
  const glcl::Program program = context.program("invert/invert.cl", "-DDEMAND");
  const glcl::Kernel kernel(context, program, "invert", {4, 4});
  fail_unless(bool(kernel));
  context.finish_programs();
  fail_unless_equals_int(glcl::programs_compiled(), before);
  fail_unless_equals_int(kernel.group().x, 4);
  fail_unless_equals_int(glcl::programs_compiled(), before + 1);
  const glcl::Kernel absent(context, program, "absent", {4, 4});
  fail_unless(contains(error_of([&] { (void)absent.group(); }).what(), "absent"));
}

// Engines made in the background have their programs built, and fail if one of them fails.
TEST(test_background_programs) {
  Context context(test_device(), {}, {}, 0);
  const auto make = [&](const char *path, const char *options) {
    return glcl::Kernel(context, context.program(path, options), "invert", {4, 4});
  };
  const unsigned before = glcl::programs_compiled();
  {
    glcl::Lazy<glcl::Kernel> kernel;
    while (!kernel.poll([&] { return make("invert/invert.cl", "-DBACKGROUND"); })) g_usleep(1000);
    fail_unless_equals_int(glcl::programs_compiled(), before + 1);
  }
  glcl::Lazy<glcl::Kernel> broken;
  const Error error = error_of([&] {
    while (!broken.poll([&] { return make("bilateral/vector.cl", "-DV=behind"); })) g_usleep(1000);
  });
  fail_unless(contains(error.detail(), "-DV=behind"), "%s", error.detail().c_str());
  fail_unless(!broken.poll([&] { return make("invert/invert.cl", ""); }));
}

// One thread or several build several programs, and others ask for the same ones meanwhile: each is
// compiled once. A program may still be compiled behind this test, and count then.
TEST(test_programs_side_by_side) {
  for (const unsigned builders : {1, 4}) {
    const std::string side = "-DSIDE_OF_" + std::to_string(builders) + "=";
    constexpr int count = 3, askers = 3;
    const unsigned before = glcl::programs_compiled();
    {
      Context context(test_device(), {}, {}, builders);
      std::vector<cl_program> built(count * askers);
      std::vector<std::thread> threads;
      for (int asker = 0; asker < askers; asker++)
        threads.emplace_back([&, asker] {
          for (int i = 0; i < count; i++) {
            const int which = (i + asker) % count;
            const auto program = context.program("invert/invert.cl", side + std::to_string(which));
            built[asker * count + which] = program.get()();
          }
        });
      for (std::thread &thread : threads) thread.join();
      context.finish_programs();
      fail_unless_equals_int(glcl::programs_compiled(), before + count);
      for (int i = 0; i < count * askers; i++)
        fail_unless(built[i] && built[i] == built[i % count]);

      // No thread takes this one, but it is built.
      context.program("invert/invert.cl", side + "alone");
      context.finish_programs();
      fail_unless_equals_int(glcl::programs_compiled(), before + count + 1);

      // A failure in the background is reported to the program's user.
      const std::string broken_option = "-DV=side" + std::to_string(builders);
      const glcl::Program broken = context.program("bilateral/vector.cl", broken_option);
      context.finish_programs();
      for (int i = 0; i < 2; i++)
        fail_unless(contains(error_of([&] { broken.get(); }).detail(), broken_option));
      for (int i = 0; i < 20; i++)
        context.program("invert/invert.cl", side + "left" + std::to_string(i));
    }  // a context goes while its programs are being built
    fail_unless(glcl::programs_compiled() < before + count + 1 + 20);
  }
}

TEST(test_one_context_per_device) {
  const Device device = test_device();
  const auto first = Context::of_device(device);
  fail_unless(first == Context::of_device(device));
}

// A pipeline that starts after the last one of a process has ended compiles nothing again on a CPU,
// unless the process should keep nothing.
TEST(test_a_cpu_keeps_its_programs) {
  const Device device = test_device();
  if (!device.is_cpu()) return;
  const auto build = [&] { Context::of_device(device)->program("invert/invert.cl").get(); };
  build();
  const unsigned before = glcl::programs_compiled();
  build();
  const bool again = Context::max_programs() == 0 && is_pocl(device);  // others give binaries
  fail_unless_equals_int(glcl::programs_compiled(), before + again);
  if (std::getenv("GLCL_KEPT_PROGRAMS")) return;

  // Processes of their own: this one keeps the context already.
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  for (const std::string number : {"0", "2"}) {
    const std::string command =
        "GLCL_KEPT_PROGRAMS=" + number + " GST_CHECKS=test_a_cpu_keeps_its_programs '" + self + "'";
    fail_unless(std::system(command.c_str()) == 0, "%s", command.c_str());
  }
}

// Beyond their number, a context drops those programs that were not requested for longest, but none
// that is in use.
TEST(test_programs_are_bounded) {
  const Device device = test_device();
  const auto context = std::make_shared<Context>(device, std::vector<cl_context_properties>{},
                                                 std::shared_ptr<void>{}, 0);
  const auto request = [&](const std::string &option) {
    return context->program("invert/invert.cl", "-D" + option);
  };
  const glcl::Program used = request("USED");
  for (size_t i = 1; i < Context::max_programs(); i++) request("UNUSED=" + std::to_string(i));
  const glcl::Program second = request("UNUSED=1");
  for (size_t i = 0; i < Context::max_programs(); i++) request("OTHER=" + std::to_string(i));
  fail_unless(used.is_shared() && second.is_shared());

  if (!is_pocl(device)) return;  // other drivers give binaries, which the process keeps
  const unsigned before = glcl::programs_compiled();
  glcl::Kernel kernel(*context, request("KERNEL"), "invert", {1, 1});
  kernel.group();
  request("DROPPED").get();
  request("DROPPED").get();
  fail_unless_equals_int(glcl::programs_compiled(), before + 2);
  // A thread of the compiler may hold the program a little longer.
  for (size_t round = 0; round < 1000 && glcl::programs_compiled() == before + 2; round++) {
    for (size_t i = 0; i < Context::max_programs(); i++)
      request("LATER=" + std::to_string(Context::max_programs() * round + i));
    request("KERNEL").get();
    fail_unless_equals_int(glcl::programs_compiled(), before + 2);
    request("DROPPED").get();
    if (round) g_usleep(10000);
  }
  fail_unless_equals_int(glcl::programs_compiled(), before + 3);
}

TEST(test_build_errors) {
  const auto context = Context::of_device(test_device());
  // vector.cl can't be compiled without the numbers that the engine passes.
  const Error broken = error_of([&] { context->program("bilateral/vector.cl", "-DV=what").get(); });
  fail_unless(broken.kind() == Error::Kind::failed);
  fail_unless(contains(broken.what(), "bilateral/vector.cl"), "%s", broken.what());
  fail_unless(contains(broken.detail(), "-DV=what"), "%s", broken.detail().c_str());
  fail_unless(contains(broken.detail(), "error"), "no build log: %s", broken.detail().c_str());
  // A failure is not cached as a program.
  error_of([&] { context->program("bilateral/vector.cl", "-DV=what").get(); });

  const Error options =
      error_of([&] { context->program("bilateral/direct.cl", "-no-such-option").get(); });
  fail_unless(options.kind() == Error::Kind::failed);
  fail_unless(contains(options.detail(), "-no-such-option"), "%s", options.detail().c_str());

  const Error file = error_of([&] { context->program("no/such.cl"); });
  fail_unless(file.kind() == Error::Kind::failed);
  fail_unless(contains(file.what(), "no/such.cl"), "%s", file.what());

  const cl::Program program = program_of(*context, fill_text);
  const Error kernel = error_of([&] { glcl::Kernel(*context, program, "absent", {1, 1}); });
  fail_unless(kernel.kind() == Error::Kind::failed);
  fail_unless(contains(kernel.what(), "absent"), "%s", kernel.what());
  fail_unless(contains(kernel.detail(), "CL_INVALID_KERNEL_NAME"), "%s", kernel.detail().c_str());
}

TEST(test_source) {
  const std::string text = glcl::kernel_source("bilateral/tile.cl");
  fail_unless(contains(text, "#line 1 \"bilateral/tile.cl\""));
  fail_unless(contains(text, "#line 1 \"common/pixel.clh\""));  // two includes deep
  fail_unless(contains(text, "pixel_sampler"));
  fail_if(contains(text, "#include \""));
}

TEST_ALONE(test_source_that_includes_itself) {
  const std::pair<const char *, const char *> files[] = {
      {"self.cl", "#include \"self.cl\"\n"},
      {"first.cl", "int a;\n#include \"second.clh\"\n"},
      {"second.clh", "#include \"third.clh\"\n"},
      {"third.clh", "#include \"second.clh\"\n"},
      {"twice.cl", "#include \"leaf.clh\"\n#include \"leaf.clh\"\n"},
      {"leaf.clh", "int leaf;\n"}};
  gchar *made = g_dir_make_tmp("glcl-kernels-XXXXXX", nullptr);
  const std::string folder = made;
  g_free(made);
  for (const auto &[name, text] : files)
    fail_unless(g_file_set_contents((folder + "/" + name).c_str(), text, -1, nullptr));
  g_setenv("G_RESOURCE_OVERLAYS", ("/org/gst-glcl/kernels=" + folder).c_str(), TRUE);
  for (const auto &[path, chain] :
       {std::pair{"self.cl", "self.cl -> self.cl"},
        {"first.cl", "first.cl -> second.clh -> third.clh -> second.clh"}}) {
    const Error error = error_of([path = path] { glcl::kernel_source(path); });
    fail_unless(error.kind() == Error::Kind::failed);
    fail_unless(contains(error.what(), chain), "%s", error.what());
  }
  // To be named twice is no cycle.
  const std::string twice = glcl::kernel_source("twice.cl");
  fail_unless(twice.find("int leaf;") != twice.rfind("int leaf;"), "%s", twice.c_str());
  for (const auto &[name, text] : files) g_remove((folder + "/" + name).c_str());
  g_rmdir(folder.c_str());
}

TEST(test_pictures) {
  const auto context = Context::of_device(test_device());
  const glcl::Picture buffer = glcl::make_picture(context->cl(), 7, 5, glcl::Layout::buffer);
  fail_unless_equals_int(buffer.bytes(), size_t(buffer.pitch) * 5 * 4);
  fail_unless(buffer.pitch >= 7);
  const int beyond =
      static_cast<int>(context->device().device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>() + 1);
  const Error error =
      error_of([&] { glcl::make_picture(context->cl(), beyond, 1, glcl::Layout::image); });
  fail_unless(error.kind() == Error::Kind::settings);
  fail_unless(contains(error.what(), std::to_string(beyond)), "%s", error.what());
}

TEST(test_error_names) {
  check_string(glcl::error_name(-5), "CL_OUT_OF_RESOURCES");
  fail_unless(contains(glcl::error_name(-987), "-987"));
}

TEST(test_later) {
  std::promise<int> number;
  glcl::Lazy<int> later;
  const auto wait = [&] { return number.get_future().get(); };
  fail_unless(!later.poll(wait));
  fail_unless(!later.poll(wait));
  number.set_value(7);
  while (!later.poll(wait)) g_usleep(1000);
  fail_unless_equals_int(*later.poll(wait), 7);
  fail_unless_equals_int(later.get(wait), 7);

  glcl::Lazy<int> failing;
  const auto fail_there = []() -> int { throw Error(Error::Kind::failed, "no"); };
  error_of([&] {
    while (!failing.poll(fail_there)) g_usleep(1000);
  });
  fail_unless(!failing.poll(fail_there));
  error_of([&] { failing.get(fail_there); });
  fail_unless_equals_int(failing.get([] { return 3; }), 3);
}
