// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-range [--all] [DEVICE]: how good the prediction is, and how long it takes, with fixed
// ranges and with one that adapts: on clips that are made, whose camera rests, pans, jumps and
// comes nearer, and in which something moves by itself. Fails where the one that adapts is more
// than 0.1 dB below the largest on those that rest, pan and jump, or tries more than 40 % of its
// candidates (0.2 dB and 45 % where the clip is coded), or where the defaults get a pan or a car at
// 1080p wrong. Each clip also runs as cameras code it, at a low rate. --all: all clips and ranges,
// of larger frames, and of photographs.
#include <gst/gst.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>

#include "coded.h"
#include "film.h"
#include "motion/motion.h"
#include "opencl/error.h"
#include "reference/frames.h"
#include "reference/textured.h"
#include "reference/transfer.h"

namespace {

using namespace glcl;
using motion::BlockMotion;
using motion::MotionSummary;
using motion::VectorField;
using reference::Frame;

constexpr int margin = 320, largest = 64;
constexpr double noise = 2;
/// Converts a pixel (x, y) of a frame to its position in the scene, from the corner.
using PixelToScene = void (*)(int number, double &x, double &y);

struct Clip {
  const char *name;
  PixelToScene to_scene;
  bool strict = false;          ///< its bound is checked
  bool has_foreground = false;  ///< a part of the scene moves over it
};

const Clip made_clips[] = {
    {"rests", [](int, double &, double &) {}, true},
    {"pans by 18 px", [](int number, double &x, double &) { x += 18 * number; }, true},
    {"pans by 9 and 5 px",
     [](int number, double &x, double &y) {
       x += 9 * number;
       y += 5 * number;
     }},
    {"jumps by 40 and 30 px every 5th frame",
     [](int number, double &x, double &y) {
       x += 40 * int(number / 5);
       y += 30 * int(number / 5);
     },
     true},
    {"comes nearer by 3 %",
     [](int number, double &x, double &y) {
       const double zoom = std::pow(0.97, number);
       x *= zoom;
       y *= zoom;
     }},
    {"something moves by 25 px", [](int, double &, double &) {}, false, true},
};

/// The codings of each clip: none, "", and by codecs.
std::vector<std::string> codings() {
  std::vector<std::string> list = clips::codecs();
  list.insert(list.begin(), "");
  return list;
}

class CroppedScene {
 public:
  CroppedScene(Frame scene, int width, int height)
      : width_(width), height_(height), scene_(std::move(scene)) {}

  Frame frame(const Clip &clip, int number) const {
    Frame frame(width_, height_);
    for (int y = 0; y < height_; y++)
      for (int x = 0; x < width_; x++) {
        double u = x, v = y;
        clip.to_scene(number, u, v);
        const int left = 40 + 25 * number, top = height_ / 3;
        if (clip.has_foreground && x >= left && x < left + width_ / 5 && y >= top && y < 2 * top) {
          u = x - left + margin;
          v = y - top + 10;
        }
        sample(u + margin, v + margin, frame.at(x, y));
      }
    return reference::noisy(frame, noise, 100 + number);
  }

 private:
  /// The scene goes on as in a mirror.
  const uint8_t *at(int x, int y) const {
    const auto inside = [](int i, int count) {
      i %= 2 * count;
      return i < count ? i : 2 * count - 1 - i;
    };
    return scene_.at(inside(x, scene_.width), inside(y, scene_.height));
  }
  void sample(double x, double y, uint8_t *out) const {
    const int left = static_cast<int>(x), top = static_cast<int>(y);
    const double a = x - left, b = y - top;
    for (int c = 0; c < 4; c++)
      out[c] = static_cast<uint8_t>(
          std::lround((1 - b) * ((1 - a) * at(left, top)[c] + a * at(left + 1, top)[c]) +
                      b * ((1 - a) * at(left, top + 1)[c] + a * at(left + 1, top + 1)[c])));
  }

  int width_, height_;
  Frame scene_;
};

/// The statistics of a search over a clip.
struct SearchResult {
  double psnr = 0, ms = 0, range = 0, candidates = 0;  // means
  double explained = 0;                                // mean part of the changed pixels
  int failures = 0;  // frames whose vectors say nothing about the camera
};

SearchResult run(const std::shared_ptr<Context> &context, const std::vector<Picture> &pictures,
                 int range, int width, int height, bool gates_noise = false) {
  Queue queue(context);
  BlockMotion engine(*context, width, height, layout_for(context->device()));
  BlockMotion::Settings settings;
  settings.range = range;
  settings.noise = gates_noise ? -1 : 0;
  engine.prepare(settings);
  SearchResult result;
  double time = 0;
  const auto frames = static_cast<double>(pictures.size() - 1);
  for (size_t i = 0; i < pictures.size(); i++) {
    const auto begin = std::chrono::steady_clock::now();
    const bool moved = engine.next(queue, settings, pictures[i]);
    queue.cl().finish();
    if (!moved) continue;
    if (i > 1)  // drivers finish compiling at the first launch
      time += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                  .count();
    std::vector<char> sums(BlockMotion::sums_bytes);
    queue.cl().enqueueReadBuffer(engine.sum_up(queue), CL_TRUE, 0, sums.size(), sums.data());
    const MotionSummary summary(engine.field(), width, height, sums.data());
    result.psnr += summary.psnr() / frames;
    result.range += summary.range / frames;
    result.candidates += std::pow(2 * summary.range + 1, 2) / frames;
    result.explained += summary.explained / frames;
    result.failures += summary.fails();
  }
  result.ms = time / (frames - 1);
  if (!range) {  // on smaller planes
    const int reduction = motion::Range::reduction_for(width, height);
    int last = -1;
    for (const int reach : motion::Range::reduced_ranges(
             motion::Range::ranges(settings.min_range, largest), reduction)) {
      if (reach != last) result.candidates += std::pow((2.0 * reach + 1) / reduction, 2);
      last = reach;
    }
  }
  return result;
}

/// The frames of a clip, as a codec leaves them where one is named.
std::vector<Picture> pictures_of(Queue &queue, const std::function<Frame(int)> &frame, int count,
                                 const std::string &codec) {
  std::vector<Frame> frames;
  if (codec.empty())
    for (int i = 0; i < count; i++) frames.push_back(frame(i));
  else
    frames = clips::coded(frame, count, codec);
  std::vector<Picture> pictures;
  for (const Frame &one : frames)
    pictures.push_back(reference::upload(queue, one, layout_for(queue.context().device())));
  return pictures;
}

/// Of the range that adapts, against the largest one.
struct Bounds {
  double loss = INFINITY, part = INFINITY;  // dB; of the candidates
};

/// Prints a clip's rows; false where the range that adapts is worse than is promised.
bool compare_clip(const std::shared_ptr<Context> &context, const std::string &name,
                  const std::vector<Picture> &pictures, const std::vector<int> &ranges,
                  const Bounds &bounds) {
  const int width = pictures[0].width, height = pictures[0].height;
  bool good = true;
  const SearchResult largest = run(context, pictures, ::largest, width, height);
  for (const int range : ranges) {
    const SearchResult own =
        range == ::largest ? largest : run(context, pictures, range, width, height);
    // Equal ones may both be infinite, where an encoder repeats the frame.
    const double loss = own.psnr == largest.psnr ? 0 : largest.psnr - own.psnr;
    const double part = own.candidates / largest.candidates;
    const bool fails = !range && (loss > bounds.loss || part > bounds.part || own.failures);
    good = good && !fails;
    std::printf(
        "%-60s | %-6s | %5.2f dB | %5.2f below | range %4.1f | %3.0f %% | %8.3f ms, "
        "%3.0f %% | explained %3.0f %%, %d unknown%s\n",
        name.c_str(), range ? std::to_string(range).c_str() : "adapts", own.psnr, loss, own.range,
        100 * part, own.ms, 100 * own.ms / largest.ms, 100 * own.explained, own.failures,
        fails ? " WRONG" : "");
    std::fflush(stdout);
  }
  return good;
}

/// Prints a scene's clips; false where one is worse than is promised.
bool compare(const std::shared_ptr<Context> &context, const char *scene,
             const CroppedScene &cropped, bool all) {
  bool good = true;
  Queue queue(context);
  const std::vector<int> ranges =
      all ? std::vector{8, 16, 24, 32, 48, largest, 0} : std::vector{largest, 0};
  for (const Clip &clip : made_clips)
    for (const std::string &codec : codings()) {
      if (!all && !clip.strict) continue;
      const auto frame = [&](int i) { return cropped.frame(clip, i); };
      const std::string name =
          std::string(scene) + ", " + clip.name + (codec.empty() ? "" : ", " + codec);
      Bounds bounds;
      if (clip.strict) bounds = codec.empty() ? Bounds{0.1, 0.4} : Bounds{0.2, 0.45};
      const auto pictures = pictures_of(queue, frame, all ? 16 : 7, codec);
      good = compare_clip(context, name, pictures, ranges, bounds) && good;
    }
  return good;
}

/// Prints how much of a pan vectors of up to 16 px explain; false unless the camera is unknown for
/// all frames of the faster pans and none of the slower ones.
bool compare_pans(const std::shared_ptr<Context> &context, const char *name, const Frame &scene) {
  constexpr int width = 320, height = 240, frames = 5, range = 16;
  bool good = true;
  Queue queue(context);
  for (const int step : {0, 2, 6, 14, 22, 40, 90}) {
    std::vector<Picture> pictures;
    for (int i = 0; i < frames; i++)
      pictures.push_back(reference::upload(
          queue,
          reference::noisy(reference::crop(scene, step * i, 40, width, height), noise, 100 + i),
          layout_for(context->device())));
    const SearchResult result = run(context, pictures, range, width, height, true);
    const bool fails = result.failures != (step > range ? frames - 1 : 0);
    good = good && !fails;
    std::printf("%s, pans by %2d px, range %d | explained %3.0f %%, %d of %d unknown%s\n", name,
                step, range, 100 * result.explained, result.failures, frames - 1,
                fails ? " WRONG" : "");
  }
  return good;
}

/// The view of a camera of 1920×1080 px: it pans, or a car drives past it.
struct FastClip {
  const char *name;
  int pan, car;  ///< px per frame
};
const FastClip fast_clips[] = {
    {"pans by 22 px", 22, 0}, {"pans by 40 px", 40, 0}, {"a car drives by 26 px", 0, 26}};
constexpr int car_x = 600, car_y = 500, car_width = 420, car_height = 170;

Frame fast_frame(const Frame &scene, const Frame &paint, const FastClip &clip, int number) {
  Frame frame = reference::crop(scene, 100 - clip.pan * number, 0, 1920, 1080);
  for (int y = 0; y < car_height && clip.car; y++)
    std::copy_n(paint.at(0, y), 4 * car_width, frame.at(car_x + clip.car * number, car_y + y));
  return reference::noisy(frame, noise, 7 + number);
}

/// The part of the blocks, all or those of the car alone, whose vectors are right at the defaults.
double right_at_defaults(const std::shared_ptr<Context> &context, const Frame &scene,
                         const Frame &paint, const FastClip &clip, const std::string &codec) {
  Queue queue(context);
  const Layout layout = layout_for(context->device());
  BlockMotion engine(*context, 1920, 1080, layout);
  BlockMotion::Settings settings;
  settings.noise = -1;
  const auto frame = [&](int i) { return fast_frame(scene, paint, clip, i); };
  for (const Picture &picture : pictures_of(queue, frame, 3, codec))
    engine.next(queue, settings, picture);
  const VectorField &field = engine.field();
  std::vector<motion::Vector> vectors(size_t(field.columns) * field.rows);
  queue.cl().enqueueReadBuffer(engine.vectors(), CL_TRUE, 0,
                               vectors.size() * sizeof(motion::Vector), vectors.data());
  const int left = clip.car ? car_x + 2 * clip.car : 64, top = clip.car ? car_y : 0,
            right = clip.car ? left + car_width : 1920, bottom = clip.car ? top + car_height : 1072;
  int all = 0, good = 0;
  for (int y = (top + 15) / 16; y < bottom / 16; y++)
    for (int x = (left + 15) / 16; x < right / 16; x++) {
      const motion::Vector v = vectors[size_t(y) * field.columns + x];
      all++, good += v.x == 4 * (clip.pan + clip.car) && v.y == 0;
    }
  return double(good) / all;
}

/// Prints what the defaults find at 1080p; false where that is wrong.
bool check_defaults(const std::shared_ptr<Context> &context) {
  const Frame scene = reference::textured_frame(1920 + 200, 1080, {}, 5),
              paint = reference::crop(scene, 300, 200, car_width, car_height);
  bool good = true;
  for (const FastClip &clip : fast_clips)
    for (const std::string &codec : codings()) {
      const double right = right_at_defaults(context, scene, paint, clip, codec);
      good = good && right > 0.9;
      std::printf("1920×1080, the defaults, %-22s %-6s | %4.1f %% of the vectors are right%s\n",
                  clip.name, codec.c_str(), 100 * right, right > 0.9 ? "" : " WRONG");
    }
  return good;
}

int run(const char *device, bool all) {
  const auto context = Context::of_device(choose_device(device));
  std::printf("%s, driver %s: clip, range, PSNR, mean range, candidates and time of those of 64\n",
              context->device().name.c_str(), context->device().driver.c_str());
  const int width = all ? 960 : 480, height = all ? 540 : 272;
  const CroppedScene made(reference::natural_frame(width + 2 * margin, height + 2 * margin), width,
                          height);
  bool good = check_defaults(context);
  good = compare_pans(context, "texture", reference::textured_frame(700, 320, {}, 5)) && good;
  for (const Frame &photograph : film::pictures())
    good = compare_pans(context, "photograph", photograph) && good;
  good = compare(context, "made", made, all) && good;
  if (all)
    for (Frame &picture : film::pictures())
      good = compare(context, "photograph", {std::move(picture), width, height}, all) && good;
  return film::exit_status(good);
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const char *device = "auto";
  bool all = false;
  for (int i = 1; i < argc; i++)
    if (!std::strcmp(argv[i], "--all"))
      all = true;
    else
      device = argv[i];
  try {
    return run(device, all);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
