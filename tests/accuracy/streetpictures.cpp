// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streetpictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "decode.h"
#include "film.h"

namespace street {

namespace {

/// The mean of the pixels that fall on each pixel of the smaller frame, alpha too.
Frame shrunk(const Frame &frame, int width, int height) {
  Frame small(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int left = x * frame.width / width, top = y * frame.height / height,
                right = std::max((x + 1) * frame.width / width, left + 1),
                bottom = std::max((y + 1) * frame.height / height, top + 1);
      int sum[4] = {};
      for (int v = top; v < bottom; v++)
        for (int u = left; u < right; u++)
          for (int c = 0; c < 4; c++) sum[c] += frame.at(u, v)[c];
      for (int c = 0; c < 4; c++)
        small.at(x, y)[c] = uint8_t(sum[c] / ((right - left) * (bottom - top)));
    }
  return small;
}

/// The part of a frame that a mask marks, in this height.
Cutout cut_out(Frame frame, const Frame &mask, int height) {
  int left = frame.width, top = frame.height, right = 0, bottom = 0;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      frame.at(x, y)[3] = mask.at(x, y)[0];
      if (mask.at(x, y)[0] < 128) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  return shrunk(reference::crop(frame, left, top, right - left, bottom - top),
                std::max((right - left) * height / (bottom - top), 1), height);
}

/// The object of a clip, in every second frame from the first on.
std::vector<Cutout> film_of(const std::string &clip, size_t count, int height) {
  const std::string folder = reference::data_folder("davis/") + clip + "/";
  const std::vector<Frame> frames = film::decode(folder + "video.mp4", 0, 0, 2 * count);
  std::vector<Cutout> list;
  double scale = 0;
  for (size_t i = 0; i < frames.size(); i += 2) {
    char name[32];
    std::snprintf(name, sizeof name, "%05zu.png", i);
    Frame mask = reference::load_picture(folder + name);
    // All frames have the scale of the first one.
    int top = mask.height, bottom = 0;
    for (int y = 0; y < mask.height; y++)
      for (int x = 0; x < mask.width; x++)
        if (mask.at(x, y)[0] >= 128) top = std::min(top, y), bottom = std::max(bottom, y + 1);
    if (scale == 0) scale = height / double(bottom - top);
    list.push_back(cut_out(frames[i], mask, int(std::lround(scale * (bottom - top)))));
  }
  return list;
}

/// Part of a photograph, opaque.
Cutout piece(const Frame &photo, int x, int y, int side, int width, int height) {
  return shrunk(reference::crop(photo, x, y, side, side * height / width), width, height);
}

}  // namespace

Pictures load_pictures() {
  constexpr int tree_width = 120, tree_height = 44;
  const std::string clip = reference::data_folder("davis/") + "scooter-black/video.mp4",
                    road = reference::data_folder("highway/") + "video.mp4";
  const std::vector<Frame> photos = film::pictures(), first = film::decode(clip, 0, 0, 1),
                           trees = film::decode(road);
  Pictures pictures;
  if (photos.size() < 3 || first.empty() || trees.empty()) return pictures;
  for (size_t i = 0; i < trees.size(); i += 2)
    pictures.leaves.push_back(reference::crop(trees[i], 0, 0, tree_width, tree_height));
  pictures.dog = film_of("dog", 20, 30);
  pictures.cyclist = film_of("bmx-trees", 7, 44);
  pictures.car = film_of("car-roundabout", 1, 38).at(0);
  pictures.flag = piece(photos[2], 120, 100, 220, 44, 28);
  pictures.bag = piece(photos[0], 240, 180, 96, 24, 24);
  pictures.box = piece(photos[0], 430, 130, 120, 24, 24);
  pictures.view = shrunk(first[0], view_width, view_height);
  return pictures;
}

void paste(Frame &frame, const Cutout &cutout, int x, int y, double light) {
  for (int v = std::max(-y, 0); v < std::min(cutout.height, frame.height - y); v++)
    for (int u = std::max(-x, 0); u < std::min(cutout.width, frame.width - x); u++) {
      const uint8_t *from = cutout.at(u, v);
      uint8_t *to = frame.at(x + u, y + v);
      for (int c = 0; c < 3; c++)
        to[c] = uint8_t(
            std::clamp(int((from[3] * light * from[c] + (255 - from[3]) * to[c]) / 255), 0, 255));
    }
}

}  // namespace street
