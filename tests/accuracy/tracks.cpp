// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-tracks [--all] [DEVICE]: how many points are followed in four scenes that are made so
// that it is known how many can be (those of Farias et al.'s survey of trackers on GPUs: something
// moves, the camera moves away, few dots turn and approach, all moves), 25 frames each, as they are
// and coded as by cameras. Also how far points of OpenCV's choice go astray on the pairs of flow/
// in the folder GLCL_DATA, beside OpenCV's own tracker with the same windows and levels where it is
// built in. --all: scenes of 1024×1024 px with 1000 points. Fails where a row is beyond its bounds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "coded.h"
#include "film.h"
#include "klt/klt.h"
#include "opencl/device.h"
#include "peers.h"
#include "points.h"
#include "program.h"
#include "reference/opticalflow/field.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "statistics.h"

namespace {

using glcl::klt::Klt;
using glcl::klt::Points;
using reference::Frame;
using reference::Motion;
using reference::Point;
using reference::opticalflow::Field;

constexpr int frames = 25;
constexpr int margin = 8;  // px: nearer to the edge a point does not count as visible

/// A textured plane, to be seen from anywhere within 2×1 squares of `side` px.
class Texture {
 public:
  explicit Texture(int side, unsigned seed = 1)
      : frame_(reference::textured_frame(2 * side, side + 64, {}, seed)) {}

  void put(Point p, uint8_t *pixel) const {
    const double x = std::clamp(p.x, 0.0, frame_.width - 2.0),
                 y = std::clamp(p.y + 32, 0.0, frame_.height - 2.0);
    const int left = int(x), top = int(y);
    const double u = x - left, v = y - top;
    for (int k = 0; k < 3; k++) {
      const auto at = [&](int i, int j) { return double(frame_.at(left + i, top + j)[k]); };
      pixel[k] = uint8_t(std::lround((1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) +
                                     v * ((1 - u) * at(0, 1) + u * at(1, 1))));
    }
    pixel[3] = 255;
  }

 private:
  Frame frame_;
};

Frame rendered(int side, const std::function<void(Point, uint8_t *)> &put) {
  Frame frame(side, side);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) put({double(x), double(y)}, frame.at(x, y));
  return frame;
}

void put_grey(double level, uint8_t *pixel) {
  std::fill_n(pixel, 3, uint8_t(std::lround(level)));
  pixel[3] = 255;
}

struct Scene {
  std::string name;
  int features;                            // that there are
  std::function<Frame(int)> frame;         // by its number
  std::function<Point(Point, int)> truth;  // where a place of the first frame is in another
};

/// A disc flies along a bare stripe of a textured plane: nothing is ever covered.
Scene disc_moves(int side, int features) {
  const auto texture = std::make_shared<Texture>(side), other = std::make_shared<Texture>(side, 7);
  const double step = 0.008 * side;
  const auto on_disc = [=](Point p) {
    return std::hypot(p.x - 0.25 * side, p.y - 0.5 * side) < 0.17 * side;
  };
  return {"something moves", features,
          [=](int i) {
            return rendered(side, [&](Point p, uint8_t *pixel) {
              const Point before{p.x - step * i, p.y};
              if (on_disc(before)) return other->put(before, pixel);
              if (std::abs(p.y - 0.5 * side) < 0.2 * side) return put_grey(127, pixel);
              texture->put(p, pixel);
            });
          },
          [=](Point p, int i) {
            return Point{p.x + (on_disc(p) ? step * i : 0), p.y};
          }};
}

/// The camera turns away, with increasing speed for 8 frames, until a quarter of the first view
/// remains.
Scene turned_away(int side, int features) {
  const auto texture = std::make_shared<Texture>(side);
  const double pace = 0.75 * side / (frames - 5);
  const auto travelled = [=](int i) { return i < 8 ? pace * i * i / 16 : pace * (i - 4); };
  return {"the camera turns away", features,
          [=](int i) {
            return rendered(side, [&](Point p, uint8_t *pixel) {
              texture->put({p.x + travelled(i), p.y}, pixel);
            });
          },
          [=](Point p, int i) {
            return Point{p.x - travelled(i), p.y};
          }};
}

/// Spots on a bare box that turns and comes nearer: as many features as spots, fewer than wanted.
Scene spots_approach(int side, int features) {
  const int along = int(std::sqrt(0.36 * features));
  const double spacing = 0.66 * side / along, first = (side - spacing * (along - 1)) / 2;
  const auto motion = [=](int i) { return Motion{0, 0, 0.006 * i, std::pow(1.003, i)}; };
  const auto shift = [=](int i, int j) { return 0.2 * spacing * std::sin(7.0 * i + 13.0 * j); };
  return {"few spots approach", along * along,
          [=](int number) {
            Frame frame = rendered(side, [](Point, uint8_t *pixel) { put_grey(60, pixel); });
            for (int j = 0; j < along; j++)
              for (int i = 0; i < along; i++) {
                const Point at = motion(number).apply(
                    {first + spacing * i + shift(i, j), first + spacing * j + shift(j, i)}, side,
                    side);
                for (int y = int(at.y) - 9; y <= int(at.y) + 9; y++)
                  for (int x = int(at.x) - 9; x <= int(at.x) + 9; x++) {
                    const double off = std::hypot(x - at.x, y - at.y) / 2.5;
                    const double level = 60 + 140 * std::exp(-off * off / 2);
                    if (level > frame.at(x, y)[0]) put_grey(level, frame.at(x, y));
                  }
              }
            return frame;
          },
          [=](Point p, int i) { return motion(i).apply(p, side, side); }};
}

/// The camera goes back, and all moves towards the middle.
Scene zoom_out(int side, int features) {
  const auto texture = std::make_shared<Texture>(side);
  const auto motion = [=](int i) {
    return Motion{3 * std::sin(0.5 * i), 2 * std::sin(0.7 * i), 0.002 * i, std::pow(0.996, i)};
  };
  return {"all moves", features,
          [=](int i) {
            return rendered(side, [&](Point p, uint8_t *pixel) {
              texture->put(motion(i).undo(p, side, side), pixel);
            });
          },
          [=](Point p, int i) { return motion(i).apply(p, side, side); }};
}

/// The scene as a camera sends it.
Scene coded(const Scene &scene, const std::string &codec) {
  Scene sent = scene;
  sent.name += ", " + codec;
  sent.frame = [list = clips::coded(scene.frame, frames, codec)](int i) { return list[size_t(i)]; };
  return sent;
}

/// Prints a row; `least` and `wrong` are the bounds of the parts of the points that are tracked
/// right, and wrong. Returns whether it is within them.
bool report(glcl::Queue &queue, const Scene &scene, int side, int features, double least,
            double most_wrong) {
  Klt klt(queue.context(), side, side, glcl::layout_for(queue.context().device()));
  Klt::Settings settings;
  settings.features = features;
  settings.reselect = 0, settings.min_features = 0;
  std::vector<Points::PointRecord> first, last;
  for (int i = 0; i < frames; i++) {
    klt.run(queue, settings, reference::upload(queue, scene.frame(i), klt.layout()));
    if (i == 0) first = accuracy::read_report(queue, klt).points;
  }
  last = accuracy::read_report(queue, klt).points;
  int visible = 0, right = 0;
  for (const Points::PointRecord &point : first) {
    bool stays = true;
    for (int i = 0; i < frames && stays; i++) {
      const Point p = scene.truth({point.x, point.y}, i);
      stays = p.x >= margin && p.y >= margin && p.x < side - margin && p.y < side - margin;
    }
    visible += stays;
    const auto now = std::find_if(last.begin(), last.end(), [&](const Points::PointRecord &other) {
      return other.id == point.id;
    });
    right += now != last.end() &&
             accuracy::distance({now->x, now->y}, scene.truth({point.x, point.y}, frames - 1)) <= 1;
  }
  const bool good = int(first.size()) == scene.features && right >= least * visible &&
                    int(last.size()) - right <= std::max(most_wrong * double(last.size()), 1.0);
  std::printf("%-30s %8d %8zu %8d %8zu %8d%s\n", scene.name.c_str(), scene.features, first.size(),
              visible, last.size(), right, good ? "" : " !");
  return good;
}

/// How many rows are beyond their bounds.
int compare_scenes(glcl::Queue &queue, int side) {
  const int features = 1000 * side / 1024 * side / 1024;
  const std::vector<std::string> codecs = clips::codecs();
  int beyond = 0;
  std::printf("%-30s %8s %8s %8s %8s %8s   of %d×%d px, %d frames\n", "made scenes", "there are",
              "chosen", "visible", "followed", "right", side, side, frames);
  for (const Scene &scene : {disc_moves(side, features), turned_away(side, features),
                             spots_approach(side, features), zoom_out(side, features)}) {
    beyond += !report(queue, scene, side, features, 0.95, 0.02);
    for (const std::string &codec : codecs)
      beyond += !report(queue, coded(scene, codec), side, features, 0.7, 0.2);
  }
  return beyond;
}

/// Where points go by our tracker, with windows of 7×7 px and three levels.
std::vector<FollowedPoint> follow(glcl::Queue &queue, const Frame &before, const Frame &after,
                                  const std::vector<std::array<float, 2>> &from,
                                  double max_residue) {
  using namespace glcl::klt;
  glcl::Context &context = queue.context();
  const glcl::Layout layout = glcl::layout_for(context.device());
  const int width = before.width, height = before.height, count = int(from.size());
  Pyramids pyramids(context, width, height, layout);
  Points points(context, width, height);
  Tracking tracking(context);
  glcl::noise::Noise noise(context, glcl::noise::Noise::Texels::gaussian, width, height);
  const cl::Buffer first = pyramids.make(), second = pyramids.make();
  pyramids.build(queue, reference::upload(queue, before, layout), 3, first);
  pyramids.build(queue, reference::upload(queue, after, layout), 3, second);
  noise.set(queue, 0);
  points.next_occupancy_mark(queue);
  points.update_slots(queue, {count, 1, true, true});
  std::vector<glcl::klt::TrackedPoints> read(1);
  glcl::klt::TrackedPoints &slots = read.front();
  for (int i = 0; i < count; i++) {
    const auto &[x, y] = from[i];
    slots.position[i] = {{x, y, x, y}};
    slots.motion[i] = {{0, 0, 0, 1e6f}};
    slots.identity[i] = {{i, 0, glcl::klt::LIVE, 0}};
  }
  queue.cl().enqueueWriteBuffer(points.points(), CL_TRUE, 0, sizeof slots, &slots);
  Tracking::Settings settings;
  settings.iterations = 30;  // as OpenCV's
  settings.max_residue = max_residue;
  tracking.run(queue, settings, pyramids, first, second, noise.variances(), count, 1, points);
  queue.cl().enqueueReadBuffer(points.points(), CL_TRUE, 0, sizeof slots, &slots);
  std::vector<FollowedPoint> result;
  for (int i = 0; i < count; i++)
    result.push_back({{slots.position[i].s[2], slots.position[i].s[3]},
                      slots.identity[i].s[2] == glcl::klt::LIVE});
  return result;
}

struct Row {
  double median = NAN, mean = NAN, lost = 0, wrong = 0;  // px; shares of the points
  double least = INFINITY;                               // px: least error of a point that is lost
  size_t right = 0;                                      // points that are lost and within a pixel

  /// `both`: found by all, whose errors count.
  Row(const std::vector<FollowedPoint> &found, const std::vector<std::array<float, 2>> &truth,
      const std::vector<bool> &both) {
    std::vector<double> errors;
    for (size_t i = 0; i < found.size(); i++) {
      const double error =
          std::hypot(found[i].position[0] - truth[i][0], found[i].position[1] - truth[i][1]);
      lost += !found[i].tracked, wrong += found[i].tracked && error > 1;
      if (!found[i].tracked) least = std::min(least, error), right += error <= 1;
      if (both[i]) errors.push_back(error);
    }
    lost /= double(found.size()), wrong /= double(found.size());
    if (errors.empty()) return;
    mean = 0;
    for (const double error : errors) mean += error / double(errors.size());
    median = accuracy::median(errors);
  }
  void print(const std::string &name) const {
    std::printf("%-26s %8.4f %8.4f %7.1f%% %7.1f%% %7zu", name.c_str(), median, mean, 100 * lost,
                100 * wrong, right);
    std::printf(std::isfinite(least) ? " %8.2f\n" : "        -\n", least);
  }
  /// Another travelled to smooth makes a tenth.
  bool as_exact_as(const Row &other) const {
    return median <= 1.1 * other.median && mean <= 1.1 * other.mean;
  }
};

/// On how many pairs points fare worse than OpenCV's.
int compare_pairs(glcl::Queue &queue) {
  namespace fs = std::filesystem;
  const fs::path folder = reference::data_folder("flow");
  if (!fs::is_directory(folder)) {
    film::leave_out("there are no pairs in " + folder.string());
    return 0;
  }
  const PointPeer *peer = point_peer();
  int beyond = 0;
  std::printf("\n%-26s %8s %8s %8s %8s %8s %8s   7×7 px, 3 levels\n", "pairs", "median", "mean",
              "lost", "wrong", "of lost", "nearest");
  for (const char *name : {"Dimetrodon", "RubberWhale", "Urban2"}) {
    const Frame before = reference::load_picture(folder / name / "frame10.png"),
                after = reference::load_picture(folder / name / "frame11.png");
    const Field flow = reference::opticalflow::load_flo(folder / name / "flow10.flo");
    std::vector<std::array<float, 2>> from, truth;
    const auto add = [&](float x, float y) {
      const int column = int(std::lround(x)), row = int(std::lround(y));
      const float vx = flow.x(column, row), vy = flow.y(column, row);
      const float tx = x + vx, ty = y + vy;
      // Points that leave the frame are rightly lost.
      if (std::abs(vx) > 1e9 || tx < margin || ty < margin || tx > float(before.width - margin) ||
          ty > float(before.height - margin))
        return;
      from.push_back({x, y}), truth.push_back({tx, ty});
    };
    if (peer) {
      for (const auto &[x, y] : peer->select(before)) add(x, y);
    } else {
      Klt klt(queue.context(), before.width, before.height,
              glcl::layout_for(queue.context().device()));
      klt.run(queue, {}, reference::upload(queue, before, klt.layout()));
      for (const Points::PointRecord &point : accuracy::read_report(queue, klt).points)
        add(point.x, point.y);
    }
    // With the default, and with settings that keep all points in the frame, as OpenCV does.
    std::printf("%s, %zu points\n", name, from.size());
    const auto others = peer ? peer->track(before, after, from) : std::vector<FollowedPoint>();
    for (const double residue : {10., 255.}) {
      const std::vector<FollowedPoint> own = follow(queue, before, after, from, residue);
      std::vector<bool> both;
      for (size_t i = 0; i < from.size(); i++)
        both.push_back(own[i].tracked && (!peer || others[i].tracked));
      const Row row(own, truth, both);
      row.print("  glclklt, residue " + std::to_string(int(residue)));
      // Few points are lost that were found within a pixel; of OpenCV's choice none that was found.
      beyond += !(from.size() > 50 && double(row.right) <= 0.02 * double(from.size()) &&
                  (!peer || row.least > 0.25));
      if (!peer) continue;
      const Row other(others, truth, both);
      other.print("  OpenCV " + peer->name);
      beyond += !(row.as_exact_as(other) && row.wrong <= other.wrong &&
                  (residue < 255 ? row.lost + row.wrong <= other.lost + other.wrong + 0.005
                                 : row.lost <= other.lost));
    }
  }
  return beyond;
}

int run(int argc, char **argv) {
  int side = 256;
  std::string wish = "auto";
  for (int i = 1; i < argc; i++) {
    if (!std::strcmp(argv[i], "--all"))
      side = 1024;
    else
      wish = argv[i];
  }
  glcl::Queue queue(glcl::Context::of_device(glcl::choose_device(wish)));
  std::printf("%s\n", queue.context().device().name.c_str());
  return accuracy::report(compare_scenes(queue, side) + compare_pairs(queue));
}

}  // namespace

int main(int argc, char **argv) { return accuracy::main(argc, argv, run); }
