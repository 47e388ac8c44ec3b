// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclscopeproperties.h"

namespace glcl::scopes {

namespace {

GType display_type() {
  return register_flags(
      "GstGLCLScopeDisplay",
      {{0, "No drawing", "none"},
       {waveform, "Values of each column, all channels over each other", "waveform"},
       {parade, "Values of each column, channels side by side", "parade"},
       {vectorscope, "Cb and Cr, with targets for the colours of bars", "vectorscope"},
       {histogram, "Frequency of each value", "histogram"},
       {zebra, "Stripes in the picture over luma below zebra-low and above zebra-high", "zebra"}});
}

GType mode_type() {
  return enum_type<ScopeMode>("GstGLCLScopeMode",
                              {{ScopeMode::luma, "Luma", mode_name(ScopeMode::luma)},
                               {ScopeMode::rgb, "R, G and B", mode_name(ScopeMode::rgb)},
                               {ScopeMode::ycbcr, "Y, Cb and Cr", mode_name(ScopeMode::ycbcr)}});
}

GType levels_type() {
  return enum_type<ScopeUnits>(
      "GstGLCLScopeLevels",
      {{ScopeUnits::code, "Code values, of 8 or 10 bits", "code"},
       {ScopeUnits::ire, "IRE: black is 0, white is 100, a line every 20", "ire"},
       {ScopeUnits::percent, "Per cent from black to white, a line every 25", "percent"},
       {ScopeUnits::nits, "Luminance in cd/m², for the transfer functions PQ and HLG", "nits"}});
}

GType scale_type() {
  return enum_type<bool>("GstGLCLScopeScale",
                         {{false, "Brightness and height are the count", "linear"},
                          {true, "Brightness and height are the logarithm of the count", "log"}});
}

GType layout_type() {
  return enum_type<bool>("GstGLCLScopeLayout", {{false, "Draw over a part of the frame", "overlay"},
                                                {true, "Replace the frame", "replace"}});
}

void add_placement(Properties<ScopeProperties> &properties) {
  properties
      .choice("layout", "Layout", "Where the scopes are drawn", &ScopeProperties::replace,
              layout_type())
      .number("x", "X", "Left edge of the drawing, as a fraction of the frame width",
              &ScopeProperties::x, 0, 1)
      .number("y", "Y", "Top edge of the drawing, as a fraction of the frame height",
              &ScopeProperties::y, 0, 1)
      .number("width", "Width", "Width of the drawing, as a fraction of the frame width",
              &ScopeProperties::width, 0, 1)
      .number("height", "Height", "Height of the drawing, as a fraction of the frame height",
              &ScopeProperties::height, 0, 1)
      .number("opacity", "Opacity", "Opacity of the drawing, from 0 (invisible) to 1 (opaque)",
              &ScopeProperties::opacity, 0, 1)
      .color("foreground-color", "Foreground color",
             "Colour of text, lines and traces of luma (0xAARRGGBB)",
             &ScopeProperties::foreground_color)
      .color("background-color", "Background color", "Colour behind the drawing (0xAARRGGBB)",
             &ScopeProperties::background_color);
}

}  // namespace

void add_properties(Properties<ScopeProperties> &properties) {
  properties
      .flags("display", "Display", "Scopes that are drawn, side by side; 0 or none: no drawing",
             &ScopeProperties::display, display_type())
      .choice("mode", "Mode", "Channels of waveform, parade, histogram and message",
              &ScopeProperties::mode, mode_type())
      .choice("levels", "Levels", "Unit of the graticule; without PQ and HLG nits are per cent",
              &ScopeProperties::levels, levels_type())
      .choice("scale", "Scale", "Scale of the brightness of traces and the height of bars",
              &ScopeProperties::logarithmic, scale_type())
      .number("gain", "Gain",
              "Brightness of the traces of waveform, parade and vectorscope, from 0 (invisible); "
              "1 shows a value that all samples have at full brightness",
              &ScopeProperties::gain, 0, 1000);
  properties
      .number("zebra-low", "Zebra low",
              "Luma below gets stripes with display=zebra, in per cent from black to white",
              &ScopeProperties::zebra_low, -10, 110)
      .number("zebra-high", "Zebra high",
              "Luma above gets stripes with display=zebra, in per cent from black to white",
              &ScopeProperties::zebra_high, -10, 110);
  add_placement(properties);
  properties.other(
      gst_param_spec_array("roi", "Region of interest",
                           "Region that the scopes and results count: <x, y, width, height> in px. "
                           "It is clipped to the frame; a region outside moves to the nearest "
                           "edge. Empty: whole frame",
                           nullptr,  // with an element type, GStreamer 1.22 crashes on nested lists
                           while_playing),
      [](ScopeProperties &settings, const GValue *value) { set_region(settings.roi, value); },
      [](const ScopeProperties &settings, GValue *value) { get_region(settings.roi, value); });
}

}  // namespace glcl::scopes
