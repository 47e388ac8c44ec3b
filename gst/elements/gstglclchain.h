// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "base/gstglclfilter.h"

G_DECLARE_FINAL_TYPE(GstGLCLChain, gst_glcl_chain, GST, GLCL_CHAIN, GstGLCLFilter)
GST_ELEMENT_REGISTER_DECLARE(glclchain)
