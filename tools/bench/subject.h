// SPDX-License-Identifier: LGPL-2.1-or-later
// The benchmarks of an element for glcl-bench and glcl-tune: the work of its engines, the variants
// of its kernels, and the comparison with the scalar reference. There is one file per element in
// this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "limits.h"
#include "opencl/context.h"
#include "opencl/queue.h"
#include "opencl/tuning.h"
#include "reference/frames.h"

namespace glcl::bench {

/// The content of the frames.
enum class Content { random, natural, flat };
constexpr const char *content_names[] = {"random", "natural", "flat"};

/// Successive frames: the content moves by 3 px right and 2 px down per frame.
struct Scene {
  Content content = Content::natural;
  int width = 0, height = 0;  ///< px

  reference::Frame frame(int number = 0) const;
  /// Like frame(), but natural content is replaced by a texture with details everywhere.
  reference::Frame detailed(int number = 0) const;
};

/// Agreement of a result with the reference.
struct Agreement {
  bool good = false;  ///< within the tolerance that the engine promises
  std::string text;   ///< "0.01 % off by 1 level"
};

/// For frames of 8 bits per channel: good if no value differs by more than `tolerance` levels.
Agreement compare_levels(const reference::Frame &result, const reference::Frame &expected,
                         int tolerance);

/// For results that must be equal bit by bit: a buffer with as many values as `reference`.
template <class Value>
Agreement compare_equal(Queue &queue, const cl::Buffer &buffer, const std::vector<Value> &expected,
                        const char *what) {
  std::vector<Value> result(expected.size());
  queue.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, result.size() * sizeof(Value), result.data());
  return result == expected ? Agreement{true, "equal"}
                            : Agreement{false, std::string("other ") + what};
}

/// Prepared work that can be repeated.
struct Run {
  std::function<void(Queue &)> enqueue;
  /// Runs it once and compares the result; slow, for small scenes.
  std::function<Agreement(Queue &)> compare;
  Amounts least;  ///< the bytes and operations that any implementation needs
};

/// A piece of work of an element, in as many variants as its kernel has.
struct Task {
  std::string name;                  ///< "color, radius 4"
  const Tunable *tunable = nullptr;  ///< null if there is only one form
  std::string problem;  ///< of the tunable; empty for work that is measured but not tuned by
  std::function<Run(Context &, const Parameters &, const Scene &)> make;
};

/// One line of a table that shows the gain of each step of an optimisation.
struct Step {
  std::string name;
  std::function<Run(Context &, const Scene &)> make;
};

struct Ablation {
  std::string title;
  std::vector<Step> steps;
  /// The scalar computation of the same work on the host, done once; may be empty.
  std::function<void(const Scene &)> scalar;
};

/// The same work by other software, in ms by the wall clock.
struct Peer {
  std::string name;  ///< "OpenCV CPU, d=9"
  std::string task;  ///< the name of the compared work
  std::function<double(const Scene &, double seconds)> time;
  /// Describes its quality compared with the result on the device; unset: equal.
  std::function<std::string(Context &, const Scene &)> note{};
};

/// Costs of a device that glcl-tune measures once, without choosing among variants.
struct DeviceCosts {
  std::string name;
  const Tunable *tunable = nullptr;
  std::string problem;
  /// Takes about `seconds`; throws Error::failed if that was too short.
  std::function<Tuning(const std::shared_ptr<Context> &, double seconds)> measure;
};

struct Subject {
  std::string element;
  std::vector<Task> tasks;
  std::vector<DeviceCosts> device_costs;
  std::vector<Ablation> ablations;
  std::vector<Task> sweep;  ///< the same work over a range of a property, for a plot
  std::vector<Peer> peers;
};

/// A file adds work to an element's subject by a static object of this class.
struct Registration {
  Registration(const char *element, void (*add)(Subject &subject));
};

/// All elements with registered work, by name.
const std::vector<Subject> &subjects();
/// A subject by name, with or without the leading "glcl"; throws Error::settings with all names.
const Subject &subject(const std::string &element);

}  // namespace glcl::bench
