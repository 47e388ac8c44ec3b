// SPDX-License-Identifier: LGPL-2.1-or-later
// The folder through which PoCL compiles: where it can't write there it builds nothing, even what
// lies there already.
#pragma once

#include <string>

namespace glcl {

/// "its cache FOLDER (set by VARIABLE)"
std::string pocl_cache();
/// Why files of a program's size can't be written there, with the remedy; empty where they can, and
/// where there is no such folder.
std::string pocl_cache_obstacle();

constexpr char pocl_cache_remedy[] =
    "set POCL_CACHE_DIR to a folder with free space that this user can write";

}  // namespace glcl
