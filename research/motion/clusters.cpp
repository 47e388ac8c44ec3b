// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "opencl/error.h"

namespace glcl::research {

namespace {

constexpr int max_speed = 63, reach = 3, least_votes = 4, most_copies = 64;
constexpr int row_bits = 10;

std::string items_of(Context &context) { return context.device().is_cpu() ? "1" : "128"; }

}  // namespace

Clusters::Clusters(Context &context, Form form, int width, int height, size_t capacity)
    : form_(form),
      size_{{width, height}},
      compaction_(context),
      sort_(context, capacity),
      scan_(context) {
  const Program program =
      context.program("research/motion/clusters.cl", "-DITEMS=" + items_of(context));
  const Size list{context.device().is_cpu() ? size_t(64) : size_t(128), 1};
  subtract_camera_ = Kernel(context, program, "clusters_subtract_camera", list);
  vote_ = Kernel(context, program, "clusters_vote", list);
  sum_ = Kernel(context, program, "clusters_sum", list);
  peaks_kernel_ = Kernel(context, program, "clusters_peaks", list);
  pixels_kernel_ = Kernel(context, program, "clusters_pixels", {});
  const auto make = [&](size_t numbers) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE,
                      std::max<size_t>(numbers, 1) * sizeof(cl_uint));
  };
  const auto with = [&](std::vector<cl_uint> values) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      values.size() * sizeof(cl_uint), values.data());
  };
  try {
    for (cl::Buffer *buffer : {&rows_, &list_, &compacted_rows_, &compacted_, &unused_})
      *buffer = make(capacity);
    count_ = make(1), compacted_count_ = make(1), peak_count_ = make(1), no_histogram_ = make(1);
    starts_ = make(size_t(height) + 1);
    row_count_ = with({cl_uint(height)}), bin_count_ = with({bins});
    copies_ = with(std::vector<cl_uint>(size_t(most_copies) * bins));
    sums_ = make(bins), found_ = make(bins), peaks_ = make(bins), peak_votes_ = make(bins);
    pixels_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, size_t(width) * height);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for clusters on " + context.device().name + ".", error);
  }
}

void Clusters::histogram(Queue &queue, const Settings &settings, const cl::Buffer &vectors,
                         int count) {
  const Size all{size_t(std::max(count, 1)), 1};
  queue.cl().enqueueFillBuffer(count_, static_cast<cl_uint>(count), 0, sizeof(cl_uint));
  subtract_camera_(queue, all, vectors, count, settings.motion, size_, rows_, list_);
  const bool compacts = form_ != Form::plain;
  if (compacts)
    compaction_.run(queue, {rows_, list_, list_}, count_, {compacted_rows_, compacted_, unused_},
                    static_cast<cl_uint>(std::max(count, 1)), compacted_count_, starts_,
                    size_.s[1]);
  vote_(queue, all, compacts ? compacted_rows_ : rows_, compacts ? compacted_ : list_,
        compacts ? compacted_count_ : count_, settings.copies, copies_);
  sum_(queue, {bins, 1}, copies_, settings.copies, sums_);
  peaks_kernel_(queue, {side, side}, sums_, settings.min_votes, found_);
  compaction_.run(queue, {found_, sums_, sums_}, bin_count_, {peaks_, peak_votes_, peak_votes_},
                  bins, peak_count_, no_histogram_, 0);
}

void Clusters::run(Queue &queue, const Settings &settings, const cl::Buffer &vectors, int count) {
  histogram(queue, settings, vectors, count);
  const bool compacts = form_ != Form::plain, sorts = form_ == Form::sorted;
  if (sorts) {
    sort_.run(queue, compacted_rows_, compacted_, compacted_count_, row_bits);
    scan_.run(queue, starts_, row_count_, starts_);
  }
  pixels_kernel_(queue, {size_t(size_.s[0]), size_t(size_.s[1])},
                 compacts ? compacted_rows_ : rows_, compacts ? compacted_ : list_,
                 compacts ? compacted_count_ : count_, int(sorts), starts_, peaks_, peak_count_,
                 size_, pixels_);
}

Clusters::Expected Clusters::scalar(const Settings &settings, int width, int height,
                                    const std::vector<reference::CameraVector> &vectors) {
  struct Residual {
    int x, y, vx, vy;
  };
  std::vector<Residual> residuals;
  Expected expected{std::vector<cl_uint>(bins), {}, {}};
  for (const auto &[x, y, vx, vy] : vectors) {
    const std::complex<float> camera = reference::vector_at(settings.motion, {x, y});
    const auto whole = [](float value) { return static_cast<int>(std::rint(value)); };
    const Residual v{whole(x + 0.5f * float(width)), whole(y + 0.5f * float(height)),
                     whole(vx - camera.real()), whole(vy - camera.imag())};
    if ((!v.vx && !v.vy) || std::abs(v.vx) > max_speed || std::abs(v.vy) > max_speed || v.x < 0 ||
        v.y < 0 || v.x >= width || v.y >= height)
      continue;
    residuals.push_back(v);
    expected.votes[size_t(v.vy + max_speed) * side + v.vx + max_speed]++;
  }
  for (int bin = 0; bin < bins; bin++) {
    const cl_uint own = expected.votes[size_t(bin)];
    bool peak = own >= settings.min_votes;
    for (int v = std::max(bin / side - 1, 0); v <= std::min(bin / side + 1, side - 1); v++)
      for (int u = std::max(bin % side - 1, 0); u <= std::min(bin % side + 1, side - 1); u++) {
        const int other = v * side + u;
        const cl_uint votes = expected.votes[size_t(other)];
        if (other < bin ? votes >= own : votes > own) peak = false;
      }
    if (peak) expected.peaks.push_back(cl_uint(bin));
  }
  const auto cluster_of = [&](const Residual &v) {
    int nearest = reach * reach + 1, found = -1;
    for (int i = 0; i < std::min(max_clusters, int(expected.peaks.size())); i++) {
      const int u = v.vx - (int(expected.peaks[size_t(i)]) % side - max_speed),
                w = v.vy - (int(expected.peaks[size_t(i)]) / side - max_speed);
      if (u * u + w * w < nearest) nearest = u * u + w * w, found = i;
    }
    return found;
  };
  std::vector<std::array<int, max_clusters>> votes(size_t(width) * height);
  for (const Residual &v : residuals) {
    const int cluster = cluster_of(v);
    if (cluster < 0) continue;
    for (int y = std::max(v.y - reach, 0); y <= std::min(v.y + reach, height - 1); y++)
      for (int x = std::max(v.x - reach, 0); x <= std::min(v.x + reach, width - 1); x++)
        votes[size_t(y) * width + x][size_t(cluster)]++;
  }
  for (const auto &own : votes) {
    const auto best = std::max_element(own.begin(), own.end());
    expected.pixels.push_back(*best > least_votes ? cl_uchar(best - own.begin() + 1) : 0);
  }
  return expected;
}

HostRansac::HostRansac(Context &context) {
  const Program program =
      context.program("research/motion/hostransac.cl", "-DITEMS=" + items_of(context));
  draw_ = Kernel(context, program, "host_draw", {});
  count_ = Kernel(context, program, "host_count", {});
  motion_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sizeof(camera::SimilarityMotion));
  inliers_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sizeof(cl_uint));
}

std::pair<int, int> HostRansac::run(Queue &queue, const cl::Buffer &vectors, int count,
                                    cl_uint seed, int iterations, float error) {
  std::pair<int, int> best{0, -1};
  for (int i = 0; i < iterations; i++) {
    draw_(queue, draw_.group(), vectors, count, seed, i, motion_, inliers_);
    count_(queue, {size_t(std::max(count, 1)), 1}, vectors, count, motion_, error, inliers_);
    cl_uint inliers = 0;
    queue.cl().enqueueReadBuffer(inliers_, CL_TRUE, 0, sizeof inliers, &inliers);
    if (int(inliers) > best.second) best = {i, int(inliers)};
  }
  return best;
}

}  // namespace glcl::research
