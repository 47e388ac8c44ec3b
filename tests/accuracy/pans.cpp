// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-pans [--all] [DEVICE]: how well the global motion of glclhough follows a camera that
// pans by 0 to 8 px a frame behind logos, clocks, subtitles, displays and bars, and without them.
// The same clips also run as cameras code them. A clip is wrong if the mean error exceeds 0.2 px
// and a tenth of the speed. Fails if more than one clip of a form is wrong, or one at rest is off
// by 0.05 px. `--all` takes every picture for each clip.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "clips.h"
#include "coded.h"
#include "film.h"
#include "hough/canny.h"
#include "hough/globalmotion.h"
#include "overlaid.h"
#include "program.h"
#include "reference/textured.h"
#include "reference/transfer.h"

namespace {

using glcl::hough::GlobalMotion;
using reference::Frame;

constexpr int width = 320, height = 240, frames = 9;
constexpr int first_compared = 4;  // the measured noise is known from there on
constexpr double noise = 1.5;      // levels
constexpr double least_error = 0.2, most_share = 0.1, most_at_rest = 0.05;
constexpr int most_wrong = 1;
constexpr double speeds[] = {0, 1, 2, 3, 6, 8};

/// A picture seen from (x, y), px, between its pixels too.
Frame view(const Frame &picture, double x, double y) {
  Frame frame(width, height);
  const int left = int(std::floor(x)), top = int(std::floor(y));
  const double fx = x - left, fy = y - top;
  for (int v = 0; v < height; v++)
    for (int u = 0; u < width; u++)
      for (int c = 0; c < 4; c++) {
        const auto level = [&](int dx, int dy) {
          return double(picture.at(std::clamp(left + u + dx, 0, picture.width - 1),
                                   std::clamp(top + v + dy, 0, picture.height - 1))[c]);
        };
        frame.at(u, v)[c] =
            uint8_t(std::lround((1 - fy) * ((1 - fx) * level(0, 0) + fx * level(1, 0)) +
                                fy * ((1 - fx) * level(0, 1) + fx * level(1, 1))));
      }
  return frame;
}

/// The global motion from frame to frame.
class MotionReader {
 public:
  explicit MotionReader(glcl::Queue &queue)
      : queue_(queue),
        layout_(glcl::layout_for(queue.context().device())),
        canny_(queue.context(), width, height, layout_),
        motion_(queue.context(), width, height) {}

  /// The mean distance of the shifts from (x, y); large without a motion.
  double error(const std::vector<Frame> &list, double x, double y) {
    canny_.reset();
    double sum = 0;
    for (size_t i = 0; i < list.size(); i++) {
      canny_.run(queue_, {}, reference::upload(queue_, list[i], layout_));
      if (i < first_compared) continue;
      motion_.run(queue_, *canny_.before(), canny_.edges(), {0, 0, width, height}, canny_.number());
      char bytes[GlobalMotion::result_bytes];
      queue_.cl().enqueueReadBuffer(motion_.result(), CL_TRUE, 0, sizeof bytes, bytes);
      const auto found = GlobalMotion::read(bytes);
      sum += found ? std::hypot(found->shift_x - x, found->shift_y - y) : 99;
    }
    return sum / double(list.size() - first_compared);
  }

 private:
  glcl::Queue &queue_;
  glcl::Layout layout_;
  glcl::hough::Canny canny_;
  GlobalMotion motion_;
};

/// A pan over a picture, behind an overlay, in a form: "clean" or a codec.
struct PanClip {
  const Frame &picture;
  const clips::Overlay *overlay;
  std::string form;
  double x, y;  // motion of the picture, px a frame
  unsigned seed;

  std::vector<Frame> list() const {
    std::vector<Frame> list;
    for (int i = 0; i < frames; i++) {
      const double t = i - frames / 2;
      list.push_back(view(picture, (picture.width - width) / 2.0 - x * t,
                          (picture.height - height) / 2.0 - y * t));
      if (overlay) (*overlay)(list.back(), 30 + i, seed);
      list.back() = reference::noisy(list.back(), noise, 100 * seed + unsigned(i));
    }
    if (form == "clean") return list;
    return clips::coded([&](int i) { return list[size_t(i)]; }, frames, form);
  }
};

int run(const std::string &wish, bool all) {
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  MotionReader reader(queue);
  std::vector<Frame> pictures = film::pictures();
  pictures.push_back(reference::textured_frame(768, 512, {}, 5));
  std::vector<std::string> forms{"clean"};
  for (const std::string &codec : clips::codecs())
    if (codec == "H.264" || !accuracy::few_rows()) forms.push_back(codec);
  std::vector<std::pair<const char *, const clips::Overlay *>> kinds{{"none", nullptr}};
  for (const auto &[name, draw] : clips::overlays()) kinds.emplace_back(name, &draw);
  constexpr double directions[][2] = {{1, 0}, {0, -1}, {-0.8, 0.6}, {-1, 0}};
  int beyond = 0;
  unsigned number = 0;
  for (const std::string &form : forms) {
    int wrong = 0, moving = 0;
    for (const auto &[name, overlay] : kinds) {
      std::printf("%-9s %-9s", form.c_str(), name);
      for (const double speed : speeds) {
        double worst = 0;
        for (size_t k = 0; k < (all ? pictures.size() : 1); k++, number++) {
          const size_t p = number % pictures.size();
          const double x = speed * directions[p % 4][0], y = speed * directions[p % 4][1];
          const double error =
              reader.error(PanClip{pictures[p], overlay, form, x, y, number}.list(), x, y);
          if (speed == 0)
            beyond += error > most_at_rest;
          else
            moving++, wrong += error > least_error + most_share * speed;
          worst = std::max(worst, error);
        }
        std::printf("  %g px: %5.2f", speed, worst);
      }
      std::printf("\n");
      if (!all) number++;
    }
    std::printf("%s: %d of %d pans are wrong%s\n", form.c_str(), wrong, moving,
                wrong > most_wrong ? " !" : "");
    beyond += wrong > most_wrong;
  }
  return accuracy::report(beyond);
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    std::string device = "auto";
    bool all = false;
    for (int i = 1; i < count; i++)
      if (!std::strcmp(arguments[i], "--all"))
        all = true;
      else
        device = arguments[i];
    return run(device, all);
  });
}
