// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits for a device that end in any case. A device that has not finished for a minute, or the
// seconds that the environment variable GLCL_DEVICE_TIMEOUT names, is given up: its context is
// left, with all that a command may still use, and no later wait for it takes any time.
#pragma once

#include <chrono>

#include "cl.h"

namespace glcl {

/// Wait for a command, or for all that the queue has been given. Throw cl::Error where a command
/// failed, Error::failed where the device is given up.
void wait(const cl::Event &event);
void finish(const cl::CommandQueue &queue);

/// The same where nothing can be thrown, whatever became of the commands. False where the device is
/// given up: then it may still use their memory.
bool settle(const cl::Event &event) noexcept;
bool settle(const cl::CommandQueue &queue) noexcept;

/// How long they wait.
std::chrono::duration<double> patience();

/// Gives up the context's device; and whether it is.
void leave(const cl::Context &context);
bool is_left(const cl::Context &context);

}  // namespace glcl
