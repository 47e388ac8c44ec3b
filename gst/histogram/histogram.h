// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <optional>
#include <string>

#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/rect.h"
#include "opencl/tuning.h"

namespace glcl::histogram {

/// Computes the exact histogram of frames, with counters of 32 bits. A fixed number of work-groups
/// have several copies of the counters in local memory (Gómez Luna 2012).
///
/// One launch counts and adds: each group adds its counters to the result, and clears the result
/// buffer of the next launch. The result of a frame is `counters` cl_uint, channel by channel, bin
/// by bin. Level v of 8 bits falls into bin v * bins / 256. If counts_illegal(), the numbers of
/// pixels below black and above white follow; the bins contain these too.
class Histogram {
 public:
  enum class Mode {
    luma,      ///< (77 R + 150 G + 29 B + 128) / 256, rounded down; or the frame's plane of luma
    rgb,       ///< three channels
    rgba,      ///< four
    color_8,   ///< joint: 8 levels each of R, G and B, bin (r * 8 + g) * 8 + b
    color_16,  ///< joint with 16 levels
    grey_8,    ///< frames of one channel, 8 bits (buffers only)
    grey_16,   ///< 16 bits, of which the lowest `depth` are used; larger values count in the last
               ///< bin
  };

  /// The values that the bins of luma divide, in frames with a plane of luma.
  enum class Levels {
    display,  ///< levels, rounded: black is 0, white 255
    code,     ///< the upper 8 bits of the stored values
  };

  /// The bins of a histogram, and the values that they count.
  struct Format {
    Mode mode = Mode::luma;
    int bins = 256;  ///< per channel, a power of two: 2–256, to 4096 for grey_16; not for color
    int depth = 16;  ///< grey_16 only
    Levels values = Levels::display;

    int channels() const;
    int levels() const;  ///< bins per channel; levels per axis for color
    int counters() const;

    bool operator==(const Format &other) const {
      return mode == other.mode && bins == other.bins && depth == other.depth &&
             values == other.values;
    }
  };

  /// The implementation. All give the same counts.
  enum Form {
    group,   ///< copies of the counters in local memory, adjacent items use different ones
    global,  ///< no copies, every vote goes to global memory; for bins that exceed local memory
    item,    ///< copies per work-item in global memory, no atomics; for CPU devices
  };

  /// Its parameters: form, copies, packed (1: two channels' counters in one word), merge (1: four
  /// equal pixels are one vote), pixels (of a run), group, groups (per compute unit). Problems: see
  /// problem().
  static const Tunable &tunable();
  static std::string problem(const Format &format, Layout layout);
  /// The build options of count.clh for a format.
  static std::string options(const Format &format, const FrameFormat &frame);
  /// True if the histogram reads frames that have a plane of luma; else it needs RGBA.
  static bool reads_luma(const Format &format) { return format.mode == Mode::luma; }
  /// True if it counts code values. Frames in RGB have none of luma.
  static bool counts_code(const Format &format, const FrameFormat &frame) {
    return reads_luma(format) && frame.pixels->has_luma() && format.values == Levels::code;
  }
  /// True if values below black and above white exist; then it counts each in one more counter.
  static bool counts_illegal(const Format &format, const FrameFormat &frame) {
    return reads_luma(format) && frame.pixels->has_luma() && !frame.colorimetry.full_range;
  }
  /// The number of counters in the result of a frame.
  static int counters(const Format &format, const FrameFormat &frame) {
    return format.counters() + (counts_illegal(format, frame) ? 2 : 0);
  }

  /// Throws Error::settings if a format is not supported in this layout.
  static void check(const Format &format, Layout layout);

  /// Builds the programs for frames of at most width × height px, up to `frames` frames per launch.
  /// Throws Error::settings if the format or size is not supported, Error::failed if the device
  /// refuses.
  Histogram(Context &context, int width, int height, const Format &format, const FrameFormat &frame,
            int frames = 1, const std::optional<Parameters> &parameters = {});

  const Format &format() const { return format_; }
  /// The size of the result of a frame.
  size_t bytes() const { return sizeof(cl_uint) * counters(format_, frame_); }

  /// Enqueues the histogram of an area of a frame; never waits. The returned buffer holds the
  /// result for work that is enqueued before the second call after this one. All calls use one
  /// queue. Throws Error::settings for an area that is not inside the frame.
  const cl::Buffer &run(Queue &queue, const Picture &in, const Rect &area);

  /// Counts `count` frames in one launch, in a buffer of RGBA (grey modes: cl_uchar or cl_ushort).
  /// Rows are `pitch` pixels apart, frames `frame_pitch`. One result follows the other.
  const cl::Buffer &run(Queue &queue, const cl::Buffer &in, int pitch, int frame_pitch, int count,
                        const Rect &area);

 private:
  void build(Context &context, const Parameters &parameters);
  Rect checked(const Rect &area) const;
  bool is_whole(const Rect &area, int pitches) const;
  template <class Source>
  const cl::Buffer &launch(Queue &queue, const Source &in, int pitch, int frame_pitch, int count,
                           const Rect &area);

  Format format_;
  FrameFormat frame_;
  int width_, height_, frames_;
  Kernel kernel_, whole_runs_;         // for any area; for areas of whole runs
  int run_ = 1;                        // px
  size_t items_ = 1;                   // along x
  std::array<cl::Buffer, 3> results_;  // the last result, the one before, and zeros for the next
  size_t turn_ = 0;                    // index of the next result
  int cleared_ = 0;                    // frames that are zero in the next result
  cl::Buffer scratch_;                 // the copies of Form::item
};

}  // namespace glcl::histogram
