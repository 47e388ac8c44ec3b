// SPDX-License-Identifier: LGPL-2.1-or-later
// The registered OpenCL drivers, without loading them.
#pragma once

#include <string>

namespace glcl {

/// The remedy if there is no driver.
constexpr char install_remedy[] =
    "Install the OpenCL driver of your GPU, or the package pocl-opencl-icd to compute on the CPU.";

/// Lists the drivers in the folder of the ICD loader: "OpenCL drivers in FOLDER: …", or reports
/// that there is no driver, with the remedy. OCL_ICD_VENDORS names another folder, or a file.
std::string registered_drivers();

/// Default folder of the loader.
constexpr char driver_folder[] = "/etc/OpenCL/vendors";

}  // namespace glcl
