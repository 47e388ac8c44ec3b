// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int rotations = 36;                   // ROTATIONS in the kernels
constexpr int groups = 36;                      // SECTORS * BANDS
constexpr int keys = 92;                        // of edges: 1 … 90
constexpr int most_candidates = 256;            // of a shape
constexpr int vote_strengths = 1024;            // STRENGTHS in vote.cl
constexpr int verify_sums = 15;                 // SUMS
constexpr double per_octave = 7.2725;           // scales, 10 % apart
constexpr size_t most_space = size_t(1) << 24;  // places in the space of votes
constexpr int least_cell = 4, most_cell = 64;   // px

/// As kernels/hough/object.clh has it.
struct DeviceObject {
  cl_float x, y, a, b, score, shape, radius, spare;
};
static_assert(sizeof(DeviceObject) == 32);

cl::Buffer buffer(const cl::Context &context, size_t bytes) {
  return {context, CL_MEM_READ_WRITE, bytes};
}

/// Degrees from angle_min on to angle_max.
double turn_range(const Hough::Settings &settings) {
  const double range = settings.angle_max - settings.angle_min;
  return range < 0 ? range + 360 : range;
}

template <class Value>
cl::Buffer upload(const cl::Context &context, const Value &values) {
  return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof values[0],
          const_cast<void *>(static_cast<const void *>(values.data()))};
}

}  // namespace

std::shared_ptr<const Shape> make_shape(Queue &queue, const std::string &name,
                                        const Canny::Settings &settings, const Picture &picture) {
  Canny canny(queue.context(), picture.width, picture.height, picture.layout);
  canny.run(queue, settings, picture);
  std::vector<uint16_t> edges(size_t(picture.width) * picture.height);
  try {
    queue.cl().enqueueReadBuffer(canny.edges(), CL_TRUE, 0, edges.size() * sizeof edges[0],
                                 edges.data());
  } catch (const cl::Error &error) {
    throw Error("The edges of the template " + name + " could not be read.", error);
  }
  return std::make_shared<Shape>(name, picture.width, picture.height, edges);
}

Hough::Hough(Context &context, int width, int height, Layout layout)
    : width_(width),
      height_(height),
      context_(context.cl()),
      canny_(context, width, height, layout),
      edges_(context, 7, Canny::strengths, Canny::strong, most_edges),
      candidates_(context, 0, vote_strengths, 0xffff, most_candidates),
      scan_(context),
      sort_(context, most_edges),
      vote_groups_(context.device().is_cpu() ? 256 : 4096) {
  const bool cpu = context.device().is_cpu();
  const cl::Program votes = context.program("hough/vote.cl");
  vote_ = Kernel(context, votes, "vote", {cpu ? 16u : 64u, 1});
  peaks_ = Kernel(context, votes, "vote_peaks", {64, 1});
  maxima_ = Kernel(context, votes, "vote_maxima", {64, 1});
  const cl::Program verifying =
      context.program("hough/verify.cl", one_group_option(context.device().device));
  verify_ = Kernel(context, verifying, "verify", {cpu ? 16u : 128u, 1});
  choose_ = Kernel(context, verifying, "choose", {});
  try {
    steps_count_ = upload(context_, std::array{cl_uint(keys)});
    starts_ = buffer(context_, (keys + 1) * sizeof(cl_uint));
    result_ = buffer(context_, result_bytes);
    objects_ = buffer(context_, most_shapes * most_candidates * sizeof(DeviceObject));
  } catch (const cl::Error &error) {
    throw Error("There is no memory to look for shapes on " + context.device().name + ".", error);
  }
}

void Hough::set_shapes(std::vector<std::shared_ptr<const Shape>> shapes) {
  if (shapes.size() > most_shapes)
    throw Error(Error::Kind::settings, std::to_string(shapes.size()) +
                                           " templates are too many: give at most " +
                                           std::to_string(most_shapes) + ".");
  std::vector<Prepared> prepared;
  try {
    for (const auto &shape : shapes)
      prepared.push_back({upload(context_, shape->points), upload(context_, shape->pairs),
                          upload(context_, shape->starts)});
  } catch (const cl::Error &error) {
    throw Error("There is no memory for the templates.", error);
  }
  shapes_ = std::move(shapes);
  prepared_ = std::move(prepared);
  cell_ = 0;
}

Hough::Scales Hough::scales(const Settings &settings) const {
  const double most = std::max(settings.scale_max, settings.scale_min);
  const double range = std::log2(most / settings.scale_min) * per_octave;
  // Half a bin more at both ends.
  return {static_cast<int>(std::ceil(range + 1e-6)) + 1,
          static_cast<float>(2 * std::log2(settings.scale_min) - 1 / per_octave)};
}

void Hough::make_space(const Settings &settings) {
  float radius = 1e9f;
  for (const auto &shape : shapes_) radius = std::min(radius, shape->radius);
  int cell = std::clamp(static_cast<int>(std::lround(radius * settings.scale_min / 4)), least_cell,
                        most_cell);
  const int planes = rotations * scales(settings).count;
  const auto count = [&](int length) { return (length + cell - 1) / cell; };
  while (cell < most_cell && size_t(count(width_)) * count(height_) * planes > most_space) cell++;
  const size_t cells = size_t(count(width_)) * count(height_);
  cell_ = cell;
  cells_ = {{count(width_), count(height_)}};
  if (cells * planes > space_size_) {
    space_ = buffer(context_, cells * planes * sizeof(cl_uint));
    space_size_ = cells * planes;
  }
  if (cells * groups > cells_size_) {
    for (cl::Buffer *map : {&votes_, &planes_, &maxima_buffer_})
      *map = buffer(context_, cells * groups * sizeof(cl_ushort));
    best_votes_ = buffer(context_, cells * sizeof(cl_uint));
    cells_size_ = cells * groups;
  }
}

void Hough::vote(Queue &queue, const Settings &settings, size_t index) {
  const Shape &shape = *shapes_[index];
  const Prepared &prepared = prepared_[index];
  const auto [count, first] = scales(settings);
  const auto per_scale = static_cast<cl_float>(per_octave / 2);
  const auto cell = static_cast<cl_float>(cell_);
  const size_t cells = size_t(cells_.s[0]) * cells_.s[1];
  const auto square = [](double value) { return static_cast<cl_float>(value * value); };
  const cl_float2 lengths{{square(std::max(shape.least * settings.scale_min * 0.95, 4.0)),
                           square(shape.most * settings.scale_max * 1.05)}};
  queue.cl().enqueueFillBuffer(space_, cl_uint(0), 0, cells * rotations * count * sizeof(cl_uint));
  queue.cl().enqueueFillBuffer(best_votes_, cl_uint(0), 0, cells * sizeof(cl_uint));
  vote_(queue, {vote_groups_ * vote_.group().x, 1}, edges_.places(), starts_, width_, shape.apart,
        prepared.pairs, prepared.starts, lengths, count, first, per_scale, cells_, cell, space_);
  // Turns are clockwise.
  const double degrees = 360.0 / rotations, range = turn_range(settings);
  const cl_int2 turns{{static_cast<cl_int>(std::floor(-settings.angle_max / degrees)) - 1,
                       static_cast<cl_int>(std::min(range, 360.0) / degrees) + 4}};
  peaks_(queue, {cells, groups}, space_, count, per_scale, cells_, turns, votes_, planes_,
         best_votes_);
  maxima_(queue, {size_t(cells_.s[0]), size_t(cells_.s[1]) * groups}, votes_, planes_, best_votes_,
          count, cells_, maxima_buffer_);
  candidates_.run(queue, maxima_buffer_, cells_.s[0], cells_.s[1] * groups,
                  {0, 0, cells_.s[0], cells_.s[1] * groups});
  const cl_float2 scale_range{
      {static_cast<cl_float>(settings.scale_min), static_cast<cl_float>(settings.scale_max)}};
  const cl_float2 angles{
      {static_cast<cl_float>(-settings.angle_max), static_cast<cl_float>(range)}};
  verify_(queue, {most_candidates * verify_.group().x, 1}, canny_.edges(),
          cl_int2{{width_, height_}}, candidates_.places(), candidates_.counts(), planes_, space_,
          count, first, per_scale, cells_, cell, prepared.points,
          static_cast<cl_int>(shape.points.size()), shape.radius, shape.chance,
          static_cast<cl_int>(index), scale_range, angles, objects_,
          static_cast<cl_int>(index * most_candidates),
          cl::Local(verify_sums * verify_.group().x * sizeof(cl_float)));
}

void Hough::run(Queue &queue, const Settings &settings, const Picture &in, bool objects) {
  canny_.run(queue, settings, in, objects);
  if (!objects) return;
  Region region = settings.region;
  if (region.x1 <= region.x0 || region.y1 <= region.y0) region = {0, 0, width_, height_};
  edges_.run(queue, canny_.edges(), width_, height_, region);
  scan_.run(queue, edges_.histogram(), steps_count_, starts_);
  sort_.run(queue, edges_.keys(), edges_.places(), edges_.counts(), 7);
  if (!shapes_.empty()) make_space(settings);
  for (size_t i = 0; i < shapes_.size(); i++) vote(queue, settings, i);
  choose_(queue, choose_.group(), objects_, static_cast<cl_int>(shapes_.size() * most_candidates),
          static_cast<cl_float>(settings.min_score), std::min(settings.max_objects, most_objects),
          edges_.counts(), result_, cl::Local(choose_.group().x * sizeof(cl_float2)));
}

Hough::Space Hough::space(const Settings &settings) const {
  const auto [count, first] = scales(settings);
  return {space_,
          rotations,
          count,
          cells_.s[0],
          cells_.s[1],
          first,
          static_cast<float>(per_octave / 2),
          static_cast<float>(cell_)};
}

Hough::Objects Hough::read(const void *result,
                           const std::vector<std::shared_ptr<const Shape>> &shapes) {
  cl_uint head[3];
  std::memcpy(head, result, sizeof head);
  Objects objects{{}, head[1], head[2]};
  const auto *from = static_cast<const char *>(result) + sizeof(DeviceObject);
  for (cl_uint i = 0; i < std::min<cl_uint>(head[0], most_objects); i++) {
    DeviceObject object;
    std::memcpy(&object, from + i * sizeof object, sizeof object);
    objects.objects.push_back({shapes[static_cast<size_t>(object.shape)], object.x, object.y,
                               -std::atan2(object.b, object.a) * 180 / std::acos(-1.0),
                               std::hypot(object.a, object.b), object.score});
  }
  return objects;
}

}  // namespace glcl::hough
