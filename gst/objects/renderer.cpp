// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>
#include <cmath>

namespace glcl::objects {

namespace {

int digits(uint64_t number) {
  int count = 1;
  while (number >= 10) number /= 10, count++;
  return count;
}

}  // namespace

int ObjectRenderer::thickness() const { return std::max(1, std::min(width_, height_) / 270); }

ObjectRenderer::ObjectRenderer(Context &context, int width, int height, Layout layout)
    : width_(width), height_(height) {
  const Program program = context.program("objects/display.cl", frame_options(layout));
  const Size group{32, 4};
  box_ = Kernel(context, program, "objects_box", group);
  trail_ = Kernel(context, program, "objects_trail", group);
}

namespace {

/// The camera motion as a trail: from the centre of the frame to where it moves in `ahead` frames,
/// then to the top of a square there and around it. Empty if no pixel of the frame moves by one
/// pixel.
std::deque<Object::Point> camera_sign(const camera::SimilarityMotion &step, int width, int height) {
  constexpr float ahead = 10;
  const float x = float(width) / 2, y = float(height) / 2;
  const float turn = std::hypot(step.dilation, step.rotation);
  if (ahead * (std::hypot(step.x, step.y) + turn * std::hypot(x, y)) < 1) return {};
  const float half = std::min(x, y) / 6;
  std::deque<Object::Point> points{{x, y}};
  for (const auto &[u, v] :
       {std::pair{0, 0}, {0, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {0, -1}}) {
    const float p = half * float(u), q = half * float(v);
    points.push_back({x + p + ahead * (step.x + step.dilation * p - step.rotation * q),
                      y + q + ahead * (step.y + step.dilation * q + step.rotation * p)});
  }
  return points;
}

}  // namespace

void ObjectRenderer::draw_trail(Queue &queue, const std::deque<Object::Point> &points,
                                cl_float4 colour, cl_float4 edge, const drawing::Canvas &canvas) {
  if (points.size() < 2) return;
  const int thick = thickness(), outline = std::max(1, thick / 2);
  TrailDrawing trail{colour, edge, {{width_, height_}}};
  float left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  for (size_t k = 0; k < points.size(); k++) {
    trail.points[k] = {{points[k].x, points[k].y}};
    left = std::min(left, points[k].x), right = std::max(right, points[k].x);
    top = std::min(top, points[k].y), bottom = std::max(bottom, points[k].y);
  }
  const float beyond = static_cast<float>(thick + outline) + 1;
  const auto first = [&](float from) { return std::max(static_cast<int>(from - beyond), 0); };
  const auto last = [&](float to, int end) {
    return std::min(static_cast<int>(std::ceil(to + beyond)), end);
  };
  const cl_int2 from{{first(left), first(top)}},
      area{{last(right, width_) - from.s[0], last(bottom, height_) - from.s[1]}};
  if (area.s[0] <= 0 || area.s[1] <= 0) return;
  trail.origin = from;
  trail.area = area;
  trail.count = static_cast<int>(points.size());
  trail.half_width = static_cast<float>(thick) / 2 + 0.5f;
  trail.outline_width = static_cast<float>(outline);
  trail.overlay = canvas.overlay;
  trail_(queue, {size_t(area.s[0]), size_t(area.s[1])}, canvas.in, canvas.out, trail);
}

/// Pieces of an outline that fit into a launch; each begins where the one before ends.
void ObjectRenderer::draw_outline(Queue &queue, const Outline &outline, cl_float4 colour,
                                  cl_float4 edge, const drawing::Canvas &canvas) {
  colour.s[3] *= outline.opacity, edge.s[3] *= outline.opacity;
  const std::vector<Object::Point> &points = outline.points;
  for (size_t first = 0; first + 1 < points.size(); first += TRAIL_POINTS - 1) {
    const size_t last = std::min(first + TRAIL_POINTS, points.size());
    draw_trail(queue, {points.begin() + ptrdiff_t(first), points.begin() + ptrdiff_t(last)}, colour,
               edge, canvas);
  }
}

void ObjectRenderer::draw(Queue &queue, const std::vector<Object> &objects,
                          const camera::SimilarityMotion &step, cl_uint color,
                          cl_uint outline_color, const drawing::Canvas &canvas,
                          const std::vector<Outline> &outlines) {
  canvas.begin(queue);
  const cl_float4 colour = drawing::floats_of(color), edge = drawing::floats_of(outline_color);
  const int thick = thickness(), outline = std::max(1, thick / 2),
            dot = drawing::dot(width_, height_);
  const size_t count = std::min(objects.size(), most);
  for (const Outline &outline : outlines) draw_outline(queue, outline, colour, edge, canvas);
  draw_trail(queue, camera_sign(step, width_, height_), colour, edge, canvas);
  for (size_t i = 0; i < count; i++) draw_trail(queue, objects[i].trail, colour, edge, canvas);
  for (size_t i = 0; i < count; i++) {
    const RectF &b = objects[i].box;
    const cl_int4 box{{static_cast<int>(std::lround(b.left)), static_cast<int>(std::lround(b.top)),
                       static_cast<int>(std::lround(b.right)),
                       static_cast<int>(std::lround(b.bottom))}};
    const int plate_width = (6 * digits(objects[i].id) + 1) * dot, plate_height = 9 * dot;
    const cl_int2 from{{box.s[0] - outline, box.s[1] - std::max(outline, plate_height)}};
    const cl_int2 area{{std::max(box.s[2] + outline, box.s[0] + plate_width) - from.s[0],
                        std::max(box.s[3] + outline, box.s[1] + plate_height) - from.s[1]}};
    box_(queue, {size_t(area.s[0]), size_t(area.s[1])}, canvas.in, canvas.out,
         BoxDrawing{colour,
                    edge,
                    box,
                    {{width_, height_}},
                    from,
                    area,
                    static_cast<cl_uint>(objects[i].id),
                    thick,
                    outline,
                    dot,
                    canvas.overlay});
  }
}

}  // namespace glcl::objects
