// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of glclmotion.
#pragma once

#include <string>

#include "base/glclproperties.h"
#include "gstglclmotiondetection.h"
#include "motion/motion.h"
#include "motion/renderer.h"
#include "objects/renderer.h"

namespace glcl::motion {

/// The values of glclmotion's properties: search, drawing, object detection and devices.
struct MotionProperties : BlockMotion::Settings,
                          MotionRenderer::MotionStyle,
                          objects::ObjectStyle,
                          ObjectDetection::Settings {
  MotionProperties() { noise = -1; }

  std::string devices;
};

void add_properties(Properties<MotionProperties> &properties);

}  // namespace glcl::motion
