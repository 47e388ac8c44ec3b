// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sweep.h"

#include <cstdio>
#include <memory>
#include <random>

#include "hough/transform.h"
#include "tools/bench/measure.h"
#include "tools/bench/text.h"
#include "tools/table.h"

namespace glcl::research {

namespace {

using hough::EdgePairs;
using hough::Transform;

constexpr size_t points = 55, chunk = 128, most_chunks = 6;
constexpr size_t most_gpu = size_t(1) << 17, most_cpu = size_t(1) << 10;  // tuples
constexpr int width = 352, positions = 5061;

/// Sub-lists of `each` tuples: what edge_pairs_scale takes.
struct List {
  std::vector<cl_uint> pairs, begins;
  cl::Buffer pairs_buffer, begins_buffer;
};

cl::Buffer upload(Context &context, const std::vector<cl_uint> &values) {
  return {context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof values[0],
          const_cast<cl_uint *>(values.data())};
}

List list_of(Context &context, size_t each, size_t most, std::mt19937 &random) {
  List list;
  list.begins = {0};
  for (size_t kind = 0; kind < EdgePairs::kinds; kind++) {
    if (list.pairs.size() + each <= most)
      for (size_t i = 0; i < each; i++)
        list.pairs.push_back(cl_uint(random() % positions | random() % positions << 16));
    list.begins.push_back(static_cast<cl_uint>(list.pairs.size()));
  }
  list.pairs_buffer = upload(context, list.pairs);
  list.begins_buffer = upload(context, list.begins);
  return list;
}

std::vector<cl_uint> votes_of(const std::vector<cl_uint> &edges, const List &before,
                              const List &after) {
  const auto square = [&](cl_uint pair) {
    const auto from = static_cast<int>(edges[pair & 0xffff]),
               to = static_cast<int>(edges[pair >> 16]);
    const int x = to % width - from % width, y = to / width - from / width;
    return static_cast<float>(x * x + y * y);
  };
  std::vector<float> lengths;
  for (const cl_uint pair : after.pairs) lengths.push_back(400 * square(pair));
  std::vector<cl_uint> votes(Transform::scales);
  for (size_t kind = 0; kind < EdgePairs::kinds; kind++)
    for (cl_uint i = before.begins[kind]; i < before.begins[kind + 1]; i++) {
      const float own = square(before.pairs[i]);
      for (cl_uint j = after.begins[kind]; j < after.begins[kind + 1]; j++)
        for (int scale = 0; scale < Transform::scales; scale++)
          if (lengths[j] >= float((9 + 2 * scale) * (9 + 2 * scale)) * own &&
              lengths[j] < float((11 + 2 * scale) * (11 + 2 * scale)) * own) {
            votes[scale]++;
            break;
          }
    }
  return votes;
}

}  // namespace

EdgePairs::Form thesis_form(size_t tuples) {
  constexpr size_t edge_list = 60, always = 5;
  if (tuples < edge_list) return EdgePairs::balanced;
  if ((tuples + chunk - 1) / chunk >= always) return EdgePairs::saving;
  return (tuples - 1) % chunk + 1 >= chunk / 2 ? EdgePairs::saving : EdgePairs::balanced;
}

bool print_sweep(Context &context, double seconds) {
  const bool cpu = context.device().is_cpu();
  std::mt19937 random(1);
  std::vector<cl_uint> edges(positions);
  for (cl_uint &edge : edges) edge = random() % (width * 288);
  const cl::Buffer edges_buffer = upload(context, edges), rotation = upload(context, {0}),
                   votes(context.cl(), CL_MEM_READ_WRITE, Transform::scales * sizeof(cl_uint));
  Kernel kernels[2];
  for (const auto form : {EdgePairs::balanced, EdgePairs::saving})
    kernels[form] =
        Kernel(context, context.program("hough/edgepairs.cl", "-DFORM=" + std::to_string(form)),
               "edge_pairs_scale", {cpu ? 1u : chunk, 1});
  Table table({"tuples", "stretches", "in the last", "LB, µs", "SSM, µs", "faster", "by the rule"});
  bool good = true;
  size_t agreed = 0;
  double by_rule = 0, best = 0;
  for (size_t point = 1; point <= points; point++) {
    const size_t tuples = point * most_chunks * chunk / points;
    const List before = list_of(context, tuples, cpu ? most_cpu : most_gpu, random),
               after = list_of(context, tuples, cpu ? most_cpu : most_gpu, random);
    const std::vector<cl_uint> expected = votes_of(edges, before, after);
    double times[2];
    for (const auto form : {EdgePairs::balanced, EdgePairs::saving}) {
      bench::Run run;
      run.enqueue = [&](Queue &queue) {
        queue.cl().enqueueFillBuffer(votes, cl_uint(0), 0, Transform::scales * sizeof(cl_uint));
        kernels[form](queue, {1024 * kernels[form].group().x, 1}, edges_buffer, before.pairs_buffer,
                      before.begins_buffer, width, edges_buffer, after.pairs_buffer,
                      after.begins_buffer, width, rotation, 0, votes);
      };
      const bench::Times measured = bench::measure(context.shared_from_this(), run, seconds);
      times[form] = measured.events > 0 ? measured.events : measured.wall;
      Queue queue(context.shared_from_this());
      run.enqueue(queue);
      good = bench::compare_equal(queue, votes, expected, "votes").good && good;
    }
    const auto faster = times[1] < times[0] ? EdgePairs::saving : EdgePairs::balanced;
    const auto rule = thesis_form(tuples);
    const auto name = [](EdgePairs::Form form) { return form == EdgePairs::saving ? "SSM" : "LB"; };
    agreed += faster == rule, by_rule += times[rule], best += times[faster];
    table.add({std::to_string(tuples), std::to_string((tuples + chunk - 1) / chunk),
               std::to_string((tuples - 1) % chunk + 1), bench::number(times[0]),
               bench::number(times[1]), name(faster), name(rule)});
  }
  std::printf("\nLB or SSM: votes for scales of an evenly divided list, %zu tuples in all, %s\n",
              cpu ? most_cpu : most_gpu, good ? "equal" : "WRONG");
  table.print();
  std::printf(
      "the rule agrees for %zu of %zu; by it they take %.2f times what the faster ones do\n",
      agreed, points, by_rule / best);
  return good;
}

}  // namespace glcl::research
