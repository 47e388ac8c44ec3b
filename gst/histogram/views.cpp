// SPDX-License-Identifier: LGPL-2.1-or-later
#include "views.h"

namespace glcl::histogram {

namespace {

constexpr int least_textured = 4;  // parts of the frame

/// As is_cover(), by these two frames.
bool covers(const Views &views, int before, int after) {
  if (!views(before) || !views(after)) return false;
  const bool covered = is_plain(*views(after));
  if (covered == is_plain(*views(before))) return false;
  const int seen = covered ? before : after, onward = covered ? 1 : -1;
  for (int k = 2; k <= longest_cover; k++) {
    const int other = seen + k * onward;
    if (!views(other)) return false;
    if (other >= before && other <= after) continue;
    if (!is_plain(*views(other)) &&
        Structure::similarity(*views(seen), *views(other)) >= same_texture)
      return true;
  }
  return false;
}

}  // namespace

bool is_plain(const Structure &view) { return view.textured_parts() < least_textured; }

bool is_cover(const Views &views, int i) {
  // A change may take two frames.
  return covers(views, i - 1, i) || covers(views, i - 2, i + 1);
}

}  // namespace glcl::histogram
