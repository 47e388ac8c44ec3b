// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "filter.h"

namespace glcl::chain {

/// A filter in a chain with its values.
struct Item {
  std::shared_ptr<const Filter> filter;
  std::string name;  ///< unique in the chain: "gauss", then "gauss-2"
  Values values;
  int times = 1;

  bool operator==(const Item &other) const {
    return filter == other.filter && values == other.values && times == other.times;
  }
};

/// A chain of filters. Each filter reads the output of the previous one.
struct Description {
  std::vector<Item> items;
  int iterations = 1;              ///< of the whole chain
  std::vector<std::string> files;  ///< its source files

  bool operator==(const Description &other) const {
    return items == other.items && iterations == other.iterations;
  }
  /// True if a filter reads the picture.
  bool reads_picture() const;
  /// Throws Error::settings, with file and line, if a filter reads the picture.
  void check_without_picture() const;
  /// The text of the chain, with all values.
  std::string text() const;
  /// A short hash of the filters' texts.
  std::string checksum() const;
};

/// Folders in which filters are searched by name, in order; then the plugin's own library is
/// searched. A name that contains / or ends with .cl or .cube is a file.
using Folders = std::vector<std::string>;

/// Reads "gauss(sigma=2) ! grey*2 ! ./mine.cl(level=0.4)"; # begins a comment. `file` is for
/// messages; relative paths start at the folder `base`. Throws Error::settings with file and line.
Description parse_chain(const std::string &text, const std::string &file, const Folders &folders,
                        const std::string &base = {});
/// The same from a file; relative paths in it start at its folder.
Description load_chain(const std::string &path, const Folders &folders);

/// The names of the plugin's own filters.
std::vector<std::string> library();
/// A filter of the library by name.
std::shared_ptr<const Filter> library_filter(const std::string &name);

}  // namespace glcl::chain
