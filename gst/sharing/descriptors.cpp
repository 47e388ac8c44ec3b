// SPDX-License-Identifier: LGPL-2.1-or-later
#include "descriptors.h"

namespace glcl::sharing {

std::mutex &imports() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

}  // namespace glcl::sharing
