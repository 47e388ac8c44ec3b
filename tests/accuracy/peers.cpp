// SPDX-License-Identifier: LGPL-2.1-or-later
#include "peers.h"

#ifdef HAVE_OPENCV

#include <memory>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/background_segm.hpp>
#include <opencv2/video/tracking.hpp>

using reference::Frame;
using reference::opticalflow::Field;

namespace {

cv::Mat grey(const Frame &frame) {
  Frame copy = frame;
  cv::Mat levels;
  cv::cvtColor(cv::Mat(copy.height, copy.width, CV_8UC4, copy.rgba.data()), levels,
               cv::COLOR_RGBA2GRAY);
  return levels;
}

Peer peer(const std::string &name, const cv::Ptr<cv::DenseOpticalFlow> &method) {
  return {name, [method](const Frame &before, const Frame &after) {
            cv::ocl::setUseOpenCL(false);
            cv::Mat flow;
            method->calc(grey(before), grey(after), flow);
            Field field{before.width, before.height, {}, {}};
            for (int y = 0; y < flow.rows; y++)
              for (int x = 0; x < flow.cols; x++)
                for (int k = 0; k < 2; k++) field.vectors.push_back(flow.at<cv::Vec2f>(y, x)[k]);
            return field;
          }};
}

}  // namespace

std::vector<Peer> peers() {
  using cv::DISOpticalFlow;
  return {peer("Farneback", cv::FarnebackOpticalFlow::create()),
          peer("DIS fast", DISOpticalFlow::create(DISOpticalFlow::PRESET_FAST)),
          peer("DIS medium", DISOpticalFlow::create(DISOpticalFlow::PRESET_MEDIUM))};
}

const PointPeer *point_peer() {
  static const PointPeer peer{
      "PyrLK",
      [](const Frame &frame) {
        std::vector<cv::Point2f> list;
        cv::goodFeaturesToTrack(grey(frame), list, 1000, 0.01, 3, cv::noArray(), 7);
        std::vector<std::array<float, 2>> points;
        for (const cv::Point2f &p : list) points.push_back({p.x, p.y});
        return points;
      },
      [](const Frame &before, const Frame &after, const std::vector<std::array<float, 2>> &points) {
        std::vector<cv::Point2f> from, to;
        for (const auto &[x, y] : points) from.emplace_back(x, y);
        std::vector<uint8_t> found;
        cv::ocl::setUseOpenCL(false);
        cv::calcOpticalFlowPyrLK(grey(before), grey(after), from, to, found, cv::noArray(),
                                 cv::Size(7, 7), 2);
        std::vector<FollowedPoint> result;
        for (size_t i = 0; i < to.size(); i++)
          result.push_back({{to[i].x, to[i].y}, found[i] != 0});
        return result;
      }};
  return &peer;
}

namespace {

using Boxes = std::vector<std::array<double, 4>>;

/// The boxes of a mask after removing specks and small holes.
Boxes components(cv::Mat mask, int least) {
  const cv::Mat small = cv::getStructuringElement(cv::MORPH_ELLIPSE, {3, 3}),
                large = cv::getStructuringElement(cv::MORPH_ELLIPSE, {9, 9});
  cv::morphologyEx(mask, mask, cv::MORPH_OPEN, small);
  cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, large);
  cv::Mat labels, stats, centres;
  const int count = cv::connectedComponentsWithStats(mask, labels, stats, centres);
  Boxes boxes;
  for (int i = 1; i < count; i++) {
    const auto of = [&](int what) { return double(stats.at<int>(i, what)); };
    if (of(cv::CC_STAT_AREA) < least) continue;
    const double left = of(cv::CC_STAT_LEFT), top = of(cv::CC_STAT_TOP);
    boxes.push_back({left, top, left + of(cv::CC_STAT_WIDTH), top + of(cv::CC_STAT_HEIGHT)});
  }
  return boxes;
}

ObjectPeer mixtures(double threshold, int least) {
  return {"MOG2, " + std::to_string(int(threshold)), [=] {
            const auto model = cv::createBackgroundSubtractorMOG2(500, threshold, false);
            return [=](const Frame &frame) {
              cv::ocl::setUseOpenCL(false);
              cv::Mat mask;
              model->apply(grey(frame), mask);
              return components(mask, least);
            };
          }};
}

ObjectPeer homography(double threshold, int least) {
  return {"homography, " + std::to_string(int(threshold)), [=] {
            const auto before = std::make_shared<cv::Mat>();
            return [=](const Frame &frame) -> Boxes {
              cv::ocl::setUseOpenCL(false);
              const cv::Mat now = grey(frame), last = *before;
              *before = now;
              std::vector<cv::Point2f> from, to, paired_from, paired_to;
              if (!last.empty()) cv::goodFeaturesToTrack(last, from, 500, 0.01, 7);
              if (from.size() < 8) return {};
              std::vector<uint8_t> found;
              cv::calcOpticalFlowPyrLK(last, now, from, to, found, cv::noArray());
              for (size_t i = 0; i < from.size(); i++)
                if (found[i]) paired_from.push_back(from[i]), paired_to.push_back(to[i]);
              cv::Mat motion;
              if (paired_from.size() >= 8)
                motion = cv::findHomography(paired_from, paired_to, cv::RANSAC, 1.5);
              if (motion.empty()) return {};
              cv::Mat laid, seen, difference, mask;
              cv::warpPerspective(last, laid, motion, now.size());
              cv::warpPerspective(cv::Mat(last.size(), CV_8U, cv::Scalar(255)), seen, motion,
                                  now.size(), cv::INTER_NEAREST);
              cv::absdiff(now, laid, difference);
              cv::threshold(difference, mask, threshold, 255, cv::THRESH_BINARY);
              cv::erode(seen, seen, cv::Mat(), {-1, -1}, 2, cv::BORDER_CONSTANT, 0);
              return components(mask & seen, least);
            };
          }};
}

}  // namespace

std::vector<ObjectPeer> object_peers(int least) {
  std::vector<ObjectPeer> list;
  for (double threshold : {8, 16, 32}) list.push_back(mixtures(threshold, least));
  for (double threshold : {15, 25, 40}) list.push_back(homography(threshold, least));
  return list;
}

#else

std::vector<ObjectPeer> object_peers(int) { return {}; }
std::vector<Peer> peers() { return {}; }
const PointPeer *point_peer() { return nullptr; }

#endif
