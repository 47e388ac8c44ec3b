// SPDX-License-Identifier: LGPL-2.1-or-later
#include "peers.h"

#ifdef HAVE_OPENCV

#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
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
        std::vector<Followed> result;
        for (size_t i = 0; i < to.size(); i++)
          result.push_back({{to[i].x, to[i].y}, found[i] != 0});
        return result;
      }};
  return &peer;
}

#else

std::vector<Peer> peers() { return {}; }
const PointPeer *point_peer() { return nullptr; }

#endif
