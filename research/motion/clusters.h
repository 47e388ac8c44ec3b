// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "camera/camera.h"
#include "hough/primitives.h"
#include "reference/camera/ransac.h"

namespace glcl::research {

/// Objects by vectors alone, after J. Gómez Luna's thesis (2012). The camera's motion is
/// subtracted, and the residuals vote in 127×127 bins. Every pixel gets the peak that most vectors
/// in 7×7 px around it belong to. The results of all forms equal those of the scalar one.
class Clusters {
 public:
  enum class Form {
    plain,      ///< every pixel looks at every vector
    compacted,  ///< at those that differ from the camera's motion
    sorted,     ///< at those of them in the rows around it
  };
  static constexpr int side = 127, bins = side * side, max_clusters = 16;
  struct Settings {
    camera::SimilarityMotion motion;  ///< of the camera
    int copies = 16;                  ///< of the histogram, 1 … 64
    cl_uint min_votes = 16;           ///< votes that make a peak
  };

  /// For frames of up to 1023 rows and 65535 columns, and up to `capacity` vectors. Throws
  /// Error::failed where the device refuses.
  Clusters(Context &context, Form form, int width, int height, size_t capacity);

  /// Enqueues it for `count` float4 (x, y, vx, vy), px, places from the frame's centre.
  void run(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count);
  /// Enqueues only the vectors left, their histogram and its peaks.
  void histogram(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count);

  /// uchar a pixel: the cluster from 1 on, 0 none.
  const cl::Buffer &pixels() const { return pixels_; }
  /// uint for each pair of speeds from (-63, -63) on.
  const cl::Buffer &votes() const { return sums_; }
  /// uint: bins of the peaks, the first 16 count; and how many.
  const cl::Buffer &peaks() const { return peaks_; }
  const cl::Buffer &peak_count() const { return peak_count_; }

  struct Expected {
    std::vector<cl_uint> votes, peaks;
    std::vector<cl_uchar> pixels;
  };
  /// The same, one vector and one pixel after the other.
  static Expected scalar(const Settings &settings, int width, int height,
                         const std::vector<reference::CameraVector> &vectors);

 private:
  Form form_;
  cl_int2 size_;
  Kernel subtract_camera_, vote_, sum_, peaks_kernel_, pixels_kernel_;
  hough::Compaction compaction_;
  hough::RadixSort sort_;
  hough::Scan scan_;
  cl::Buffer rows_, list_, count_, compacted_rows_, compacted_, unused_, compacted_count_, starts_,
      row_count_, copies_, sums_, found_, bin_count_, peaks_, peak_votes_, peak_count_,
      no_histogram_, pixels_;
};

/// The camera's motion with the host in the loop: a launch that draws, one that counts, and a wait
/// for each iteration. As camera::Ransac before its fit.
class HostRansac {
 public:
  explicit HostRansac(Context &context);
  /// Waits. The iteration with most inliers, of equal ones the first, and these.
  std::pair<int, int> run(Queue &queue, const cl::Buffer &vectors, int count, cl_uint seed,
                          int iterations, float error);

 private:
  Kernel draw_, count_;
  cl::Buffer motion_, inliers_;
};

}  // namespace glcl::research
