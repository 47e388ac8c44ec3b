// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device.h"

namespace glcl {

/// Values by name of what varies in how a kernel computes, not in what: form, group shape, pixels
/// per work-item, whether weights come from a table.
using Parameters = std::map<std::string, int>;

/// "form=1 group-x=32 rows=2"
std::string describe(const Parameters &parameters);

/// The variants of a kernel, declared once, beside the engine that runs it. glcl-tune measures
/// them, the engine asks tuned_parameters() which one to take.
struct Tunable {
  std::string name;                   ///< "bilateral", the key in the tuning file
  std::vector<std::string> problems;  ///< kinds of work with a best variant each, e.g. "radius-4"
  std::vector<std::string> sources;   ///< its kernel files: a tuning of other texts is stale
  std::map<std::string, std::vector<int>> values;  ///< every parameter with what it can be
  /// What to take on a device that nobody tuned for.
  Parameters (*defaults)(const Device &device, const std::string &problem);
  /// Whether a device can run a point of the space; defaults can be run anywhere.
  bool (*possible)(const Device &device, const std::string &problem, const Parameters &parameters);
};

/// Every point of the space that the device can run.
std::vector<Parameters> variants(const Tunable &tunable, const Device &device,
                                 const std::string &problem);

/// What glcl-tune keeps of one kernel on one device.
struct Tuning {
  Parameters parameters;
  /// Of a run on a 1920×1080 frame, the median by events, and with the defaults.
  double microseconds = 0, default_microseconds = 0;
};

/// What glcl-tune kept for this device. An entry for another driver, for other kernel texts or with
/// values that the space does not hold is ignored, as is a file that is none, that is larger than
/// 4 MiB or no regular file; a warning (g_warning) tells so once.
std::optional<Tuning> load_tuning(const Tunable &tunable, const Device &device,
                                  const std::string &problem);
/// The same from the text of a file; warnings name its path.
std::optional<Tuning> parse_tuning(const std::string &text, const std::string &path,
                                   const Tunable &tunable, const Device &device,
                                   const std::string &problem);
/// The parameters to use on a device: the kept ones, else the defaults.
Parameters tuned_parameters(const Tunable &tunable, const Device &device,
                            const std::string &problem);

/// $XDG_DATA_HOME/glcl/tuning.json
std::string tuning_file();
/// Keeps a tuning in the file in place of an earlier one. Any number of threads and processes may
/// do so at once. Throws Error::failed where it can't be written.
void save_tuning(const Tunable &tunable, const Device &device, const std::string &problem,
                 const Tuning &tuning);

}  // namespace glcl
