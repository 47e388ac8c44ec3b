// SPDX-License-Identifier: LGPL-2.1-or-later
// The registered OpenCL drivers, without loading them.
#pragma once

#include <string>

namespace glcl {

/// True in a sandbox of Flatpak, which has the drivers of its runtime.
bool in_flatpak();

/// The remedy if there is no driver.
std::string install_remedy();

/// Lists the drivers in the folder of the ICD loader: "OpenCL drivers in FOLDER: …", or reports
/// that there is no driver, with the remedy. OCL_ICD_VENDORS names another folder, or a file.
std::string registered_drivers();

/// Default folder of the loader.
constexpr char driver_folder[] = "/etc/OpenCL/vendors";

}  // namespace glcl
