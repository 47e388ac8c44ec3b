// SPDX-License-Identifier: LGPL-2.1-or-later
// The peers in OpenCV, on its CPU path and its OpenCL path.
#include <chrono>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "measure.h"
#include "subject.h"

namespace glcl::bench {

namespace {

/// Median of calls, each finished, in ms.
template <class Work>
double time_calls(Work work, double seconds) {
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

cv::Mat bgr(reference::Frame frame) {
  cv::Mat colours;
  cv::cvtColor(cv::Mat(frame.height, frame.width, CV_8UC4, frame.rgba.data()), colours,
               cv::COLOR_RGBA2BGR);
  return colours;
}

cv::Mat grey(const reference::Frame &frame) {
  cv::Mat levels;
  cv::cvtColor(bgr(frame), levels, cv::COLOR_BGR2GRAY);
  return levels;
}
cv::Mat grey(const Scene &scene, int number) { return grey(scene.frame(number)); }

enum class Path { cpu, opencl };

/// A peer on one of OpenCV's paths. `prepare (scene, Matrix ())` returns the call to time, with the
/// path's type of matrix.
template <class Prepare>
void add_path(std::vector<Peer> &peers, Path path, const std::string &name, const std::string &task,
              Prepare prepare) {
  const bool opencl = path == Path::opencl;
  peers.push_back({(opencl ? "OpenCV OpenCL, " : "OpenCV CPU, ") + name, task,
                   [=](const Scene &scene, double seconds) {
                     cv::ocl::setUseOpenCL(opencl);
                     if (!opencl) return time_calls(prepare(scene, cv::Mat()), seconds);
                     if (!cv::ocl::useOpenCL()) return 0.0;
                     auto call = prepare(scene, cv::UMat());
                     return time_calls(
                         [&] {
                           call();
                           cv::ocl::finish();
                         },
                         seconds);
                   }});
}

template <class Prepare>
void add_paths(std::vector<Peer> &peers, const std::string &name, const std::string &task,
               Prepare prepare) {
  for (Path path : {Path::cpu, Path::opencl}) add_path(peers, path, name, task, prepare);
}

/// Adds both paths of a call from a frame to a result.
template <class Call>
void add(std::vector<Peer> &peers, const std::string &name, const std::string &task, Call call) {
  add_paths(peers, name, task, [=](const Scene &scene, auto in) {
    bgr(scene.frame()).copyTo(in);
    return [=, out = decltype(in)()]() mutable { call(in, out); };
  });
}

/// Adds both paths of a call from two grey frames to a flow; `make` creates the call.
template <class Make>
void add_flow(std::vector<Peer> &peers, const std::string &name, const std::string &task,
              Make make) {
  add_paths(peers, name, task, [=](const Scene &scene, auto before) {
    decltype(before) now;
    grey(scene, 0).copyTo(before);
    grey(scene, 1).copyTo(now);
    return [=, call = make(), flow = decltype(before)()]() mutable { call(before, now, flow); };
  });
}

const Registration bilateral("glclbilateral", [](Subject &subject) {
  for (const auto &[radius, task] : {std::pair{4, "color, radius 4"}, {10, "color, radius 10"}})
    add(subject.peers, "bilateralFilter d=" + std::to_string(2 * radius + 1), task,
        [radius = radius](const auto &in, auto &out) {
          cv::bilateralFilter(in, out, 2 * radius + 1, 25, radius / 2.0);
        });
});

const Registration histogram("glclhistogram", [](Subject &subject) {
  // One channel at a time, as calcHist requires.
  add(subject.peers, "calcHist of R, G and B", "R, G, B, 3×256 bins, buffer",
      [](const auto &in, auto &out) {
        const std::vector<std::decay_t<decltype(in)>> images{in};
        for (int channel = 0; channel < 3; channel++)
          cv::calcHist(images, {channel}, cv::noArray(), out, {256}, {0, 256});
      });
});

// The same smoothing as glclhough, and thresholds for the same contrast: a 3×3 Sobel returns 8
// times the slope.
const Registration hough("glclhough", [](Subject &subject) {
  for (const char *task : {"edges", "edges, hysteresis"})
    add(subject.peers, "cvtColor, GaussianBlur and Canny", task, [](const auto &in, auto &out) {
      std::decay_t<decltype(in)> levels, smooth;
      cv::cvtColor(in, levels, cv::COLOR_BGR2GRAY);
      cv::GaussianBlur(levels, smooth, {9, 9}, 1.4);
      cv::Canny(smooth, out, 24, 48);
    });
});

const Registration opticalflow("glopenclflow", [](Subject &subject) {
  const std::string task = "pyramidal, last warps";
  add_flow(subject.peers, "Farneback, 3 levels, 15×15", task, [] {
    return [](const auto &before, const auto &now, auto &flow) {
      cv::calcOpticalFlowFarneback(before, now, flow, 0.5, 3, 15, 3, 5, 1.2, 0);
    };
  });
  add_flow(subject.peers, "DIS medium", task, [] {
    return [dis = cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM)](
               const auto &before, const auto &now, auto &flow) { dis->calc(before, now, flow); };
  });
  // Sparse flow: the points lie 4 px apart. The OpenCL path requires them in one row.
  add_paths(
      subject.peers, "PyrLK, 15×15, a pixel of 16", task, [](const Scene &scene, auto before) {
        decltype(before) now, points, moved, status, error;
        grey(scene, 0).copyTo(before);
        grey(scene, 1).copyTo(now);
        std::vector<cv::Point2f> list;
        for (int y = 2; y < scene.height; y += 4)
          for (int x = 2; x < scene.width; x += 4)
            list.emplace_back(static_cast<float>(x), static_cast<float>(y));
        cv::Mat(list).reshape(2, 1).copyTo(points);
        return [=]() mutable {
          cv::calcOpticalFlowPyrLK(before, now, points, moved, status, error, cv::Size(15, 15));
        };
      });
});

const Registration klt("glclklt", [](Subject &subject) {
  add_paths(subject.peers, "goodFeaturesToTrack, 1000", "select 1000",
            [](const Scene &scene, auto in) {
              grey(scene.detailed(0)).copyTo(in);
              return [=, points = decltype(in)()]() mutable {
                cv::goodFeaturesToTrack(in, points, 1000, 1e-6, 3, cv::noArray(), 7);
              };
            });
  add_paths(
      subject.peers, "PyrLK, 1000, 7×7, 3 levels", "track 1000, 7×7",
      [](const Scene &scene, auto before) {
        decltype(before) now, points, moved, status, error;
        grey(scene.detailed(0)).copyTo(before);
        grey(scene.detailed(1)).copyTo(now);
        cv::Mat list;
        cv::goodFeaturesToTrack(grey(scene.detailed(0)), list, 1000, 1e-6, 3, cv::noArray(), 7);
        list.reshape(2, 1).copyTo(points);
        return [=]() mutable {
          cv::calcOpticalFlowPyrLK(before, now, points, moved, status, error, cv::Size(7, 7), 2);
        };
      });
});

}  // namespace

}  // namespace glcl::bench
