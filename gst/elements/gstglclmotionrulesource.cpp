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
    failed_ = false;
    warned_.clear();
  }
  if (!watch_.due()) return nullptr;
  const bool changed = watch_.changed();
  failed_ = failed_ && !changed;
  if (!changed && !watch_.missing() && !failed_) return nullptr;
  try {
    std::shared_ptr<const RuleSource> fresh = read_rule_source(now->text);
    failed_ = false;
    warned_.clear();
    if (fresh->set->json == now->set->json) return nullptr;
    return fresh;
  } catch (const Error &error) {
    if (failed_ && error.what() != warned_) {
      warn(element, std::current_exception(), "The rules before stay in force.");
      warned_ = error.what();
    }
    failed_ = !failed_ || watch_.missing();
    return nullptr;
  }
}

}  // namespace glcl::motion
