// SPDX-License-Identifier: LGPL-2.1-or-later
// A .cube file: accepted tables are complete, finite and within the limits, otherwise an error
// names a line.
#include "chain/cube.h"

#include <cmath>

#include "opencl/error.h"
#include "parser.h"

namespace {

using glcl::chain::ColourTable;

void check_table(const ColourTable &table, size_t points, int most) {
  check(table.size == 0 || (table.size >= 2 && table.size <= most),
        "the size is beyond its limits");
  check(table.points.size() == 4 * points, "the table is not complete");
  for (const float value : table.points)
    check(std::isfinite(value) && std::fabs(value) <= 1.01e36f, "a value is too large");
  for (int c = 0; c < 3; c++)
    check(std::isfinite(table.low[c]) && std::isfinite(table.high[c]) &&
              table.high[c] - table.low[c] >= glcl::chain::least_domain,
          "the range of the input is empty");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    const auto cube = glcl::chain::parse_cube(text_of(data, size), "own.cube");
    const size_t curve = cube->curve.size, edge = cube->lattice.size;
    check(curve || edge, "there is no table");
    check_table(cube->curve, curve, glcl::chain::max_curve);
    check_table(cube->lattice, edge * edge * edge, glcl::chain::max_lattice);
  } catch (const glcl::Error &error) {
    check(error.kind() == glcl::Error::Kind::settings, error.text());
    check(error.text().rfind("own.cube:", 0) == 0, error.text());
  }
  return 0;
}
