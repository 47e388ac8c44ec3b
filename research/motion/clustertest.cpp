// SPDX-License-Identifier: LGPL-2.1-or-later
// Every form of the detector by vectors finds each bit of the scalar one; the forms of RANSAC find
// the same iteration.
#include <random>

#include "clusters.h"
#include "tests/kernels/engine.h"

using glcl::research::Clusters;
using glcl::research::HostRansac;
using reference::CameraVector;

namespace {

template <class Value>
cl::Buffer upload(Bench &bench, std::vector<Value> values) {
  if (values.empty()) values.emplace_back();
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    values.size() * sizeof(Value), values.data());
}

template <class Value>
std::vector<Value> download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  std::vector<Value> values(count);
  if (count)
    bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Value), values.data());
  return values;
}

constexpr glcl::camera::SimilarityMotion camera{-3.3f, 2.2f, 0.01f, -0.004f};

/// Vectors of a camera and of two things that move by themselves, of chance, or one of each kind.
std::vector<CameraVector> scene(int width, int height, int count, int kind, unsigned seed) {
  std::mt19937 next(seed);
  std::vector<CameraVector> list;
  for (int i = 0; i < count; i++) {
    const float x = float(next() % unsigned(width)) - 0.5f * float(width),
                y = float(next() % unsigned(height)) - 0.5f * float(height);
    const std::complex<float> v = reference::vector_at(camera, {x, y});
    CameraVector vector{x, y, v.real() + float(next() % 5) * 0.08f, v.imag()};
    const bool one = x > 0 && x < 0.2f * float(width), other = y < -0.3f * float(height);
    if (kind == 1) vector[2] = float(next() % 200) - 100, vector[3] = float(next() % 140) - 70;
    if (kind == 2 && (one || other))
      vector[2] += one ? 6 + float(next() % 2) : -62, vector[3] += one ? -4 : 63;
    if (kind == 3) vector[2] = 7, vector[3] = 0;
    list.push_back(vector);
  }
  return list;
}

}  // namespace

TEST_EACH(test_clusters, 0, 3) {
  Bench bench;
  for (const auto &[width, height, count] :
       {std::array{1, 1, 1}, {1, 1, 40}, {9, 200, 300}, {131, 97, 0}, {131, 97, 3000}})
    for (int kind = 0; kind < 4; kind++)
      for (int copies : {1, 16}) {
        const auto vectors = scene(width, height, count, kind, unsigned(kind) + 1);
        const Clusters::Settings settings{camera, copies, 12};
        const auto expected = Clusters::scalar(settings, width, height, vectors);
        Clusters engine(*bench.context, static_cast<Clusters::Form>(__i__), width, height, 3000);
        for (int again = 0; again < 2; again++)
          engine.run(*bench.queue, settings, upload(bench, vectors), count);
        fail_unless(download<cl_uint>(bench, engine.votes(), Clusters::bins) == expected.votes,
                    "%d×%d, kind %d: other votes", width, height, kind);
        const size_t peaks = download<cl_uint>(bench, engine.peak_count(), 1)[0];
        fail_unless(download<cl_uint>(bench, engine.peaks(), peaks) == expected.peaks,
                    "%d×%d, kind %d: %zu peaks, expected %zu", width, height, kind, peaks,
                    expected.peaks.size());
        fail_unless(
            download<cl_uchar>(bench, engine.pixels(), size_t(width) * height) == expected.pixels,
            "%d×%d, kind %d: other clusters", width, height, kind);
        // A scene in which something moves has it told.
        if (kind == 2 && count == 3000)
          fail_unless(expected.peaks.size() >= 2 &&
                      std::count(expected.pixels.begin(), expected.pixels.end(), 0) <
                          int(expected.pixels.size()));
      }
}

TEST(test_host_ransac) {
  Bench bench;
  for (int count : {2, 50, 700}) {
    const auto vectors = scene(320, 240, count, 2, 5);
    glcl::camera::Ransac::Settings settings;
    settings.seed = 3;
    settings.min_iterations = settings.max_iterations = 40;
    const reference::Ransac expected(vectors, settings);
    HostRansac host(*bench.context);
    const auto [best, inliers] = host.run(*bench.queue, upload(bench, vectors), count,
                                          settings.seed, 40, settings.max_error);
    fail_unless(best == expected.best && inliers == expected.inliers[size_t(best)],
                "%d: iteration %d with %d, expected %d with %d", count, best, inliers,
                expected.best, expected.inliers[size_t(expected.best)]);
  }
}
