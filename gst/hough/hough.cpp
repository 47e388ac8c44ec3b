// SPDX-License-Identifier: LGPL-2.1-or-later
#include "hough.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "opencl/error.h"

namespace glcl::hough {

Hough::Hough(Context &context, int width, int height, const FrameFormat &frame) try
    : size_{{width, height}
}
, context_(context.cl()), lanes_(match_lanes(context.device())),
    canny_(context, width, height, frame), packer_(context, width, height), matcher_(context),
    verifier_(context, width, height) {}
catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the template search on " + context.device().name + ".",
              error);
}

void Hough::set_templates(std::vector<std::shared_ptr<const Template>> templates) {
  if (templates.size() > Settings::most_templates)
    throw Error(Error::Kind::settings, std::to_string(templates.size()) +
                                           " templates are too many. Use at most " +
                                           std::to_string(Settings::most_templates) + ".");
  std::vector<PreparedTemplate> prepared;
  try {
    for (const auto &templ : templates) prepared.emplace_back(context_, templ);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the templates.", error);
  }
  templates_ = std::move(templates);
  prepared_ = std::move(prepared);
}

Rect Hough::region(const Settings &settings) const {
  return settings.region.empty() ? Rect{0, 0, size_.s[0], size_.s[1]} : settings.region;
}

void Hough::run(Queue &queue, const Settings &settings, const Picture &in, bool objects) {
  canny_.run(queue, settings, in, objects);
  if (!objects) return;
  if (!templates_.empty()) grid_ = search_grid(size_, settings, templates_, lanes_);
  packer_.spread_rows(queue, canny_.edges(), region(settings), grid_.half_width);
  if (!templates_.empty()) {
    packer_.pack(queue, grid_);
    verifier_.set_edges(queue, grid_, canny_.edges());
  }
  for (size_t i = 0; i < prepared_.size(); i++) {
    matcher_.match(queue, settings, grid_, packer_, prepared_[i]);
    verifier_.verify(queue, settings, grid_, matcher_, prepared_[i], i);
  }
  verifier_.select(queue, settings, prepared_.size(), packer_.edge_count());
}

Hough::MatchMaps Hough::matches(const Settings &settings) const {
  const ScaleBins bins = scale_bins(settings);
  return {matcher_.votes(), matcher_.poses(), bins.count,       grid_.cells.s[0], grid_.cells.s[1],
          grid_.pitch,      grid_.cell,       grid_.half_width, bins.first};
}

Hough::TemplateMatches Hough::read(const void *result,
                                   const std::vector<std::shared_ptr<const Template>> &templates) {
  cl_uint head[2];
  std::memcpy(head, result, sizeof head);
  TemplateMatches objects{{}, head[1]};
  const auto *from = static_cast<const char *>(result) + sizeof(FoundTemplate);
  for (cl_uint i = 0; i < std::min<cl_uint>(head[0], Settings::most_objects); i++) {
    FoundTemplate object;
    std::memcpy(&object, from + i * sizeof object, sizeof object);
    objects.objects.push_back({templates[static_cast<size_t>(object.templ)], object.x, object.y,
                               -std::atan2(object.b, object.a) * 180 / std::acos(-1.0),
                               std::hypot(object.a, object.b), object.score});
  }
  return objects;
}

}  // namespace glcl::hough
