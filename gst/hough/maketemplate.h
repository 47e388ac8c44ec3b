// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "canny.h"
#include "template.h"

namespace glcl::hough {

/// Makes a template from an RGBA picture on the device, and waits for it. Throws Error::settings as
/// Template() does, Error::failed if OpenCL refuses.
std::shared_ptr<const Template> make_template(Queue &queue, const std::string &name,
                                              const Canny::Settings &settings,
                                              const Picture &picture);

}  // namespace glcl::hough
