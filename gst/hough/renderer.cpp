// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>

#include "circlefinder.h"
#include "linefinder.h"

namespace glcl::hough {

namespace {

constexpr size_t circle_squares = 2048;  // with which a circle is drawn

}  // namespace

HoughRenderer::HoughRenderer(Context &context, int width, int height, Layout layout)
    : size_{{width, height}} {
  const Program program = context.program("hough/display.cl", frame_options(layout));
  edges_ = Kernel(context, program, "hough_show_edges", {32, 4});
  objects_ = Kernel(context, program, "hough_show_objects", {64, 1});
  lines_ = Kernel(context, program, "hough_show_lines", {64, 1});
  circles_ = Kernel(context, program, "hough_show_circles", {64, 1});
}

void HoughRenderer::draw(Queue &queue, Display display, cl_uint color, bool hysteresis,
                         const Hough &hough, const ShapeResults &shapes,
                         const drawing::Canvas &canvas) {
  const cl_float4 colour = drawing::floats_of(color);
  const int overlay = canvas.overlay;
  if (display == Display::edges)
    return edges_(queue, {size_t(size_.s[0]), size_t(size_.s[1])}, canvas.in, canvas.out,
                  hough.canny().edges(), int(!hysteresis), size_, colour, overlay);
  canvas.begin(queue);
  if (display == Display::none) return;
  const int side = std::max(2, std::min(size_.s[0], size_.s[1]) / 240);
  for (size_t i = 0; i < hough.templates().size(); i++) {
    const int count = hough.points_count(i);
    objects_(queue, {size_t(count), HoughSettings::most_objects}, canvas.in, canvas.out,
             hough.result(), hough.points(i), count, static_cast<cl_int>(i), side, size_, colour,
             overlay);
  }
  if (shapes.lines)
    lines_(queue, {size_t(std::max(size_.s[0], size_.s[1])), LineSettings::most_lines}, canvas.in,
           canvas.out, *shapes.lines, side, size_, colour, overlay);
  if (shapes.circles)
    circles_(queue, {circle_squares, CircleSettings::most_circles}, canvas.in, canvas.out,
             *shapes.circles, side, size_, colour, overlay);
}

}  // namespace glcl::hough
