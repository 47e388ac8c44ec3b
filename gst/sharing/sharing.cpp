// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sharing.h"

#include <algorithm>

#include "copy.h"
#include "exporter.h"
#include "gl.h"
#include "opencl/error.h"

namespace glcl {

const char *way_name(Way way) {
  switch (way) {
    case Way::gl:
      return "gl";
    case Way::external:
      return "external";
    case Way::copy:
      return "copy";
  }
  return "";
}

void *Use::map(guint domain) {
  const guint flags = (access == Access::read ? GST_MAP_READ : GST_MAP_WRITE) | domain;
  if (!gst_memory_map(GST_MEMORY_CAST(memory), &map_, static_cast<GstMapFlags>(flags)))
    throw Error(Error::Kind::failed, "The OpenGL texture of a frame can't be mapped.",
                "texture " + std::to_string(memory->tex_id));
  return map_.data;
}

void Use::unmap() {
  if (!map_.memory) return;
  gst_memory_unmap(map_.memory, &map_);
  map_ = GST_MAP_INFO_INIT;
}

std::unique_ptr<Sharing> Sharing::make(Way way, GstGLContext *gl_context, const Device &device) {
  switch (way) {
    case Way::gl:
      return std::make_unique<TextureSharing>();
    case Way::external:
      return std::make_unique<TextureSharing>(exporter_of(gl_context, device));
    case Way::copy:
      break;
  }
  return std::make_unique<CopySharing>();
}

Picture &Sharing::staging(const Queue &queue, size_t index, const Use &use, Layout layout) {
  if (staging_.size() <= index) staging_.resize(index + 1);
  Staging &kept = staging_[index];
  const cl::Context &context = queue.context().cl();
  if (kept.context != context() || kept.picture.layout != layout ||
      kept.picture.width != use.width() || kept.picture.height != use.height())
    kept = {context(), make_picture(context, use.width(), use.height(), layout)};
  return kept.picture;
}

Crossing::Crossing(Sharing &sharing, Queue &queue, Layout layout, Use *uses, size_t count)
    : sharing_(sharing), queue_(queue), uses_(uses), count_(count) {
  try {
    sharing_.acquire(queue_, layout, uses_, count_);
  } catch (...) {
    abandon();
    throw;
  }
}

Crossing::~Crossing() {
  if (held_) abandon();
}

void Crossing::finish() {
  sharing_.release(queue_, uses_, count_, true);
  held_ = false;
}

void Crossing::abandon() noexcept {
  held_ = false;
  try {
    sharing_.release(queue_, uses_, count_, false);
  } catch (const std::exception &error) {
    GST_WARNING("textures could not be handed back: %s", error.what());
  }
}

std::string obstacle(Way way, GstGLContext *gl_context, const Device &device) {
  switch (way) {
    case Way::gl:
      return gl_obstacle(gl_context, device);
    case Way::external:
      return external_obstacle(gl_context, device);
    case Way::copy:
      break;
  }
  return {};
}

Choice choose(GstGLContext *gl_context, const std::string &device, const std::vector<Way> &ways) {
  std::string failures;
  const std::vector<Device> known = devices(&failures);
  const auto driving = std::find_if(known.begin(), known.end(), [&](const Device &d) {
    return gl_obstacle(gl_context, d).empty() || external_obstacle(gl_context, d).empty();
  });
  Choice choice;
  choice.device = choose_device(
      known, device, driving != known.end() ? std::optional(*driving) : std::nullopt, failures);
  std::string reasons;
  for (Way way : ways) {
    const std::string reason = obstacle(way, gl_context, choice.device);
    if (reason.empty()) {
      choice.way = way;
      if (way == Way::gl) choice.properties = gl_properties(gl_context);
      keep_display(gl_context);
      if (way == Way::copy) choice.fallback_reason = reasons;
      return choice;
    }
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw Error(Error::Kind::not_found, std::string("sharing=") + way_name(ways.front()) +
                                          " can't be had with " + choice.device.name + ": " +
                                          reasons + ". Use sharing=auto or sharing=copy.");
}

}  // namespace glcl
