// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks that move alike, and the regions that they make, against their references.
#include "objects/motiongroups.h"

#include <array>
#include <random>
#include <set>

#include "reference/objects/motiongroups.h"
#include "reference/objects/objects.h"
#include "reference/textured.h"

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/objects/regions.h"

using glcl::Rect;
using glcl::camera::CameraState;
using glcl::motion::BlockMotion;
using glcl::objects::MotionGroups;
using glcl::objects::Region;
using glcl::objects::RegionList;
using glcl::objects::Regions;
using Method = BlockMotion::Settings::Method;

namespace {

/// Two frames, the camera's motion between them, and the foreground of the second.
struct Scene {
  Frame before, now;
  CameraState state{};
  std::vector<uint8_t> foreground;  // of the reduced frame
};

BlockMotion::Settings search(int block, int range, Method method = Method::full) {
  BlockMotion::Settings settings;
  settings.block = std::max(block, 4), settings.partitions = !block;
  settings.range = range, settings.method = method;
  return settings;
}

/// Runs scenes on the device and in the reference.
class Comparison {
 public:
  struct Found {
    std::vector<int> numbers;            // as MotionGroups::groups()
    std::vector<Region> regions, alone;  // with the groups; without them

    size_t groups() const {
      std::set<int> different(numbers.begin(), numbers.end());
      return size_t(std::distance(different.upper_bound(0), different.end()));
    }
  };

  Found operator()(const Scene &scene, const BlockMotion::Settings &settings,
                   const std::string &what) {
    const int width = scene.now.width, height = scene.now.height;
    const auto frame = glcl::camera::frame_geometry(width, height);
    BlockMotion motion(*bench.context, width, height, Layout::buffer);
    motion.prepare(settings);
    for (const Frame *in : {&scene.before, &scene.now})
      motion.next(*bench.queue, settings, bench.upload(*in, Layout::buffer));
    MotionGroups engine(*bench.context, width, height, frame);
    engine.run(*bench.queue, motion, upload(bench, std::vector<CameraState>{scene.state}),
               upload(bench, scene.foreground), false);
    const auto numbers = compare_groups(scene, motion, engine, what);
    return {numbers, compare_regions(scene, engine, numbers, what),
            reference::regions(scene.foreground, levels(frame), frame.size.s[0], frame.size.s[1],
                               least)};
  }

  Bench bench;
  size_t blocks = 0, skipped = 0, moving = 0;

 private:
  static constexpr int least = 12;  // px, of a region

  static std::vector<float> levels(const glcl::camera::FrameGeometry &frame) {
    return levels_of(frame.size.s[0], frame.size.s[1]);
  }

  /// The device's groups. They may differ only where rounding decides.
  std::vector<int> compare_groups(const Scene &scene, const BlockMotion &motion,
                                  const MotionGroups &engine, const std::string &what) {
    const int width = scene.now.width, height = scene.now.height;
    const size_t count = size_t(engine.grid().blocks.s[0]) * engine.grid().blocks.s[1];
    const auto &field = motion.field();
    reference::MotionGroups expected(width, height, glcl::camera::frame_geometry(width, height));
    expected.next(reference::luma(scene.now), reference::luma(scene.before),
                  {field.cell,
                   field.columns,
                   download<glcl::motion::Vector>(bench, motion.vectors(), field.cells()),
                   {},
                   {}},
                  scene.state, scene.foreground);
    const reference::BlockGroups few = expected.groups(false), many = expected.groups(true);
    fail_unless_equals_int(few.numbers.size(), count);
    const auto numbers = download<int>(bench, engine.groups(), count);
    const auto motions = download<cl_float2>(bench, engine.motions(), count);
    for (size_t i = 0; i < count; i++) {
      const auto &[x, y] = few.moved[i];
      fail_unless(std::abs(motions[i].s[0] - x) <= 1e-3f && std::abs(motions[i].s[1] - y) <= 1e-3f,
                  "%s: block %zu moves by (%g, %g), reference (%g, %g)", what.c_str(), i,
                  motions[i].s[0], motions[i].s[1], x, y);
      const bool sure = few.numbers[i] == many.numbers[i];
      fail_unless(!sure || numbers[i] == few.numbers[i], "%s: block %zu has %d, reference %d",
                  what.c_str(), i, numbers[i], few.numbers[i]);
      skipped += !sure, moving += numbers[i] > 0;
    }
    blocks += count;
    return numbers;
  }

  /// The device's regions, which are equal to those of the reference by the same groups.
  std::vector<Region> compare_regions(const Scene &scene, const MotionGroups &engine,
                                      const std::vector<int> &numbers, const std::string &what) {
    const auto frame = glcl::camera::frame_geometry(scene.now.width, scene.now.height);
    const auto &grid = engine.grid();
    reference::BlockGroups groups{
        grid.blocks.s[0], grid.blocks.s[1], grid.reduced_side, numbers, {}};
    for (const cl_float2 &moved : download<cl_float2>(bench, engine.motions(), numbers.size()))
      groups.moved.push_back({moved.s[0], moved.s[1]});
    Regions regions(*bench.context, frame);
    regions.run(*bench.queue, least, upload(bench, scene.foreground), upload(bench, levels(frame)),
                engine, upload(bench, std::vector<CameraState>{scene.state}),
                upload(bench, std::vector<cl_uint>(34)));
    const RegionList result = download<RegionList>(bench, regions.list(), 1)[0];
    const auto changed = std::count_if(scene.foreground.begin(), scene.foreground.end(),
                                       [](uint8_t pixel) { return pixel == 1 || pixel > 2; });
    const bool cut = float(changed) > 0.6f * float(scene.foreground.size());
    const auto expected = cut ? std::vector<Region>{}
                              : reference::regions(scene.foreground, levels(frame), frame.size.s[0],
                                                   frame.size.s[1], least, {}, groups);
    expect_regions(result, expected, what);
    return expected;
  }
};

/// Frames of a kind, larger than a size by `margin` on all sides.
constexpr int margin = 20;
Frame world_of(int kind, int width, int height) {
  const int w = width + 2 * margin, h = height + 2 * margin;
  return kind == 0   ? reference::random_frame(w, h, 3)
         : kind == 1 ? reference::flat_frame(w, h)
         : kind == 2 ? reference::gradient_frame(w, h)
                     : reference::natural_frame(w, h);
}

/// Part of a world. Patches of it move otherwise and are foreground, as some other pixels are.
Scene scene_of(int kind, int width, int height, std::mt19937 &next) {
  const auto between = [&next](int low, int high) {
    return low + int(next() % unsigned(high - low + 1));
  };
  const Frame world = world_of(kind, width, height);
  const int pan_x = between(-9, 9), pan_y = between(-4, 4);
  Scene scene{reference::crop(world, margin, margin, width, height),
              reference::crop(world, margin + pan_x, margin + pan_y, width, height),
              {},
              {}};
  const auto frame = glcl::camera::frame_geometry(width, height);
  const int reduction = int(frame.reduction), columns = frame.size.s[0];
  for (size_t i = 0; i < size_t(columns) * frame.size.s[1]; i++)
    scene.foreground.push_back(next() % 12 ? 0 : uint8_t(next() % 60));
  for (int i = 0; i < 4; i++) {
    const int left = between(0, width - 1), top = between(0, height - 1), x = between(-8, 8),
              y = between(-8, 8);
    const int right = std::min(left + between(16, 20 + width / 2), width),
              bottom = std::min(top + between(16, 20 + height / 2), height);
    for (int v = top; v < bottom; v++)
      for (int u = left; u < right; u++) {
        std::copy_n(world.at(u + margin + x, v + margin + y), 4, scene.now.at(u, v));
        scene.foreground[size_t(v / reduction) * columns + u / reduction] = 20;
      }
  }
  if (kind == 4) scene.now = reference::noisy(scene.now, 3, next());
  scene.state.frame_motion = {0.1f * float(between(-3, 3)) - float(pan_x),
                              0.1f * float(between(-3, 3)) - float(pan_y),
                              2e-4f * float(between(-9, 9)), 2e-4f * float(between(-9, 9))};
  scene.state.frames = 7;
  return scene;
}

std::string name_of(int width, int height, int kind, int block) {
  return std::to_string(width) + "×" + std::to_string(height) + ", kind " + std::to_string(kind) +
         ", blocks of " + std::to_string(block);
}

}  // namespace

// The device and the reference agree about groups and regions.
TEST(test_groups) {
  Comparison compare;
  std::mt19937 next(1);
  for (const auto &[w, h] : {std::array{1, 1}, {7, 5}, {16, 16}, {50, 33}, {161, 121}, {500, 470}})
    for (int kind = 0; kind < 5; kind++)
      for (int block : {4, 8, 16, 32, 0}) {
        BlockMotion::Settings settings = search(block, 10);
        if (kind > 2) settings.precision = BlockMotion::Precision::quarter;
        compare(scene_of(kind, w, h, next), settings, name_of(w, h, kind, block));
      }
  fail_unless(compare.moving >= compare.blocks / 25, "%zu of %zu blocks move", compare.moving,
              compare.blocks);
  fail_unless(compare.skipped <= compare.blocks / 100, "%zu of %zu blocks are skipped",
              compare.skipped, compare.blocks);
}

// The first frame of a model, and one without vectors, have no groups.
TEST(test_no_groups) {
  Comparison compare;
  std::mt19937 next(1);
  Scene scene = scene_of(0, 161, 121, next);
  fail_unless(compare(scene, search(16, 10), "moves").groups() > 0);
  scene.state.model_empty = 1;
  fail_unless(compare(scene, search(16, 10), "empty").groups() == 0);
  scene.state.model_empty = 0;
  Bench &bench = compare.bench;
  BlockMotion motion(*bench.context, 161, 121, Layout::buffer);
  MotionGroups groups(*bench.context, 161, 121, glcl::camera::frame_geometry(161, 121));
  const size_t count = size_t(groups.grid().blocks.s[0]) * groups.grid().blocks.s[1];
  // Once after the other: a frame with groups is cleared again.
  for (int i = 0; i < 5; i++) {
    const bool first = i != 1 && i != 3;
    motion.next(*bench.queue, search(16, 10),
                bench.upload(i % 2 ? scene.now : scene.before, Layout::buffer));
    groups.run(*bench.queue, motion, upload(bench, std::vector<CameraState>{scene.state}),
               upload(bench, scene.foreground), first);
    const auto numbers = download<int>(bench, groups.groups(), count);
    fail_unless(std::all_of(numbers.begin(), numbers.end(), [](int n) { return !n; }) == first,
                "frame %d", i);
  }
}

namespace {

/// A moving rectangle. `box` is where it is in the second frame.
struct Thing {
  Rect box;
  int vx = 0, vy = 0;   // px per frame, in the picture
  unsigned seed = 2;    // of its texture; 0: plain
  bool changes = true;  // it is foreground
};

/// A textured plane in pieces that repeat, because large textures take long.
class Texture {
 public:
  explicit Texture(unsigned seed)
      : piece_(seed ? reference::fine_frame(257, 263, seed) : reference::flat_frame(257, 263)) {}
  const uint8_t *at(int x, int y) const {
    return piece_.at((x + 257 * 9) % 257, (y + 263 * 9) % 263);
  }

 private:
  Frame piece_;
};

Frame picture_of(int width, int height, const Texture &plane, int shift,
                 const std::vector<Thing> &things, int step) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) std::copy_n(plane.at(x + shift, y), 4, frame.at(x, y));
  for (const Thing &thing : things) {
    const Texture texture(thing.seed);
    for (int y = 0; y < thing.box.height; y++)
      for (int x = 0; x < thing.box.width; x++) {
        const int u = thing.box.x + x + thing.vx * step, v = thing.box.y + y + thing.vy * step;
        if (u >= 0 && v >= 0 && u < width && v < height)
          std::copy_n(texture.at(x, y), 4, frame.at(u, v));
      }
  }
  return frame;
}

/// Things before a camera that pans: the picture of the background moves by −pan px.
Scene panned(int width, int height, int pan, const std::vector<Thing> &things) {
  const Texture plane(1);
  Scene scene{picture_of(width, height, plane, 0, things, -1),
              picture_of(width, height, plane, pan, things, 0),
              {},
              {}};
  scene.state.frame_motion.x = float(-pan);
  const auto frame = glcl::camera::frame_geometry(width, height);
  const int reduction = int(frame.reduction), columns = frame.size.s[0];
  scene.foreground.resize(size_t(columns) * frame.size.s[1]);
  for (const Thing &thing : things)
    for (int y = thing.box.y; y < thing.box.y + thing.box.height; y++)
      for (int x = thing.box.x; x < thing.box.x + thing.box.width; x++)
        if (thing.changes) scene.foreground[size_t(y / reduction) * columns + x / reduction] = 20;
  return scene;
}

/// Fails if a region is not about a rectangle of the frame that moves by (x, y).
void expect_moving(const Region &region, const Rect &box, double x, double y, int reduction,
                   const std::string &what) {
  constexpr int side = 24;  // px; sides of regions are those of blocks where others adjoin
  const int left = region.left * reduction, right = (region.right + 1) * reduction,
            top = region.top * reduction, bottom = (region.bottom + 1) * reduction;
  fail_unless(std::abs(left - box.x) <= side && std::abs(right - box.x - box.width) <= side &&
                  std::abs(top - box.y) <= side && std::abs(bottom - box.y - box.height) <= side,
              "%s: from (%d, %d) to (%d, %d)", what.c_str(), left, top, right, bottom);
  const double part = 4.0 * std::max(region.moving, 1);
  fail_unless(2 * region.moving > region.area, "%s: %d of %d px move", what.c_str(), region.moving,
              region.area);
  fail_unless(std::abs(region.vx / part - x) <= 1.5 && std::abs(region.vy / part - y) <= 1.5,
              "%s: by (%g, %g)", what.c_str(), region.vx / part, region.vy / part);
}

}  // namespace

// While the camera rests there are no groups, so adjacent things are one region.
TEST(test_rest) {
  Comparison compare;
  const std::vector<Thing> things{{{100, 100, 130, 96}, 4, 1}, {{230, 100, 126, 96}, -12, 2, 3}};
  const auto found = compare(panned(640, 480, 0, things), search(16, 16), "rest");
  fail_unless(found.groups() == 0 && found.regions.size() == 1 && !found.regions[0].moving,
              "%zu groups, %zu regions", found.groups(), found.regions.size());
}

// While it pans, a thing is a region that moves, also in reduced frames. Two that move otherwise
// are two regions, and so is a static one beside a moving one.
TEST(test_pan) {
  Comparison compare;
  for (const auto &[w, h, by] :
       {std::array{640, 480, 1}, {1920, 1080, 2}, {2401, 1001, 2}, {3840, 2160, 4}})
    for (int block : {4, 8, 16, 32, 0}) {
      if (w > 640 && block != 16) continue;
      const auto settings = search(block, 20, w > 640 ? Method::hierarchical : Method::full);
      const int reduction = int(glcl::camera::frame_geometry(w, h).reduction), pan = 5;
      const std::string what = name_of(w, h, by, block);
      const Rect first{96 * by, 96 * by, 132 * by, 96 * by},
          second{first.x + first.width, first.y, 124 * by, first.height};
      const auto alone = compare(panned(w, h, pan, {{first, 4, 1}}), settings, what);
      fail_unless(alone.groups() == 1 && alone.regions.size() == 1, "%s: %zu groups, %zu regions",
                  what.c_str(), alone.groups(), alone.regions.size());
      expect_moving(alone.regions[0], first, 9, 1, reduction, what);
      if (w > 3000) continue;
      const auto two =
          compare(panned(w, h, pan, {{first, 4, 1}, {second, -12, 2, 3}}), settings, what);
      fail_unless(two.groups() == 2 && two.regions.size() == 2 && two.alone.size() == 1,
                  "%s: %zu groups, %zu regions", what.c_str(), two.groups(), two.regions.size());
      for (const Region &region : two.regions)
        if (region.vx > 0)
          expect_moving(region, first, 9, 1, reduction, what + ", first");
        else
          expect_moving(region, second, -7, 2, reduction, what + ", second");
      const auto beside =
          compare(panned(w, h, pan, {{first, 4, 1}, {second, -pan, 0, 3}}), settings, what);
      fail_unless(beside.groups() == 1 && beside.regions.size() == 2 && beside.alone.size() == 1,
                  "%s: %zu groups, %zu regions", what.c_str(), beside.groups(),
                  beside.regions.size());
      const bool order = beside.regions[0].moving > 0;
      expect_moving(beside.regions[order ? 0 : 1],
                    {first.x, first.y, first.width + 16, first.height}, 9, 1, reduction,
                    what + ", moving");
      fail_unless(!beside.regions[order ? 1 : 0].moving, "%s: static", what.c_str());
    }
}

// The textured parts of a thing are one region across plain parts, foreground or not, but not
// further apart than a 14th of the frame's short side.
TEST(test_plain_parts) {
  Comparison compare;
  for (int block : {4, 8, 16}) {
    const std::string what = name_of(640, 480, 0, block);
    const auto regions = [&](int gap, bool changes) {
      const Rect first{200, 96, 48, 128}, plain{248, 96, gap, 128}, second{248 + gap, 96, 48, 128};
      return compare(
          panned(640, 480, 5, {{first, 4, 1}, {plain, 4, 1, 0, changes}, {second, 4, 1}}),
          search(block, 16), what);
    };
    const auto joined = regions(16, false), filled = regions(16, true), apart = regions(80, false);
    fail_unless(joined.regions.size() == 1 && joined.alone.size() == 2, "%s: %zu regions",
                what.c_str(), joined.regions.size());
    expect_moving(joined.regions[0], {200, 96, 112, 128}, 9, 1, 1, what);
    fail_unless(filled.regions.size() == 1, "%s: %zu regions", what.c_str(), filled.regions.size());
    expect_moving(filled.regions[0], {200, 96, 112, 128}, 9, 1, 1, what);
    fail_unless(apart.groups() == 2 && apart.regions.size() == 2, "%s: %zu groups, %zu regions",
                what.c_str(), apart.groups(), apart.regions.size());
  }
}

// Things at opposite edges of the frame that move alike are two groups.
TEST(test_edges) {
  Comparison compare;
  for (int width : {640, 648}) {
    const Rect left{0, 96, 96, 128}, right{width - 96, 96, 96, 128};
    const auto found =
        compare(panned(width, 480, 5, {{left, 4, 1}, {right, 4, 1}}), search(16, 16), "edges");
    fail_unless(found.groups() == 2 && found.regions.size() == 2, "%d px: %zu groups, %zu regions",
                width, found.groups(), found.regions.size());
    expect_moving(found.regions[0], left, 9, 1, 1, "left");
    expect_moving(found.regions[1], right, 9, 1, 1, "right");
  }
}
