// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclkltreports.h"

#include <cstddef>
#include <optional>

#include "base/glclerrorreporter.h"
#include "base/glclresult.h"
#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::klt {

namespace {

constexpr char kind[] = "glclklt";

/// The offset of `moved` in the arrays of a meta, bytes: after the counts and 28 bytes per point.
size_t moved_offset(const Klt &klt) { return 4 * sizeof(cl_uint) + klt.features() * size_t(28); }

/// Copies one field of every point; `from`, `bytes` and `offset` are in bytes.
void copy_part(Queue &queue, const Klt &klt, size_t from, size_t bytes, const cl::Buffer &to,
               size_t offset) {
  const size_t count = klt.features(), point = sizeof(Points::PointRecord);
  queue.cl().enqueueCopyBufferRect(klt.points().report(), to,
                                   {sizeof(Points::PointSummary) + from, 0, 0}, {offset, 0, 0},
                                   {bytes, count, 1}, point, point * count, bytes, bytes * count);
}

}  // namespace

void PointReports::start(const std::string &path) {
  frames_ = 0;
  if (!path.empty()) file_ = std::make_unique<TrackWriter>(path);
}

void PointReports::prepare(Context &context, int width, int height) {
  width_ = width, height_ = height;
  const float unmoved[] = {1, 0, 0, 0, 1, 0};
  identity_rows_ = cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof unmoved,
                              const_cast<float *>(unmoved));
  posted_ = std::make_shared<PostedTotals>();
}

void PointReports::post(GstGLCLAnalyzer *element, const FrameTimes &times,
                        const Points::PointSummary &summary, PostedTotals &posted) {
  GstStructure *message = gst_glcl_analyzer_structure(kind, times);
  gst_structure_set(message, "tracked", G_TYPE_UINT,
                    summary.blank ? 0 : summary.count - summary.selected, "lost", G_TYPE_UINT,
                    summary.all_lost - posted.lost, "new", G_TYPE_UINT,
                    summary.all_selected - posted.selected, "cut", G_TYPE_BOOLEAN,
                    gboolean(summary.all_cuts != posted.cuts), "blank", G_TYPE_UINT,
                    summary.all_blank - posted.blank, nullptr);
  if (!summary.blank)
    gst_structure_set(message, "mean-x", G_TYPE_DOUBLE, double(summary.mean_x), "mean-y",
                      G_TYPE_DOUBLE, double(summary.mean_y), "mean-age", G_TYPE_DOUBLE,
                      double(summary.mean_age), nullptr);
  if (summary.noise >= 0)
    gst_structure_set(message, "noise", G_TYPE_DOUBLE, double(summary.noise), nullptr);
  if (summary.confidence >= 0)
    gst_structure_set(message, "camera-confidence", G_TYPE_DOUBLE, double(summary.confidence),
                      nullptr);
  if (summary.margin_used >= 0)
    gst_structure_set(message, "margin-used", G_TYPE_DOUBLE, double(summary.margin_used), nullptr);
  posted = {summary.all_lost, summary.all_selected, summary.all_cuts, summary.all_blank};
  gst_glcl_analyzer_post(element, message);
}

/// Attaches the meta, but for `moved`. Returns the buffer of its arrays, transfer full.
GstBuffer *PointReports::attach(GstGLCLAnalyzer *element, Queue &queue, const Klt &klt,
                                GstBuffer *outbuf) const {
  const int most = klt.features();
  // Offsets: the first four numbers of the summary, then one array after the other.
  const size_t counts = 4 * sizeof(cl_uint), points = counts, ids = points + most * size_t(16),
               ages = ids + most * size_t(4), residues = ages + most * size_t(4),
               moved = moved_offset(klt);
  const AttachedResult result =
      gst_glcl_analyzer_attach(element, outbuf, kind, moved + sizeof StabilizerState::rows,
                               {{"summary", "int32", {4}, 0},
                                {"points-count", "int32", {1}, 0},
                                {"points", "float32", {most, 4}, points},
                                {"ids-count", "int32", {1}, 0},
                                {"ids", "uint32", {most}, ids},
                                {"ages-count", "int32", {1}, 0},
                                {"ages", "uint32", {most}, ages},
                                {"residues-count", "int32", {1}, 0},
                                {"residues", "float32", {most}, residues},
                                {"moved", "float32", {2, 3}, moved}});
  const cl::Buffer &memory = result_memory(result.buffer);
  queue.cl().enqueueCopyBuffer(klt.points().report(), memory, 0, 0, counts);
  copy_part(queue, klt, offsetof(Points::PointRecord, x), 16, memory, points);
  copy_part(queue, klt, offsetof(Points::PointRecord, id), 4, memory, ids);
  copy_part(queue, klt, offsetof(Points::PointRecord, age), 4, memory, ages);
  copy_part(queue, klt, offsetof(Points::PointRecord, residue), 4, memory, residues);
  gst_structure_set(result.fields, "width", G_TYPE_INT, width_, "height", G_TYPE_INT, height_,
                    nullptr);
  return gst_buffer_ref(result.buffer);
}

/// Writes the points of a frame. After a failure the stream continues without the file.
void PointReports::write(GstElement *element, guint64 frame, GstClockTime timestamp,
                         const void *bytes) {
  const auto *summary = static_cast<const Points::PointSummary *>(bytes);
  const auto *points = reinterpret_cast<const Points::PointRecord *>(summary + 1);
  try {
    file_->write(
        frame,
        GST_CLOCK_TIME_IS_VALID(timestamp) ? std::optional<uint64_t>(timestamp) : std::nullopt,
        points, summary->count);
  } catch (const Error &error) {
    warn(element, GST_RESOURCE_ERROR_WRITE, error.what(),
         "no further points are written to this file");
  }
}

PendingReport PointReports::begin(GstGLCLAnalyzer *element, Queue &queue, Klt &klt,
                                  GstBuffer *inbuf, GstBuffer *outbuf, cl::Buffer *summary) {
  const guint64 frame = frames_++;
  const FrameRequest wanted = gst_glcl_analyzer_request(element, inbuf);
  PendingReport pending;
  pending.times = wanted.times;
  if (!wanted.message && !wanted.meta && !file_) return pending;
  klt.report(queue);
  const cl::Buffer &report = klt.points().report();
  if (wanted.message && summary) {
    constexpr size_t bytes = sizeof(Points::PointSummary);
    ensure_size(*summary, queue.context().cl(), bytes);
    queue.cl().enqueueCopyBuffer(report, *summary, 0, 0, bytes);
  }
  if (wanted.message) pending.summary = summary ? *summary : report;
  if (wanted.meta) pending.result = attach(element, queue, klt, outbuf);
  pending.moved = moved_offset(klt);
  if (file_)
    gst_glcl_analyzer_read(
        element, queue, report, Points::bytes(klt.features()),
        [this, element, frame, timestamp = wanted.times.timestamp](const void *bytes) {
          write(GST_ELEMENT(element), frame, timestamp, bytes);
        });
  return pending;
}

void PointReports::finish(GstGLCLAnalyzer *element, Queue &queue, const PendingReport &report,
                          const cl::Buffer *state) {
  if (report.summary() && state)
    queue.cl().enqueueCopyBuffer(*state, report.summary, offsetof(StabilizerState, confidence),
                                 offsetof(Points::PointSummary, confidence), 2 * sizeof(float));
  if (report.summary())
    gst_glcl_analyzer_read(element, queue, report.summary, sizeof(Points::PointSummary),
                           [element, times = report.times, posted = posted_](const void *bytes) {
                             post(element, times, *static_cast<const Points::PointSummary *>(bytes),
                                  *posted);
                           });
  if (!report.result) return;
  queue.cl().enqueueCopyBuffer(state ? *state : identity_rows_, result_memory(report.result),
                               state ? offsetof(StabilizerState, rows) : 0, report.moved,
                               sizeof StabilizerState::rows);
  result_written(report.result, queue);
}

}  // namespace glcl::klt
