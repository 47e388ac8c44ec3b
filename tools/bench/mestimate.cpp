// SPDX-License-Identifier: LGPL-2.1-or-later
// FFmpeg's block search as a peer: its filter mestimate.
#define __STDC_CONSTANT_MACROS  // NOLINT: for the headers of FFmpeg
extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/frame.h>
#include <libavutil/motion_vector.h>
}

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "measure.h"
#include "motion/search.h"
#include "reference/motion/motion.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using reference::Plane;

constexpr int block = 16, range = 16;

struct FreeFrame {
  void operator()(AVFrame *frame) const { av_frame_free(&frame); }
};
using AvFrame = std::unique_ptr<AVFrame, FreeFrame>;

void check(int result, const char *call) {
  if (result < 0) throw std::runtime_error(std::string("FFmpeg: ") + call + " failed");
}

/// A filter graph with only mestimate: full search in both directions.
class Mestimate {
 public:
  Mestimate(int width, int height) : graph_(avfilter_graph_alloc()) {
    const std::string size = "video_size=" + std::to_string(width) + "x" + std::to_string(height) +
                             ":pix_fmt=gray:time_base=1/25:pixel_aspect=1/1";
    const std::string how =
        "method=esa:mb_size=" + std::to_string(block) + ":search_param=" + std::to_string(range);
    AVFilterContext *filter = nullptr;
    const auto add = [&](AVFilterContext **context, const char *name, const char *arguments) {
      check(avfilter_graph_create_filter(context, avfilter_get_by_name(name), name, arguments,
                                         nullptr, graph_),
            name);
    };
    add(&source_, "buffer", size.c_str());
    add(&filter, "mestimate", how.c_str());
    add(&sink_, "buffersink", nullptr);
    check(avfilter_link(source_, 0, filter, 0), "avfilter_link");
    check(avfilter_link(filter, 0, sink_, 0), "avfilter_link");
    check(avfilter_graph_config(graph_, nullptr), "avfilter_graph_config");
  }
  ~Mestimate() { avfilter_graph_free(&graph_); }
  Mestimate(const Mestimate &) = delete;

  /// Pushes a frame; returns the previous frame with its vectors, or null.
  AvFrame push(const Plane &plane) {
    AvFrame in(av_frame_alloc());
    in->width = plane.width;
    in->height = plane.height;
    in->format = AV_PIX_FMT_GRAY8;
    in->pts = number_++;
    check(av_frame_get_buffer(in.get(), 0), "av_frame_get_buffer");
    for (int y = 0; y < plane.height; y++)
      std::copy_n(&plane.values[size_t(y) * plane.width], plane.width,
                  in->data[0] + size_t(y) * in->linesize[0]);
    check(av_buffersrc_add_frame(source_, in.get()), "av_buffersrc_add_frame");
    AvFrame out(av_frame_alloc());
    return av_buffersink_get_frame(sink_, out.get()) < 0 ? nullptr : std::move(out);
  }

 private:
  AVFilterGraph *graph_;
  AVFilterContext *source_ = nullptr, *sink_ = nullptr;
  int64_t number_ = 0;
};

/// Luma of a scene with some noise.
Plane noisy(const Scene &scene, int number) {
  Plane plane = reference::luma(scene.frame(number));
  uint32_t state = 1 + number;
  for (uint8_t &value : plane.values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<uint8_t>(std::clamp(int(value) + int(state >> 29) - 4, 0, 255));
  }
  return plane;
}

/// dB of whole blocks predicted by `vector (block column, block row)`, in px.
template <class Vectors>
double psnr(const Plane &now, const Plane &before, const Vectors &vector) {
  double sum = 0;
  const int columns = now.width / block, rows = now.height / block;
  for (int y = 0; y < rows * block; y++)
    for (int x = 0; x < columns * block; x++) {
      const auto [dx, dy] = vector(x / block, y / block);
      const int error = now.at(x, y) - before.at(x + dx, y + dy);
      sum += error * error;
    }
  return 10 * std::log10(255 * 255 * double(columns) * rows * block * block / sum);
}

double their_psnr(const Plane planes[3]) {
  Mestimate filter(planes[0].width, planes[0].height);
  AvFrame out;
  for (int n = 0; n < 3; n++)
    if (AvFrame frame = filter.push(planes[n])) out = std::move(frame);
  const AVFrameSideData *data =
      out ? av_frame_get_side_data(out.get(), AV_FRAME_DATA_MOTION_VECTORS) : nullptr;
  if (!data) return 0;
  const int columns = planes[1].width / block, rows = planes[1].height / block;
  std::vector<std::pair<int, int>> field(size_t(columns) * rows);
  const auto *vectors = reinterpret_cast<const AVMotionVector *>(data->data);
  for (size_t i = 0; i < data->size / sizeof *vectors; i++) {
    const AVMotionVector &v = vectors[i];
    if (v.source < 0)
      field[size_t(v.dst_y / block) * columns + v.dst_x / block] = {v.src_x - v.dst_x,
                                                                    v.src_y - v.dst_y};
  }
  return psnr(planes[1], planes[0], [&](int x, int y) { return field[size_t(y) * columns + x]; });
}

double our_psnr(Context &context, const Plane planes[3]) {
  Queue queue(context.shared_from_this());
  motion::LumaPlane device[2];
  for (int n = 0; n < 2; n++) {
    device[n] = motion::make_plane(context.cl(), planes[n].width, planes[n].height);
    const std::vector<uint8_t> bytes = reference::padded(planes[n]);
    queue.cl().enqueueWriteBuffer(device[n].buffer, CL_TRUE, 0, bytes.size(), bytes.data());
  }
  motion::Search search(context, block);
  std::vector<motion::Key> keys(search.keys(device[0]));
  const cl::Buffer found(context.cl(), CL_MEM_READ_WRITE, keys.size() * sizeof keys[0]);
  search.run(queue, device[1], device[0], motion::SearchWindow::of_range(range), 0, found);
  queue.cl().enqueueReadBuffer(found, CL_TRUE, 0, keys.size() * sizeof keys[0], keys.data());
  return psnr(planes[1], planes[0], [&](int x, int y) {
    const motion::Vector v = motion::vector_of(keys[size_t(y) * search.columns(device[0]) + x]);
    return std::pair{v.x / 4, v.y / 4};
  });
}

const Registration registration("glclmotion", [](Subject &subject) {
  Peer peer;
  peer.name = "FFmpeg mestimate=method=esa, both directions";
  peer.task = "16×16, range 16";
  peer.time = [](const Scene &scene, double) {
    using Clock = std::chrono::steady_clock;
    const Plane planes[] = {noisy(scene, 0), noisy(scene, 1), noisy(scene, 2), noisy(scene, 3)};
    Mestimate filter(scene.width, scene.height);
    std::vector<double> times;
    for (const Plane &plane : planes) {
      const auto start = Clock::now();
      if (filter.push(plane))
        times.push_back(std::chrono::duration<double>(Clock::now() - start).count() * 1e3);
    }
    return median(times);
  };
  peer.note = [](Context &context, const Scene &scene) {
    const Plane planes[] = {noisy(scene, 0), noisy(scene, 1), noisy(scene, 2)};
    char text[64];
    std::snprintf(text, sizeof text, "%.2f dB, ours %.2f dB", their_psnr(planes),
                  our_psnr(context, planes));
    return std::string(text);
  };
  subject.peers.push_back(peer);
});

}  // namespace

}  // namespace glcl::bench
