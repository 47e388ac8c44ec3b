// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view.h"

#include <string>

#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

constexpr int items = 128, groups = 256;  // of the sums
constexpr Size pixel_group{32, 8};

}  // namespace

View::View(Context &context, int width, int height, Layout layout)
    : width_(width), height_(height) {
  const cl::Program report =
      context.program("opticalflow/report.cl", "-DITEMS=" + std::to_string(items));
  const Size row{items, 1};
  sums_ = Kernel(context, report, "flow_sums", row);
  summary_kernel_ = Kernel(context, report, "flow_summary", row);
  grid_ = Kernel(context, report, "flow_grid", pixel_group);
  display_ = Kernel(context, context.program("opticalflow/display.cl", frame_options(layout)),
                    "flow_display", pixel_group);
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  parts_ = buffer(groups * sizeof(cl_float8));
  summary_ = buffer(sizeof(Summary));
  cl_float2 unknown{{-1, -1}};
  nothing_ =
      cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof unknown, &unknown);
}

void View::summarize(Queue &queue, const Field &field, float least, float gain, bool fresh) {
  const int pixels = field.width * field.height;
  sums_(queue, {size_t(groups) * items, 1}, field.vectors, field.confidence, pixels, least, parts_);
  summary_kernel_(queue, {items, 1}, parts_, groups, pixels, gain, int(fresh),
                  field.noise() ? field.noise : nothing_, summary_);
}

void View::sample(Queue &queue, const Field &field, float least, int grid, float unknown,
                  const cl::Buffer &result) {
  const int columns = cells(field.width, grid), rows = cells(field.height, grid);
  grid_(queue, {size_t(columns), size_t(rows)}, field.vectors, field.confidence,
        cl_int2{{field.width, field.height}}, least, grid, unknown, result,
        cl_int2{{columns, rows}});
}

void View::draw(Queue &queue, Display display, bool legend, const Field *field, float least,
                const Picture &in, const Picture &out) {
  const cl_int2 size{{width_, height_}};
  display_(queue, {size_t(width_), size_t(height_)}, in, out, size, int(display),
           int(field != nullptr), int(legend), field ? field->vectors : nothing_,
           field ? field->confidence : nothing_, least, summary_);
}

}  // namespace glcl::opticalflow
