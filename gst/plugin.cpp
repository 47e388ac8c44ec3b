// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:plugin-glcl
 * @title: glcl
 *
 * Elements that analyse and filter live video with OpenCL while the frames stay in OpenGL textures.
 */
#include <gst/gst.h>

#include "base/compat.h"
#include "config.h"
#include "elements/gstglclbilateral.h"
#include "elements/gstglclchain.h"
#include "elements/gstglclgate.h"
#include "elements/gstglclhistogram.h"
#include "elements/gstglclhough.h"
#include "elements/gstglclklt.h"
#include "elements/gstglclmotion.h"
#include "elements/gstglclscope.h"
#include "elements/gstglopenclflow.h"
#include "opencl/drivers.h"
#include "opencl/processexit.h"
#if HAVE_EXAMPLES
#include "elements/gstglclinvert.h"
#endif

/// Has the registry look at the plugin again when drivers come or go.
static void watch_drivers(GstPlugin *plugin) {
  static const gchar *folder_variables[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", nullptr},
                     *list_variables[] = {"OCL_ICD_FILENAMES", nullptr},
                     *folders[] = {glcl::driver_folder, nullptr}, *suffixes[] = {".icd", nullptr};
  gst_plugin_add_dependency(
      plugin, folder_variables, folders, suffixes,
      static_cast<GstPluginDependencyFlags>(GST_PLUGIN_DEPENDENCY_FLAG_PATHS_ARE_DEFAULT_ONLY |
                                            GST_PLUGIN_DEPENDENCY_FLAG_FILE_NAME_IS_SUFFIX));
  gst_plugin_add_dependency(plugin, list_variables, nullptr, nullptr,
                            GST_PLUGIN_DEPENDENCY_FLAG_NONE);
}

// No driver is loaded here: a driver that crashes would end the plugin, or the application. Without
// OpenCL the elements are still listed; the change to PAUSED reports what is missing.
static gboolean plugin_init(GstPlugin *plugin) {
  gboolean registered = GST_ELEMENT_REGISTER(glclbilateral, plugin);
  registered |= GST_ELEMENT_REGISTER(glclhistogram, plugin);
  registered |= GST_ELEMENT_REGISTER(glclhough, plugin);
  registered |= GST_ELEMENT_REGISTER(glclmotion, plugin);
  registered |= GST_ELEMENT_REGISTER(glopenclflow, plugin);
  registered |= GST_ELEMENT_REGISTER(glclchain, plugin);
  registered |= GST_ELEMENT_REGISTER(glclklt, plugin);
  registered |= GST_ELEMENT_REGISTER(glclscope, plugin);
  registered |= GST_ELEMENT_REGISTER(glclgate, plugin);
#if HAVE_EXAMPLES
  registered |= GST_ELEMENT_REGISTER(glclinvert, plugin);
#endif
  watch_drivers(plugin);
  glcl::wait_at_exit();
  glcl::add_status(plugin, glcl::registered_drivers().c_str());
  return registered;
}

#define PACKAGE "gst-glcl"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, glcl,
                  "Video analysis and filters that run OpenCL on OpenGL textures", plugin_init,
                  PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
