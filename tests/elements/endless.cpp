// SPDX-License-Identifier: LGPL-2.1-or-later
// A compiler that never ends (leavinglayer.cpp): the element gives up with an error, and stops.
#include <unistd.h>

#include <cstdlib>

#include "pipeline.h"

using test::expect;
using test::Pipeline;

/// Expects the element's error about the program, and then stops it.
static void expect_given_up(const std::string &element, const std::string &program) {
  Pipeline pipeline("gltestsrc ! " + element + " ! fakesink");
  pipeline.set(GST_STATE_PLAYING);
  GstMessage *message = pipeline.messages().next(GST_MESSAGE_ERROR, 300 * GST_SECOND);
  expect(message != nullptr, element + " waits for ever");
  gst_message_unref(message);
  const auto errors = pipeline.messages().errors();
  const test::Message &error = errors.front();
  expect(error.names("Compiling " + program + " did not finish in time"), error.text);
  expect(error.names("The OpenCL device ") && error.names(" is no longer used"), error.text);
  expect(error.names("GLCL_DEVICE_TIMEOUT"), error.text);
  pipeline.set(GST_STATE_NULL);
}

/// The compiler is busy from the start, so later programs are never compiled.
TEST_LEAVING(kernels_that_never_compile) {
  g_setenv("GLCL_DEVICE_TIMEOUT", "0.5", TRUE);
  expect_given_up("glclinvert", "invert/invert.cl");
  expect_given_up("glclchain filters=sobel", "the chain");
  expect_given_up("glclhistogram", "histogram/item.cl");
  _exit(EXIT_SUCCESS);
}
