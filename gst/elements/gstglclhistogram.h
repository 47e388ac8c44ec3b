// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLCLHistogram, gst_glcl_histogram, GST, GLCL_HISTOGRAM, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glclhistogram)
