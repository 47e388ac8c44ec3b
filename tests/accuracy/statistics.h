// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers that programs of this folder print about points and vectors.
#pragma once

#include <vector>

#include "reference/opticalflow/field.h"
#include "reference/textured.h"

namespace accuracy {

/// The upper one of an even number; NaN without any.
double median(std::vector<double> values);
double distance(reference::Point a, reference::Point b);

/// A flow field against a motion of all pixels: the mean length of its vectors and the fraction of
/// those above 0.5 px, as in messages of glopenclflow, and the median error.
struct FieldSummary {
  double magnitude = 0, moving = 0, error = 0;
};
FieldSummary summarize(const reference::opticalflow::Field &field, const reference::Motion &truth);

}  // namespace accuracy
