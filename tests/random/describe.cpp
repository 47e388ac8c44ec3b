// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

#include "options.h"
#include "soak.h"

namespace {

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string source(Random &random, bool *gl) {
  *gl = random.chance(30);
  const std::string size = " ! capsfilter name=size caps=\"" + size_caps(random, *gl) + "\"";
  if (*gl) return "gltestsrc pattern=" + std::to_string(random.below(5)) + size;
  return "videotestsrc pattern=" + random.of<std::string>({"smpte", "snow", "gradient"}) + size +
         " ! glupload ! glcolorconvert";
}

/// True if it has the properties of our elements.
bool is_ours(const std::string &name) {
  GstElement *element = gst_element_factory_make(name.c_str(), nullptr);
  if (!element) g_error("no element %s", name.c_str());
  const bool ours = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "active-sharing");
  gst_object_unref(gst_object_ref_sink(element));
  return ours;
}

/// One element under test, named so that the driver finds it.
std::string ours(Random &random) {
  const std::string name = random.of(split(options.elements));
  static std::atomic<int> count{0};
  std::string text = " ! " + name + " name=ours" + std::to_string(count++);
  const bool copy = random.chance(30), profile = random.chance(20);
  if (!is_ours(name)) return text;
  return text + (copy ? " sharing=copy" : "") + (profile ? " profile=true" : "") +
         (name == "glclbilateral" ? " radius=2 sigma-space=2" : "") +
         (name == "glclchain" ? " filters=\"gauss(sigma=1) ! blend ! grey\"" : "");
}

std::string between(Random &random) {
  static const std::vector<std::string> others = {
      " ! queue max-size-buffers=2",
      " ! queue max-size-buffers=2",
      " ! gleffects effect=identity",
      " ! glcolorbalance saturation=0.5",
      " ! glvideoflip method=horizontal-flip",
      " ! glcolorconvert",
      " ! gldownload ! video/x-raw ! glupload ! glcolorconvert",
      " ! identity"};
  return random.chance(50) ? random.of(others) : "";
}

std::string element_row(Random &random, int length) {
  std::string text;
  for (int i = 0; i < length; i++) text += ours(random) + between(random);
  return text;
}

std::string sink(Random &random) {
  static const std::vector<std::string> sinks = {
      " ! fakesink sync=false", " ! gldownload ! video/x-raw ! fakesink sync=false"};
  return random.of(sinks);
}

}  // namespace

std::string size_caps(Random &random, bool gl) {
  static const std::vector<std::pair<int, int>> odd = {{1, 1}, {7, 5}, {17, 240}, {319, 3}};
  auto [width, height] = std::pair(random.between(16, 320), random.between(16, 240));
  if (random.chance(10)) std::tie(width, height) = random.of(odd);
  return (gl ? "video/x-raw(memory:GLMemory),format=RGBA" : "video/x-raw") +
         (",width=" + std::to_string(width)) + ",height=" + std::to_string(height);
}

std::string describe(Random &random, bool *gl) {
  std::string text = source(random, gl);
  if (!random.chance(25)) return text + element_row(random, random.between(1, 4)) + sink(random);
  text += element_row(random, random.below(2)) + " ! tee name=tee";
  for (int branch = 0; branch < 2; branch++)
    text += " tee. ! queue" + element_row(random, random.between(1, 2)) + sink(random);
  return text;
}
