// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hough/hough.h"

namespace glcl::hough {

/// Whether a template of this name and size is accepted, asked before the slow search for edges. It
/// may throw.
using Accept = std::function<bool(const std::string &name, int width, int height)>;

/// The accepted templates of a comma-separated list of files without spaces around the commas.
/// Their names are those of the files without folder and suffix. Transparent pixels are mid-grey.
/// Waits. Throws Error::not_found, naming file and reason, and the errors of make_template().
std::vector<std::shared_ptr<const Template>> load_templates(Queue &queue, const std::string &files,
                                                            const Canny::Settings &settings,
                                                            Layout layout, const Accept &accept);

/// The template of a sample whose caps are video/x-raw, in the same way; none where it is not
/// wanted.
std::vector<std::shared_ptr<const Template>> template_of_sample(
    Queue &queue, const std::string &name, GstSample *sample, const Canny::Settings &settings,
    Layout layout, const Accept &accept);

}  // namespace glcl::hough
