// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLCLScope, gst_glcl_scope, GST, GLCL_SCOPE, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glclscope)
