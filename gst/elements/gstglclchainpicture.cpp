// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclchainpicture.h"

#include <vector>

#include "base/glclstillpicture.h"

namespace glcl::chain {

namespace {

/// Loads pictures, here or in the background.
auto loader(const std::shared_ptr<Context> &context) {
  return [context](const auto &wanted) { return load_colours(context, "picture", wanted.file); };
}

}  // namespace

ChainPicture::PictureReading ChainPicture::wanted(const std::string &file, bool read) const {
  const PictureReading now{file, again_};
  return file.empty() && read ? loaded_.used().value_or(now) : now;
}

void ChainPicture::prepare(GstElement *element, const std::shared_ptr<Context> &context, bool begun,
                           const std::string &file, bool read) {
  context_ = context;
  const PictureReading now = wanted(file, read);
  if (!loaded_.tried(now)) loaded_.prepare(element, begun, now, loader(context_));
}

void ChainPicture::update(GstElement *element, const std::string &file, bool read) {
  loaded_.update(element, wanted(file, read), loader(context_));
}

void ChainPicture::watch(const std::string &file) {
  if (file == watched_) {
    if (watch_.due() && watch_.changed()) read_again();
    return;
  }
  watched_ = file;
  watch_.set(file.empty() ? std::vector<std::string>() : std::vector{file});
}

void ChainPicture::clear() {
  loaded_.clear();
  context_.reset();
}

}  // namespace glcl::chain
