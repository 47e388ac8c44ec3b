// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclfilter.h"

G_DECLARE_FINAL_TYPE(GstGLCLInvert, gst_glcl_invert, GST, GLCL_INVERT, GstGLCLFilter)
GST_ELEMENT_REGISTER_DECLARE(glclinvert)
