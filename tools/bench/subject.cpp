// SPDX-License-Identifier: LGPL-2.1-or-later
#include "subject.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "opencl/error.h"
#include "reference/textured.h"

namespace glcl::bench {

using reference::Frame;

Frame Scene::frame(int number) const {
  constexpr int dx = 3, dy = 2, period = 16;  // the motion repeats after `period` frames
  if (content == Content::flat) return reference::flat_frame(width, height);
  const int w = width + period * dx, h = height + period * dy, still = period - number % period;
  return reference::crop(
      content == Content::random ? reference::random_frame(w, h) : reference::natural_frame(w, h),
      still * dx, still * dy, width, height);
}

Frame Scene::detailed(int number) const {
  constexpr int dx = 3, dy = 2, most = 2;
  if (content != Content::natural) return frame(number);
  static std::map<std::pair<int, int>, Frame> made;  // creating frames takes long
  Frame &all = made[{width, height}];
  if (!all.width) all = reference::textured_frame(width + most * dx, height + most * dy);
  const int still = most - number % most;
  return reference::crop(all, still * dx, still * dy, width, height);
}

Agreement compare_levels(const Frame &result, const Frame &expected, int tolerance) {
  size_t off = 0;
  int worst = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++) {
    const int difference = std::abs(int(result.rgba[i]) - int(expected.rgba[i]));
    off += difference != 0;
    worst = std::max(worst, difference);
  }
  if (!off) return {true, "equal"};
  char text[64];
  std::snprintf(text, sizeof text, "%.2g %% off by up to %d",
                100.0 * static_cast<double>(off) / static_cast<double>(expected.rgba.size()),
                worst);
  return {worst <= tolerance, text};
}

namespace {

using Registered = std::vector<std::pair<std::string, void (*)(Subject &)>>;

Registered &registered() {
  static Registered all;
  return all;
}

}  // namespace

Registration::Registration(const char *element, void (*add)(Subject &)) {
  registered().emplace_back(element, add);
}

const std::vector<Subject> &subjects() {
  static const std::vector<Subject> all = [] {
    std::map<std::string, Subject> by_name;
    for (const auto &[element, add] : registered()) {
      by_name[element].element = element;
      add(by_name[element]);
    }
    std::vector<Subject> list;
    for (const auto &[name, subject] : by_name) list.push_back(subject);
    return list;
  }();
  return all;
}

const Subject &subject(const std::string &element) {
  std::string known;
  for (const Subject &subject : subjects()) {
    if (subject.element == element || subject.element == "glcl" + element) return subject;
    known += (known.empty() ? "" : ", ") + subject.element;
  }
  throw Error(Error::Kind::settings, "\"" + element + "\" is unknown; choose from " + known + ".");
}

}  // namespace glcl::bench
