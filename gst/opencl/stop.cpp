// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stop.h"

namespace glcl {

namespace {

thread_local const Stop *current = nullptr;

}  // namespace

bool Stop::should_stop() { return current && current->requested(); }

Stop::Scope::Scope(const Stop &stop) : outer_(std::exchange(current, &stop)) {}
Stop::Scope::~Scope() { current = outer_; }

}  // namespace glcl
