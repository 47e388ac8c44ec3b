// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preparedtemplate.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "opencl/buffer.h"

namespace glcl::hough {

namespace {

/// The bits of a float, for a kernel's as_float().
cl_int bits(double number) {
  const auto value = static_cast<cl_float>(number);
  cl_int bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

PreparedTemplate::PreparedTemplate(const cl::Context &context, std::shared_ptr<const Template> from)
    : templ(std::move(from)) {
  std::vector<cl_float4> all, matching;
  std::vector<cl_int4> table;
  for (const Template::ScaleLevel &level : templ->levels) {
    table.push_back({{cl_int(all.size()), cl_int(level.points.size()), bits(level.chance),
                      bits(std::log2(level.scale))}});
    all.insert(all.end(), level.points.begin(), level.points.end());
    matching.insert(matching.end(), level.match_points.begin(), level.match_points.end());
  }
  const auto &own_size = templ->levels[templ->level_of(1)].points;
  levels = upload_values(context, table);
  points = upload_values(context, all);
  match_points = upload_values(context, matching);
  outline = upload_values(context, own_size);
  outline_count = static_cast<int>(own_size.size());
}

}  // namespace glcl::hough
