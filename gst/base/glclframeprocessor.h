// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "glclcontextslot.h"
#include "glclfilterproperties.h"
#include "glcltexturebridge.h"
#include "gstglclfilter.h"
#include "opencl/asynctask.h"
#include "opencl/launchthrottle.h"
#include "opencl/processexit.h"
#include "opencl/stop.h"

namespace glcl {

/// Runs the virtual functions of an element on an OpenCL context that suits its settings and that
/// is prepared for the caps, on the element's own queue. The streaming thread calls it, unless
/// noted; one thread at a time.
class FrameProcessor {
 public:
  /// All arguments must outlive it.
  FrameProcessor(GstGLCLFilter *element, Guarded<FilterSettings> &settings, StatsRecorder &stats);

  ContextSlot &contexts() { return contexts_; }
  /// Ends the current work early on request. A bin around the element that stops is such a request.
  Stop &stop() { return stop_; }
  /// Declares that the next frame does not follow the previous one. Any thread.
  void request_reset() { reset_requested_ = true; }

  /// A new start. Throws if there is no device.
  void start();
  /// After the last frame.
  void end();

  /// Runs work after preparing for the caps, and posts its errors. FLUSHING if the work ended early
  /// because the element stops.
  GstFlowReturn run(GstGLContext *gl_context, const std::function<void()> &work);

  /// Processes a frame; call it in the work of run().
  void process(GstBuffer *in, GstBuffer *out);
  /// Renders the oldest frame that waits into `out`; call it in the work of run(). False if the
  /// frame is lost.
  bool release_waiting(GstBuffer *out);
  /// The bridge of the context in use, or null.
  TextureBridge *bridge() { return bridge_.get(); }
  /// The caps of the next frames.
  void set_info(const GstVideoInfo &info);
  const GstVideoInfo &info() const { return info_; }
  /// Waits for the device, then frees everything on the context in use. Also on the GL thread.
  void drop_context();

 private:
  GstGLCLContext *obtain_context(GstGLContext *gl_context, bool *created);
  void adopt_context(GstGLCLContext *context);
  void prepare(GstGLContext *gl_context, bool *created);
  Queue &queue(bool profile);

  GstGLCLFilter *element_;
  Guarded<FilterSettings> &settings_;
  StatsRecorder &stats_;
  ContextSlot contexts_;
  Stop stop_;
  std::atomic<bool> reset_requested_{true};
  AsyncTask<std::shared_ptr<Context>> preloading_;  // until the first frame takes it

  std::unique_ptr<TextureBridge> bridge_;
  std::shared_ptr<Queue> queue_;
  std::unique_ptr<QueueWork> queue_at_exit_;
  LaunchThrottle throttle_;
  bool prepared_ = false;
  bool has_state_ = false;  // of the context in use, maybe for another pixel format
  GstVideoInfo info_{};     // of the frames prepared for
};

}  // namespace glcl
