// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclanalyzer.h"

G_DECLARE_FINAL_TYPE(GstGLOpenCLFlow, gst_gl_opencl_flow, GST, GL_OPENCL_FLOW, GstGLCLAnalyzer)
GST_ELEMENT_REGISTER_DECLARE(glopenclflow)
