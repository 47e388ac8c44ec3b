// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "folder.h"
#include "table.h"
#include "task.h"

namespace glcl::analyze {

/// Writes rules.csv, a row per event of zones, lines and the scene, and counts the events.
class RuleTable {
 public:
  RuleTable(const Folder &folder, const Json &rules);

  /// Adds an event of events.jsonl; ignores others than those of rules.
  void add(const Json &event);
  void close() { out_.close(); }
  /// The counts: `zones` with `name`, `entered`, `left`, `loitered` and `longest`, ns, and `lines`
  /// with `name`, `left-to-right` and `right-to-left`.
  const Json &counts() const { return counts_; }

 private:
  void count(const Json &event);

  Writer out_;
  Json counts_;
};

}  // namespace glcl::analyze
