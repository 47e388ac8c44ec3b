// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hough/hough.h"

namespace glcl::hough {

/// Returns true to accept a template of this name and size. Called before the slow search for
/// edges. May throw.
using Accept = std::function<bool(const std::string &name, int width, int height)>;

/// Loads the accepted templates of a comma-separated list of files, without spaces around the
/// commas. Each is named after its file, without folder and suffix. Transparent pixels become
/// mid-grey. Waits. Throws Error::not_found, naming file and reason, and the errors of
/// make_template().
std::vector<std::shared_ptr<const Template>> load_templates(Queue &queue, const std::string &files,
                                                            const Canny::Settings &settings,
                                                            Layout layout, const Accept &accept);

/// The template of a sample with caps video/x-raw, in the same way; empty if it is not accepted.
std::vector<std::shared_ptr<const Template>> template_of_sample(
    Queue &queue, const std::string &name, GstSample *sample, const Canny::Settings &settings,
    Layout layout, const Accept &accept);

}  // namespace glcl::hough
