// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture file of a filter's property, read again when it changes.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>

#include "glclengineswap.h"
#include "glclfilewatch.h"
#include "opencl/context.h"
#include "opencl/picture.h"

namespace glcl {

/// A picture from the file of a property. Other files are loaded in the background. If a file can't
/// be read, the old picture stays, with one warning. Streaming thread, except read_again().
class WatchedPicture {
 public:
  /// A function of glclstillpicture.h.
  using Load = Picture (*)(const std::shared_ptr<Context> &context, const std::string &property,
                           const std::string &path);

  /// `property` is the name for errors; `consequence` is the sentence that ends warnings.
  WatchedPicture(Load load, const char *property, const char *consequence)
      : load_(load), property_(property), loaded_(consequence) {}

  /// Loads the picture at once, unless it is there. A file that can't be read throws, or only
  /// causes a warning if frames have `begun`. `keep`: the picture stays while no file is set.
  void prepare(GstElement *element, const std::shared_ptr<Context> &context, bool begun,
               const std::string &file, bool keep = false);
  /// Call it for every frame: takes a picture that is ready, and starts to load the wanted one.
  /// Never waits.
  void update(GstElement *element, const std::string &file, bool keep = false);
  /// Call it for every frame to read the file again once it changes. Checks five times per second.
  void watch(const std::string &file);
  /// Reads the file again. Any thread.
  void read_again() { again_++; }

  /// The picture, until the next update(); null without one.
  const Picture *current() const {
    return loaded_.engine() && *loaded_.engine() ? loaded_.engine() : nullptr;
  }
  /// Frees what is on the device; prepare() loads it again.
  void clear();
  /// The same at a stop: the next start needs a file that can be read.
  void forget() { loaded_.forget(); }

 private:
  /// A file, and how often it is to be read again.
  struct PictureReading {
    std::string file;
    int again = 0;

    bool operator==(const PictureReading &other) const {
      return file == other.file && again == other.again;
    }
  };

  PictureReading wanted(const std::string &file, bool keep) const;
  auto loader() const {
    return [load = load_, property = property_, context = context_](const PictureReading &reading) {
      return load(context, property, reading.file);
    };
  }

  Load load_;
  std::string property_;
  std::atomic<int> again_{0};
  std::string watched_;
  FileWatch watch_;
  std::shared_ptr<Context> context_;
  EngineSwap<PictureReading, Picture> loaded_;
};

}  // namespace glcl
