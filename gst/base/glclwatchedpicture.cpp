// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclwatchedpicture.h"

#include <vector>

namespace glcl {

WatchedPicture::PictureReading WatchedPicture::wanted(const std::string &file, bool keep) const {
  const PictureReading now{file, again_};
  return file.empty() && keep ? loaded_.used().value_or(now) : now;
}

void WatchedPicture::prepare(GstElement *element, const std::shared_ptr<Context> &context,
                             bool begun, const std::string &file, bool keep) {
  context_ = context;
  const PictureReading now = wanted(file, keep);
  if (!loaded_.tried(now)) loaded_.prepare(element, begun, now, loader());
}

void WatchedPicture::update(GstElement *element, const std::string &file, bool keep) {
  loaded_.update(element, wanted(file, keep), loader());
}

void WatchedPicture::watch(const std::string &file) {
  if (file == watched_) {
    if (watch_.due() && watch_.changed()) read_again();
    return;
  }
  watched_ = file;
  watch_.set(file.empty() ? std::vector<std::string>() : std::vector{file});
}

void WatchedPicture::clear() {
  loaded_.clear();
  context_.reset();
}

}  // namespace glcl
