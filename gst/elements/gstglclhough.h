// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLCLHough, gst_glcl_hough, GST, GLCL_HOUGH, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glclhough)
