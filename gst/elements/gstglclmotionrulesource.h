// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of glclmotion as they were set, and the file that they come from.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

#include "base/glclfilewatch.h"
#include "rules/rulefile.h"

namespace glcl::motion {

/// Rules and the text that was set: JSON, or the path of a file.
struct RuleSource {
  std::string text;
  std::shared_ptr<const rules::RuleSet> set = std::make_shared<const rules::RuleSet>();
  FileWatch watch;  ///< of the file, since before it was read
};

/// Reads rules. Throws Error::settings.
std::shared_ptr<const RuleSource> read_rule_source(const std::string &text);

/// Reads a file of rules again when it changes. Streaming thread.
class RuleWatch {
 public:
  /// Call it for each frame with the current rules: returns those that replace them, or null. A
  /// file that can't be read for two checks, which come five times per second, causes one warning
  /// for each reason.
  std::shared_ptr<const RuleSource> check(GstElement *element,
                                          const std::shared_ptr<const RuleSource> &now);

 private:
  std::shared_ptr<const RuleSource> watched_;
  FileWatch watch_;
  bool failed_ = false;  // the last check did, so the next one reads the file again
  std::string warned_;   // the reason of the last warning since the file could be read
};

}  // namespace glcl::motion
