// SPDX-License-Identifier: LGPL-2.1-or-later
// The peers in OpenCV, on its CPU and its OpenCL path.
#include <chrono>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>

#include "measure.h"
#include "peers.h"

namespace glcl::bench {

namespace {

/// Median of calls, each finished, in ms.
template <class Work>
double time_calls(const Work &work, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  work();
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 3 || since(start) < seconds) {
    const auto begin = Clock::now();
    work();
    times.push_back(since(begin) * 1e3);
  }
  return median(times);
}

cv::Mat bgr(const Scene &scene, int number = 0) {
  reference::Frame frame = scene.frame(number);
  cv::Mat colours;
  cv::cvtColor(cv::Mat(frame.height, frame.width, CV_8UC4, frame.rgba.data()), colours,
               cv::COLOR_RGBA2BGR);
  return colours;
}

/// A peer on OpenCV's CPU path, and one on its OpenCL path where there is a device.
template <class Call>
void add(std::vector<Peer> &peers, const std::string &name, const std::string &task, Call call) {
  peers.push_back({"OpenCV CPU, " + name, task, [=](const Scene &scene, double seconds) {
                     cv::Mat in = bgr(scene), out;
                     cv::ocl::setUseOpenCL(false);
                     return time_calls([&] { call(in, out); }, seconds);
                   }});
  peers.push_back({"OpenCV OpenCL, " + name, task, [=](const Scene &scene, double seconds) {
                     cv::ocl::setUseOpenCL(true);
                     if (!cv::ocl::useOpenCL()) return 0.0;
                     cv::UMat in, out;
                     bgr(scene).copyTo(in);
                     return time_calls(
                         [&] {
                           call(in, out);
                           cv::ocl::finish();
                         },
                         seconds);
                   }});
}

}  // namespace

std::vector<Peer> bilateral_peers() {
  std::vector<Peer> peers;
  for (const auto &[radius, task] : {std::pair{4, "color, radius 4"}, {10, "color, radius 10"}})
    add(peers, "bilateralFilter d=" + std::to_string(2 * radius + 1), task,
        [radius = radius](const auto &in, auto &out) {
          cv::bilateralFilter(in, out, 2 * radius + 1, 25, radius / 2.0);
        });
  return peers;
}

std::vector<Peer> histogram_peers() {
  std::vector<Peer> peers;
  // A channel at a time, as calcHist wants it.
  add(peers, "calcHist of R, G and B", "R, G, B, 3×256 bins, buffer",
      [](const auto &in, auto &out) {
        const std::vector<std::decay_t<decltype(in)>> images{in};
        for (int channel = 0; channel < 3; channel++)
          cv::calcHist(images, {channel}, cv::noArray(), out, {256}, {0, 256});
      });
  return peers;
}

}  // namespace glcl::bench
