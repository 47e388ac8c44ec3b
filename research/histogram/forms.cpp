// SPDX-License-Identifier: LGPL-2.1-or-later
#include "forms.h"

#include <algorithm>
#include <utility>

#include "opencl/error.h"

namespace glcl::research {

namespace {

using histogram::Histogram;
using Format = Histogram::Format;
using Variant = HistogramForms::Variant;

constexpr int sub_group_items = 32;
constexpr size_t reserved_local_memory = 256;
constexpr size_t most_in_half_a_word = 65535;

/// Of local memory, for one copy of the counters.
int words_of(const Format &format, const Variant &v) {
  return v.padding == HistogramForms::packed
             ? (format.channels() + 1) / 2 * (format.counters() / format.channels())
             : format.counters() + (v.padding == HistogramForms::padded);
}

int copies_of(const Format &format, const Variant &v, size_t local_memory) {
  if (v.form == HistogramForms::sub_group) return std::max(v.items / sub_group_items, 1);
  if (v.form != HistogramForms::group) return 0;
  if (v.copies) return v.copies;
  return std::min(HistogramForms::replication(local_memory, v.groups, words_of(format, v), false),
                  v.items);
}

/// Groups of a frame: as many as the variant says, or, where half a word could overflow, as many as
/// make sure that it does not.
size_t groups_of(const Device &device, const Variant &v, int copies, size_t runs) {
  size_t groups = size_t(device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) * v.groups;
  if (v.padding != HistogramForms::packed) return groups;
  const size_t sharing = (v.items + copies - 1) / copies;
  while ((runs / (groups * v.items) + 2) * v.pixels * sharing > most_in_half_a_word) groups *= 2;
  return groups;
}

bool can_run(const Device &device, const Format &format, const Variant &v, int copies,
             size_t local_memory) {
  if (size_t(v.items) > device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>()) return false;
  if (v.form == HistogramForms::sort)
    return (v.items & (v.items - 1)) == 0 &&
           sizeof(cl_uint) * (v.items + 2 * size_t(format.counters())) <= local_memory;
  if (v.merge && v.pixels % 4) return false;
  if (v.padding == HistogramForms::packed && format.channels() < 2) return false;
  if (v.form == HistogramForms::global) return v.padding == HistogramForms::unpadded;
  return copies >= 1 && copies <= v.items &&
         sizeof(cl_uint) * words_of(format, v) * copies <= local_memory;
}

}  // namespace

int HistogramForms::replication(size_t local_bytes, int groups, int counters, bool padded) {
  return static_cast<int>(local_bytes / sizeof(cl_uint) /
                          (size_t(groups) * (counters + (padded ? 1 : 0))));
}

HistogramForms::HistogramForms(Context &context, int width, int height, const Format &format,
                               const Variant &v)
    : area_{{0, 0, width, height}} {
  Histogram::check(format, Layout::buffer);
  const Device &device = context.device();
  const size_t all = device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>(),
               local_memory = all > reserved_local_memory ? all - reserved_local_memory : 0;
  const int copies = copies_of(format, v, local_memory);
  if (!can_run(device, format, v, copies, local_memory))
    throw Error(Error::Kind::settings, device.name + " can't compute the histogram this way.");
  const auto define = [](const char *name, int value) {
    return std::string(" -D") + name + "=" + std::to_string(value);
  };
  const bool interleaved = v.padding == side_by_side || v.padding == packed;
  std::string options = Histogram::options(format, Layout::buffer) + define("GROUP", v.items) +
                        define("PIXELS", v.pixels);
  if (v.form != sort)
    options += define("COPIES", copies) + define("BY_SUB_GROUP", v.form == sub_group) +
               define("INTERLEAVE", v.interleave) + define("MERGE", v.merge) +
               define("PACKED", v.padding == packed) +
               define("COPY_STEP", interleaved ? 1 : words_of(format, v)) +
               define("WORD_STEP", interleaved ? copies : 1);
  const std::string name = v.form == sort ? "sort" : "layout";
  const Program program = context.program("research/histogram/" + name + ".cl", options.substr(1));
  kernel_ = Kernel(context, program, "histogram_" + name, {size_t(v.items), 1});
  const size_t runs = size_t(width / v.pixels + 1) * height;
  items_ = groups_of(device, v, copies, runs) * v.items;
  std::vector<cl_uint> zeros(format.counters());
  for (cl::Buffer &result : results_)
    result = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        sizeof(cl_uint) * zeros.size(), zeros.data());
}

const cl::Buffer &HistogramForms::run(Queue &queue, const cl::Buffer &in, int pitch) {
  kernel_(queue, {items_, 1}, in, pitch, 0, area_, results_[0], results_[1]);
  std::swap(results_[0], results_[1]);
  return results_[1];
}

}  // namespace glcl::research
