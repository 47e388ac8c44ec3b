// SPDX-License-Identifier: LGPL-2.1-or-later
// Which OpenCL drivers are registered, without loading any of them.
#pragma once

#include <string>

namespace glcl {

/// What to do where there is none.
constexpr char install_remedy[] =
    "Install the OpenCL driver of your GPU, or the package pocl-opencl-icd to compute on the CPU.";

/// What is in a folder for the ICD loader to find, by its files: "OpenCL drivers in FOLDER: …", or
/// that there is none and what to do. OCL_ICD_VENDORS names another folder, or a file.
std::string registered_drivers();

/// Where the loader looks unless it is told otherwise.
constexpr char driver_folder[] = "/etc/OpenCL/vendors";

}  // namespace glcl
