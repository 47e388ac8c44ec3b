// SPDX-License-Identifier: LGPL-2.1-or-later
#include "planereducer.h"

namespace glcl::motion {

PlaneReducer::PlaneReducer(Context &context, int width, int height, int factor)
    : converter_(context, Layout::buffer) {
  const auto plane_of = [&](int by) {
    return make_plane(context.cl(), (width + by - 1) / by, (height + by - 1) / by);
  };
  for (int by = 2; by < factor; by *= 2) intermediate_.push_back(plane_of(by));
  current_ = plane_of(factor);
  reference_ = plane_of(factor);
}

void PlaneReducer::reduce(Queue &queue, const LumaPlane &from, const LumaPlane &to) {
  const LumaPlane *last = &from;
  for (const LumaPlane &plane : intermediate_) {
    converter_.halve(queue, *last, plane);
    last = &plane;
  }
  converter_.halve(queue, *last, to);
}

void PlaneReducer::run(Queue &queue, const SearchPlanes &planes) {
  reduce(queue, planes.current, current_);
  reduce(queue, planes.reference, reference_);
}

}  // namespace glcl::motion
