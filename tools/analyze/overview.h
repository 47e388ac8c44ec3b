// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl::analyze {

/// Writes overview.html into a folder of results: a table of all complete results in it, with links
/// to their pages. Without results it writes none. A file of this name that another program wrote
/// stays. Throws Failure.
void write_overview(const std::string &folder);

}  // namespace glcl::analyze
