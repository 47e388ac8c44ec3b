// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "opencl/error.h"
#include "opencl/transfer.h"

namespace glcl::hough {

namespace {

constexpr int groups = SECTORS * BANDS;
constexpr int most_candidates = 512;          // per template
constexpr float scales_per_octave = 7.2725f;  // scales per octave, 10 % apart
constexpr int least_cell = 3, most_cell = 8;  // px
constexpr size_t most_lanes = 4;

/// The smallest and largest size at which a template's edges are detected, relative to its picture.
/// Sizes are half an octave apart.
constexpr double least_level = 0.25, most_level = 2;
constexpr int least_side = 8;        // px of a scaled template
constexpr double most_pixels = 4e6;  // px of a scaled template; the smallest size may have more

cl::Buffer buffer(const cl::Context &context, size_t bytes) {
  return {context, CL_MEM_READ_WRITE, bytes};
}

/// Degrees from angle_min counter-clockwise to angle_max.
double rotation_range(const Hough::Settings &settings) {
  const double range = settings.angle_max - settings.angle_min;
  return range < 0 ? range + 360 : range;
}

template <class Value>
cl::Buffer upload(const cl::Context &context, const Value &values) {
  return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof values[0],
          const_cast<void *>(static_cast<const void *>(values.data()))};
}

/// The bits of a float, for a kernel's as_float().
cl_int bits(double number) {
  const auto value = static_cast<cl_float>(number);
  cl_int bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

int round_up(int number, int step) { return (number + step - 1) / step * step; }

using Pixels = std::vector<uint8_t>;  // RGBA, rows without gaps

Pixels download(Queue &queue, const Picture &from) {
  Pixels pixels(size_t(from.width) * from.height * 4);
  read_picture(queue.cl(), from, pixels.data(), 0, CL_TRUE);
  return pixels;
}

/// Resamples a row of `before` bytes to `length` bytes by a tent filter. Its reach is a px of the
/// coarser row. Strides are in bytes.
void scale_row(const uint8_t *from, int before, size_t stride_from, uint8_t *to, int length,
               size_t stride_to) {
  const double ratio = double(before) / length, reach = std::max(ratio, 1.0);
  for (int i = 0; i < length; i++) {
    const double middle = (i + 0.5) * ratio - 0.5;
    double sum = 0, weights = 0;
    for (int k = int(std::ceil(middle - reach)); k <= int(std::floor(middle + reach)); k++) {
      const double weight = 1 - std::abs(k - middle) / reach;
      sum += weight * from[size_t(std::clamp(k, 0, before - 1)) * stride_from];
      weights += weight;
    }
    to[size_t(i) * stride_to] = static_cast<uint8_t>(std::lround(sum / weights));
  }
}

Pixels scaled(const Pixels &from, int width, int height, int to_width, int to_height) {
  Pixels wide(size_t(to_width) * height * 4), to(size_t(to_width) * to_height * 4);
  for (size_t y = 0; y < size_t(height); y++)
    for (size_t c = 0; c < 4; c++)
      scale_row(&from[y * width * 4 + c], width, 4, &wide[y * to_width * 4 + c], to_width, 4);
  for (size_t i = 0; i < size_t(to_width) * 4; i++)
    scale_row(&wide[i], height, size_t(to_width) * 4, &to[i], to_height, size_t(to_width) * 4);
  return to;
}

EdgeMap edges_of(Queue &queue, const Canny::Settings &settings, const Picture &picture) {
  Canny canny(queue.context(), picture.width, picture.height, picture.layout);
  canny.run(queue, settings, picture);
  EdgeMap map{picture.width, picture.height, {}};
  map.edges.resize(size_t(map.width) * map.height);
  queue.cl().enqueueReadBuffer(canny.edges(), CL_TRUE, 0, map.edges.size() * sizeof map.edges[0],
                               map.edges.data());
  return map;
}

}  // namespace

std::shared_ptr<const Template> make_template(Queue &queue, const std::string &name,
                                              const Canny::Settings &settings,
                                              const Picture &picture) {
  try {
    const Pixels pixels = download(queue, picture);
    std::vector<EdgeMap> maps;
    for (double scale = least_level; scale < most_level * 1.01; scale *= std::sqrt(2)) {
      const int width = static_cast<int>(std::lround(picture.width * scale)),
                height = static_cast<int>(std::lround(picture.height * scale));
      if (std::min(width, height) < std::min({least_side, picture.width, picture.height})) continue;
      if (double(width) * height > most_pixels && !maps.empty()) break;
      const Picture at = make_picture(queue.context().cl(), width, height, picture.layout);
      write_picture(queue.cl(), at,
                    scaled(pixels, picture.width, picture.height, width, height).data(), 0,
                    CL_TRUE);
      maps.push_back(edges_of(queue, settings, at));
    }
    return std::make_shared<Template>(name, picture.width, picture.height, maps);
  } catch (const cl::Error &error) {
    throw Error("Detecting the edges of the template " + name + " failed.", error);
  }
}

Hough::Hough(Context &context, int width, int height, const FrameFormat &frame)
    : width_(width),
      height_(height),
      context_(context.cl()),
      canny_(context, width, height, frame),
      candidates_(context, 0, MATCH_STRENGTHS, 0xffff, most_candidates) {
  const bool cpu = context.device().is_cpu();
  lanes_ = cpu ? most_lanes : 1;
  const Program objects =
      context.program("hough/objects.cl", one_group_option(context.device().device));
  rows_kernel_ = Kernel(context, objects, "edge_rows", {64, 1});
  choose_ = Kernel(context, objects, "hough_select_objects", {});
  const Program matching = context.program("hough/match.cl", "-DLANES=" + std::to_string(lanes_));
  spread_ = Kernel(context, matching, "match_spread", {64, 1});
  pack_ = Kernel(context, matching, "match_pack", {64, 1});
  density_kernel_ = Kernel(context, matching, "match_density", {64, 1});
  offsets_kernel_ = Kernel(context, matching, "match_offsets", {MATCH_POINTS, 1});
  match_ = Kernel(context, matching, "match", {cpu ? 4u : 128u, 1}).in_bands();
  maxima_ = Kernel(context, matching, "match_maxima", {64, 1});
  const Program verifying = context.program("hough/verify.cl", cpu ? "-DSINGLE_ITEM" : "");
  near_kernel_ = Kernel(context, verifying, "verify_near", {64, 1}).in_bands();
  verify_ = Kernel(context, verifying, "verify", {cpu ? 1u : 128u, 1}).in_bands();
  try {
    edge_count_ = buffer(context_, sizeof(cl_uint));
    rows_ = buffer(context_, size_t(width) * height * sizeof(cl_ushort));
    std::vector<cl_float2> normals;
    for (int step = 0; step < 2 * Template::steps; step++) {
      const double angle = step * std::acos(-1.0) / Template::steps;
      normals.push_back(
          {{static_cast<cl_float>(std::cos(angle)), static_cast<cl_float>(std::sin(angle))}});
    }
    normals_ = upload(context_, normals);
    near_ = buffer(context_, size_t(width) * height * sizeof(cl_ushort));
    result_ = buffer(context_, result_bytes);
    objects_ = buffer(context_, most_templates * most_candidates * sizeof(FoundTemplate));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the template search on " + context.device().name + ".",
                error);
  }
}

void Hough::set_templates(std::vector<std::shared_ptr<const Template>> templates) {
  if (templates.size() > most_templates)
    throw Error(Error::Kind::settings, std::to_string(templates.size()) +
                                           " templates are too many. Use at most " +
                                           std::to_string(most_templates) + ".");
  std::vector<TemplateBuffers> prepared;
  try {
    for (const auto &templ : templates) {
      std::vector<cl_float4> points, matching;
      std::vector<cl_int4> levels;
      for (const Template::ScaleLevel &level : templ->levels) {
        levels.push_back({{cl_int(points.size()), cl_int(level.points.size()), bits(level.chance),
                           bits(std::log2(level.scale))}});
        points.insert(points.end(), level.points.begin(), level.points.end());
        matching.insert(matching.end(), level.match_points.begin(), level.match_points.end());
      }
      const auto &outline = templ->levels[templ->level_of(1)].points;
      prepared.push_back({upload(context_, points),
                          upload(context_, levels),
                          upload(context_, matching),
                          upload(context_, outline),
                          static_cast<int>(outline.size()),
                          {},
                          {}});
    }
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the templates.", error);
  }
  templates_ = std::move(templates);
  prepared_ = std::move(prepared);
}

ScaleBins Hough::scales(const Settings &settings) const {
  const double most = std::max(settings.scale_max, settings.scale_min);
  const double range = std::log2(most / settings.scale_min) * scales_per_octave;
  // The bins exceed the range by half a bin at both ends.
  return {static_cast<int>(std::ceil(range + 1e-6)) + 1,
          static_cast<float>(std::log2(settings.scale_min) - 0.5 / scales_per_octave),
          scales_per_octave};
}

void Hough::make_grid(const Settings &settings) {
  float least = 1e9f, most = 0;
  for (const auto &templ : templates_) {
    least = std::min(least, templ->radius);
    most = std::max(most, templ->radius);
  }
  const ScaleBins bins = scales(settings);
  const double largest = most * std::exp2(bins.first + float(bins.count) / scales_per_octave);
  SearchGrid grid{};
  grid.cell = std::clamp(static_cast<int>(std::lround(least * settings.scale_min / 6)), least_cell,
                         most_cell);
  grid.half_width = (grid.cell + 1) / 2;
  grid.cells = {
      {round_up(width_, grid.cell) / grid.cell, round_up(height_, grid.cell) / grid.cell}};
  grid.margin = std::min(static_cast<int>(largest / grid.cell) + 2,
                         std::max(grid.cells.s[0], grid.cells.s[1]) + 1);
  grid.pitch = round_up(grid.cells.s[0], WORD * static_cast<int>(lanes_));
  grid.columns = grid.pitch + 2 * grid.margin;
  grid.words = round_up(grid.columns, WORD) / WORD + 1;
  grid.lines = grid.cells.s[1] + 2 * grid.margin;
  const size_t positions = size_t(grid.pitch) * grid.cells.s[1] * groups;
  const size_t lines = size_t(grid.lines) * grid.cell * grid.cell, map = lines * grid.columns;
  if (map > map_size_) {
    map_ = buffer(context_, map * sizeof(cl_ushort));
    map_size_ = map;
  }
  grid.all_words = static_cast<int>(lines) * grid.words;
  if (size_t(grid.all_words) > bits_size_) {
    bits_ = buffer(context_, DIRECTIONS * size_t(grid.all_words) * sizeof(cl_uint));
    bits_size_ = grid.all_words;
  }
  if (positions > positions_size_) {
    for (cl::Buffer *one : {&votes_, &poses_, &maxima_buffer_})
      *one = buffer(context_, positions * sizeof(cl_ushort));
    density_ = buffer(context_, positions / groups * BANDS * sizeof(cl_float));
    positions_size_ = positions;
  }
  grid_ = grid;
}

void Hough::match(Queue &queue, const Settings &settings, size_t index) {
  const Template &templ = *templates_[index];
  TemplateBuffers &prepared = prepared_[index];
  const ScaleBins bins = scales(settings);
  const int count = bins.count, pitch = grid_.pitch;
  const cl_int2 cells = grid_.cells;
  const auto level_count = static_cast<cl_int>(templ.levels.size());
  // The windows for the density of edges follow the template's size in the middle of each band.
  const int share = (count + BANDS - 1) / BANDS;
  cl_int4 windows{};
  for (int band = 0; band < BANDS; band++) {
    const float size =
        std::exp2(bins.first + (float(band) + 0.5f) * float(share) / scales_per_octave);
    windows.s[band] = std::max(static_cast<int>(0.7f * templ.radius * size / float(grid_.cell)), 1);
  }
  const size_t positions = size_t(pitch) * cells.s[1];
  density_kernel_(queue, {positions, BANDS}, map_, density_, grid_, windows);
  const std::array offsets_key{float(count),        bins.first,         float(grid_.cell),
                               float(grid_.margin), float(grid_.words), float(grid_.lines)};
  if (!prepared.offsets() || prepared.offsets_key != offsets_key) {
    prepared.offsets = buffer(context_, size_t(ROTATIONS) * count * MATCH_POINTS * sizeof(cl_int2));
    offsets_kernel_(queue, {MATCH_POINTS, size_t(ROTATIONS) * count}, prepared.match_points,
                    prepared.levels, prepared.offsets, grid_, bins, level_count);
    prepared.offsets_key = offsets_key;
  }
  // Rotations in the kernels are clockwise.
  const double degrees = 360.0 / ROTATIONS, range = rotation_range(settings);
  const cl_int2 allowed{{static_cast<cl_int>(std::floor(-settings.angle_max / degrees)) - 1,
                         static_cast<cl_int>(std::min(range, 360.0) / degrees) + 4}};
  match_.costs(double(count) * std::min(allowed.s[1], ROTATIONS));
  match_(queue, {positions / (WORD * lanes_), groups}, bits_, prepared.offsets, density_, votes_,
         poses_, grid_, count, allowed);
  maxima_(queue, {size_t(pitch), size_t(cells.s[1]) * groups}, votes_, poses_, maxima_buffer_,
          grid_, count);
  candidates_.run(queue, maxima_buffer_, pitch, cells.s[1] * groups,
                  {0, 0, pitch, cells.s[1] * groups});
  const Verification search{
      grid_,
      bins,
      {{width_, height_}},
      {{static_cast<cl_float>(settings.scale_min), static_cast<cl_float>(settings.scale_max)}},
      {{static_cast<cl_float>(-settings.angle_max), static_cast<cl_float>(range)}},
      templ.radius,
      level_count,
      static_cast<cl_int>(index),
      static_cast<cl_int>(index * most_candidates)};
  verify_(queue, {verify_.group().x, most_candidates}, canny_.edges(), near_, candidates_.indices(),
          candidates_.counts(), poses_, prepared.points, normals_, prepared.levels, objects_,
          search, cl::Local(FIT_SUMS * verify_.group().x * sizeof(cl_float)));
}

Rect Hough::region(const Settings &settings) const {
  return settings.region.empty() ? Rect{0, 0, width_, height_} : settings.region;
}

void Hough::run(Queue &queue, const Settings &settings, const Picture &in, bool objects) {
  canny_.run(queue, settings, in, objects);
  if (!objects) return;
  const Rect searched = region(settings);
  if (!templates_.empty()) make_grid(settings);
  const cl_int2 size{{width_, height_}};
  queue.cl().enqueueFillBuffer(edge_count_, cl_uint(0), 0, sizeof(cl_uint));
  rows_kernel_(queue, {size_t(width_), size_t(height_)}, canny_.edges(), size,
               cl_int4{{searched.x, searched.y, searched.right(), searched.bottom()}},
               grid_.half_width, rows_, edge_count_);
  if (!templates_.empty()) {
    spread_(queue, {size_t(grid_.columns) * grid_.lines * grid_.cell * grid_.cell, 1}, rows_, map_,
            grid_, size);
    pack_(queue, {size_t(grid_.all_words), 1}, map_, bits_, grid_);
    near_kernel_(queue, {size_t(width_), size_t(height_)}, canny_.edges(), size,
                 std::max(grid_.cell / 4, 1), near_);
  }
  for (size_t i = 0; i < templates_.size(); i++) match(queue, settings, i);
  choose_(queue, choose_.group(), objects_,
          static_cast<cl_int>(templates_.size() * most_candidates),
          static_cast<cl_float>(settings.min_score), std::min(settings.max_objects, most_objects),
          edge_count_, result_, cl::Local(choose_.group().x * sizeof(cl_float2)));
}

Hough::MatchMaps Hough::matches(const Settings &settings) const {
  const ScaleBins bins = scales(settings);
  return {votes_,      poses_,     bins.count,       grid_.cells.s[0], grid_.cells.s[1],
          grid_.pitch, grid_.cell, grid_.half_width, bins.first};
}

Hough::TemplateMatches Hough::read(const void *result,
                                   const std::vector<std::shared_ptr<const Template>> &templates) {
  cl_uint head[2];
  std::memcpy(head, result, sizeof head);
  TemplateMatches objects{{}, head[1]};
  const auto *from = static_cast<const char *>(result) + sizeof(FoundTemplate);
  for (cl_uint i = 0; i < std::min<cl_uint>(head[0], most_objects); i++) {
    FoundTemplate object;
    std::memcpy(&object, from + i * sizeof object, sizeof object);
    objects.objects.push_back({templates[static_cast<size_t>(object.templ)], object.x, object.y,
                               -std::atan2(object.b, object.a) * 180 / std::acos(-1.0),
                               std::hypot(object.a, object.b), object.score});
  }
  return objects;
}

}  // namespace glcl::hough
