// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace glcl::analyze {

/// A pipeline from a file through a decoder to `downstream`, the rest of the pipeline. Its errors
/// are thrown as Failure.
class Pipeline {
 public:
  Pipeline(const std::string &downstream, const std::string &file);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;

  GstElement *self() const { return pipeline_; }
  GstBus *bus() const { return bus_; }
  GstElement *get(const char *name) const { return gst_bin_get_by_name(GST_BIN(pipeline_), name); }

  /// Waits for a message of these types, at most for `time`; null if no message arrives. Throws
  /// Failure on an error.
  GstMessage *wait(GstClockTime time, int types) const;

  /// Plays up to the first frame. False if the stream ends without one.
  bool preroll() const;

  /// The decoder: the last one that was tried.
  std::string decoder() const;

  /// The rotation of pictures that the file requests, a value of GST_TAG_IMAGE_ORIENTATION.
  std::string orientation() const;

  /// Facts about the file. Texts are empty if they are unknown.
  struct FileFacts {
    std::string video;               ///< name of its coding
    std::vector<std::string> audio;  ///< the same, of each sound
    std::string colorimetry;         ///< as in caps
  };
  FileFacts facts() const;

  /// How often the decoder has set the format of its pictures.
  int format_changes() const { return format_changes_; }

  GstClockTime duration() const;
  bool seekable() const;

 private:
  void record_decoder(GstElement *element);
  void record_tags(GstEvent *event);
  void record_colorimetry(GstEvent *event);
  void record_stream(GstPad *stream, const GstCaps *caps);

  mutable std::mutex mutex_;  // guards the texts, which arrive on GStreamer's threads
  std::string decoder_, orientation_ = "rotate-0";
  FileFacts facts_;
  GstElement *pipeline_;
  GstBus *bus_;
  std::atomic<bool> decoded_ = false;
  std::atomic<int> format_changes_ = 0;
};

}  // namespace glcl::analyze
