// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglopenclflowproperties.h"

namespace glcl::opticalflow {

namespace {

GType method_type() {
  return enum_type<FlowMethod>(
      "GstGLOpenCLFlowMethod",
      {{FlowMethod::lucas_kanade,
        "Lucas and Kanade (1981) on a single scale, for motion below about 1 px", "lucas-kanade"},
       {FlowMethod::pyramidal, "Coarse to fine on grey values", "pyramidal"},
       {FlowMethod::census, "Coarse to fine on the census transform, robust to changing light",
        "census"}});
}

GType preset_type() {
  return enum_type<Preset>(
      "GstGLOpenCLFlowPreset",
      {{Preset::fast, "method=pyramidal, warps=2, refinement=0", "fast"},
       {Preset::balanced, "method=census, warps=3, refinement=0", "balanced"},
       {Preset::accurate, "method=census, warps=3, refinement=2", "accurate"}});
}

GType display_type() {
  using Display = FlowRenderer::Display;
  return enum_type<Display>(
      "GstGLOpenCLFlowDisplay",
      {{Display::none, "Unchanged input", "none"},
       {Display::color, "Direction as hue, speed as brightness; static pixels are black", "color"},
       {Display::overlay, "Input, coloured where it moves", "overlay"},
       {Display::arrows, "Input with arrows", "arrows"}});
}

GType median_type() {
  return enum_type<int>("GstGLOpenCLFlowMedian", {{0, "None", "0"},
                                                  {3, "Median of 3 × 3 vectors", "3"},
                                                  {5, "Median of 9 out of 5 × 5 vectors", "5"}});
}

void add_solver_properties(Properties<FlowProperties> &properties) {
  const FlowProperties defaults;
  properties
      .other(
          g_param_spec_enum("preset", "Preset",
                            "Trade-off of speed and accuracy: sets method, warps and refinement, "
                            "except those that are set explicitly",
                            preset_type(), static_cast<gint>(defaults.preset), while_playing),
          [](FlowProperties &settings, const GValue *value) {
            settings.preset = static_cast<Preset>(g_value_get_enum(value));
            settings.follow_preset();
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_enum(value, static_cast<gint>(settings.preset));
          })
      .other(
          g_param_spec_enum("method", "Method", "How the flow is computed", method_type(),
                            static_cast<gint>(defaults.method), before_paused),
          [](FlowProperties &settings, const GValue *value) {
            settings.method = static_cast<FlowMethod>(g_value_get_enum(value));
            settings.own_method = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_enum(value, static_cast<gint>(settings.method));
          })
      .number("levels", "Levels",
              "Number of pyramid levels; 0 halves the frame until its shorter side is about 16 px",
              &FlowProperties::levels, 0, 16)
      .other(
          g_param_spec_int("warps", "Warps",
                           "Solver iterations per pyramid level; the finest level gets one more", 1,
                           20, defaults.warps, controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.warps = g_value_get_int(value);
            settings.own_warps = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.warps);
          })
      .other(
          g_param_spec_int("refinement", "Refinement",
                           "Iterations of the edge-aware variational refinement on each of the "
                           "three finest levels; only for method=census",
                           0, 10, defaults.refinement, controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.refinement = g_value_get_int(value);
            settings.own_refinement = true;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.refinement);
          })
      .other(
          g_param_spec_int("window", "Window",
                           "Side of the window around a pixel in which motion counts as constant, "
                           "in px. Even values become the next odd one",
                           3, 63, defaults.window, controllable),
          [](FlowProperties &settings, const GValue *value) {
            settings.window = g_value_get_int(value) | 1;
          },
          [](const FlowProperties &settings, GValue *value) {
            g_value_set_int(value, settings.window);
          })
      .number("alpha", "Alpha",
              "Regularisation: added to the diagonal of the structure tensor, in squared grey "
              "levels (0 to 255). Higher values keep vectors in areas of little texture short "
              "(lucas-kanade) or close to their neighbours (other methods)",
              &FlowProperties::alpha, 1e-6, 1e6)
      .choice("median", "Median", "Side of the median filter between warps",
              &FlowProperties::median, median_type())
      .number(
          "noise", "Noise",
          "Standard deviation of the image noise, in grey levels (0 to 255). Motion that noise "
          "alone explains counts as zero. -1 measures the noise. Not used by method=lucas-kanade",
          &FlowProperties::noise, -1, 64);
}

void add_result_properties(Properties<FlowProperties> &properties) {
  properties
      .number("grid", "Grid", "Spacing of the vectors in the meta, in px", &FlowProperties::grid, 1,
              16)
      .number("min-confidence", "Minimum confidence",
              "Minimum confidence of a vector, 0 to 1; vectors below it count as zero",
              &FlowProperties::min_confidence, 0, 1)
      .flag("check-backward", "Check backward",
            "Also compute the backward flow; where both differ by more than 1 px the confidence "
            "becomes 0. Not used by method=lucas-kanade",
            &FlowProperties::check)
      .choice("display", "Display", "What the output shows", &FlowProperties::display,
              display_type())
      .number("gain", "Gain",
              "Speed shown at full brightness, in px per frame; 0 adapts slowly to the scene",
              &FlowProperties::gain, 0, 1000)
      .flag("legend", "Legend", "Draw a legend of the colours and their scale in a corner",
            &FlowProperties::legend)
      .number("arrow-spacing", "Arrow spacing",
              "Distance between arrows, in px, at least 4; 0 is 1/24 of the shorter side of the "
              "frame, 12 to 96",
              &FlowProperties::spacing, 0, 256)
      .color(
          "color", "Color",
          "Colour of arrows (0xAARRGGBB); with alpha 0 each arrow gets the colour of its direction",
          &FlowProperties::color)
      .color("outline-color", "Outline color", "Colour of the outline around arrows (0xAARRGGBB)",
             &FlowProperties::outline_color)
      .text("dump-location", "Dump location",
            "Pattern of the .flo files that receive the vectors of every frame, for example "
            "flow-%05d.flo. Vectors below min-confidence are marked unknown",
            &FlowProperties::dump_location, before_paused);
}

}  // namespace

void FlowProperties::follow_preset() {
  const auto values = preset_values(preset);
  if (!own_method)
    method = values.channels == Flow::Channels::census ? FlowMethod::census : FlowMethod::pyramidal;
  if (!own_warps) warps = values.warps;
  if (!own_refinement) refinement = values.refinement;
}

void add_properties(Properties<FlowProperties> &properties) {
  add_solver_properties(properties);
  add_result_properties(properties);
}

}  // namespace glcl::opticalflow
