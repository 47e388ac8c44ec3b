// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclfilter.h"

G_DECLARE_FINAL_TYPE(GstGLCLBilateral, gst_glcl_bilateral, GST, GLCL_BILATERAL, GstGLCLFilter)
GST_ELEMENT_REGISTER_DECLARE(glclbilateral)
