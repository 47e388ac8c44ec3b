// SPDX-License-Identifier: LGPL-2.1-or-later
#include "search.h"

#include <string>

#include "opencl/error.h"

namespace glcl::motion {

namespace {

using Form = Search::Form;

constexpr int least_lanes = 4;  // rows of blocks of 4 px in a strip

int block_of(const std::string &problem) {
  return problem == "partitions" ? Search::partitions
                                 : std::stoi(problem.substr(problem.find('-') + 1));
}

Parameters defaults(const Device &device, const std::string &problem) {
  const int block = block_of(problem);
  if (device.prefers_buffers()) return {{"form", static_cast<int>(Form::vector)}, {"depth", 0}};
  return {{"form", static_cast<int>(Form::tile)},
          {"depth", block == Search::partitions ? 3
                    : block > 8                 ? 11
                                                : 33}};
}

/// Work-items that share a block: 32, or fewer if the items of a strip would exceed a work-group.
int lanes(const cl::Device &device, int block) {
  const size_t most = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  int lanes = 32;
  while (lanes > least_lanes && size_t(LumaPlane::strip) / block * lanes > most) lanes /= 2;
  return lanes;
}

bool possible(const Device &device, const std::string &problem, const Parameters &parameters) {
  const int block = block_of(problem), depth = parameters.at("depth");
  const bool vector = parameters.at("form") == static_cast<int>(Form::vector);
  if (vector != device.prefers_buffers()) return false;  // the other form is much slower
  if (vector) return !depth;
  if (block == Search::partitions) return depth == 2 || depth == 3;
  return depth > 2;
}

}  // namespace

std::string Search::problem(int block) {
  return block == partitions ? "partitions" : "block-" + std::to_string(block);
}

const Tunable &Search::tunable() {
  static const Tunable tunable{
      "motion-search",
      {"block-4", "block-8", "block-16", "block-32", "partitions"},
      {"motion/tile.cl", "motion/vector.cl", "motion/partitiontile.cl",
       "motion/partitionvector.cl"},
      {{"form", {static_cast<int>(Form::tile), static_cast<int>(Form::vector)}},
       {"depth", {0, 2, 3, 11, 33}}},
      defaults,
      possible};
  return tunable;
}

Search::Search(Context &context, int block, const Parameters &parameters, bool limited)
    : block_(block),
      depth_(parameters.at("depth")),
      form_(static_cast<Form>(parameters.at("form"))) {
  if (block != 4 && block != 8 && block != 16 && block != 32 && block != partitions)
    throw Error(Error::Kind::settings,
                "block-size=" + std::to_string(block) + " is invalid. Use 4, 8, 16 or 32.");
  const std::string limit = limited ? " -DLIMITED" : "";
  const std::string size = "-DB=" + std::to_string(block) + limit;
  const std::string depth = "-DD=" + std::to_string(parameters.at("depth"));
  if (block == partitions && form_ == Form::vector)
    kernel_ = Kernel(context, context.program("motion/partitionvector.cl", limit),
                     "motion_partitions_vector", {1, 1});
  else if (block == partitions)
    kernel_ = Kernel(context, context.program("motion/partitiontile.cl", depth + limit),
                     "motion_partitions_tile", {});
  else if (form_ == Form::vector)
    kernel_ =
        Kernel(context, context.program("motion/vector.cl", size), "motion_search_vector", {1, 1});
  else
    kernel_ = Kernel(context,
                     context.program("motion/tile.cl",
                                     size + " " + depth + " -DLANES=" +
                                         std::to_string(lanes(context.device().device, block))),
                     "motion_search_tile", {});
  kernel_.in_bands();
}

std::string area_options(int block) {
  return block == Search::partitions ? "-DB=16 -DPARTITIONED" : "-DB=" + std::to_string(block);
}

void check_search(const LumaPlane &current, const LumaPlane &reference, const SearchWindow &window,
                  int lambda) {
  for (const Span &span : {window.x, window.y})
    if (span.count < 1 || span.first < -max_range || span.last() > max_range)
      throw Error(Error::Kind::settings, "Candidates " + std::to_string(span.first) + " … " +
                                             std::to_string(span.last()) +
                                             " are out of range. Use candidates within ±" +
                                             std::to_string(max_range) + " px.");
  if (lambda < 0 || lambda > Search::max_lambda)
    throw Error(Error::Kind::settings, "lambda=" + std::to_string(lambda) +
                                           " is out of range. Use 0 to " +
                                           std::to_string(Search::max_lambda) + ".");
  if (current.width != reference.width || current.height != reference.height)
    throw Error(Error::Kind::settings,
                "The two frames of the motion search differ in size: " +
                    std::to_string(current.width) + "×" + std::to_string(current.height) + " and " +
                    std::to_string(reference.width) + "×" + std::to_string(reference.height) + ".");
}

template <class... Limit>
void Search::enqueue(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                     const SearchWindow &window, int lambda, const cl::Buffer &keys,
                     const Limit &...limit) {
  check_search(current, reference, window, lambda);
  const cl_int2 first{{window.x.first, window.y.first}}, count{{window.x.count, window.y.count}};
  const int columns = this->columns(current), rows = this->rows(current);
  const size_t strips = (current.width + LumaPlane::strip - 1) / LumaPlane::strip;
  const size_t groups = form_ == Form::vector || block_ >= 16 ? rows : (rows * side() + 15) / 16;
  kernel_.costs(double(window.x.count) * window.y.count);
  kernel_(queue, {strips * kernel_.group().x, groups}, current.buffer, reference.buffer,
          current.pitch, first, count, lambda, keys, columns, rows, limit...);
}

void Search::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                 const SearchWindow &window, int lambda, const cl::Buffer &keys) {
  enqueue(queue, current, reference, window, lambda, keys);
}

void Search::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                 const SearchWindow &window, int lambda, const cl::Buffer &keys,
                 const cl::Buffer &limits) {
  enqueue(queue, current, reference, window, lambda, keys, limits);
}

}  // namespace glcl::motion
