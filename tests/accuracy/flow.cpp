// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-flow [DEVICE]: the mean end-point error of the optical flow, in px over all pixels whose
// truth is known, borders included, as a table. Scenes of its own, and the pairs in flow/ of the
// folder GLCL_DATA; fails where a row is above its bound.
#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "opencl/device.h"
#include "opticalflow/flow.h"
#include "reference/opticalflow/flow.h"
#include "reference/textured.h"
#include "reference/transfer.h"

namespace {

namespace fs = std::filesystem;
using glcl::opticalflow::Flow;
using reference::Field;
using reference::Frame;
using reference::Motion;

struct Pair {
  std::string name;
  Frame before, after;
  Field truth;
  double bounds[2];  // px, grey and census
};

Field nothing_known(Field truth, const std::function<bool(int x, int y)> &where) {
  for (int y = 0; y < truth.height; y++)
    for (int x = 0; x < truth.width; x++)
      if (where(x, y)) truth.vectors[2 * (size_t(y) * truth.width + x)] = 2e9f;
  return truth;
}

std::vector<Pair> made_pairs() {
  const int w = 320, h = 240;
  const Frame still = reference::textured_frame(w, h);
  std::vector<Pair> pairs;
  const auto add = [&](const char *name, const Motion &motion, double grey, double census) {
    pairs.push_back({name,
                     still,
                     reference::textured_frame(w, h, motion),
                     reference::motion_field(w, h, motion),
                     {grey, census}});
  };
  add("moved by (0.3, -0.2)", {0.3, -0.2}, 0.03, 0.05);
  add("moved by (7.6, 4.3)", {7.6, 4.3}, 0.03, 0.06);
  add("moved by (-14, 9)", {-14, 9}, 0.05, 0.05);
  add("moved by (-31, 12)", {-31, 12}, 3, 1);
  add("turned by 3°", {0, 0, 0.052}, 0.1, 0.1);
  add("grown by 4 %", {0, 0, 0, 1.04}, 0.1, 0.1);

  const Motion motion{2.4, 1.3};
  const Frame moved = reference::textured_frame(w, h, motion);
  const Field truth = reference::motion_field(w, h, motion);
  pairs.push_back(
      {"moved, light 20 % down", still, reference::relit(moved, 0.8, 0), truth, {0.15, 0.1}});
  pairs.push_back(
      {"moved, 25 levels up", still, reference::relit(moved, 0.9, 25), truth, {0.15, 0.1}});

  // A disc in front moves the other way; what it newly covers has no truth.
  const Motion opposite{-3.5, 2.2};
  const int centre_x = w / 2, centre_y = h / 2;
  const auto disc = [=](double dx, double dy) {
    return [=](int x, int y) { return std::hypot(x - centre_x - dx, y - centre_y - dy) < 60; };
  };
  const Frame front = reference::textured_frame(w, h, {}, 2);
  Field both = truth;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      if (disc(0, 0)(x, y)) {
        both.vectors[2 * (size_t(y) * w + x)] = float(opposite.x);
        both.vectors[2 * (size_t(y) * w + x) + 1] = float(opposite.y);
      }
  both = nothing_known(both, [&](int x, int y) {
    return !disc(0, 0)(x, y) && disc(opposite.x, opposite.y)(int(x + motion.x), int(y + motion.y));
  });
  pairs.push_back({"a disc moves in front",
                   reference::covered(still, front, disc(0, 0)),
                   reference::covered(moved, reference::textured_frame(w, h, opposite, 2),
                                      disc(opposite.x, opposite.y)),
                   both,
                   {0.2, 0.2}});
  return pairs;
}

std::vector<Pair> real_pairs() {
  const char *data = std::getenv("GLCL_DATA"), *source = std::getenv("GLCL_SOURCE");
  const fs::path folder =
      (data ? fs::path(data) : fs::path(source ? source : ".") / "../shared/data") / "flow";
  const struct {
    const char *name;
    double bounds[2];
  } known[] = {{"Dimetrodon", {0.20, 0.13}}, {"RubberWhale", {0.24, 0.14}}, {"Urban2", {1.2, 0.6}}};
  std::vector<Pair> pairs;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none)) {
    const fs::path path = entry.path();
    if (!fs::exists(path / "flow10.flo")) continue;
    Pair pair{path.filename(),
              reference::load_png(path / "frame10.png"),
              reference::load_png(path / "frame11.png"),
              reference::load_flo(path / "flow10.flo"),
              {99, 99}};
    for (const auto &[name, bounds] : known)
      if (pair.name == name) std::copy(bounds, bounds + 2, pair.bounds);
    pairs.push_back(pair);
  }
  if (pairs.empty()) std::printf("SKIP: no pairs with truth in %s\n", folder.c_str());
  std::sort(pairs.begin(), pairs.end(), [](auto &a, auto &b) { return a.name < b.name; });
  return pairs;
}

double error_of(glcl::Queue &queue, const Pair &pair, Flow::Channels channels) {
  const glcl::Device &device = queue.context().device();
  const glcl::Layout layout = glcl::layout_for(device);
  Flow flow(queue.context(), pair.before.width, pair.before.height, layout, channels);
  const Flow::Settings settings;
  flow.run(queue, settings, reference::upload(queue, pair.before, layout));
  flow.run(queue, settings, reference::upload(queue, pair.after, layout));
  return reference::end_point_error(reference::download(queue, flow.field()), pair.truth);
}

int run(const std::string &wish) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::vector<Pair> pairs = made_pairs();
  for (Pair &pair : real_pairs()) pairs.push_back(std::move(pair));
  std::printf("%s\n%-24s %8s %10s %8s\n", queue.context().device().name.c_str(), "AEE in px",
              "none", "pyramidal", "census");
  int above = 0;
  for (const Pair &pair : pairs) {
    Field none = pair.truth;
    std::fill(none.vectors.begin(), none.vectors.end(), 0.0f);
    std::printf("%-24s %8.3f", pair.name.c_str(), reference::end_point_error(none, pair.truth));
    for (int i = 0; i < 2; i++) {
      const double error = error_of(queue, pair, i ? Flow::Channels::census : Flow::Channels::grey);
      const bool good = error <= pair.bounds[i];
      std::printf(" %8.3f%s", error, good ? " " : "!");
      above += !good;
    }
    std::printf("\n");
  }
  if (above) std::printf("%d results are above their bounds (!)\n", above);
  return above ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  try {
    return run(argc > 1 ? argv[1] : "auto");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
