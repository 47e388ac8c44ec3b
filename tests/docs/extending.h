// SPDX-License-Identifier: LGPL-2.1-or-later
// The declarations that the fragments of docs/extending.md rely on.
#include "base/glcloverlay.h"
#include "base/glclresult.h"
#include "base/gstglclanalyzer.h"
#include "opencl/deferrederror.h"
#include "opencl/kernel.h"

extern GstGLCLAnalyzer *analyzer;
extern GstBuffer *inbuf;
extern glcl::Context &context;
extern glcl::FrameFormat frame;
extern glcl::Kernel kernel;
extern glcl::Queue queue;
extern const glcl::Picture in, out;
extern size_t width, height;
extern float strength;
