// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits for a device, with a time limit. A device that does not finish within a minute, or within
// GLCL_DEVICE_TIMEOUT seconds (environment variable), is abandoned: its context is leaked, with
// everything that a command may still use, and later waits return at once.
#pragma once

#include <chrono>

#include "cl.h"

namespace glcl {

/// Wait for a command, or for all commands of the queue. Throw cl::Error if a command failed,
/// Error::failed if the device is abandoned.
void wait(const cl::Event &event);
void finish(const cl::CommandQueue &queue);

/// The same without exceptions, for failed commands too. False if the device is abandoned: then it
/// may still use the memory of the commands.
bool wait_noexcept(const cl::Event &event) noexcept;
bool wait_noexcept(const cl::CommandQueue &queue) noexcept;

/// The time limit of a wait.
std::chrono::duration<double> device_timeout();

/// Abandons the context's device; is_abandoned() tests for that.
void abandon(const cl::Context &context);
bool is_abandoned(const cl::Context &context);

}  // namespace glcl
