// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclmotionrulesource.h"

#include <utility>
#include <vector>

#include "base/glclerrorreporter.h"
#include "opencl/error.h"

namespace glcl::motion {

std::shared_ptr<const RuleSource> read_rule_source(const std::string &text) {
  RuleSource source{text, {}, {}};
  if (rules::is_rule_file(text)) source.watch.set({text});
  source.set = rules::read_rules(text);
  return std::make_shared<const RuleSource>(std::move(source));
}

std::shared_ptr<const RuleSource> RuleWatch::check(GstElement *element,
                                                   const std::shared_ptr<const RuleSource> &now) {
  if (now != watched_) {
    watched_ = now;
    watch_ = now->watch;
    failed_ = warned_ = false;
  }
  if (!watch_.due()) return nullptr;
  const bool changed = watch_.changed();
  if (!changed && !watch_.missing() && !failed_) return nullptr;
  try {
    std::shared_ptr<const RuleSource> fresh = read_rule_source(now->text);
    failed_ = warned_ = false;
    if (fresh->set->json == now->set->json) return nullptr;
    return fresh;
  } catch (const Error &) {
    if (failed_ && !warned_) {
      warn(element, std::current_exception(), "The rules before stay in force.");
      warned_ = true;
    }
    failed_ = !failed_ || watch_.missing();
    return nullptr;
  }
}

}  // namespace glcl::motion
