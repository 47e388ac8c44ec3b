// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:plugin-glcl
 * @title: glcl
 *
 * Elements that analyse and filter live video with OpenCL while the frames stay in OpenGL textures.
 */
#include <gst/gst.h>

#include "bilateral/gstglclbilateral.h"
#include "config.h"
#include "histogram/gstglclhistogram.h"
#include "motion/gstglclmotion.h"
#include "opticalflow/gstglopenclflow.h"
#if HAVE_EXAMPLES
#include "invert/gstglclinvert.h"
#endif

// Without any OpenCL the elements are listed all the same; going to PAUSED tells what is missing.
static gboolean plugin_init(GstPlugin *plugin) {
  gboolean registered = GST_ELEMENT_REGISTER(glclbilateral, plugin);
  registered |= GST_ELEMENT_REGISTER(glclhistogram, plugin);
  registered |= GST_ELEMENT_REGISTER(glclmotion, plugin);
  registered |= GST_ELEMENT_REGISTER(glopenclflow, plugin);
#if HAVE_EXAMPLES
  registered |= GST_ELEMENT_REGISTER(glclinvert, plugin);
#endif
  return registered;
}

#define PACKAGE "gst-glcl"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, glcl,
                  "Video analysis and filters with OpenCL on OpenGL textures", plugin_init,
                  PACKAGE_VERSION, "LGPL", "gst-glcl", "Unknown package origin")
