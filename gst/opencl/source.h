// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl {

/// The text of a kernel file below kernels/, e.g. "bilateral/tile.cl", with its `#include "…"`
/// lines (paths below kernels/ too) replaced by the named files and `#line` marks, so that build
/// logs show the line of the file. The files are embedded in the plugin as a GResource;
/// G_RESOURCE_OVERLAYS=/org/gst-glcl/kernels=FOLDER reads them from FOLDER instead. Throws
/// Error::failed if the file is missing.
std::string kernel_source(const std::string &path);

}  // namespace glcl
