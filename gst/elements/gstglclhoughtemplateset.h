// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/glclengineswap.h"
#include "base/glclproperties.h"
#include "gstglclhoughloader.h"
#include "hough/hough.h"
#include "opencl/asynctask.h"
#include "opencl/queue.h"

namespace glcl::hough {

/// The templates of an element: those of its image files, and those that it learns while frames are
/// processed. They are created in the background on a separate queue. Templates that can't be found
/// in frames of this size are skipped, with one warning each.
class TemplateSet {
 public:
  using Templates = std::vector<std::shared_ptr<const Template>>;

  /// The list of files, and the search settings for the templates.
  struct Settings {
    std::string files;
    Hough::Settings search;
  };

  /// Request changes for a later frame; false if too many requests wait. Any thread. A new template
  /// replaces one of the same name. An empty name forgets all learned templates.
  bool learn(const std::string &name, const Rect &box);
  bool learn(const std::string &name, GstSample *sample);
  bool forget(const std::string &name);

  /// Prepares for frames of another size. Waits for the templates of the files. A file that is
  /// missing or too large throws, or only causes a warning if frames have `begun`. GL thread, like
  /// all functions below.
  void prepare(GstElement *element, const std::shared_ptr<Context> &context, int width, int height,
               const Settings &settings, bool begun);
  /// Takes the requests for the next frame. True if one needs the frame as RGBA.
  bool take_requests();
  /// Returns the current frame as RGBA.
  using FrameOf = std::function<const Picture &()>;
  /// Call it for each frame: takes templates that are ready and starts to create those of the
  /// requests taken. Never waits. True if the templates changed.
  bool update(GstElement *element, Queue &queue, const Settings &settings, const FrameOf &frame);
  /// The templates that can be found in the frames, at most HoughSettings::most_templates.
  const Templates &templates() const { return usable_; }
  /// Drops everything on the device, and templates that are being created.
  void unprepare();

 private:
  /// The size of the frames that templates must fit.
  struct FrameExtent {
    int width = 0, height = 0;  // px
    std::string text() const;
  };

  /// A requested template, or a request to forget templates.
  struct Pending {
    std::string name;  // empty to forget all
    Rect box;
    std::shared_ptr<GstSample> sample;
    bool forget = false;
    Picture part{};      // the box, copied from a frame,
    cl::Event copied{};  // complete with this event
  };

  /// The templates of the property.
  struct FileTemplates {
    Templates templates;
    std::vector<std::string> too_large;  // reasons for skipping the others
  };

  /// A learned template, or why it could not be made.
  struct LearnedTemplates {
    Templates templates;
    std::vector<std::string> too_large;
    std::exception_ptr failure;
  };

  static std::string too_large(const std::string &name, const FrameExtent &size,
                               const Hough::Settings &search, const FrameExtent &frame);
  static Accept accept(const Hough::Settings &search, const FrameExtent &frame,
                       std::vector<std::string> &failures);
  static LearnedTemplates make(const std::shared_ptr<Context> &context, const FrameExtent &frame,
                               const Hough::Settings &search, const Pending &pending);
  std::function<FileTemplates(const std::string &files)> loader(const Settings &settings,
                                                                bool begun) const;
  bool request(Pending pending);
  void warn_of_files(GstElement *element, EngineChange change) const;
  void select(GstElement *element, const Hough::Settings &search, bool begun);
  bool copy_box(GstElement *element, Queue &queue, const Picture &in, Pending &pending) const;
  void queue_requests(GstElement *element, Queue &queue, const FrameOf &frame);
  bool take_learned(GstElement *element);
  bool forget_queued();
  void start_next(const Hough::Settings &search);

  Guarded<std::vector<Pending>> requests_;
  std::shared_ptr<Context> context_;
  FrameExtent frame_;
  EngineSwap<std::string, FileTemplates> files_{"The templates stay as they were."};
  std::vector<Pending> taken_;   // for the current frame
  std::vector<Pending> queued_;  // until `learning_` is free
  AsyncTask<LearnedTemplates> learning_;
  Templates learned_, usable_;
  Templates warned_of_;  // skipped templates, already warned of
};

}  // namespace glcl::hough
