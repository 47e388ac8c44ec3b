// SPDX-License-Identifier: LGPL-2.1-or-later
#include "drivers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace glcl {

namespace {

namespace fs = std::filesystem;

/// Names of the driver files in a folder, or of the file itself.
std::vector<std::string> drivers_at(const fs::path &place) {
  std::vector<std::string> names;
  std::error_code error;
  if (fs::is_regular_file(place, error)) names.push_back(place.filename().string());
  for (fs::directory_iterator entry(place, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".icd") names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool in_flatpak() {
  const char *application = std::getenv("FLATPAK_ID");
  return application && *application;
}

std::string install_remedy() {
  return in_flatpak()
             ? "In a Flatpak sandbox the drivers are those of the runtime's extensions "
               "org.freedesktop.Platform.GL. A GPU needs the permission --device=dri, and Mesa's "
               "driver the variable RUSTICL_ENABLE, for example RUSTICL_ENABLE=radeonsi,iris."
             : "Install the OpenCL driver of your GPU, or the package pocl-opencl-icd to compute "
               "on the CPU.";
}

std::string registered_drivers() {
  const char *vendors = std::getenv("OCL_ICD_VENDORS");
  const bool chosen = vendors && *vendors;
  const std::string place = chosen ? vendors : driver_folder,
                    told = (chosen ? "OCL_ICD_VENDORS=" : "") + place;
  std::string list;
  for (const std::string &name : drivers_at(place)) list += (list.empty() ? "" : ", ") + name;
  if (!list.empty())
    return "OpenCL drivers in " + told + ": " + list + "; glcl-info shows their devices.";
  return "No OpenCL driver in " + told + ": the elements do not reach PAUSED. " + install_remedy();
}

}  // namespace glcl
