// SPDX-License-Identifier: LGPL-2.1-or-later
#include "randompipeline.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "options.h"

namespace {

std::vector<std::string> elements() {
  std::vector<std::string> all;
  std::istringstream list(options.elements);
  for (std::string name; std::getline(list, name, ',');) all.push_back(name);
  return all;
}

/// Elements under test, and what may stand between them.
std::string row(Random &random, int length, int *number) {
  static const std::vector<std::string> others = {
      " ! queue max-size-buffers=2",
      " ! queue max-size-buffers=2",
      " ! gleffects effect=identity",
      " ! gleffects effect=mirror",
      " ! glcolorconvert",
      " ! glcolorbalance saturation=0.5",
      " ! gldownload ! video/x-raw ! glupload ! glcolorconvert"};
  std::string text;
  for (int i = 0; i < length; i++) {
    text += " ! " + random.of(elements()) + " name=ours" + std::to_string((*number)++);
    if (random.chance(40)) text += random.of(others);
  }
  return text;
}

std::string sink(Random &random) {
  return random.chance(50) ? " ! fakesink sync=false"
                           : " ! gldownload ! video/x-raw ! fakesink sync=false";
}

}  // namespace

Dimensions random_size(Random &random) {
  const int few = random.between(1, 4);
  switch (random.below(10)) {
    case 0:
      return {1, 1};
    case 1:
      return {few, random.between(1, 4)};
    case 2:
      return {random.between(1500, 2000), few};
    case 3:
      return {few, random.between(500, 2000)};
    case 4:
      return {320, 240};
    default:
      return {random.between(1, 200), random.between(1, 150)};
  }
}

// A mixer's frame holds those of all its inputs; the other one has 64 × 48 px.
int max_area(Dimensions size) { return std::max(size.width, 64) * std::max(size.height, 48); }

std::string caps_of(Dimensions size, const std::string &format) {
  return format + ",width=" + std::to_string(size.width) + ",height=" + std::to_string(size.height);
}

RandomPipeline random_pipeline(Random &random) {
  RandomPipeline pipeline;
  int number = 0;
  const Dimensions size = random_size(random);
  pipeline.area = max_area(size);
  pipeline.draws = random.chance(25);
  const std::string live = random.chance(20) ? " is-live=true" : "";
  const std::string end =
      random.chance(30) ? " num-buffers=" + std::to_string(random.below(12)) : "";
  std::string &text = pipeline.text;
  if (pipeline.draws) {
    text = "gltestsrc name=source" + live + end + " ! capsfilter name=size caps=\"" +
           caps_of(size, "video/x-raw(memory:GLMemory),format=RGBA") + "\"";
  } else {
    // Formats with chroma of half the size need more than a pixel.
    const bool halves = size.width > 1 && size.height > 1;
    const std::string format = halves ? random.of<std::string>({"RGBA", "NV12", "I420"}) : "RGBA";
    text = "videotestsrc name=source pattern=" +
           random.of<std::string>({"smpte", "snow", "black", "gradient", "checkers-1"}) + live +
           end + " ! capsfilter name=size caps=\"" + caps_of(size, "video/x-raw,format=" + format) +
           "\" ! glupload ! glcolorconvert";
  }
  const int shape = random.below(10);
  pipeline.branches = shape >= 7;
  if (shape < 7) {
    text += row(random, random.between(1, 4), &number) + sink(random);
  } else if (shape < 9) {
    text += row(random, random.below(2), &number) + " ! tee name=tee";
    for (int branch = 0; branch < 2; branch++)
      text += " tee. ! queue" + row(random, random.between(1, 2), &number) + sink(random);
  } else {
    text += row(random, 1, &number) + " ! mixer. gltestsrc ! " +
            "video/x-raw(memory:GLMemory),width=64,height=48" + row(random, 1, &number) +
            " ! mixer. glvideomixer name=mixer" + row(random, 1, &number) + sink(random);
  }
  for (const char *filter : {"gleffects", "glcolorbalance", "glvideomixer"})
    pipeline.fragile = pipeline.fragile || text.find(filter) != std::string::npos;
  return pipeline;
}
