// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cases.h"
#include "opencl/error.h"
#include "opencl/kernel.h"
#include "reference/transfer.h"

using glcl::Layout;
using glcl::Picture;
using glcl::Size;
using reference::Frame;

/// The device that GLCL_TEST_DEVICE names, with a queue.
struct Bench {
  Bench() {
    const char *wish = std::getenv("GLCL_TEST_DEVICE");
    context = glcl::Context::of_device(glcl::choose_device(glcl::devices(), wish ? wish : "auto"));
    queue = std::make_unique<glcl::Queue>(context);
  }

  Picture upload(const Frame &frame, Layout layout, int padding = 0) {
    return reference::upload(*queue, frame, layout, padding);
  }
  Frame download(const Picture &picture) { return reference::download(*queue, picture); }

  template <class Engine, class Settings>
  Frame run(Engine &engine, const Settings &settings, const Frame &frame, int in_padding = 0,
            int out_padding = 0) {
    const Picture in = upload(frame, engine.layout(), in_padding);
    const Picture out = upload(Frame(frame.width, frame.height), engine.layout(), out_padding);
    engine.run(*queue, settings, in, out);
    return download(out);
  }

  std::shared_ptr<glcl::Context> context;
  std::unique_ptr<glcl::Queue> queue;
};

/// How many values were compared with the reference and how many of them were not equal.
struct Agreement {
  double most = 0.01;  ///< share of the values that may differ, by a level
  size_t values = 0, off = 0;

  ~Agreement() {
    std::printf("%zu of %zu values differ from the reference, by one level\n", off, values);
    fail_unless(static_cast<double>(off) <= most * static_cast<double>(values),
                "%zu of %zu values differ from the reference", off, values);
  }

  /// At most one level away from the reference, alpha equal.
  void check(const Frame &result, const Frame &expected, const std::string &what) {
    for (size_t i = 0; i < expected.rgba.size(); i++) {
      const int difference = std::abs(int(result.rgba[i]) - int(expected.rgba[i]));
      const int x = int(i / 4) % expected.width, y = int(i / 4) / expected.width;
      fail_unless(difference <= (i % 4 == 3 ? 0 : 1), "%s: at (%d, %d)[%d] %d, reference %d",
                  what.c_str(), x, y, int(i % 4), result.rgba[i], expected.rgba[i]);
      off += difference != 0;
    }
    values += expected.rgba.size();
  }
};

inline void check_equal(const Frame &a, const Frame &b, const std::string &what) {
  const auto at = std::mismatch(a.rgba.begin(), a.rgba.end(), b.rgba.begin()).first;
  const int i = static_cast<int>(at - a.rgba.begin());
  fail_unless(at == a.rgba.end(), "%s: differs at (%d, %d)", what.c_str(), i / 4 % a.width,
              i / 4 / a.width);
}
