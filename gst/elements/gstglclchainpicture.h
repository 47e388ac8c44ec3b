// SPDX-License-Identifier: LGPL-2.1-or-later
// The second picture that the filters of a glclchain read.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/glclengineswap.h"
#include "base/glclfilewatch.h"
#include "opencl/context.h"
#include "opencl/picture.h"

namespace glcl::chain {

/// A picture from the file of a property. Other files are loaded in the background. If a file can't
/// be read, the old picture stays, with one warning. A picture that a filter reads also stays while
/// no file is set. Streaming thread, except read_again().
class ChainPicture {
 public:
  /// Loads the picture at once, unless it is there. A file that can't be read throws, or only
  /// causes a warning if frames have `begun`. `read`: a filter reads the picture.
  void prepare(GstElement *element, const std::shared_ptr<Context> &context, bool begun,
               const std::string &file, bool read);
  /// Call it for every frame: takes a picture that is ready, and starts to load the wanted one.
  /// Never waits.
  void update(GstElement *element, const std::string &file, bool read);
  /// Call it for every frame to read the file again once it changes. Checks five times per second.
  void watch(const std::string &file);
  /// Reads the file again. Any thread.
  void read_again() { again_++; }

  /// The picture, a buffer of PlaneFormat::rgba8; empty without one.
  Picture current() const { return loaded_.engine() ? *loaded_.engine() : Picture(); }
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

  PictureReading wanted(const std::string &file, bool read) const;

  std::atomic<int> again_{0};
  std::string watched_;
  FileWatch watch_;
  std::shared_ptr<Context> context_;
  EngineSwap<PictureReading, Picture> loaded_{"The picture stays as it was."};
};

}  // namespace glcl::chain
