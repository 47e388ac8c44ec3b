// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-live [DEVICE]: the optical flow in the video of live cameras, and OpenCV's methods in a
// build with -Dpeers=enabled: noise, encoders, flickering light, a changing exposure under coarse
// compression. It uses made scenes and the photographs in images/ of the folder GLCL_DATA, static
// and moved, the static ones also by block search. Then block search under a panning camera, and
// with motion in half of the picture. Fails if a result is beyond its bound. Times are those of
// successive calls, transfers included.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

#include "coded.h"
#include "film.h"
#include "motion/motion.h"
#include "opencl/device.h"
#include "opticalflow/flow.h"
#include "opticalflow/preset.h"
#include "peers.h"
#include "program.h"
#include "reference/coding.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "statistics.h"

namespace {

using glcl::opticalflow::Flow;
using glcl::opticalflow::Preset;
using reference::Frame;
using reference::Motion;
using reference::opticalflow::Field;

constexpr int w = 320, h = 200;

/// Frames of a scene: the n-th one has moved n times.
struct Scene {
  std::string name;
  Motion motion;  // whole px per frame
  std::function<Frame(int number)> frame;
};

/// A scene as a camera sends it: the frames whose flow is measured.
struct Camera {
  std::string name;
  double error;  // the bound for moved scenes, of the median, px
  std::function<std::array<Frame, 2>(const Scene &scene)> take;
};

/// Lines that look like text, black on white.
Frame page(int width, int height) {
  std::mt19937 random(1);
  Frame page(width, height);
  std::fill(page.rgba.begin(), page.rgba.end(), uint8_t(240));
  for (int y = 0; y + 14 < height; y += 14)
    for (int x = 4; x + 6 < width; x += 6)
      for (int i = 0; i < 4 * 8 && random() % 6 > 0; i++)
        if (random() % 5 < 2) std::fill_n(page.at(x + i % 4, y + 3 + i / 4), 3, uint8_t(20));
  return page;
}

std::vector<Scene> scenes() {
  std::vector<Scene> all;
  const auto add = [&](const std::string &name, const Frame &scene, const Motion &moved = {3, -2}) {
    for (const Motion &motion : {Motion{}, moved})
      all.push_back({name, motion, [=](int number) {
                       const int x = (scene.width - w) / 2 - number * int(motion.x);
                       const int y = (scene.height - h) / 2 - number * int(motion.y);
                       return reference::crop(scene, x, y, w, h);
                     }});
  };
  const auto add_wall = [&](const char *name, const std::function<double(int x, int y)> &light) {
    Frame wall(w, h);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) std::fill_n(wall.at(x, y), 4, uint8_t(light(x, y)));
    all.push_back({name, {}, [=](int) { return wall; }});
  };
  add_wall("wall", [](int x, int) { return 110 + x / 16; });  // lit from one side
  add_wall("dark corners", [](int x, int y) {
    return 130 - 40 * (std::pow((x - w / 2.0) / 200, 2) + std::pow((y - h / 2.0) / 170, 2));
  });
  add("texture", reference::textured_frame(w + 80, h + 60));
  add("text", page(w + 80, h + 260), {0, -12});
  int number = 0;
  for (const Frame &picture : film::pictures())
    add("photograph " + std::to_string(++number), picture);
  return all;
}

/// The last two of `count` coded frames, of which every `group`th is an intra frame.
std::array<Frame, 2> coded(const Scene &scene, double step, double level, int group, int count,
                           const std::function<double(int number)> &light) {
  reference::Coder coder(step);
  std::array<Frame, 2> last;
  for (int i = 0; i < count; i++) {
    const Frame frame = reference::noisy(scene.frame(i), level, i, false, light(i));
    last[0] = last[1];
    last[1] = coder.code(frame, i % group == 0, int(scene.motion.x), int(scene.motion.y));
  }
  return last;
}

/// The last two of ten frames as a camera sends them.
std::array<Frame, 2> coded_pair(const Scene &scene, const std::string &codec) {
  const auto list = clips::coded(
      [&](int i) { return reference::noisy(scene.frame(i), 3, unsigned(i)); }, 10, codec);
  return {list[8], list[9]};
}

std::vector<Camera> cameras() {
  const auto noise = [](double level, bool shot) {
    return [=](const Scene &scene) {
      return std::array{reference::noisy(scene.frame(0), level, 1, shot),
                        reference::noisy(scene.frame(1), level, 2, shot)};
    };
  };
  const auto steady = [](int) { return 1.0; };
  const auto coding = [=](double step, double level, int count) {
    return [=](const Scene &scene) { return coded(scene, step, level, 6, count, steady); };
  };
  const auto flicker = [](const Scene &scene) {
    return std::array{reference::noisy(scene.frame(0), 2, 1),
                      reference::noisy(scene.frame(1), 2, 2, false, 0.94)};
  };
  const auto exposure = [](double step) {
    return [=](const Scene &scene) {
      return coded(scene, step, 2, 100, 6, [](int number) { return 1 - 0.02 * number; });
    };
  };
  std::vector<Camera> all{{"clean", 0.1, noise(0, false)},
                          {"noise 4", 0.2, noise(4, false)},
                          {"shot noise 8", 0.25, noise(8, true)},
                          {"coded, intra frame", 0.2, coding(10, 6, 7)},
                          {"coded, the next one", 0.2, coding(10, 6, 8)},
                          {"coarse, intra frame", 0.75, coding(24, 4, 7)},
                          {"coarse, the next one", 0.75, coding(24, 4, 8)},
                          {"light flickers", 0.1, flicker},
                          {"exposure, coded", 0.2, exposure(24)},
                          {"exposure, coarse", 0.2, exposure(40)}};
  const auto codecs = clips::codecs();
  for (const std::string &codec : codecs)
    all.push_back({codec, codec == "H.264" ? 0.3 : 0.1,
                   [codec](const Scene &scene) { return coded_pair(scene, codec); }});
  return all;
}

/// The fraction of the vectors of block search that are 0.
double zero_blocks(glcl::Queue &queue, const Frame &before, const Frame &after) {
  using glcl::motion::BlockMotion;
  using glcl::motion::MotionSummary;
  const glcl::Layout layout = glcl::layout_for(queue.context().device());
  BlockMotion motion(queue.context(), w, h, layout);
  BlockMotion::Settings settings;
  settings.noise = -1;
  motion.next(queue, settings, reference::upload(queue, before, layout));
  motion.next(queue, settings, reference::upload(queue, after, layout));
  std::vector<char> sums(BlockMotion::sums_bytes);
  queue.cl().enqueueReadBuffer(motion.sum_up(queue), CL_TRUE, 0, sums.size(), sums.data());
  return MotionSummary(motion.field(), w, h, sums.data()).zero;
}
constexpr double most_moving = 0.01, least_zero = 0.98;  // of a still scene

/// Frames of which the first `columns` columns move.
struct Pan {
  const char *name;
  int columns;
  double noise;
  double moves, rests;  ///< bounds of the parts of blocks that are right
  bool wall = false;    ///< the static part is a plain wall
  enum {
    goes_on,
    stops,
    cut
  } ends = goes_on;  ///< the change in the last frame; after a cut the scene is static
};
const Pan pans[] = {{"pans", w, 0, 0.95, 0},
                    {"pans, noise 2", w, 2, 0.7, 0},
                    {"half moves, noise 4", w / 2, 4, 0.2, 0.98},
                    {"most moves, noise 4", 3 * w / 4, 4, 0.2, 0.98},
                    {"by a wall, noise 2", w / 5, 2, 0.2, 0.98, true},
                    {"by a wall, noise 8", w / 2, 8, 0.1, 0.98, true},
                    {"stops, noise 2", w, 2, 0, 0.98, false, Pan::stops},
                    {"stops, noise 8", w, 8, 0, 0.98, false, Pan::stops},
                    {"after a cut, noise 4", w, 4, 0, 0.98, false, Pan::cut}};

/// The fractions of correct blocks in the last of five frames, among moving and among static ones;
/// 0 without any.
std::array<double, 2> right_blocks(glcl::Queue &queue, const Scene &scene, const Pan &pan) {
  using glcl::motion::BlockMotion;
  using glcl::motion::VectorField;
  const glcl::Layout layout = glcl::layout_for(queue.context().device());
  BlockMotion motion(queue.context(), w, h, layout);
  BlockMotion::Settings settings;
  settings.noise = -1;
  motion.prepare(settings);
  for (int i = 0; i < 5; i++) {
    Frame frame = pan.wall ? reference::flat_frame(w, h) : scene.frame(0);
    const int number = pan.ends == Pan::stops ? std::min(i, 3)
                       : pan.ends == Pan::cut ? i / 3 * 12
                                              : i;
    const Frame moved = scene.frame(number);
    for (int y = 0; y < h; y++) std::copy_n(moved.at(0, y), 4 * pan.columns, frame.at(0, y));
    motion.next(queue, settings,
                reference::upload(queue, reference::noisy(frame, pan.noise, 1 + i), layout));
  }
  const VectorField &field = motion.field();
  const cl::Buffer copy(queue.context().cl(), CL_MEM_READ_WRITE, field.bytes);
  motion.copy_field(queue, copy);
  std::vector<char> bytes(field.bytes);
  queue.cl().enqueueReadBuffer(copy, CL_TRUE, 0, bytes.size(), bytes.data());
  const auto *vectors = reinterpret_cast<const glcl::motion::Vector *>(bytes.data());
  std::array<double, 2> right{}, all{};
  for (int y = 1; y < field.rows - 1; y++)
    for (int x = 1; x < field.columns - 1; x++) {
      const bool rests = pan.ends != Pan::goes_on || x * field.cell >= pan.columns;
      if (!rests && (x + 1) * field.cell > pan.columns) continue;  // on the edge
      const auto v = vectors[y * field.columns + x];
      const double vx = rests ? 0 : scene.motion.x, vy = rests ? 0 : scene.motion.y;
      all[rests]++, right[rests] += v.x == 4 * vx && v.y == 4 * vy;
    }
  for (int i = 0; i < 2; i++) right[i] = all[i] > 0 ? right[i] / all[i] : 0;
  return right;
}

/// Prints the results of block search for the pans; returns how many are below their bounds.
int compare_pans(glcl::Queue &queue, const std::vector<Scene> &scenes) {
  int below = 0;
  std::printf("parts of block search's vectors that are right\n%-20s %-13s %10s %10s\n", "camera",
              "scene", "moves", "rests");
  for (const Pan &pan : pans)
    for (const Scene &scene : scenes) {
      if ((!scene.motion.x && !scene.motion.y) || scene.name == "text") continue;
      const auto [moves, rests] = right_blocks(queue, scene, pan);
      const bool good = moves >= pan.moves && rests >= pan.rests;
      std::printf("%-20s %-13s %10.3f %10.3f%s\n", pan.name, scene.name.c_str(), moves, rests,
                  good ? "" : "!");
      below += !good;
    }
  return below;
}

/// A method to compare, and its total time.
struct Method {
  std::string name;
  bool ours;
  std::function<Field(const Frame &before, const Frame &after)> flow;
  std::vector<double> ms;
};

std::vector<Method> methods(glcl::Queue &queue) {
  std::vector<Method> all;
  const std::pair<const char *, Preset> presets[] = {
      {"fast", Preset::fast}, {"balanced", Preset::balanced}, {"accurate", Preset::accurate}};
  for (const auto &[name, preset] : presets) {
    const auto values = glcl::opticalflow::preset_values(preset);
    const Flow::Settings settings = glcl::opticalflow::flow_settings(values);
    const glcl::Layout layout = glcl::layout_for(queue.context().device());
    const auto engine = std::make_shared<Flow>(queue.context(), w, h, layout, values.channels);
    engine->prepare(settings);
    all.push_back({name,
                   true,
                   [=, &queue](const Frame &before, const Frame &after) {
                     engine->reset();
                     engine->run(queue, settings, reference::upload(queue, before, layout));
                     engine->run(queue, settings, reference::upload(queue, after, layout));
                     return reference::opticalflow::download(queue, engine->field());
                   },
                   {}});
  }
  for (const Peer &peer : peers()) all.push_back({peer.name, false, peer.flow, {}});
  return all;
}

int run(int argc, char **argv) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(argc > 1 ? argv[1] : "auto")));
  std::vector<Method> methods = ::methods(queue);
  const std::vector<Scene> scenes = ::scenes();
  int above = 0;
  std::printf(
      "%s\nfraction that moves of still scenes, and of block search's vectors that are 0; median "
      "error "
      "in px of moved ones\n%-20s %-13s",
      queue.context().device().name.c_str(), "camera", "scene");
  for (const Method &method : methods) std::printf(" %10s", method.name.c_str());
  std::printf("\n");
  unsigned number = 0;
  for (const Camera &camera : cameras()) {
    std::map<std::pair<bool, size_t>, double> worst;
    for (size_t i = 0; i < scenes.size(); i++) {
      const Scene &scene = scenes[i];
      if ((i + i / 2 + number) % 2 && accuracy::few_rows()) continue;
      const bool still = !scene.motion.x && !scene.motion.y;
      const double bound = still ? most_moving : camera.error;
      const auto [before, after] = camera.take(scene);
      std::printf("%-20s %-13s %-6s", camera.name.c_str(), scene.name.c_str(),
                  still ? "still" : "moved");
      for (size_t i = 0; i < methods.size(); i++) {
        Method &method = methods[i];
        const auto start = std::chrono::steady_clock::now();
        const Field field = method.flow(before, after);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        method.ms.push_back(took.count() * 1e3);
        const accuracy::FieldSummary f = accuracy::summarize(field, scene.motion);
        const double value = still ? f.moving : f.error;
        double &most = worst[{still, i}];
        most = std::max(most, value);
        const bool good = !method.ours || value <= bound;
        std::printf(" %9.3f%s", value, good ? " " : "!");
        above += !good;
      }
      if (still) {
        const double zero = zero_blocks(queue, before, after);
        const bool good = zero >= least_zero;
        std::printf("  %5.3f%s", zero, good ? "" : "!");
        above += !good;
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    number++;
    for (bool still : {true, false}) {
      std::printf("%-20s %-13s %-6s", camera.name.c_str(), "the worst", still ? "still" : "moved");
      for (size_t i = 0; i < methods.size(); i++) std::printf(" %9.3f ", worst[{still, i}]);
      std::printf("\n");
    }
  }
  std::printf("%-41s", "ms for two frames, median");
  for (const Method &method : methods) std::printf(" %9.1f ", accuracy::median(method.ms));
  std::printf("\n");
  above += compare_pans(queue, scenes);
  return accuracy::report(above, "results");
}

}  // namespace

int main(int argc, char **argv) { return accuracy::main(argc, argv, run); }
