// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhistogramproperties.h"

#include "gstglclhistogrammessages.h"

namespace glcl::histogram {

namespace {

GType mode_type() {
  return enum_type<int>(
      "GstGLCLHistogramMode",
      {{mode_luma, "Luma", mode_name(mode_luma)},
       {mode_rgb, "R, G and B separately", mode_name(mode_rgb)},
       {mode_color_8, "Joint RGB histogram with 8 levels per channel (512 bins)",
        mode_name(mode_color_8)},
       {mode_color_16, "Joint RGB histogram with 16 levels per channel (4096 bins)",
        mode_name(mode_color_16)}});
}

GType bins_type() {
  return enum_type<int>("GstGLCLHistogramBins", {{32, "32 bins of 8 levels", "32"},
                                                 {64, "64 bins of 4 levels", "64"},
                                                 {128, "128 bins of 2 levels", "128"},
                                                 {256, "256 bins of 1 level", "256"}});
}

GType levels_type() {
  using Levels = Histogram::Levels;
  return enum_type<Levels>(
      "GstGLCLHistogramLevels",
      {{Levels::display, "Levels on a display: black is 0, white is 255",
        levels_name(Levels::display)},
       {Levels::code, "Code values of the signal, those of more than 8 bits as 8: black may be 16",
        levels_name(Levels::code)}});
}

GType display_type() {
  using Display = HistogramRenderer::Display;
  return enum_type<Display>("GstGLCLHistogramDisplay",
                            {{Display::none, "No drawing", "none"},
                             {Display::overlay, "All channels in one plot", "overlay"},
                             {Display::parade, "Channels side by side", "parade"},
                             {Display::stack, "Channels one above the other", "stack"}});
}

GType scale_type() {
  return enum_type<bool>("GstGLCLHistogramScale",
                         {{false, "Bar height is the count", "linear"},
                          {true, "Bar height is the logarithm of the count", "log"}});
}

GType equalize_type() {
  using Equalize = HistogramRenderer::Equalize;
  return enum_type<Equalize>("GstGLCLHistogramEqualize",
                             {{Equalize::none, "No equalisation", "none"},
                              {Equalize::luma, "Equalise luma; R, G and B change together", "luma"},
                              {Equalize::rgb, "Equalise each channel separately", "rgb"}});
}

GType shot_method_type() {
  using Method = ShotDetection::Method;
  return enum_type<Method>(
      "GstGLCLHistogramShotMethod",
      {{Method::histogram, "Compare histograms of R, G and B", "histogram"},
       {Method::shape,
        "Compare the shapes of edges, also in slowly changing light; finds cuts and fades only",
        "shape"}});
}

void set_roi(HistogramProperties &settings, const GValue *value) {
  set_region(settings.roi, value);
}
void get_roi(const HistogramProperties &settings, GValue *value) {
  get_region(settings.roi, value);
}

void add_histogram_properties(Properties<HistogramProperties> &properties) {
  properties
      .choice("mode", "Mode", "Values that the histogram counts", &HistogramProperties::mode,
              mode_type())
      .choice("bins", "Bins", "Number of bins per channel for mode=luma and mode=rgb",
              &HistogramProperties::bins, bins_type())
      .choice("levels", "Levels",
              "Levels of luma that the histogram counts. R, G and B are always levels on a display",
              &HistogramProperties::levels, levels_type())
      .choice("display", "Display", "How the histogram is drawn over the frame",
              &HistogramProperties::display, display_type())
      .choice("scale", "Scale", "Scale of the bar heights", &HistogramProperties::logarithmic,
              scale_type())
      .number("level-height", "Level height",
              "Minimum height of the 95th percentile of the bins, as a fraction of the plot. It "
              "keeps a few very full bins, for example from black borders, from flattening the "
              "others. 0 scales the plot to the fullest bin",
              &HistogramProperties::level_height, 0, 1)
      .number("x", "X", "Left edge of the drawing, as a fraction of the frame width",
              &HistogramProperties::x, 0, 1)
      .number("y", "Y", "Top edge of the drawing, as a fraction of the frame height",
              &HistogramProperties::y, 0, 1)
      .number("width", "Width", "Width of the drawing, as a fraction of the frame width",
              &HistogramProperties::width, 0, 1)
      .number("height", "Height", "Height of the drawing, as a fraction of the frame height",
              &HistogramProperties::height, 0, 1)
      .number("opacity", "Opacity", "Opacity of the drawing, from 0 (invisible) to 1 (opaque)",
              &HistogramProperties::opacity, 0, 1)
      .color("foreground-color", "Foreground color",
             "Colour of text, lines and luma bars (0xAARRGGBB)",
             &HistogramProperties::foreground_color)
      .color("background-color", "Background color", "Colour behind the drawing (0xAARRGGBB)",
             &HistogramProperties::background_color)
      .choice("equalize", "Equalize", "Histogram equalisation of the output frame",
              &HistogramProperties::equalize, equalize_type())
      .other(gst_param_spec_array(
                 "roi", "Region of interest",
                 "Region that messages, meta and display count: <x, y, width, "
                 "height> in px. It is clipped to the frame; a region outside "
                 "moves to the nearest edge. Empty: whole frame",
                 nullptr,  // with an element type, GStreamer 1.22 crashes on nested lists
                 while_playing),
             set_roi, get_roi);
}

void add_shot_properties(Properties<HistogramProperties> &properties) {
  properties
      .flag("shot-detection", "Shot detection",
            "Post a `shot` message when a new shot begins, and `shot-sharpest` for its sharpest "
            "frame",
            &HistogramProperties::shot_detection)
      .choice("shot-method", "Shot method", "How shot changes are detected",
              &HistogramProperties::shot_method, shot_method_type())
      .number(
          "shot-threshold", "Shot threshold",
          "Minimum difference of the histograms at a cut or a dissolve, from 0 to 1; lower values "
          "find more. shot-method=shape uses half of this value",
          &HistogramProperties::shot_threshold, 0, 1)
      .number(
          "shot-sharpest", "Sharpest frame of",
          "Time at the begin of each shot whose sharpest frame `shot-sharpest` announces, s. 0: "
          "the first frame",
          &HistogramProperties::shot_sharpest, 0, 60);
}

}  // namespace

void add_properties(Properties<HistogramProperties> &properties) {
  add_histogram_properties(properties);
  add_shot_properties(properties);
}

}  // namespace glcl::histogram
