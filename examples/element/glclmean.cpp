// SPDX-License-Identifier: LGPL-2.1-or-later
// glclmean: an analyser outside of gst-glcl. It posts the mean of red, green and blue of each
// frame, as the message `glclmean`, and passes the frames on. docs/extending.md says what the
// functions do.
#include "glclmean.h"

#include <numeric>

#include "base/glclelement.h"
#include "base/gstglclanalyzer.h"
#include "opencl/kernel.h"

G_DECLARE_FINAL_TYPE(GstGLCLMean, gst_glcl_mean, GST, GLCL_MEAN, GstGLCLAnalyzer)

namespace {

struct State {
  glcl::Kernel kernel;
  cl::Buffer rows;  // a sum for each
};

}  // namespace

struct _GstGLCLMean {
  GstGLCLAnalyzer parent;
  State *state;
};

G_DEFINE_TYPE(GstGLCLMean, gst_glcl_mean, GST_TYPE_GLCL_ANALYZER)

static glcl::Layout gst_glcl_mean_prepare(GstGLCLFilter *filter, glcl::Context &context, int,
                                          int height) {
  State *state = GST_GLCL_MEAN(filter)->state;
  const glcl::Layout layout = glcl::layout_for(context.device());
  state->kernel = glcl::Kernel(
      context, context.program("mean/mean.cl", glcl::frame_options(layout)), "sum_rows", {64, 1});
  const size_t bytes = height * sizeof(cl_uint);
  state->rows = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, bytes);
  return layout;
}

static void gst_glcl_mean_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                  const glcl::Picture &in, const glcl::Picture &, GstBuffer *inbuf,
                                  GstBuffer *) {
  GstGLCLAnalyzer *self = GST_GLCL_ANALYZER(filter);
  State *state = GST_GLCL_MEAN(filter)->state;
  const auto request = gst_glcl_analyzer_request(self, inbuf);
  if (!request.message) return;
  const auto width = static_cast<size_t>(in.width), height = static_cast<size_t>(in.height);
  state->kernel(queue, {height, 1}, in, in.width, in.height, state->rows);
  // Runs once the sums have arrived, while later frames are on their way.
  const auto post = [self, times = request.times, width, height](const void *bytes) {
    const auto *rows = static_cast<const cl_uint *>(bytes);
    const double sum = std::accumulate(rows, rows + height, 0.0);
    GstStructure *message = gst_glcl_analyzer_structure("glclmean", times);
    gst_structure_set(message, "mean", G_TYPE_DOUBLE, sum / (3.0 * width * height), nullptr);
    gst_glcl_analyzer_post(self, message);
  };
  gst_glcl_analyzer_read(self, queue, state->rows, height * sizeof(cl_uint), post);
}

static void gst_glcl_mean_unprepare(GstGLCLFilter *filter) { *GST_GLCL_MEAN(filter)->state = {}; }

static void gst_glcl_mean_init(GstGLCLMean *self) { self->state = new State; }

static void gst_glcl_mean_class_init(GstGLCLMeanClass *klass) {
  glcl::init_element_class<GstGLCLMean>(
      klass, {"Mean level", "Filter/Analyzer/Video", "Posts the mean level of OpenGL textures",
              nullptr, "You"});
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_mean_prepare;
  filter_class->process = gst_glcl_mean_process;
  filter_class->unprepare = gst_glcl_mean_unprepare;
  filter_class->passes_on = [](GstGLCLFilter *) { return true; };
  filter_class->takes_fields = [](GstGLCLFilter *) { return true; };
}
