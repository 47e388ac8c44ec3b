// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclkltproperties.h"

namespace glcl::klt {

namespace {

GType display_type() {
  using Display = PointRenderer::Display;
  return enum_type<Display>("GstGLCLKltDisplay",
                            {{Display::none, "Unchanged input", "none"},
                             {Display::points, "Dots at the tracked points", "points"},
                             {Display::tracks, "Dots and the paths of the points", "tracks"}});
}

void add_tracking_properties(Properties<KltProperties> &properties) {
  const KltProperties defaults;
  properties
      .number("features", "Features", "Maximum number of tracked points", &KltProperties::features,
              1, Points::most)
      .number("quality", "Quality",
              "Minimum corner quality relative to the best corner in the frame, 0 to 1. The "
              "quality is the smaller eigenvalue of the structure tensor",
              &KltProperties::quality, 0, 1)
      .number("min-eigenvalue", "Minimum eigenvalue",
              "Minimum absolute corner quality: the smaller eigenvalue of the structure tensor "
              "summed over 7 × 7 px, in squared grey levels (0 to 255)",
              &KltProperties::min_eigenvalue, 0, 1e9)
      .number("min-distance", "Minimum distance",
              "Minimum distance between new points along each axis, in px",
              &KltProperties::min_distance, 1, 64)
      .number("cells", "Cells",
              "Number of cells per axis; each cell gets at most an equal share of the points. 0 "
              "puts no limit on where points lie",
              &KltProperties::cells, 0, 64)
      .number("levels", "Levels", "Number of pyramid levels; small frames use fewer",
              &KltProperties::levels, 1, Pyramids::most)
      .other(
          g_param_spec_int("window", "Window",
                           "Side of the tracking window, in px of each pyramid level. Even values "
                           "become the next odd one",
                           7, 31, defaults.window, controllable),
          [](KltProperties &settings, const GValue *value) {
            settings.window = g_value_get_int(value) | 1;
          },
          [](const KltProperties &settings, GValue *value) {
            g_value_set_int(value, settings.window);
          })
      .number("iterations", "Iterations", "Maximum number of iterations per pyramid level",
              &KltProperties::iterations, 1, 100)
      .number("max-residue", "Maximum residue",
              "A point is lost if the mean difference of its windows in two frames exceeds this "
              "value, in grey levels (0 to 255). 255 turns the test off",
              &KltProperties::max_residue, 0, 255)
      .flag("check-backward", "Check backward",
            "Also track each point back to the previous frame; points that miss their origin by "
            "more than 1 px are lost",
            &KltProperties::check)
      .number("reselect", "Reselect",
              "Interval, in frames, at which new points replace lost ones; 0 replaces them only as "
              "min-features demands",
              &KltProperties::reselect, 0, 1000)
      .number("min-features", "Minimum features",
              "If fewer points remain, new ones are selected at once", &KltProperties::min_features,
              0, Points::most)
      .number("noise", "Noise",
              "Standard deviation of the image noise, in grey levels (0 to 255). Motion that noise "
              "alone explains counts as zero. -1 measures the noise",
              &KltProperties::noise, -1, 64);
}

void add_output_properties(Properties<KltProperties> &properties) {
  properties
      .flag("stabilize", "Stabilize",
            "Stabilize the picture: compensate the translation, rotation and zoom of a shaking "
            "camera",
            &KltProperties::stabilize)
      .number("smoothing", "Smoothing",
              "Time constant, in frames, with which stabilize=true follows intended camera motion; "
              "0 holds the picture still as long as the margin allows",
              &KltProperties::smoothing, 0, 10000)
      .number("look-ahead", "Look-ahead",
              "Number of later frames by which stabilize=true chooses the position of a frame. The "
              "output is delayed by as many",
              &KltProperties::look_ahead, 0, PathPlanner::most)
      .number("margin", "Margin",
              "Fraction of width and height that stabilize=true crops on each side and may move "
              "the picture by, 0 to 0.4",
              &KltProperties::margin, 0, 0.4)
      .choice("display", "Display", "What the output shows", &KltProperties::display,
              display_type())
      .number("trail", "Trail",
              "Length of the lines of display=tracks, in frames; 0 draws the whole path since the "
              "point was selected",
              &KltProperties::trail, 0, PointRenderer::most_trail)
      .color("color", "Color", "Colour of dots and lines (0xAARRGGBB)", &KltProperties::color)
      .color("outline-color", "Outline color",
             "Colour of the outline around dots and lines (0xAARRGGBB)",
             &KltProperties::outline_color)
      .text("dump-location", "Dump location",
            "File that receives the points of every frame, as NAME.csv or NAME.json",
            &KltProperties::dump_location, before_paused);
}

}  // namespace

void add_properties(Properties<KltProperties> &properties) {
  add_tracking_properties(properties);
  add_output_properties(properties);
}

}  // namespace glcl::klt
