// SPDX-License-Identifier: LGPL-2.1-or-later
#include "descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace glcl::sharing {

namespace {

/// High enough that nobody gets it in the moment when it is free: the system gives the lowest.
constexpr int lowest_number = 200;
int kept_number = -1;  // held by /dev/null between imports

/// Holds the number, or the next one above that is free, if somebody has it.
int hold(int number) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return -1;
  const int held = fcntl(nothing, F_DUPFD_CLOEXEC, number);
  close(nothing);
  return held;
}

}  // namespace

std::mutex &imports() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

SemaphoreNumber::SemaphoreNumber(int descriptor) : number_(descriptor) {
  if (kept_number < 0) kept_number = hold(lowest_number);
  if (kept_number < 0 || dup3(descriptor, kept_number, O_CLOEXEC) < 0) return;
  close(descriptor);
  number_ = kept_number;
}

SemaphoreNumber::~SemaphoreNumber() {
  // Never by dup3(): another thread may have opened a file of this number by now.
  if (number_ == kept_number) kept_number = hold(number_);
}

void SemaphoreNumber::refused() { close(number_); }

}  // namespace glcl::sharing
