// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "histogram/histogram.h"

namespace glcl::research {

/// The histogram of frames in buffers, counted in the ways that J. Gómez Luna compares
/// ("Programming issues for video analysis on Graphics Processing Units", PhD thesis, Córdoba 2012,
/// chapter 4). All give the counts of histogram::Histogram.
class HistogramForms {
 public:
  enum Form {
    group,      ///< copies of the counters in local memory, neighbours take turns (R per block)
    sub_group,  ///< a copy per 32 work-items
    global,     ///< no copies, every vote goes to global memory
    sort,       ///< sorted and counted
  };
  /// Where the copies lie: one after the other, with a word in between, those of a counter side by
  /// side, those of two channels' counters in one word.
  enum Padding { unpadded, padded, side_by_side, packed };

  struct Variant {
    Form form = group;
    int copies = 4;  ///< 0: the most, by Equation 4.4
    Padding padding = padded;
    bool interleave = false;  ///< the 32s of a group read far apart
    bool merge = false;       ///< four equal pixels are one vote
    int pixels = 4;           ///< of a run
    int items = 1024;         ///< of a group
    int groups = 1;           ///< per compute unit
  };

  /// Equation 4.4: the most copies of the counters that `groups` groups of a compute unit can have
  /// in its local memory.
  static int replication(size_t local_bytes, int groups, int counters, bool padded);

  /// For frames of width × height px. Throws Error::settings where the device can't have the
  /// variant.
  HistogramForms(Context &context, int width, int height,
                 const histogram::Histogram::Format &format, const Variant &variant);

  /// Enqueues the histogram of a frame in a buffer, rows `pitch` px apart. The result, as of
  /// histogram::Histogram::run, holds until the next call.
  const cl::Buffer &run(Queue &queue, const cl::Buffer &in, int pitch);

 private:
  cl_int4 area_;
  size_t items_;
  Kernel kernel_;
  cl::Buffer results_[2];  // the last one and zeros for the next
};

}  // namespace glcl::research
