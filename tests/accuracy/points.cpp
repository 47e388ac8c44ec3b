// SPDX-License-Identifier: LGPL-2.1-or-later
#include "points.h"

namespace accuracy {

PointReport read_report(glcl::Queue &queue, glcl::klt::Klt &klt) {
  klt.report(queue);
  PointReport report;
  const cl::Buffer &from = klt.points().report();
  queue.cl().enqueueReadBuffer(from, CL_TRUE, 0, sizeof report.summary, &report.summary);
  report.points.resize(report.summary.count);
  if (!report.points.empty())
    queue.cl().enqueueReadBuffer(from, CL_TRUE, sizeof report.summary,
                                 report.points.size() * sizeof report.points[0],
                                 report.points.data());
  return report;
}

}  // namespace accuracy
