// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLCLKlt, gst_glcl_klt, GST, GLCL_KLT, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glclklt)
