// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device.h"

namespace glcl {

/// Named parameters that change how a kernel computes, but not its result: form, group shape,
/// pixels per work-item, use of a weight table.
using Parameters = std::map<std::string, int>;

/// "form=1 group-x=32 rows=2"
std::string describe(const Parameters &parameters);

/// The variants of a kernel, declared once, next to its engine. glcl-tune measures them; the engine
/// calls tuned_parameters() to choose one.
struct Tunable {
  std::string name;  ///< "bilateral", the key in the tuning file
  std::vector<std::string>
      problems;                      ///< kinds of work with their own best variant, e.g. "radius-4"
  std::vector<std::string> sources;  ///< its kernel files; a tuning of older sources is ignored
  std::map<std::string, std::vector<int>> values;  ///< every parameter with its values
  /// Defaults for untuned devices.
  Parameters (*defaults)(const Device &device, const std::string &problem);
  /// True if a device can run these parameters; defaults run on every device.
  bool (*possible)(const Device &device, const std::string &problem, const Parameters &parameters);
};

/// All variants that the device can run.
std::vector<Parameters> variants(const Tunable &tunable, const Device &device,
                                 const std::string &problem);

/// The tuning of one kernel on one device.
struct Tuning {
  Parameters parameters;
  /// Median time of a run on a 1920×1080 frame, measured by events: tuned, and with the defaults.
  double microseconds = 0, default_microseconds = 0;
};

/// Loads the tuning for this device. Entries for another driver, for older kernel sources or with
/// unknown values are ignored, So is a file that is invalid, larger than 4 MiB or not a regular
/// file; g_warning() reports it once.
std::optional<Tuning> load_tuning(const Tunable &tunable, const Device &device,
                                  const std::string &problem);
/// The same from the text of a file; warnings contain its path.
std::optional<Tuning> parse_tuning(const std::string &text, const std::string &path,
                                   const Tunable &tunable, const Device &device,
                                   const std::string &problem);
/// The parameters to use on a device: the saved ones, else the defaults.
Parameters tuned_parameters(const Tunable &tunable, const Device &device,
                            const std::string &problem);

/// $XDG_DATA_HOME/glcl/tuning.json
std::string tuning_file();
/// Saves a tuning in the file, replacing an earlier one. Safe with any number of threads and
/// processes. Throws Error::failed if the file can't be written.
void save_tuning(const Tunable &tunable, const Device &device, const std::string &problem,
                 const Tuning &tuning);

}  // namespace glcl
