// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frameformat.h"

#include <cmath>
#include <cstring>

#include "error.h"

namespace glcl {

namespace {

std::string define(const std::string &name, int value) {
  return " -D" + name + "=" + std::to_string(value);
}

/// The number in fixed point, with `fraction` bits after the point.
int fixed(double number, int fraction) {
  return static_cast<int>(std::lround(std::ldexp(number, fraction)));
}

/// Number of a frame's plane layout in common/planes.clh.
int layout_of(const PixelFormat &format) {
  if (format.model == PixelFormat::Model::rgb) return 0;
  return format.plane_count;
}

std::string matrix_options(const PixelFormat &format, const Colorimetry &colorimetry) {
  constexpr int level_fraction = 16, step_fraction = 14, weight_fraction = 24;
  const double kr = colorimetry.kr, kb = colorimetry.kb, kg = 1 - kr - kb;
  const int most = (1 << format.bits) - 1, unit = 1 << (format.bits - 8);
  const bool full = colorimetry.full_range;
  // Range of luma from black to white, and of chroma from minimum to maximum.
  const double luma = full ? most : 219 * unit, chroma = full ? most : 224 * unit;
  const int red = fixed(luma / 255 * kr, step_fraction),
            blue = fixed(luma / 255 * kb, step_fraction);
  const double u = chroma / 255 / (2 * (1 - kb)), v = chroma / 255 / (2 * (1 - kr));
  const int u_red = fixed(-u * kr, step_fraction), u_blue = fixed(u * (1 - kb), step_fraction),
            v_red = fixed(v * (1 - kr), step_fraction), v_blue = fixed(-v * kb, step_fraction);
  const double of_chroma = 2 * 255 / chroma;
  return define("VALUE_MAX", most) + define("BLACK", full ? 0 : 16 * unit) +
         define("GREY_CHROMA", 128 * unit) +
         define("LEVEL_OF_LUMA", fixed(255 / luma, level_fraction)) +
         define("LUMA_RANGE", static_cast<int>(luma)) +
         define("CHROMA_RANGE", static_cast<int>(chroma)) +
         define("WEIGHT_OF_RED", fixed(kr, weight_fraction)) +
         define("WEIGHT_OF_BLUE", fixed(kb, weight_fraction)) +
         define("RED_OF_V", fixed(of_chroma * (1 - kr), level_fraction)) +
         define("GREEN_OF_U", fixed(-of_chroma * (1 - kb) * kb / kg, level_fraction)) +
         define("GREEN_OF_V", fixed(-of_chroma * (1 - kr) * kr / kg, level_fraction)) +
         define("BLUE_OF_U", fixed(of_chroma * (1 - kb), level_fraction)) +
         define("LUMA_OF_RED", red) + define("LUMA_OF_BLUE", blue) +
         define("LUMA_OF_GREEN", fixed(luma / 255, step_fraction) - red - blue) +
         // Grey frames have no chroma.
         define("U_OF_RED", u_red) + define("U_OF_GREEN", -u_red - u_blue) +
         define("U_OF_BLUE", u_blue) + define("V_OF_RED", v_red) +
         define("V_OF_GREEN", -v_red - v_blue) + define("V_OF_BLUE", v_blue);
}

/// The options of common/planes.clh.
std::string plane_options(const PixelFormat &format, const Colorimetry &colorimetry) {
  const bool wide = format.planes[0]->type == CL_UNORM_INT16;
  std::string options = define("LAYOUT", layout_of(format)) +
                        (wide ? " -DCODE=ushort" : " -DCODE=uchar") +
                        define("CODE_MAX", wide ? 65535 : 255) + define("PADDING", format.padding) +
                        define("CHROMA_SHIFT", format.chroma_shift);
  if (format.model == PixelFormat::Model::rgb) {
    if (std::strncmp(format.channels, "BGR", 3) == 0) options += " -DREVERSED";
    if (std::strchr(format.channels, 'x')) options += " -DOPAQUE";
    return options;
  }
  if (format.bits == 16) options += " -DBYTE_PAIRS";
  return options + matrix_options(format, colorimetry);
}

}  // namespace

std::string frame_options(const FrameFormat &frame) {
  return (frame.layout == Layout::buffer ? " -DBUFFERS" : "") +
         (frame.pixels->is_rgba() ? "" : plane_options(*frame.pixels, frame.colorimetry));
}

void check_picture(const Picture &picture, int width, int height, const FrameFormat &frame,
                   const std::string &name) {
  if (picture.width != width || picture.height != height || picture.layout != frame.layout ||
      picture.format != frame.pixels->planes[0] ||
      (frame.layout == Layout::buffer && picture.pitch < width))
    throw Error(Error::Kind::settings, name + " was set up for frames of " + std::to_string(width) +
                                           "×" + std::to_string(height) + " px in " +
                                           frame.pixels->name +
                                           "; this frame has a different size, layout or format.");
}

}  // namespace glcl
