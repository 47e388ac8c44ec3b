// SPDX-License-Identifier: LGPL-2.1-or-later
#include "renderer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "drawing/font.clh"

namespace glcl::objects {

namespace {

/// Colours that differ in hue and brightness, 0xRRGGBB; objects take them in turn.
constexpr cl_uint palette[] = {0xffdc00, 0x30b0ff, 0xff6a4d, 0x5be35b,
                               0xff7de1, 0x2fe0d0, 0xffa01e, 0xb79bff};

std::string number_text(double value) {
  char text[16];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.1f" : "%.0f", std::min(value, 99999.0));
  return text;
}

/// As in "7 12 km/h 3.4 s". A speed in the picture is in px/s.
std::string label_of(const Object &object, const ObjectView &view, unsigned parts) {
  std::string text;
  const auto add = [&text](const std::string &part) { text += (text.empty() ? "" : " ") + part; };
  if (parts & number_label) add(std::to_string(object.id));
  if (parts & speed_label) {
    const auto known = view.speeds.find(object.id);
    add(known != view.speeds.end()
            ? number_text(known->second) + " km/h"
            : number_text(double(std::hypot(object.vx, object.vy)) / view.seconds) + " px/s");
  }
  if (parts & age_label) add(number_text(object.age * view.seconds) + " s");
  return text.substr(0, LABEL_LENGTH);
}

/// A trail without the small steps of a box whose edges jump: each point becomes the mean of itself
/// and its neighbours, several times. The ends stay.
std::deque<Object::Point> smoothed(std::deque<Object::Point> points) {
  constexpr int times = 6;
  for (int n = 0; n < times; n++) {
    const std::deque<Object::Point> from = points;
    for (size_t i = 1; i + 1 < from.size(); i++)
      points[i] = {(from[i - 1].x + 2 * from[i].x + from[i + 1].x) / 4,
                   (from[i - 1].y + 2 * from[i].y + from[i + 1].y) / 4};
  }
  return points;
}

cl_uchar glyph_of(char letter) {
  constexpr std::pair<char, int> others[] = {
      {'.', drawing::GLYPH_POINT},   {'/', drawing::GLYPH_SLASH},   {'p', drawing::GLYPH_SMALL_P},
      {'x', drawing::GLYPH_SMALL_X}, {'k', drawing::GLYPH_SMALL_K}, {'m', drawing::GLYPH_SMALL_M},
      {'h', drawing::GLYPH_SMALL_H}, {'s', drawing::GLYPH_SMALL_S}};
  if (letter >= '0' && letter <= '9') return static_cast<cl_uchar>(letter - '0');
  for (const auto &[other, glyph] : others)
    if (letter == other) return static_cast<cl_uchar>(glyph);
  return drawing::GLYPHS;
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
/// then to the top of a square there and around it. Empty if no pixel of the frame moves by
/// LEAST_PAN.
std::deque<Object::Point> camera_sign(const camera::SimilarityMotion &step, int width, int height) {
  constexpr float ahead = 10;
  const float x = float(width) / 2, y = float(height) / 2;
  const float turn = std::hypot(step.dilation, step.rotation);
  if (std::hypot(step.x, step.y) + turn * std::hypot(x, y) < LEAST_PAN) return {};
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
void ObjectRenderer::draw_outline(Queue &queue, const ObjectView::Outline &outline,
                                  cl_float4 colour, cl_float4 edge, const drawing::Canvas &canvas) {
  colour.s[3] *= outline.opacity, edge.s[3] *= outline.opacity;
  const std::vector<Object::Point> &points = outline.points;
  for (size_t first = 0; first + 1 < points.size(); first += TRAIL_POINTS - 1) {
    const size_t last = std::min(first + TRAIL_POINTS, points.size());
    draw_trail(queue, {points.begin() + ptrdiff_t(first), points.begin() + ptrdiff_t(last)}, colour,
               edge, canvas);
  }
}

void ObjectRenderer::draw_box(Queue &queue, const Object &object, const std::string &label,
                              cl_float4 colour, cl_float4 edge, const drawing::Canvas &canvas) {
  const int thick = thickness(), outline = std::max(1, thick / 2),
            dot = drawing::dot(width_, height_), length = static_cast<int>(label.size());
  const RectF &b = object.box;
  BoxDrawing drawing{colour, edge};
  drawing.box = {{static_cast<int>(std::lround(b.left)), static_cast<int>(std::lround(b.top)),
                  static_cast<int>(std::lround(b.right)), static_cast<int>(std::lround(b.bottom))}};
  const int plate_width = length ? (6 * length + 1) * dot : 0, plate_height = length ? 9 * dot : 0;
  const cl_int4 &box = drawing.box;
  drawing.size = {{width_, height_}};
  drawing.origin = {{box.s[0] - outline, box.s[1] - std::max(outline, plate_height)}};
  drawing.area = {{std::max(box.s[2] + outline, box.s[0] + plate_width) - drawing.origin.s[0],
                   std::max(box.s[3] + outline, box.s[1] + plate_height) - drawing.origin.s[1]}};
  std::transform(label.begin(), label.end(), drawing.label, glyph_of);
  drawing.label_length = length;
  drawing.thickness = thick, drawing.outline_width = outline;
  drawing.dot = dot;
  drawing.overlay = canvas.overlay;
  box_(queue, {size_t(drawing.area.s[0]), size_t(drawing.area.s[1])}, canvas.in, canvas.out,
       drawing);
}

void ObjectRenderer::draw(Queue &queue, const ObjectView &view, const ObjectStyle &style,
                          cl_uint color, cl_uint outline_color, const drawing::Canvas &canvas) {
  canvas.begin(queue);
  const cl_float4 common = drawing::floats_of(color), edge = drawing::floats_of(outline_color);
  const auto colour_of = [&](const Object &object) {
    if (!style.color_by_id) return common;
    return drawing::floats_of((color & 0xff000000) | palette[(object.id - 1) % std::size(palette)]);
  };
  const size_t count = std::min(view.objects.size(), most);
  for (const ObjectView::Outline &outline : view.outlines)
    draw_outline(queue, outline, common, edge, canvas);
  if (style.camera_color >> 24)
    draw_trail(queue, camera_sign(view.step, width_, height_),
               drawing::floats_of(style.camera_color), edge, canvas);
  for (size_t i = 0; i < count; i++)
    draw_trail(queue, smoothed(view.objects[i].trail), colour_of(view.objects[i]), edge, canvas);
  for (size_t i = 0; i < count; i++)
    draw_box(queue, view.objects[i], label_of(view.objects[i], view, style.labels),
             colour_of(view.objects[i]), edge, canvas);
}

}  // namespace glcl::objects
