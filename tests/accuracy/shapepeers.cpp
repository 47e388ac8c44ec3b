// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shapepeers.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

using reference::Frame;
using reference::Pose;
using reference::Target;

PeerResult find_within(int seconds, const ShapePeer &peer, const Frame &scene, const Target &target,
                       const Pose &truth) {
  PeerResult result;
  int ends[2];
  if (pipe(ends)) return result;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds)};
    setrlimit(RLIMIT_CPU, &limit);
    const std::vector<Pose> found = peer.find(scene, target, truth);
    const size_t bytes = found.size() * sizeof found[0];
    const bool written =
        !bytes || write(ends[1], found.data(), bytes) == static_cast<ssize_t>(bytes);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  // The pipe ends when the child does.
  for (Pose pose; read(ends[0], &pose, sizeof pose) == static_cast<ssize_t>(sizeof pose);)
    result.poses.push_back(pose);
  close(ends[0]);
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return result;
  result.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  for (const timeval &time : {usage.ru_utime, usage.ru_stime})
    result.seconds += double(time.tv_sec) + double(time.tv_usec) / 1e6;
  return result;
}

#ifdef HAVE_OPENCV

#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>

namespace {

constexpr size_t most = 10;
constexpr int step = 2;  // degrees

cv::Mat grey(const Frame &frame) {
  Frame copy = frame;
  cv::Mat levels;
  cv::cvtColor(cv::Mat(copy.height, copy.width, CV_8UC4, copy.rgba.data()), levels,
               cv::COLOR_RGBA2GRAY);
  return levels;
}

/// The target on grey, as Target::picture(), turned and scaled.
cv::Mat template_of(const Target &target, double angle, double scale) {
  const int side = static_cast<int>(target.side * scale * 1.45) + 8;
  Frame frame(side, side);
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 128;
  reference::place(frame, target, {(side - 1) / 2.0, (side - 1) / 2.0, angle, scale});
  return grey(frame);
}

/// x, y, size and turn clockwise of each, the most votes first.
std::vector<Pose> poses_of(const std::vector<cv::Vec4f> &found) {
  std::vector<Pose> poses;
  for (const cv::Vec4f &one : found)
    if (poses.size() < most) poses.push_back({one[0], one[1], -one[3], one[2]});
  return poses;
}

void set_edges(cv::GeneralizedHough &method) {
  cv::ocl::setUseOpenCL(false);
  cv::setNumThreads(0);  // in a child, threads of the parent are not there
  method.setCannyLowThresh(50);
  method.setCannyHighThresh(100);
  method.setMinDist(10);
}

std::vector<Pose> guil(const Frame &scene, const Target &target, const Pose &) {
  const auto method = cv::createGeneralizedHoughGuil();
  set_edges(*method);
  method->setLevels(360);
  method->setDp(2);
  method->setMaxBufferSize(4000);
  method->setXi(90);
  method->setMinAngle(0), method->setMaxAngle(360), method->setAngleStep(step);
  method->setMinScale(0.5), method->setMaxScale(1.5), method->setScaleStep(0.05);
  method->setAngleThresh(1500), method->setScaleThresh(50), method->setPosThresh(10);
  method->setTemplate(grey(target.picture()));
  std::vector<cv::Vec4f> found;
  method->detect(grey(scene), found);
  return poses_of(found);
}

std::vector<Pose> ballard(const Frame &scene, const Target &target, const Pose &truth) {
  const auto method = cv::createGeneralizedHoughBallard();
  set_edges(*method);
  method->setLevels(360);
  method->setDp(1);
  method->setVotesThreshold(10);
  method->setTemplate(template_of(target, truth.angle, truth.scale));
  std::vector<cv::Vec4f> found;
  method->detect(grey(scene), found);
  std::vector<Pose> poses = poses_of(found);
  for (Pose &pose : poses) pose.angle = truth.angle, pose.scale = truth.scale;
  return poses;
}

}  // namespace

std::vector<ShapePeer> shape_peers() {
  return {{"OpenCV's Guil", guil}, {"OpenCV's Ballard, given rotation and scale", ballard}};
}

#else

std::vector<ShapePeer> shape_peers() { return {}; }

#endif
