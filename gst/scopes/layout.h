// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "opencl/rect.h"
#include "values.h"

namespace glcl::scopes {

/// Kinds of scopes, bits of ScopeSettings::display.
enum ScopeKind : unsigned {
  waveform = 1,
  parade = 2,
  vectorscope = 4,
  histogram = 8,
  zebra = 16,
  false_color = 32,
  peaking = 64,
  gamut = 128
};

/// The kinds that show the values of columns.
constexpr unsigned column_kinds = waveform | parade | histogram;
/// The kinds that have a plot of their own.
constexpr unsigned plot_kinds = column_kinds | vectorscope;
/// The kinds that mark pixels of the picture.
constexpr unsigned mark_kinds = zebra | false_color | peaking | gamut;

/// The units of the graticule.
enum class ScopeUnits { code, ire, percent, nits, millivolts };

/// Colours for bands of luma: colors[0] below limits[0], colors[1] from there to limits[1], the
/// last one above all limits. There is one colour more than limits.
struct FalseColorBands {
  std::vector<double> limits;   ///< rising, per cent from black to white
  std::vector<cl_uint> colors;  ///< 0xAARRGGBB, over luma as grey

  bool operator==(const FalseColorBands &other) const {
    return limits == other.limits && colors == other.colors;
  }
};
/// Bands of exposure: near black, 18 % grey, skin and near white have colours.
FalseColorBands exposure_bands();

/// The marks in the picture.
struct ScopeMarkSettings {
  /// Per cent from black to white: luma below and above gets stripes.
  double zebra_low = 0, zebra_high = 100;
  FalseColorBands bands = exposure_bands();
  double peaking_threshold = 24;  ///< least second difference of luma, levels of 0..255
  cl_uint peaking_color = 0xffff0000, gamut_color = 0xffff00ff;
  double gamut_tolerance = 5;  ///< per cent of the range of R, G and B
};

/// The scopes that are drawn, and their place.
struct ScopeSettings : ScopeMarkSettings {
  unsigned display = waveform;
  ScopeMode mode = ScopeMode::luma;
  ScopeUnits levels = ScopeUnits::code;
  bool logarithmic = true;
  double gain = 4;       ///< of the brightness of traces
  bool replace = false;  ///< the scopes instead of the frame: they fill it, opaque
  /// The panel, as fractions of the frame's width and height.
  double x = 0.5, y = 0.55, width = 0.48, height = 0.41;
  double opacity = 0.85;
  int zoom = 1;                           ///< of the vectorscope, about grey
  cl_uint foreground_color = 0xffe6e6e6;  ///< 0xAARRGGBB, of text, lines and traces of luma
  cl_uint background_color = 0xff0a0a0a;

  /// True if the frame is not shown. Marks alone need it.
  bool replaces() const { return replace && display & plot_kinds; }
  /// True if edges in focus are marked.
  bool peaks() const { return display & peaking && !replaces(); }
};

/// The place of a scope, or of a channel of a parade.
struct ScopePlot {
  ScopeKind kind;
  int channel, channels;  ///< the first one shown, and their number
  Rect cell;              ///< with margins; the cells fill the panel, px
  Rect plot;              ///< the trace, px
  bool labelled;          ///< there is room for text
};

/// The places of all scopes, side by side in a panel.
struct ScopeLayout {
  /// `characters`: of the longest label.
  ScopeLayout(const ScopeSettings &settings, const ScopeValues &values, int characters, int width,
              int height);

  Rect panel;  ///< clipped to the frame, never empty
  int unit;    ///< px per dot of the font
  int line;    ///< width of the lines of the graticule, px; larger in large frames
  std::vector<ScopePlot> plots;
};

/// The part of the frame that is drawn on: the panel, or with marks the whole frame.
Rect covered_by(const ScopeSettings &settings, int width, int height);
/// A part of the frame as it is set, clipped to the frame, never empty, px.
Rect scope_panel(const ScopeSettings &settings, int width, int height);

}  // namespace glcl::scopes
