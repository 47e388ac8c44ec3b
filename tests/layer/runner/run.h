// SPDX-License-Identifier: LGPL-2.1-or-later
// One run of a pipeline and its results.
#pragma once

#include <gst/gl/gl.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "layer.h"
#include "scenario.h"

namespace runner {

/// In a child process, before all else.
GstGLDisplay *start_gstreamer();

struct Result {
  bool eos = false, hangs = false;
  std::vector<std::string> frames;                           // digests of pixels and metas
  std::map<std::string, std::vector<std::string>> messages;  // by timestamp
  std::string errors, criticals;
  long kernels = 0;  // that live in NULL
};

/// One run of a scenario.
class Run {
 public:
  /// Those changes of e whose bits are set in `changes`; with `at_once` they come before the first
  /// frame, so nothing is built later.
  Run(const Scenario &scenario, GstGLDisplay *display, unsigned changes, bool at_once);
  ~Run() { gst_object_unref(pipeline_); }
  Result play();

 private:
  static GstPadProbeReturn arrives(GstPad *, GstPadProbeInfo *, gpointer self);
  static GstPadProbeReturn leaves(GstPad *, GstPadProbeInfo *info, gpointer self);
  void probe(const char *element, GstPadProbeCallback callback);
  void change(const Change &change);
  void hear(GstMessage *message);

  std::vector<Change> changes_;
  GstElement *pipeline_;
  int arrived_ = 0;
  std::mutex mutex_;
  Result result_;
};

/// Objects of GStreamer that live, by type.
std::map<std::string, int> live_objects();

/// The objects that a run may leave behind: those of the faultless runs.
struct LeftObjects {
  /// Contexts of devices and their programs stay for the next pipeline.
  long opencl = layer().objects(nullptr) - layer().objects("clCreateContext") -
                layer().objects("clCreateProgram");
  std::map<std::string, int> gstreamer = live_objects();

  std::string beyond(const LeftObjects &allowed) const {
    std::string left;
    if (opencl > allowed.opencl)
      left += " " + std::to_string(opencl - allowed.opencl) + " OpenCL objects";
    for (const auto &[type, count] : gstreamer) {
      const auto known = allowed.gstreamer.find(type);
      const int before = known != allowed.gstreamer.end() ? known->second : 0;
      if (count > before) left += " " + std::to_string(count - before) + " " + type;
    }
    return left;
  }
};

/// The objects that live longer than allowed, after a while, because some end on their own threads.
std::string left_behind(const LeftObjects &allowed);

}  // namespace runner
