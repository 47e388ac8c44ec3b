// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLCLMotion, gst_glcl_motion, GST, GLCL_MOTION, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glclmotion)
