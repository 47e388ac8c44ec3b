// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hough/hough.h"

namespace glcl::hough {

/// Whether a template of a name and so many px is wanted, asked before its edges are sought, which
/// takes long. What it throws comes through.
using Accept = std::function<bool(const std::string &name, int width, int height)>;

/// The templates of a list of files separated by commas, without spaces around them, named by their
/// files without folder and suffix; without those that are not wanted. What is transparent in them
/// is mid-grey. Waits. Throws Error::not_found, naming file and reason, and what make_template()
/// does.
std::vector<std::shared_ptr<const Template>> load_templates(Queue &queue, const std::string &files,
                                                            const Canny::Settings &settings,
                                                            Layout layout, const Accept &accept);

/// The template of a sample whose caps are video/x-raw, in the same way; none where it is not
/// wanted.
std::vector<std::shared_ptr<const Template>> template_of_sample(
    Queue &queue, const std::string &name, GstSample *sample, const Canny::Settings &settings,
    Layout layout, const Accept &accept);

}  // namespace glcl::hough
