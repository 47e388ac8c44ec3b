// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglopenclflowdump.h"

#include "base/glclerrorreporter.h"
#include "opencl/error.h"
#include "opticalflow/dump.h"

GST_DEBUG_CATEGORY_EXTERN(gl_opencl_flow_debug);
#define GST_CAT_DEFAULT gl_opencl_flow_debug

namespace glcl::opticalflow {

void FlowDump::start(const std::string &pattern) {
  if (!pattern.empty()) check_dump_pattern(pattern);
  reported_ = false;
}

size_t FlowDump::bytes(const std::string &pattern, int width, int height) {
  return pattern.empty() ? 0 : FlowRenderer::sample_bytes(width, height, 1);
}

void FlowDump::prepare(Context &context, const std::string &pattern, int width, int height) {
  pattern_ = pattern;
  const size_t size = bytes(pattern, width, height);
  memory_ = size ? cl::Buffer(context.cl(), CL_MEM_READ_WRITE, size) : cl::Buffer();
}

void FlowDump::add(GstGLCLAnalyzer *element, Queue &queue, FlowRenderer &renderer,
                   const FlowField &field, double min_confidence) {
  renderer.sample(queue, field, static_cast<float>(min_confidence), 1, 1e10f, memory_);
  const std::string path = dump_path(pattern_, number_++);
  const int width = field.width, height = field.height;
  gst_glcl_analyzer_read(element, queue, memory_, size_t(width) * height * sizeof(cl_float2),
                         [this, element, path, width, height](const void *vectors) {
                           write(GST_ELEMENT(element), path, width, height, vectors);
                         });
}

void FlowDump::write(GstElement *element, const std::string &path, int width, int height,
                     const void *vectors) {
  try {
    write_flo(path, width, height, vectors);
  } catch (const Error &error) {
    GST_INFO_OBJECT(element, "%s", error.what());
    if (!reported_.exchange(true))
      warn(element, GST_RESOURCE_ERROR_WRITE, error.what(),
           "failures of later files are not reported");
  }
}

}  // namespace glcl::opticalflow
