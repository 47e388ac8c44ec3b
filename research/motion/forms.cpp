// SPDX-License-Identifier: LGPL-2.1-or-later
#include "forms.h"

#include <cmath>
#include <string>

#include "opencl/error.h"

namespace glcl::research {

namespace {

using motion::Key;

constexpr const char *names[] = {"search_reference_naive",      "search_reference_local",
                                 "search_collaborative_naive",  "search_collaborative_local",
                                 "search_collaborative_single", "search_unaligned"};
constexpr Size block_group{32, 4}, row_group{64, 1};
constexpr int max_candidates = 65536;

bool is_reference(SearchForms::Form form) {
  return form == SearchForms::Form::reference_naive || form == SearchForms::Form::reference_local;
}

int blocks(int pixels) { return (pixels + SearchForms::block - 1) / SearchForms::block; }

cl_int2 first_of(const SearchWindow &w) { return {{w.x.first, w.y.first}}; }
cl_int2 count_of(const SearchWindow &w) { return {{w.x.count, w.y.count}}; }

}  // namespace

SearchForms::SearchForms(Context &context, Form form)
    : context_(&context), form_(form), program_(context.program("research/motion/forms.cl")) {
  const bool rows = form == Form::collaborative_local || form == Form::collaborative_single;
  const char *name = names[static_cast<int>(form)];
  if (!is_reference(form))
    kernel_ = Kernel(context, program_, name, rows ? row_group : block_group);
  keys_kernel_ = Kernel(context, program_, "search_keys", row_group);
}

void SearchForms::run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                      const SearchWindow &window, int lambda, const cl::Buffer &keys) {
  check_search(current, reference, window, lambda);
  if (is_reference(form_)) return run_reference(queue, current, reference, window, lambda, keys);
  if (form_ == Form::collaborative_single)
    return run_single(queue, current, reference, window, lambda, keys);
  const int columns = blocks(current.width), rows = blocks(current.height);
  const Size items{size_t(columns), size_t(rows)};
  for (int y = window.y.first; y <= window.y.last(); y++)
    for (int x = window.x.first; x <= window.x.last(); x++) {
      const cl_int2 v{{x, y}};
      const cl_int start = x == window.x.first && y == window.y.first;
      if (form_ == Form::collaborative_local)
        kernel_(queue, items, current.buffer, reference.buffer, current.pitch, v, lambda, start,
                keys, columns, rows, cl::Local(2 * 16 * (kernel_.group().x + 1)));
      else
        kernel_(queue, items, current.buffer, reference.buffer, current.pitch, v, lambda, start,
                keys, columns, rows);
    }
}

void SearchForms::run_reference(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                                const SearchWindow &window, int lambda, const cl::Buffer &keys) {
  const size_t items = size_t(window.x.count) * window.y.count;
  const size_t most = context_->device().device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const size_t pixels =
      block * block + size_t(window.x.count + block - 1) * (window.y.count + block - 1);
  if (items > most ||
      items * sizeof(Key) + pixels > context_->device().device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>())
    throw Error(Error::Kind::settings,
                "The reference method has a work-item per candidate, and " +
                    context_->device().name + " can't have " + std::to_string(items) +
                    " of them in a group. Use windows of up to " +
                    std::to_string(static_cast<int>(std::sqrt(double(most))) + block - 1) +
                    " px or another form.");
  if (kernel_.group().x != items)
    kernel_ =
        Kernel(*context_,
               context_->program("research/motion/forms.cl", "-DITEMS=" + std::to_string(items)),
               names[static_cast<int>(form_)], {items, 1});
  const int columns = blocks(current.width), rows = blocks(current.height);
  kernel_(queue, {columns * items, size_t(rows)}, current.buffer, reference.buffer, current.pitch,
          first_of(window), count_of(window), lambda, keys, columns, cl::Local(items * sizeof(Key)),
          cl::Local(pixels));
}

void SearchForms::run_single(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                             const SearchWindow &window, int lambda, const cl::Buffer &keys) {
  const size_t candidates = size_t(window.x.count) * window.y.count;
  if (candidates > max_candidates)
    throw Error(Error::Kind::settings, "A single launch takes up to " +
                                           std::to_string(max_candidates) + " candidates, not " +
                                           std::to_string(candidates) +
                                           ". Use a range of up to 127 px or another form.");
  const int columns = blocks(current.width), rows = blocks(current.height);
  const size_t count = size_t(columns) * rows;
  if (count > min_costs_blocks_) {
    min_costs_ = cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
    min_costs_blocks_ = count;
  }
  queue.cl().enqueueFillBuffer(min_costs_, ~cl_uint(0), 0, count * sizeof(cl_uint));
  kernel_(queue, {size_t(columns), rows * candidates}, current.buffer, reference.buffer,
          current.pitch, first_of(window), count_of(window), lambda, min_costs_, columns, rows,
          cl::Local(2 * 16 * (kernel_.group().x + 1)));
  keys_kernel_(queue, {count, 1}, min_costs_, keys, first_of(window), count_of(window),
               static_cast<cl_int>(count));
}

}  // namespace glcl::research
