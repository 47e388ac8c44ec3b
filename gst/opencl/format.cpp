// SPDX-License-Identifier: LGPL-2.1-or-later
#include "format.h"

#include <algorithm>

namespace glcl {

// OpenCL; sized format and format of OpenGL, GLSL; VkFormat; bytes of a pixel.
const PlaneFormat PlaneFormat::rgba8 = {CL_RGBA, CL_UNORM_INT8, 0x8058, 0x1908, "rgba8", 37, 4};
const PlaneFormat PlaneFormat::r8 = {CL_R, CL_UNORM_INT8, 0x8229, 0x1903, "r8", 9, 1};
const PlaneFormat PlaneFormat::rg8 = {CL_RG, CL_UNORM_INT8, 0x822B, 0x8227, "rg8", 16, 2};
const PlaneFormat PlaneFormat::r16 = {CL_R, CL_UNORM_INT16, 0x822A, 0x1903, "r16", 70, 2};
const PlaneFormat PlaneFormat::rg16 = {CL_RG, CL_UNORM_INT16, 0x822C, 0x8227, "rg16", 77, 4};
const PlaneFormat PlaneFormat::rgba16 = {CL_RGBA, CL_UNORM_INT16, 0x805B, 0x1908, "rgba16", 91, 8};

namespace {

using Model = PixelFormat::Model;
constexpr const PlaneFormat *rgba8 = &PlaneFormat::rgba8, *r8 = &PlaneFormat::r8,
                            *rg8 = &PlaneFormat::rg8, *r16 = &PlaneFormat::r16,
                            *rg16 = &PlaneFormat::rg16;

const PixelFormat bgra = {"BGRA", Model::rgb, 1, {rgba8}, "BGRA"};
const PixelFormat rgbx = {"RGBx", Model::rgb, 1, {rgba8}, "RGBx"};
const PixelFormat bgrx = {"BGRx", Model::rgb, 1, {rgba8}, "BGRx"};
const PixelFormat nv12 = {"NV12", Model::yuv, 2, {r8, rg8}, "", 1};
const PixelFormat p010 = {"P010_10LE", Model::yuv, 2, {r16, rg16}, "", 1, 10, 6};
const PixelFormat i420 = {"I420", Model::yuv, 3, {r8, r8, r8}, "", 1};
const PixelFormat gray8 = {"GRAY8", Model::grey, 1, {r8}};
// GstGL stores the two bytes of a GRAY16_LE pixel as two channels.
const PixelFormat gray16 = {"GRAY16_LE", Model::grey, 1, {rg8}, "", 0, 16};

}  // namespace

const PixelFormat PixelFormat::rgba = {"RGBA", Model::rgb, 1, {rgba8}, "RGBA"};
const PixelFormat PixelFormat::rgba64 = {"RGBA64_LE", Model::rgb, 1, {&PlaneFormat::rgba16},
                                         "RGBA",      0,          16};

const std::vector<const PixelFormat *> &PixelFormat::all() {
  // Never destroyed, because threads of pipelines run until the very end of the process.
  static const auto &rows = *new std::vector<const PixelFormat *>{
      &rgba, &bgra, &rgbx, &bgrx, &nv12, &p010, &i420, &gray8, &gray16};
  return rows;
}

const PixelFormat *PixelFormat::find(const std::string &name) {
  const auto found = std::find_if(all().begin(), all().end(),
                                  [&](const PixelFormat *one) { return one->name == name; });
  return found != all().end() ? *found : nullptr;
}

}  // namespace glcl
