// SPDX-License-Identifier: LGPL-2.1-or-later
// Long launches: in bands, dropped when no longer wanted, given up if they never end.
#include "opencl/launchthrottle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/bands.h"
#include "kernels/engine.h"
#include "opencl/asynctask.h"
#include "opencl/compilertask.h"
#include "opencl/processexit.h"
#include "opencl/waiting.h"

using glcl::Device;
using glcl::LaunchThrottle;
using glcl::Stop;
using glcl::Stopped;

namespace {

constexpr size_t rows = 1000;

const char text[] =
    "__kernel void count(__global int *numbers) {\n"
    "  numbers[get_global_id(1)]++;\n"
    "}\n"
    "__kernel void work(__global int *numbers, int rounds) {\n"
    "  volatile __global int *number = numbers + get_global_id(1);\n"
    "  for (int i = 0; i < rounds; i++) (*number)++;\n"
    "}\n";

int markers = 0;  // enqueued by this program

cl::Program program_of(Bench &bench) {
  cl::Program program(bench.context->cl(), text);
  program.build(bench.context->device().device);
  return program;
}

cl::Buffer numbers_of(Bench &bench, size_t count) {
  cl::Buffer numbers(bench.context->cl(), CL_MEM_READ_WRITE, count * sizeof(cl_int));
  bench.queue->cl().enqueueFillBuffer(numbers, cl_int(0), 0, count * sizeof(cl_int));
  return numbers;
}

std::vector<cl_int> read(Bench &bench, const cl::Buffer &numbers, size_t count) {
  std::vector<cl_int> host(count);
  bench.queue->cl().enqueueReadBuffer(numbers, CL_TRUE, 0, count * sizeof(cl_int), host.data());
  return host;
}

}  // namespace

// The linker has callers of the one come to the other (--wrap).
extern "C" {
decltype(clEnqueueMarkerWithWaitList) __real_clEnqueueMarkerWithWaitList;
cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                          const cl_event *wait, cl_event *event) {
  markers++;
  return __real_clEnqueueMarkerWithWaitList(queue, count, wait, event);
}
}

// Every row once, whatever the bands.
TEST(test_bands_are_the_whole) {
  Bench bench;
  glcl::Kernel kernel(*bench.context, program_of(bench), "count", {1, 1});
  kernel.in_bands();
  const cl::Buffer numbers = numbers_of(bench, rows);
  const int first = in_bands(*bench.queue, [&] { kernel(*bench.queue, {1, rows}, numbers); });
  fail_unless(first >= 3, "%d bands of what was not measured", first);
  // The measured kernel is quick: it needs no band, and its frame no wait.
  // (Others may take the device from it, as long as it is measured.)
  int launches = 1, then = first;
  for (; then > 0 && launches < 100; launches++)
    then = in_bands(*bench.queue, [&] { kernel(*bench.queue, {1, rows}, numbers); });
  fail_unless_equals_int(then, 0);
  // A million times as much to do is not.
  kernel.costs(1e9);
  const int costly = in_bands(*bench.queue, [&] { kernel(*bench.queue, {1, rows}, numbers); });
  fail_unless(costly > 1, "%d bands", costly);
  for (const cl_int number : read(bench, numbers, rows))
    fail_unless_equals_int(number, launches + 1);
}

// Work that has begun ends; other work never begins.
TEST(test_bands_are_left) {
  Bench bench;
  glcl::Kernel kernel(*bench.context, program_of(bench), "count", {1, 1});
  kernel.in_bands();
  const cl::Buffer numbers = numbers_of(bench, rows);
  int asked = 0;
  const Stop stop([&] { return ++asked == 2; });
  const Stop::Scope scope(stop);
  LaunchThrottle throttle;
  const LaunchThrottle::FrameScope frame(throttle, *bench.queue);
  bool stopped = false;
  try {
    kernel(*bench.queue, {1, rows}, numbers);
  } catch (const Stopped &) {
    stopped = true;
  }
  fail_unless(stopped);
  const auto done = read(bench, numbers, rows);
  fail_unless(done.front() == 1 && done.back() == 0);
}

// Work that became long since its measurement is measured again, if frames take long.
TEST(test_bands_follow_the_work) {
  Bench bench;
  glcl::Kernel kernel(*bench.context, program_of(bench), "work", {1, 1});
  kernel.in_bands();
  const cl::Buffer numbers = numbers_of(bench, rows);
  const auto bands = [&](cl_int rounds) {
    return in_bands(*bench.queue, [&] {
      LaunchThrottle::current()->throttle_frame();
      kernel(*bench.queue, {1, rows}, numbers, rounds);
      kernel(*bench.queue, {1, rows}, numbers, 1);  // waits for the other
    });
  };
  for (int tries = 0; bands(1) != 2; tries++) fail_unless(tries < 100);
  cl_int rounds = 1;
  while (bands(rounds) == 2) rounds *= 2, fail_unless(rounds < 1 << 24, "it stays whole");
}

// Quick frames share the marker that shows whether they are late.
TEST(test_quick_frames_share_a_marker) {
  Bench bench;
  glcl::Kernel kernel(*bench.context, program_of(bench), "count", {1, 1});
  const cl::Buffer numbers = numbers_of(bench, rows);
  LaunchThrottle throttle;
  constexpr int frames = 200;
  for (int i = 0; i < frames; i++) {
    {
      const LaunchThrottle::FrameScope frame(throttle, *bench.queue);
      kernel(*bench.queue, {1, rows}, numbers);
    }
    bench.queue->cl().finish();
  }
  fail_unless(markers > 0 && markers < frames - 1, "%d markers", markers);
}

// With profiling, bands are one launch.
TEST(test_bands_are_one_time) {
  Bench bench;
  glcl::Queue queue(bench.context, true);
  glcl::Kernel kernel(*bench.context, program_of(bench), "count", {1, 1});
  kernel.in_bands();
  const cl::Buffer numbers = numbers_of(bench, rows);
  fail_unless(in_bands(queue, [&] { kernel(queue, {1, rows}, numbers); }) >= 3);
  std::map<std::string, glcl::Timing> timings;
  queue.collect(timings);
  fail_unless_equals_int(int(timings["count"].count), 1);
}

// A thread that waits for a compiler stops waiting once its program is no longer wanted; a later
// thread gets the program.
TEST(test_a_compiler_is_left) {
  Bench bench;
  std::promise<void> begun, gate;
  const auto open = gate.get_future().share();
  const glcl::CompilerTask compiling("a program", bench.context->cl(), bench.context->device(),
                                     [&, open] {
                                       begun.set_value();
                                       open.wait();
                                       return program_of(bench);
                                     });
  begun.get_future().wait();  // else the task may be dropped
  {
    glcl::AsyncTask<cl::Program> behind;
    behind.start([&] { return compiling.get(); });
    fail_unless(!behind.take());
  }  // it does not wait for the compiler
  Stop stop;
  stop.request();
  bool stopped = false;
  try {
    const Stop::Scope scope(stop);
    compiling.get();
  } catch (const Stopped &) {
    stopped = true;
  }
  fail_unless(stopped);
  gate.set_value();
  fail_unless(compiling.get()() != nullptr);
}

// Waiting work that is no longer wanted never begins, so stops leave no queue of compilers.
TEST(test_a_compiler_that_waits_is_dropped) {
  Bench bench;
  if (!glcl::compiles_serially(bench.context->device())) return;
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  const glcl::CompilerTask first("a program", bench.context->cl(), bench.context->device(),
                                 [&, open] {
                                   open.wait();
                                   return cl::Program();
                                 });
  std::atomic<int> begun{0};
  const auto count = [&begun] {
    begun++;
    return cl::Program();
  };
  g_usleep(100 * 1000);  // the first has its turn
  const glcl::CompilerTask left("another", bench.context->cl(), bench.context->device(), count);
  Stop stop;
  stop.request();
  bool stopped = false;
  try {
    const Stop::Scope scope(stop);
    left.get();
  } catch (const Stopped &) {
    stopped = true;
  }
  fail_unless(stopped && !left.dropped());
  gate.set_value();
  first.get();
  while (!left.dropped()) g_usleep(1000);
  fail_unless_equals_int(begun, 0);
}

/// 0 if at the end of this process nothing is held any more by a compiler that waited for its turn.
[[noreturn]] void end_while_a_compiler_waits() {
  static std::atomic<bool> released{false};
  std::atexit([] { _exit(released ? 0 : 1); });
  glcl::wait_at_exit();
  Device device;
  device.platform_name = "rusticl";  // it builds singly
  const glcl::CompilerTask first("a program", {}, device, [] {
    g_usleep(300 * 1000);
    return cl::Program();
  });
  g_usleep(100 * 1000);  // it has its turn
  const auto release = [](void *) {
    g_usleep(200 * 1000);
    released = true;
  };
  const glcl::CompilerTask other(
      "another", {}, device,
      [held = std::shared_ptr<void>(nullptr, release)] { return cl::Program(); });
  exit(2);
}

TEST(test_exit_waits_for_compilers_that_wait) {
  const pid_t child = fork();
  fail_unless(child >= 0);
  if (!child) end_while_a_compiler_waits();
  int status = 0;
  waitpid(child, &status, 0);
  fail_unless(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

// A program of a context is left the same way, and built all the same.
TEST(test_a_program_is_left) {
  Bench bench;
  const glcl::Program program = bench.context->program("invert/invert.cl", "-DLEFT");
  const unsigned before = glcl::programs_compiled();
  Stop stop;
  stop.request();
  bool stopped = false;
  try {
    const Stop::Scope scope(stop);
    program.get();
  } catch (const Stopped &) {
    stopped = true;
  }
  fail_unless(stopped);
  fail_unless(program.get()() != nullptr);
  fail_unless_equals_int(glcl::programs_compiled(), before + 1);
}

// A kernel that never ends is given up once, and no thread waits for it afterwards.
TEST_ALONE(test_a_device_is_given_up) {
  g_setenv("GLCL_DEVICE_TIMEOUT", "0.5", TRUE);
  Bench bench;
  cl::Event gate;
  {
    cl::UserEvent closed(bench.context->cl());
    gate = closed;
  }
  const std::vector<cl::Event> after{gate};
  cl::Event never;
  bench.queue->cl().enqueueMarkerWithWaitList(&after, &never);
  fail_unless(!glcl::is_abandoned(bench.context->cl()));
  std::string text;
  try {
    glcl::wait(never);
  } catch (const glcl::Error &error) {
    text = error.what();
  }
  fail_unless(text.find(bench.context->device().device.getInfo<CL_DEVICE_NAME>()) == 0, "%s",
              text.c_str());
  fail_unless(glcl::is_abandoned(bench.context->cl()));
  fail_unless(!glcl::wait_noexcept(never) && !glcl::wait_noexcept(bench.queue->cl()));
  // The next user has a context of its own.
  const auto fresh = glcl::Context::of_device(bench.context->device());
  fail_unless(fresh != bench.context && !glcl::is_abandoned(fresh->cl()));
  glcl::Queue queue(fresh);
  glcl::finish(queue.cl());
  clSetUserEventStatus(gate(), CL_COMPLETE);
  clFinish(bench.queue->cl()());
}

// A wait reports a command that failed, as OpenCL does.
TEST(test_a_wait_reports_failures) {
  Bench bench;
  cl::UserEvent failed(bench.context->cl());
  failed.setStatus(CL_OUT_OF_RESOURCES);
  bool thrown = false;
  try {
    glcl::wait(failed);
  } catch (const cl::Error &) {
    thrown = true;
  }
  fail_unless(thrown);
  fail_unless(glcl::wait_noexcept(failed));
}
