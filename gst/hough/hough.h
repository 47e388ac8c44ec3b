// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "canny.h"
#include "shape.h"
#include "strongest.h"

namespace glcl::hough {

/// A template from a picture on the device. Waits. Throws as Shape() does, and Error::failed.
std::shared_ptr<const Shape> make_shape(Queue &queue, const std::string &name,
                                        const Canny::Settings &settings, const Picture &picture);

/// Where shapes are in a frame, however turned and scaled: the fast generalised Hough transform
/// (Guil, González-Linares and Zapata 1999; Gómez Luna 2012), by pairs of edges whose directions
/// differ by a fixed angle.
///
/// A pair has an angle that turning and scaling leave alone, between the first one's gradient and
/// the way to the second. Every pair of edges of the frame that has it in common with one of the
/// template's gives a place, a turn and a scale, and votes for them, all at once, in a space of 36
/// turns, scales 10 % apart and cells of some px. The cells with most votes are candidates; there
/// the template's points look for edges of their direction beside them, a pose follows by least
/// squares, several times, and the share of the points that meet an edge at last is the score.
///
/// Directions are those of lines, in steps of 2° of 180: so it does not matter which side of an
/// edge is the brighter one.
class Hough {
 public:
  static constexpr int most_shapes = 16, most_objects = 64;
  static constexpr int most_edges = 20000;  ///< of a frame, the strongest ones
  static constexpr double least_scale = 0.25, most_scale = 4;

  struct Settings : Canny::Settings {
    double min_score = 0.2;
    int max_objects = 10;                      ///< 1 … most_objects
    double scale_min = 0.5, scale_max = 1.5;   ///< least_scale … most_scale
    double angle_min = -180, angle_max = 180;  ///< degrees counter-clockwise, from min on to max
    Region region;                             ///< where edges count; the whole frame if empty
  };

  struct Object {
    std::shared_ptr<const Shape> shape;
    double x, y;   ///< px, of the template's middle
    double angle;  ///< degrees counter-clockwise, above -180 to 180
    double scale;
    double score;  ///< 0 … 1
  };
  struct Objects {
    std::vector<Object> objects;  ///< by score, the best first
    unsigned used, edges;         ///< edges that the search used, and all of the frame
  };

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Hough(Context &context, int width, int height, Layout layout);

  /// What to look for, at most most_shapes. Allocates. Throws Error::failed, and Error::settings
  /// where those are too many.
  void set_shapes(std::vector<std::shared_ptr<const Shape>> shapes);
  const std::vector<std::shared_ptr<const Shape>> &shapes() const { return shapes_; }
  /// The points of a shape, for kernels.
  const cl::Buffer &points(size_t shape) const { return prepared_[shape].points; }

  /// Enqueues the search for edges, and with `objects` that for shapes.
  void run(Queue &queue, const Settings &settings, const Picture &in, bool objects = true);
  /// The next frame does not follow the last one.
  void reset() { canny_.reset(); }

  const Canny &canny() const { return canny_; }
  /// The votes for the last of the shapes, uint by turn, scale and cell; for tests.
  struct Space {
    cl::Buffer votes;
    int turns, scales, columns, rows;
    float first_scale, per_scale, cell;
  };
  Space space(const Settings &settings) const;
  /// What was found, result_bytes of it, for read().
  const cl::Buffer &result() const { return result_; }
  static constexpr size_t result_bytes = (1 + most_objects) * 32;
  static Objects read(const void *result, const std::vector<std::shared_ptr<const Shape>> &shapes);

 private:
  struct Prepared {
    cl::Buffer points, pairs, starts;
  };
  struct Scales {
    int count;
    float first;  ///< binary logarithm of the smallest, squared
  };

  void vote(Queue &queue, const Settings &settings, size_t index);
  Scales scales(const Settings &settings) const;
  void make_space(const Settings &settings);

  int width_, height_;
  cl::Context context_;
  Canny canny_;
  Strongest edges_, candidates_;
  primitives::Scan scan_;
  primitives::RadixSort sort_;
  Kernel vote_, peaks_, maxima_, verify_, choose_;
  cl::Buffer steps_count_, starts_, result_, objects_;
  cl::Buffer space_, votes_, planes_, best_votes_, maxima_buffer_;
  size_t space_size_ = 0, cells_size_ = 0;
  int cell_ = 0;
  cl_int2 cells_{};
  size_t vote_groups_;
  std::vector<std::shared_ptr<const Shape>> shapes_;
  std::vector<Prepared> prepared_;
};

}  // namespace glcl::hough
