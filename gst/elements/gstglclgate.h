// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

G_DECLARE_FINAL_TYPE(GstGLCLGate, gst_glcl_gate, GST, GLCL_GATE, GstElement)
GST_ELEMENT_REGISTER_DECLARE(glclgate)
