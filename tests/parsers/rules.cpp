// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules in JSON: accepted ones are finite and within the limits, otherwise an error has a text.
#include "rules/rulefile.h"

#include <cmath>

#include "opencl/error.h"
#include "parser.h"

namespace {

using glcl::rules::RulePoint;

void check_point(const RulePoint &point) {
  check(std::fabs(point.x) <= 10 && std::fabs(point.y) <= 10, "a point is too far away");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    const auto rules = glcl::rules::parse_rules(text_of(data, size));
    for (const auto &zone : rules->zones) {
      check(!zone.name.empty(), "a zone has no name");
      check(zone.polygon.empty() ? zone.radius > 0 : glcl::rules::area_of(zone.polygon) > 0,
            "an empty zone");
      for (const RulePoint &point : zone.polygon) check_point(point);
      check_point(zone.center);
      check(zone.min_duration >= 0 && zone.loiter >= 0 && zone.count >= 0, "a number is below 0");
      if (zone.heading)
        check(std::fabs(zone.heading->angle) < 7 && zone.heading->tolerance > 0, "a direction");
      if (zone.sensitivity)
        check(*zone.sensitivity >= 0 && *zone.sensitivity <= 1, "a sensitivity");
      zone.active.contain(0);
    }
    if (rules->world)
      check(glcl::rules::GroundMap(rules->world->marks).valid(), "a world that is no plane");
    for (const auto &line : rules->lines) {
      check(!line.name.empty(), "a line has no name");
      check_point(line.from);
      check_point(line.to);
    }
  } catch (const glcl::Error &error) {
    check(error.kind() == glcl::Error::Kind::settings, error.text());
    check(!error.text().empty(), "an error without a text");
  }
  return 0;
}
