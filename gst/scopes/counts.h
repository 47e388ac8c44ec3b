// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "scopes/interface.h"
#include "values.h"

namespace glcl::scopes {

/// Counts the values of frames, exactly: those of each column, and the chroma samples by Cb and Cr.
class ScopeCounts {
 public:
  /// For frames of width × height px. `spare_bytes`: room behind numbers(). `group`: work-items per
  /// group, 1 for CPU devices; 0 chooses. Throws Error::failed if the device refuses.
  ScopeCounts(Context &context, int width, int height, const ScopeValues &values,
              size_t spare_bytes = 0, int group = 0);

  const ScopeValues &values() const { return values_; }
  /// The number of columns in which an area is counted: at most MOST_COLUMNS, and none without
  /// samples.
  int columns(const Rect &area) const;

  /// Enqueues the counts of an area inside the frame. `parts`: bits, COUNT_COLUMNS and
  /// COUNT_CHROMA. The results of each part last until its next count. Never waits.
  void count(Queue &queue, const Picture &in, const Rect &area,
             int parts = COUNT_COLUMNS | COUNT_CHROMA);

  /// The counts of columns: [channel][value][column] of cl_uint.
  const cl::Buffer &counts() const { return buffers_.counts; }
  /// The counts of chroma samples: [Cr][Cb], SIDE of each, of the upper 8 bits. All are 0 for
  /// frames without chroma.
  const cl::Buffer &cells() const { return buffers_.cells; }
  /// The number of chroma samples of an area.
  cl_float chroma_samples(const Rect &area) const;

  /// Enqueues the samples of each value, from counts of count(): [channel][value].
  const cl::Buffer &totals(Queue &queue, const Rect &area);
  /// Their heights as bars: [channel][value], at most FULL_HEIGHT.
  const cl::Buffer &heights(Queue &queue, const Rect &area, bool logarithmic);
  /// Numbers from both parts of count(): [channel][COLUMN_VALUES][columns], then
  /// COLOUR_NUMBERS. number_count() cl_uint.
  const cl::Buffer &numbers(Queue &queue, const Rect &area);
  size_t number_count(const Rect &area) const;
  /// Enqueues the numbers of each line of an area: [channel][COLUMN_VALUES][line], from out[first]
  /// on. A line has the chroma samples that it shares with its neighbours. Never waits.
  void lines(Queue &queue, const Picture &in, const Rect &area, const cl::Buffer &out, int first);

 private:
  Legal legal_of(int columns) const;
  void make_counted(Context &context, size_t counts);
  void count_columns_on_cpu(Queue &queue, const Picture &in, const Rect &area);
  void count_chroma_on_cpu(Queue &queue, const Picture &in, const Rect &area);

  ScopeValues values_;
  int group_, tile_, bands_, copies_;
  struct {
    Kernel count, count_chroma, add_copies, columns, totals, heights, hues, lines;
  } kernels_;
  struct {
    cl::Buffer counted;  // both of the following, which are parts of it
    cl::Buffer counts, cells, totals, heights, numbers, hue_table;
  } buffers_;
};

}  // namespace glcl::scopes
