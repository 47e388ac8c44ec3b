// SPDX-License-Identifier: LGPL-2.1-or-later
// Picture files on the device, for properties of filters.
#pragma once

#include <memory>
#include <string>

#include "opencl/context.h"
#include "opencl/picture.h"

namespace glcl {

/// Reads the picture of a file into a buffer of PlaneFormat::rgba8. An empty path gives no picture.
/// `property` is the name for errors. Waits. Throws Error::not_found if the file can't be read, and
/// Error::settings if the device has too little memory.
Picture load_colours(const std::shared_ptr<Context> &context, const std::string &property,
                     const std::string &path);
/// The same with a level per pixel, PlaneFormat::r8: brightness times opacity.
Picture load_levels(const std::shared_ptr<Context> &context, const std::string &property,
                    const std::string &path);

}  // namespace glcl
