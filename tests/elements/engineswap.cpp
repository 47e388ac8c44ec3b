// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements replace an engine while frames are processed. In this program an engine is a number, and
// a gate blocks the thread that builds it. The program is built with the base classes and doesn't
// load the plugin.
#include "base/glclengineswap.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "opencl/error.h"
#include "pipeline.h"

using test::expect;
using test::expect_none;

namespace {

const test::Setup setup(test::hide_plugin);

using Swap = glcl::EngineSwap<int, std::unique_ptr<int>>;  // engines can be moved, not copied
using Change = Swap::Change;
constexpr int refused = 13;  // building this engine fails

std::atomic<bool> open{true};
std::atomic<int> built{0}, building{0};

const auto make = [](int wanted) {
  building++;
  while (!open && !glcl::Stop::should_stop())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  building--;
  built++;
  if (wanted == refused)
    throw glcl::Error(glcl::Error::Kind::settings, "13 is unlucky.", "the detail");
  return std::make_unique<int>(wanted);
};

/// An element with the engine 1.
struct Element {
  Element() {
    open = true;
    built = 0;
    gst_element_set_bus(element, bus);
    expect(swap.prepare(element, false, 1, make) == Change::taken, "it is built at once");
    expect_engine(1);
  }
  ~Element() {
    gst_element_set_bus(element, nullptr);
    gst_object_unref(element);
    gst_object_unref(bus);
  }
  Element(const Element &) = delete;

  void expect_engine(int number) {
    expect(swap.engine() && **swap.engine() == number && swap.used() == number,
           "the engine is " + std::to_string(number));
  }
  /// Wants this engine in each frame and returns the first change.
  Change changes(int wanted) {
    for (int i = 0; i < 10000; i++) {
      const Change change = swap.update(element, wanted, make);
      if (change != Change::none) return change;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Change::none;
  }
  /// Wants this engine in each frame and expects no change.
  void expect_no_change(int wanted, int frames = 30) {
    for (int i = 0; i < frames; i++) {
      expect(swap.update(element, wanted, make) == Change::none, "nothing changes");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void expect_one_warning() {
    test::expect_one(messages.warnings(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
                     {"13 is unlucky. The number stays.", "the detail"});
  }

  GstElement *element = GST_ELEMENT(gst_object_ref_sink(gst_bin_new("swapping")));
  GstBus *bus = gst_bus_new();
  test::Messages messages{bus};
  Swap swap{"The number stays."};
};

/// Waits until the thread has started to build.
void wait_for_thread() {
  while (!building) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

// The old engine is used while the new one is built.
TEST(in_the_background) {
  Element e;
  open = false;
  e.expect_no_change(2);
  wait_for_thread();
  e.expect_engine(1);
  open = true;
  expect(e.changes(2) == Change::taken, "it is taken");
  e.expect_engine(2);
  e.expect_no_change(2);
  expect(built == 2, "each engine is built once");
  expect_none(e.messages.warnings());
}

TEST(refusal_keeps_the_old_one) {
  Element e;
  expect(e.changes(refused) == Change::refused, "it is refused");
  expect(e.swap.refused() == refused && e.swap.tried(refused), "it is known what was refused");
  e.expect_no_change(refused);
  e.expect_engine(1);
  e.expect_one_warning();
  expect(built == 2, "what was refused is not tried again");
  expect(e.changes(3) == Change::taken, "another one is taken");
  expect(e.changes(refused) == Change::refused && e.messages.warnings().size() == 2,
         "asked for again, it is tried again, with a warning");
}

// Several engines are wanted during a build: only the last of them is built afterwards.
TEST(newer_request) {
  Element e;
  open = false;
  e.expect_no_change(2);
  wait_for_thread();
  for (const int wanted : {3, 4, refused, 5}) e.expect_no_change(wanted, 2);
  open = true;
  while (e.swap.used() != 5) expect(e.changes(5) == Change::taken, "5 comes");
  expect(built == 3, "3, 4 and the refused one were never built");
  expect_none(e.messages.warnings());
}

// The engine in use is wanted again during the build of another one: the new engine, or its
// failure, is dropped.
TEST(back_again) {
  for (const int other : {2, refused}) {
    Element e;
    open = false;
    e.expect_no_change(other);
    wait_for_thread();
    open = true;
    e.expect_no_change(1);
    e.expect_engine(1);
    expect_none(e.messages.warnings());
  }
}

TEST(stop_waits) {
  Element e;
  open = false;
  e.expect_no_change(2);
  wait_for_thread();
  e.swap.clear();  // asks the thread to end
  expect(building == 0 && built == 2, "the thread has ended");
  expect(!e.swap.engine() && e.swap.used() == 1, "there is no engine");
  open = true;
  expect(e.swap.prepare(e.element, true, 3, make) == Change::taken, "it can start again");
  e.expect_no_change(3);
  e.expect_engine(3);
}

// Frames of another size come while playing.
TEST(prepared_while_playing) {
  Element e;
  expect(e.changes(2) == Change::taken, "2 is taken");
  e.swap.clear();
  expect(e.swap.prepare(e.element, true, refused, make) == Change::refused, "it is refused");
  e.expect_engine(2);
  e.expect_no_change(refused);
  // Here the engine need not be built again.
  built = 0;
  expect(e.swap.prepare(e.element, true, refused, make) == Change::refused, "it is refused again");
  e.expect_engine(2);
  expect(built == 1 && e.messages.warnings().size() == 2, "each failure is a warning");
  e.swap.forget();
  expect(!e.swap.used(), "nothing is left of the last engine");
}

// Before the first frame a refusal is an error. It is posted once, and again after a flush.
TEST(errors) {
  Element e;
  glcl::ErrorReporter errors;
  const auto prepare = [&] {
    e.swap.forget();
    return errors.guard(e.element, [&] { e.swap.prepare(e.element, false, refused, make); });
  };
  const auto expect_errors = [&](size_t count) {
    expect(e.messages.errors().size() == count, std::to_string(count) + " errors");
  };
  expect(!prepare() && !prepare() && errors.failed(), "it fails");
  test::expect_one(e.messages.errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
                   {"13 is unlucky.", "the detail"});
  errors.flush();
  expect(!errors.failed() && !prepare(), "it fails after a flush");
  expect_errors(2);
  expect_none(e.messages.warnings());
}

// Exceptions of every kind become warnings, except that of a stopped compiler.
TEST(exceptions) {
  Element e;
  const auto warned = [&](const auto &thrower, const std::vector<std::string> &words) {
    const auto never = [thrower](int) -> std::unique_ptr<int> {
      thrower();
      return nullptr;
    };
    const size_t before = e.messages.warnings().size();
    while (e.swap.update(e.element, 2, never) == Change::none)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::vector<test::Message> warnings = e.messages.warnings();
    expect(warnings.size() == before + 1, "one warning");
    for (const std::string &word : words) expect(warnings.back().names(word), word);
    e.expect_no_change(1, 1);
  };
  warned([] { throw cl::Error(CL_OUT_OF_RESOURCES, "clCreateBuffer"); },
         {"CL_OUT_OF_RESOURCES", "The number stays."});
  warned([] { throw std::runtime_error("no memory"); }, {"no memory", "The number stays."});
  std::atomic<int> stops{0};
  const auto stopped = [&stops](int) -> std::unique_ptr<int> {
    stops++;
    throw glcl::Stopped();
  };
  while (stops < 2) {
    expect(e.swap.update(e.element, 3, stopped) == Change::none, "it is tried again");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  e.swap.cancel();
}
