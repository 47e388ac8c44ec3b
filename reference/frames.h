// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames that tests run on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reference {

/// An RGBA frame of 8 bits a channel, rows without gaps.
struct Frame {
  Frame() = default;
  Frame(int w, int h) : width(w), height(h), rgba(size_t(w) * h * 4) {}

  uint8_t *at(int x, int y) { return rgba.data() + (size_t(y) * width + x) * 4; }
  const uint8_t *at(int x, int y) const { return rgba.data() + (size_t(y) * width + x) * 4; }

  int width = 0, height = 0;  ///< px
  std::vector<uint8_t> rgba;
};

/// Independent levels in all four channels; the same ones for the same seed.
Frame random_frame(int width, int height, unsigned seed = 1);
/// One colour, alpha included.
Frame flat_frame(int width, int height);
/// Slow ramps, another one per channel; alpha varies too.
Frame gradient_frame(int width, int height);
/// A scene like a photograph: shading, soft and hard edges, texture and noise.
Frame natural_frame(int width, int height);

/// The frame with Gaussian noise added to the colours, the same to all three of a pixel, of
/// standard deviation `level`; with `shot` that at level 128, elsewhere as the square root of the
/// brightness. It is lit `light` times as much before.
Frame noisy(const Frame &frame, double level, unsigned seed, bool shot = false, double light = 1);

/// Part of a frame; throws std::out_of_range where it is not inside.
Frame crop(const Frame &frame, int x, int y, int width, int height);

/// A PNG or JPEG file by GStreamer; throws std::runtime_error where it can't be read.
Frame load_picture(const std::string &path);
/// A folder of real pictures and video with truth (`images`, `flow`, `video`, `objects`) in the one
/// that GLCL_DATA names; it may not be there.
std::string data_folder(const char *name);
/// The test pictures in data_folder("images"). Without them it prints a line with SKIP and returns
/// an empty list.
std::vector<Frame> pictures();

}  // namespace reference
