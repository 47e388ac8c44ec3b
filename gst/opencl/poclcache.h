// SPDX-License-Identifier: LGPL-2.1-or-later
// PoCL's cache folder. Without write access PoCL compiles nothing, not even cached programs.
#pragma once

#include <string>

namespace glcl {

/// "its cache FOLDER (set by VARIABLE)"
std::string pocl_cache();
/// Why files of a program's size can't be written to the cache, with the remedy; empty if they can,
/// or if the folder does not exist.
std::string pocl_cache_obstacle();

constexpr char pocl_cache_remedy[] =
    "set POCL_CACHE_DIR to a folder with free space that this user can write";

}  // namespace glcl
