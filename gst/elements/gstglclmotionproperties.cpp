// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclmotionproperties.h"

#include <memory>

#include "base/glclpicturefile.h"
#include "opencl/error.h"

namespace glcl::motion {

namespace {

GType search_type() {
  using Method = BlockMotion::Method;
  return enum_type<Method>(
      "GstGLCLMotionSearch",
      {{Method::full, "Every candidate within the range", "full"},
       {Method::hierarchical, "Coarse to fine, for large ranges", "hierarchical"},
       {Method::hexagon, "Hexagon-based search, the fastest", "hexagon"}});
}

GType block_size_type() {
  return enum_type<int>("GstGLCLMotionBlockSize", {{4, "4 × 4 px", "4"},
                                                   {8, "8 × 8 px", "8"},
                                                   {16, "16 × 16 px", "16"},
                                                   {32, "32 × 32 px", "32"}});
}

GType subpel_type() {
  using Precision = BlockMotion::Precision;
  return enum_type<Precision>(
      "GstGLCLMotionSubpel",
      {{Precision::full, "Whole pixels", "full"},
       {Precision::half, "Half pixels, interpolated by a six-tap filter", "half"},
       {Precision::quarter, "Quarter pixels", "quarter"}});
}

GType display_type() {
  using Display = MotionRenderer::Display;
  return enum_type<Display>(
      "GstGLCLMotionDisplay",
      {{Display::none, "Unchanged input", "none"},
       {Display::vectors,
        "Arrows from the previous position of each block, and the borders of blocks and partitions",
        "vectors"},
       {Display::prediction, "Luma predicted from the previous frame", "prediction"},
       {Display::residual, "Prediction residual, centred on mid-grey", "residual"},
       {Display::objects,
        "With detect=true, boxes, labels and trails of moving objects, and the camera motion",
        "objects"},
       {Display::rules, "The same, and the zones and lines of rules", "rules"}});
}

GType labels_type() {
  return register_flags("GstGLCLMotionLabels",
                        {{0, "No labels", "none"},
                         {objects::number_label, "Number of the object", "number"},
                         {objects::speed_label,
                          "Speed: in km/h if the rules have a world, otherwise in px/s", "speed"},
                         {objects::age_label, "Time since the object was first seen", "age"}});
}

GType camera_type() {
  using Camera = ObjectDetection::Camera;
  return enum_type<Camera>(
      "GstGLCLMotionCamera",
      {{Camera::automatic,
        "first-order-flow where objects or rules on the ground need it, otherwise none", "auto"},
       {Camera::none, "Static camera", "none"},
       {Camera::translation, "The camera pans: the picture shifts", "translation"},
       {Camera::first_order_flow, "The picture shifts, rotates and zooms", "first-order-flow"}});
}

struct Mask {
  std::string path;
  std::shared_ptr<const HostPicture> picture;  // or null

  void into(MotionProperties &settings) const {
    settings.mask_path = path;
    settings.mask = picture;
  }
};

/// Reads a mask; ignores an unreadable one.
Mask read_mask(const GValue *value) {
  const gchar *path = g_value_get_string(value);
  if (!path || !*path) return {};
  try {
    return {path, std::make_shared<HostPicture>(read_picture_file(path, "GRAY8"))};
  } catch (const Error &error) {
    g_warning(
        "mask=%s is ignored: %s Set the path of an image file that is black where nothing should "
        "be detected.",
        path, error.what());
    return {path, {}};
  }
}

Mask take_mask(const GValue *value) {
  GstSample *sample = gst_value_get_sample(value);
  if (!sample || (!gst_sample_get_buffer(sample) && !gst_sample_get_caps(sample))) return {};
  try {
    return {{}, std::make_shared<HostPicture>(read_picture_sample(sample, "GRAY8"))};
  } catch (const Error &error) {
    g_warning(
        "mask-sample is ignored: %s Set a GstSample with caps video/x-raw and a picture that is "
        "black where nothing should be detected.",
        error.what());
    return {};
  }
}

/// Reads rules; wrong ones are ignored.
std::shared_ptr<const RuleSource> take_rules(const GValue *value) {
  const gchar *text = g_value_get_string(value);
  try {
    return read_rule_source(text ? text : "");
  } catch (const Error &error) {
    g_warning("rules is ignored, and the rules before stay in force: %s", error.text().c_str());
    return {};
  }
}

GType rules_point_type() {
  using rules::RulePart;
  return enum_type<RulePart>(
      "GstGLCLMotionRulesPoint",
      {{RulePart::bottom, "The middle of the lower edge, where a person stands", "bottom"},
       {RulePart::center, "The centre", "center"},
       {RulePart::any, "Any point; for lines the centre", "any"}});
}

GType rules_on_type() {
  using On = RuleProperties::On;
  return enum_type<On>(
      "GstGLCLMotionRulesOn",
      {{On::own, "Objects that this element detects", "own"},
       {On::upstream, "Regions of interest and detections that frames carry", "upstream"}});
}

void add_rule_properties(Properties<MotionProperties> &properties) {
  properties
      .made(
          g_param_spec_string("rules", "Rules",
                              "Zones, lines and events of the scene in JSON, or the path of a file "
                              "with them, which is "
                              "read again when it changes: messages "
                              "report objects that enter, leave, stay or cross. Needs detect=true "
                              "or rules-on=upstream. "
                              "Empty: no rules",
                              "", while_playing),
          take_rules,
          [](MotionProperties &settings, const std::shared_ptr<const RuleSource> &given) {
            if (given) settings.rules = given;
          },
          [](const MotionProperties &settings, GValue *value) {
            g_value_set_string(value, settings.rules->text.c_str());
          })
      .choice("rules-point", "Rules point", "Point of an object's box that counts for rules",
              &MotionProperties::rules_point, rules_point_type())
      .choice("rules-on", "Rules on",
              "Objects to which rules apply. upstream does not need detect=true",
              &MotionProperties::rules_on, rules_on_type());
}

void add_search_properties(Properties<MotionProperties> &properties) {
  properties.choice("search", "Search", "Search strategy", &MotionProperties::method, search_type())
      .number("range", "Range",
              "Search range along each axis, in px; 0 adapts the range of each area between "
              "min-range and max-range",
              &MotionProperties::range, 0, max_range)
      .number("min-range", "Minimum range", "Lower bound for range=0, in px; limited to max-range",
              &MotionProperties::min_range, 1, max_range)
      .number("max-range", "Maximum range",
              "Upper bound for range=0, in px. 0 is 1/30 of the longer side of the frame, at least "
              "64. With range=0 the hierarchical and hexagon searches use this range. So do "
              "several devices where min-range misses target-psnr",
              &MotionProperties::max_range, 0, max_range)
      .number("target-psnr", "Target PSNR",
              "With range=0, the range stops growing once the prediction is expected to reach this "
              "PSNR, in dB; 0 sets no target",
              &MotionProperties::target_psnr, 0, 100)
      .choice("block-size", "Block size", "Side of a block; ignored with partitions=true",
              &MotionProperties::block, block_size_type())
      .flag("partitions", "Partitions",
            "Search macroblocks of 16 px instead of blocks, and split each as H.264 does, down to "
            "4 px, at the lowest cost",
            &MotionProperties::partitions)
      .choice("subpel", "Sub-pixel", "Precision of the vectors", &MotionProperties::precision,
              subpel_type())
      .number("lambda", "Lambda",
              "Cost of one bit of a vector, in grey levels of the sum of absolute differences; "
              "higher values give smoother fields",
              &MotionProperties::lambda, 0, Search::max_lambda)
      .number("noise", "Noise",
              "Standard deviation of the image noise, in grey levels (0 to 255). Blocks that only "
              "noise seems to move get a zero vector. -1 measures the noise, 0 keeps the vectors "
              "of lowest cost",
              &MotionProperties::noise, -1, 64)
      .text("devices", "Devices",
            "OpenCL devices that share the work of search=full, separated by commas, each as P:D "
            "or part of its name. Empty: only the device of the element",
            &MotionProperties::devices, before_paused)
      .choice("display", "Display", "What the output shows", &MotionProperties::display,
              display_type())
      .flag("block-grid", "Block grid",
            "With display=vectors, draw the borders of blocks and partitions",
            &MotionProperties::grid)
      .number("arrow-spacing", "Arrow spacing",
              "Minimum distance between arrows, in px. 0 is 1/48 of the shorter side of the frame, "
              "6 to 48; 1 draws one arrow per block",
              &MotionProperties::spacing, 0, 256)
      .flag("color-by-id", "Color by ID",
            "Draw each object in one of eight colours, by its number. False: all in the colour of "
            "color",
            &MotionProperties::color_by_id)
      .flags("labels", "Labels", "Texts at the boxes of objects; 0 or none: no text",
             &MotionProperties::labels, labels_type())
      .color(
          "camera-color", "Camera color",
          "Colour of the camera motion with display=objects (0xAARRGGBB); transparent: it is not "
          "drawn",
          &MotionProperties::camera_color)
      .color("color", "Color",
             "Colour of arrows, zones and lines, and of boxes with color-by-id=false; its "
             "transparency applies to all boxes (0xAARRGGBB)",
             &MotionProperties::color)
      .color("outline-color", "Outline color",
             "Colour of the outline around arrows and boxes (0xAARRGGBB)",
             &MotionProperties::outline_color);
}

void add_detection_properties(Properties<MotionProperties> &properties) {
  properties
      .choice("camera-compensation", "Camera compensation",
              "Model of the camera motion. Messages report the estimated motion, and object "
              "detection compensates for it",
              &MotionProperties::camera, camera_type())
      .flag("detect", "Detect", "Detect objects that move against the background and track them",
            &MotionProperties::detect)
      .number("sensitivity", "Sensitivity",
              "Sensitivity of the detection: 0 finds only objects that clearly exceed noise and "
              "edges, 1 also the faintest",
              &MotionProperties::sensitivity, 0, 1)
      .number("min-area", "Minimum area",
              "Minimum foreground area of a new object, in px²; 0 is 1/1500 of the frame",
              &MotionProperties::min_area, 0, G_MAXINT)
      .number("min-frames", "Minimum frames",
              "Number of frames in which an object must be found before it is reported; 1 reports "
              "it at once, even before it has moved",
              &MotionProperties::min_frames, 1, 1000)
      .number("gap", "Gap", "Time in seconds after which an object that is no longer found ends",
              &MotionProperties::gap, 0, 60)
      .number("max-speed", "Maximum speed",
              "How far an object may move per frame, in px. It limits only objects that move "
              "farther than their own length. 0 is a quarter of the longer side of the frame",
              &MotionProperties::max_speed, 0, 16384)
      .number("max-duration", "Maximum duration",
              "Time in seconds after which an object that stands still ends. 0: it ends once it is "
              "background, after at most 30 frames",
              &MotionProperties::max_duration, 0, 86400)
      .number("left-after", "Left after",
              "Time in seconds for which a thing stands still until it is reported as left or "
              "removed. Needs a longer max-duration",
              &MotionProperties::left_after, 0, 86400)
      .flag("learn-scenery", "Learn scenery",
            "What swings in its place, such as leaves, water or a flag, stops being an object "
            "within a minute. Not for busy roads",
            &MotionProperties::learn_scenery)
      .flag("shadows", "Shadows",
            "Separate shadows and light from objects: boxes leave shadows out, the mask of the "
            "result marks them with 2, and what has a soft outline begins no object. FALSE: "
            "shadows and light belong to the objects",
            &MotionProperties::shadows)
      .made(
          g_param_spec_string("mask", "Mask",
                              "Path of an image file, scaled to the frame. Nothing is detected "
                              "where it is black. Empty: detect everywhere",
                              "", while_playing),
          read_mask, [](MotionProperties &settings, const Mask &mask) { mask.into(settings); },
          [](const MotionProperties &settings, GValue *value) {
            g_value_set_string(value, settings.mask_path.c_str());
          })
      .made(
          sample_spec("mask-sample", "Mask sample",
                      "Mask as a GstSample with a picture and its caps; replaces mask. NULL "
                      "or empty: detect everywhere"),
          take_mask, [](MotionProperties &settings, const Mask &mask) { mask.into(settings); },
          [](const MotionProperties &, GValue *) {})
      .number("seed", "Seed",
              "Seed of the random search for the camera motion; equal seeds give equal results",
              &MotionProperties::seed, 0, G_MAXINT)
      .other(
          g_param_spec_boolean(
              "motion-detected", "Motion detected",
              "TRUE from the motion-begin of an object until all objects have ended", FALSE,
              static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)),
          [](MotionProperties &, const GValue *) {},
          [](const MotionProperties &settings, GValue *value) {
            g_value_set_boolean(value, settings.detected->load());
          });
}

}  // namespace

void add_properties(Properties<MotionProperties> &properties) {
  add_search_properties(properties);
  add_detection_properties(properties);
  add_rule_properties(properties);
}

}  // namespace glcl::motion
