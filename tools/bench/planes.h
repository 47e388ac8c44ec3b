// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>

#include "motion/plane.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

/// Two frames of a scene as luma planes on the device.
struct Planes {
  Planes(Context &context, const Scene &scene) {
    Queue queue(context.shared_from_this());
    motion::Luma luma(context, Layout::buffer);
    for (const auto &[number, plane] : {std::pair{0, &reference}, {1, &current}}) {
      *plane = motion::make_plane(context.cl(), scene.width, scene.height);
      luma.run(queue, ::reference::upload(queue, scene.frame(number), Layout::buffer), *plane);
    }
    queue.cl().finish();
  }

  motion::Plane reference, current;
};

}  // namespace glcl::bench
