// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of blocks in kernels/objects/tuned.clh, each found by what the kernels do with a
// small scene.
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/limit.h"
#include "kernels/objects/regions.h"
#include "motion/plane.h"
#include "objects/motiongroups.h"
#include "opencl/buffer.h"

using glcl::camera::CameraState;
using glcl::objects::BlockGrid;

namespace {

/// A block of 64 px, the camera's motion and the block's vector. The previous frame is the same
/// texture moved by this vector, or it is plain.
struct BlockScene {
  float camera = 0, own = 20;  // px per frame to the right
  bool down = false;           // both go down instead
  int changed = 64 * 64;       // foreground pixels
  int excess = -1;             // the frames are plain, and by the camera's motion differ by this
  int column = 0;              // of the excess, from the middle on
};

class BlockKernels {
 public:
  /// True if the block moves. The planes lie between bytes that are no part of them.
  bool moves(const BlockScene &scene) {
    const glcl::Context &context = *bench_.context;
    const auto before = plane(scene, true);
    const cl::Buffer all = glcl::upload_values(context.cl(), before);
    const cl_buffer_region part{guard, before.size() - 2 * guard};
    CameraState state = still_camera();
    (scene.down ? state.frame_motion.y : state.frame_motion.x) = scene.camera;
    cl_short2 vector{};
    vector.s[scene.down] = cl_short(4 * scene.own);
    std::vector<cl_uchar> foreground(size_t(block_side) * block_side);
    std::fill_n(foreground.begin(), scene.changed, 20);
    const cl::Buffer motion = make(sizeof(cl_float2)), labels = make(sizeof(cl_int)),
                     sizes = make(sizeof(cl_int));
    motion_(*bench_.queue, {motion_.group().x, 1},
            glcl::upload_values(context.cl(), plane(scene, false)),
            cl::Buffer(all).createSubBuffer(CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &part),
            glcl::upload_values(context.cl(), std::vector{vector}),
            glcl::upload_values(context.cl(), std::vector{state}),
            glcl::upload_values(context.cl(), foreground), motion, labels, sizes, grid(1, 1));
    return download<cl_int>(bench_, labels, 1)[0] == 0;
  }

  /// The groups of moving blocks in a row, by their motion to the right.
  std::vector<cl_int> groups(const std::vector<float> &motions, const std::vector<bool> &moving) {
    const glcl::Context &context = *bench_.context;
    const size_t count = motions.size();
    std::vector<cl_float2> moved;
    std::vector<cl_int> first;
    for (size_t i = 0; i < count; i++) {
      moved.push_back({{motions[i], 0}});
      first.push_back(moving[i] ? int(i) : -1);
    }
    const BlockGrid row = grid(int(count), 1);
    const cl::Buffer motion = glcl::upload_values(context.cl(), moved),
                     labels = upload(bench_, first),
                     sizes = upload(bench_, std::vector<cl_int>(count)),
                     groups = make(count * sizeof(cl_int)), cells = make(count * sizeof(cl_int));
    join_(*bench_.queue, {count, 1}, motion, labels, row);
    count_(*bench_.queue, {count, 1}, labels, sizes, row);
    number_(*bench_.queue, {count, 1}, labels, sizes, groups, cells, row);
    return download<cl_int>(bench_, groups, count);
  }

  /// The largest difference at which blocks that move by `speed`, and by less, are one group.
  double alike(float speed) {
    return limit(0, speed, [&](float difference) {
      std::vector<float> motions(16, speed);
      std::fill_n(motions.begin(), 8, speed - difference);
      return groups(motions, std::vector<bool>(16, true))[15] == 1;
    });
  }

 private:
  cl::Buffer make(size_t bytes) { return glcl::make_buffer(bench_.context->cl(), bytes); }

  static constexpr int block_side = 64;
  static constexpr size_t guard = 1 << 18;  // bytes before and after a plane

  static BlockGrid grid(int columns, int rows) {
    const cl_int2 blocks{{columns, rows}}, size{{block_side * columns, block_side * rows}};
    return {blocks, size, blocks, size, block_side, block_side, layout().pitch, block_side, 1};
  }
  static glcl::motion::LumaPlane layout() { return {block_side, block_side}; }

  /// The luma of a frame, or of the one before with bytes of 255 around.
  static std::vector<cl_uchar> plane(const BlockScene &scene, bool before) {
    const glcl::motion::LumaPlane layout = BlockKernels::layout();
    const int way = before ? int(scene.own) : 0;
    std::vector<cl_uchar> bytes;
    for (int i = 0; i < int(layout.bytes()); i++) {
      const int x = i % layout.pitch + (scene.down ? 0 : way),
                y = i / layout.pitch + (scene.down ? way : 0);
      const unsigned hash = unsigned(x) * 2654435761u ^ unsigned(y) * 2246822519u;
      bytes.push_back(scene.excess < 0 ? cl_uchar((hash ^ hash >> 13) * 2654435761u >> 24) : 100);
    }
    if (!before) return bytes;
    // The column is as high as the compared square.
    const int across = block_side / 2 - (scene.down ? 0 : int(scene.camera)) + scene.column,
              top = block_side / 2 - 8 - (scene.down ? int(scene.camera) : 0);
    for (int i = 0, left = scene.excess; left > 0; left -= 100, i++)
      bytes[layout.origin() + size_t(top + i) * layout.pitch + across] +=
          cl_uchar(std::min(left, 100));
    bytes.insert(bytes.begin(), guard, 255), bytes.insert(bytes.end(), guard, 255);
    return bytes;
  }

  Bench bench_;
  const size_t items_ = bench_.context->device().is_cpu() ? 1 : 32;
  const glcl::Program program_ =
      bench_.context->program("objects/motiongroups.cl", "-DITEMS=" + std::to_string(items_));
  glcl::Kernel motion_{*bench_.context, program_, "objects_block_motion", {items_, 1}},
      join_{*bench_.context, program_, "objects_join_blocks", {16, 1}},
      count_{*bench_.context, program_, "objects_count_blocks", {16, 1}},
      number_{*bench_.context, program_, "objects_number_blocks", {16, 1}};
};

}  // namespace

// When a block moves, and which blocks are a group.
TEST(test_block_limits) {
  BlockKernels kernels;
  const auto at_camera = [&](float own, double low, double high) {
    return limit(low, high, [&](float camera) {
      BlockScene scene;
      scene.camera = camera, scene.own = own;
      return kernels.moves(scene);
    });
  };
  expect_number(at_camera(20, 0, 3), 1, "LEAST_PAN");
  expect_number(4 - at_camera(4, 1.2, 3.9), 1.5, "LEAST_SPEED");
  expect_number(40 - at_camera(40, 30, 39.9), 40 * 0.15 / 1.15, "SPEED_PART");
  BlockScene plain;
  plain.camera = 2;
  expect_number(limit(0, 1500,
                      [&](float excess) {
                        plain.excess = int(excess);
                        return kernels.moves(plain);
                      }),
                2 * 256, "LEAST_GAIN");
  plain.excess = 1500;
  for (const int column : {-9, -8, 7, 8}) {
    plain.column = column;
    fail_unless(kernels.moves(plain) == (column >= -8 && column < 8), "COMPARED: column %d",
                column);
  }
  BlockScene scene;
  scene.camera = 2;
  expect_number(limit(0, 900,
                      [&](float count) {
                        scene.changed = int(count);
                        return kernels.moves(scene);
                      }),
                0.06 * 64 * 64, "LEAST_FOREGROUND");
  const auto groups = [&](size_t count) {
    std::vector<bool> moving(24);
    std::fill_n(moving.begin() + 2, count, true);
    return kernels.groups(std::vector<float>(24, 5), moving);
  };
  fail_unless(groups(8)[2] == 3 && groups(7)[2] == 0, "GROUP_BLOCKS");
  fail_unless(groups(8)[0] == 0 && groups(8)[1] == -3 && groups(8)[10] == -3 && groups(8)[11] == 0,
              "the neighbours");
  expect_number(kernels.alike(2), 1.5 + 0.2 * 2, "ALIKE");
  expect_number(kernels.alike(50), 1.5 + 0.2 * 50, "ALIKE_PART");
}

// A block reads only the planes, for any motion of the camera and the longest vectors.
TEST(test_block_reads) {
  BlockKernels kernels;
  for (const bool down : {false, true})
    for (const float sign : {-1.0f, 1.0f}) {
      for (const float camera : {127.0f, 129.0f, 400.0f, 1e6f, 1e9f}) {
        BlockScene scene;
        scene.down = down, scene.camera = sign * camera, scene.excess = 0;
        fail_unless(!kernels.moves(scene), "a camera that moves by %g px", scene.camera);
      }
      BlockScene scene;
      scene.down = down, scene.camera = 2, scene.own = sign * glcl::motion::max_range;
      scene.excess = 1500;
      fail_unless(kernels.moves(scene), "a vector of %g px", scene.own);
    }
}
