// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of points.
#pragma once

#include "klt/klt.h"

#include "kernels/engine.h"
#include "reference/klt/klt.h"
#include "reference/textured.h"

using glcl::klt::Points;
using reference::klt::PointRecord;
using reference::klt::Settings;

struct List {
  Points::PointSummary summary;
  std::vector<PointRecord> points;
};

inline List download(Bench &bench, const Points &points) {
  List list;
  bench.queue->cl().enqueueReadBuffer(points.report(), CL_TRUE, 0, sizeof list.summary,
                                      &list.summary);
  list.points.resize(list.summary.count);
  if (list.summary.count)
    bench.queue->cl().enqueueReadBuffer(points.report(), CL_TRUE, sizeof list.summary,
                                        list.points.size() * sizeof(PointRecord),
                                        list.points.data());
  return list;
}

/// Squares of one grey, all alike.
inline Frame board_frame(int width, int height, int side) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      std::fill_n(frame.at(x, y), 4, (x / side + y / side) % 2 ? 200 : 60);
  return frame;
}

inline std::string size_text(const Frame &frame) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height);
}
