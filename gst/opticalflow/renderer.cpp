// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>
#include <string>

#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

constexpr int items = 128, groups = 256;  // of flow_sums
constexpr Size pixel_group{32, 8};

}  // namespace

FlowRenderer::FlowRenderer(Context &context, int width, int height, Layout layout)
    : width_(width), height_(height), arrows_(context, width, height, layout) {
  const Program report =
      context.program("opticalflow/report.cl", "-DITEMS=" + std::to_string(items));
  const Size row{items, 1};
  sums_ = Kernel(context, report, "flow_sums", row);
  summary_kernel_ = Kernel(context, report, "flow_summary", row);
  grid_ = Kernel(context, report, "flow_grid", pixel_group);
  const Program display = context.program("opticalflow/display.cl", frame_options(layout));
  color_ = Kernel(context, display, "flow_color", pixel_group);
  overlay_ = Kernel(context, display, "flow_overlay", pixel_group);
  arrow_ = Kernel(context, display, "flow_arrows", pixel_group);
  legend_ = Kernel(context, display, "flow_legend", pixel_group);
  const auto buffer = [&](size_t bytes) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
  };
  parts_ = buffer(groups * sizeof(cl_float8));
  summary_ = buffer(sizeof(FlowSummary));
  cl_float2 unknown{{-1, -1}};
  empty_ =
      cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof unknown, &unknown);
}

void FlowRenderer::summarize(Queue &queue, const FlowField &field, float min_confidence, float gain,
                             bool fresh) {
  const int pixels = field.width * field.height;
  sums_(queue, {size_t(groups) * items, 1}, field.vectors, field.confidence, pixels, min_confidence,
        parts_);
  summary_kernel_(queue, {items, 1}, parts_, groups, pixels, gain, int(fresh),
                  field.noise() ? field.noise : empty_, summary_);
}

void FlowRenderer::sample(Queue &queue, const FlowField &field, float min_confidence, int grid,
                          float unknown, const cl::Buffer &result) {
  const int columns = cells(field.width, grid), rows = cells(field.height, grid);
  grid_(queue, {size_t(columns), size_t(rows)}, field.vectors, field.confidence,
        cl_int2{{field.width, field.height}}, min_confidence, grid, unknown, result,
        cl_int2{{columns, rows}});
}

void FlowRenderer::draw_arrows(Queue &queue, const FlowStyle &drawing, const FlowField &field,
                               float min_confidence, const drawing::Canvas &canvas) {
  const int cell =
      drawing.spacing ? std::max(drawing.spacing, 4) : drawing::Arrows::spacing(width_, height_);
  const cl_int2 cells{{FlowRenderer::cells(width_, cell), FlowRenderer::cells(height_, cell)}};
  const int count = cells.s[0] * cells.s[1];
  arrow_(queue, {size_t(cells.s[0]), size_t(cells.s[1])}, field.vectors, field.confidence,
         cl_int2{{width_, height_}}, min_confidence, summary_, cell, cells,
         drawing::bytes_of(drawing.color), arrows_.reserve(count));
  arrows_.draw(queue, count, drawing.outline_color, canvas);
}

void FlowRenderer::draw(Queue &queue, const FlowStyle &drawing, const FlowField *field,
                        float min_confidence, const drawing::Canvas &canvas) {
  const cl_int2 size{{width_, height_}};
  const Size pixels{size_t(width_), size_t(height_)};
  const int overlay = canvas.overlay;
  const bool color = drawing.display == Display::color;
  if (color)
    color_(queue, pixels, canvas.in, canvas.out, size, int(field != nullptr),
           field ? field->vectors : empty_, field ? field->confidence : empty_, min_confidence,
           summary_, overlay);
  else if (drawing.display == Display::overlay && field)
    overlay_(queue, pixels, canvas.in, canvas.out, size, field->vectors, field->confidence,
             min_confidence, summary_, overlay);
  else
    canvas.begin(queue);
  if (drawing.display == Display::none || !field) return;
  if (drawing.display == Display::arrows)
    draw_arrows(queue, drawing, *field, min_confidence, canvas);
  if (!drawing.legend) return;
  const int shorter = std::min(width_, height_), dot = std::max(2, (shorter + 180) / 360),
            side = shorter / 9;
  const cl_int2 box{{std::max(side, 59 * dot) + 4 * dot, side + 13 * dot}};
  legend_(queue, {size_t(box.s[0]), size_t(box.s[1])}, canvas.in, canvas.out, size, box, side, dot,
          int(color), summary_, overlay);
}

}  // namespace glcl::opticalflow
