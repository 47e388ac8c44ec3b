// SPDX-License-Identifier: LGPL-2.1-or-later
// The cars that cross a line, by objects that were found and by the truth.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "clips.h"
#include "rules/rules.h"

/// Numbers boxes from frame to frame, by the area that they have in common.
class BoxNumbers {
 public:
  std::vector<glcl::rules::RuleObject> next(const std::vector<glcl::RectF> &boxes) {
    std::vector<glcl::RectF> before;
    for (const auto &object : objects_) before.push_back(object.box);
    const std::vector<int> matches = clips::matched_boxes(boxes, before, least_iou);
    std::vector<glcl::rules::RuleObject> objects;
    for (size_t i = 0; i < boxes.size(); i++)
      objects.push_back({matches[i] < 0 ? ++last_ : objects_[size_t(matches[i])].id, boxes[i]});
    return objects_ = objects;
  }

 private:
  static constexpr double least_iou = 0.15;
  std::vector<glcl::rules::RuleObject> objects_;
  uint64_t last_ = 0;
};

/// Counts crossings of a line from side to side of the frame, at a fraction of its height.
class Crossings {
 public:
  Crossings(int width, int height, double at) : rules_(width, height) {
    glcl::rules::RuleSet rules;
    rules.lines.push_back({"line", {0, at}, {1, at}});
    rules_.set(std::make_shared<const glcl::rules::RuleSet>(rules));
  }
  void add(const std::vector<glcl::rules::RuleObject> &objects) {
    const auto events = rules_.step(objects, {}, glcl::rules::RulePart::bottom, {},
                                    {uint64_t(frame_++) * 40000000});
    count += static_cast<int>(events.size());
  }

  int count = 0;

 private:
  glcl::rules::Rules rules_;
  uint64_t frame_ = 0;
};
