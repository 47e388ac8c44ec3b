// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclscopeproperties.h"

#include <cmath>
#include <locale>
#include <optional>
#include <sstream>

namespace glcl::scopes {

namespace {

/// The bands of a text, if it is valid; empty: the default.
std::optional<FalseColorBands> bands_of(const std::string &text) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  FalseColorBands bands;
  for (std::string word; words >> word;) {
    const bool is_color = bands.colors.size() == bands.limits.size();
    gchar *end = nullptr;
    if (is_color) {
      const guint64 color = g_ascii_strtoull(word.c_str(), &end, 0);
      if (word[0] == '-' || color > G_MAXUINT32) return {};
      bands.colors.push_back(static_cast<cl_uint>(color));
    } else {
      const double limit = g_ascii_strtod(word.c_str(), &end);
      const bool rises = bands.limits.empty() || limit > bands.limits.back();
      if (!(std::abs(limit) <= 1000) || !rises) return {};
      bands.limits.push_back(limit);
    }
    if (*end) return {};
  }
  if (bands.colors.empty()) return exposure_bands();
  if (bands.colors.size() == bands.limits.size() || bands.colors.size() > MOST_BANDS) return {};
  return bands;
}

std::string text_of(const FalseColorBands &bands) {
  std::string text;
  for (size_t i = 0; i < bands.colors.size(); i++) {
    char color[16], limit[G_ASCII_DTOSTR_BUF_SIZE];
    g_snprintf(color, sizeof color, "0x%08x", bands.colors[i]);
    if (i > 0) {
      g_ascii_formatd(limit, sizeof limit, "%g", bands.limits[i - 1]);
      text += std::string(" ") + limit + " ";
    }
    text += color;
  }
  return text;
}

void set_bands(FalseColorBands &bands, const GValue *value) {
  const gchar *text = g_value_get_string(value);
  if (const auto given = bands_of(text ? text : "")) {
    bands = *given;
    return;
  }
  g_warning(
      "false-color-bands=\"%s\" is ignored: give a colour, a limit, a colour and so on, separated "
      "by spaces: at most %d colours as 0xAARRGGBB, and between them rising limits in per cent.",
      text, MOST_BANDS);
}

GType display_type() {
  return register_flags(
      "GstGLCLScopeDisplay",
      {{0, "No drawing", "none"},
       {waveform, "Values of each column, all channels over each other", "waveform"},
       {parade, "Values of each column, channels side by side", "parade"},
       {vectorscope, "Cb and Cr, with targets for the colours of bars", "vectorscope"},
       {histogram, "Frequency of each value", "histogram"},
       {zebra, "Stripes in the picture over luma below zebra-low and above zebra-high", "zebra"},
       {false_color, "Picture as grey, with colours for bands of luma", "false-color"},
       {peaking, "Edges in focus", "peaking"},
       {gamut, "Pixels whose colour RGB can't show", "gamut"}});
}

GType events_type() {
  return register_flags(
      "GstGLCLScopeEvents",
      {{0, "No events", "none"},
       {black_events, "Begin and end of black pictures: black-begin, black-end", "black"},
       {freeze_events, "Begin and end of frozen pictures: freeze-begin, freeze-end", "freeze"}});
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
       {ScopeUnits::nits, "Luminance in cd/m², for the transfer functions PQ and HLG", "nits"},
       {ScopeUnits::millivolts, "Millivolts of a signal from 0 to 700 mV", "millivolts"}});
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

void add_marks(Properties<ScopeProperties> &properties) {
  properties
      .number("zebra-low", "Zebra low",
              "Luma below gets stripes with display=zebra, in per cent from black to white",
              &ScopeProperties::zebra_low, -10, 110)
      .number("zebra-high", "Zebra high",
              "Luma above gets stripes with display=zebra, in per cent from black to white",
              &ScopeProperties::zebra_high, -10, 110)
      .other(
          g_param_spec_string(
              "false-color-bands", "False-color bands",
              "Bands of display=false-color, separated by spaces: colour limit colour ... "
              "limit colour. Colours are 0xAARRGGBB over grey, limits rise and are in per cent "
              "from black to white. Empty: the default",
              text_of(exposure_bands()).c_str(), while_playing),
          [](ScopeProperties &settings, const GValue *value) { set_bands(settings.bands, value); },
          [](const ScopeProperties &settings, GValue *value) {
            g_value_set_string(value, text_of(settings.bands).c_str());
          })
      .number("peaking-threshold", "Peaking threshold",
              "Second difference of luma above which display=peaking marks an edge, in levels of "
              "0 to 255; noise raises it",
              &ScopeProperties::peaking_threshold, 0, 255)
      .color("peaking-color", "Peaking color", "Colour of display=peaking (0xAARRGGBB; opaque)",
             &ScopeProperties::peaking_color)
      .number("gamut-tolerance", "Gamut tolerance",
              "How far R, G and B of legal colours may leave their range, in per cent of it",
              &ScopeProperties::gamut_tolerance, 0, 100)
      .color("gamut-color", "Gamut color", "Colour of display=gamut (0xAARRGGBB; opaque)",
             &ScopeProperties::gamut_color);
}

void add_events(Properties<ScopeProperties> &properties) {
  properties
      .flags("events", "Events", "Messages at the begin and end of black and frozen pictures",
             &ScopeProperties::events, events_type())
      .number("event-duration", "Event duration",
              "Least duration of a black or frozen picture that is reported, in s",
              &ScopeProperties::event_duration, 0, 3600)
      .number("black-threshold", "Black threshold",
              "Largest luma of a black pixel, in per cent from black to white",
              &ScopeProperties::black_threshold, 0, 100)
      .number("black-fraction", "Black fraction",
              "Least fraction of black pixels in a black picture", &ScopeProperties::black_fraction,
              0, 1)
      .number("freeze-threshold", "Freeze threshold",
              "Largest mean difference of luma in a frozen picture, in per cent of all code values",
              &ScopeProperties::freeze_threshold, 0, 100);
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
  properties.number("zoom", "Zoom", "Magnification of the vectorscope, about grey",
                    &ScopeProperties::zoom, 1, 4);
  add_marks(properties);
  add_events(properties);
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
