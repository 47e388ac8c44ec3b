// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists of the shots for editing programs.
#pragma once

#include <string>
#include <vector>

#include "task.h"

namespace glcl::analyze {

/// A shot; times in ns.
struct Shot {
  guint64 begin, end;
  std::string kind;  ///< how it begins: `cut`, `dissolve` …
};

/// The shots among events.jsonl. `end`: that of the analysed range.
std::vector<Shot> shots_of(const Json &events, guint64 end);

/// A table: number, begin and end in seconds, duration, kind.
std::string scenes_csv(const std::vector<Shot> &shots);
/// An edit decision list (CMX 3600) that puts the shots of the file one after the other.
std::string scenes_edl(const std::vector<Shot> &shots, const std::string &file, double rate);
/// A timeline of OpenTimelineIO with a clip for each shot.
std::string scenes_otio(const std::vector<Shot> &shots, const std::string &file, double rate,
                        guint64 duration);

}  // namespace glcl::analyze
