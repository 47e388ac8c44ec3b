// SPDX-License-Identifier: LGPL-2.1-or-later
// The property roi: an accepted one has an area and lies in every frame once it is clipped.
#include <gst/gst.h>

#include <utility>

#include "histogram/histogram.h"
#include "parser.h"

namespace {

GstElement *histogram() {
  gst_init(nullptr, nullptr);
  g_log_set_default_handler([](const gchar *, GLogLevelFlags, const gchar *, gpointer) {}, nullptr);
  GstElement *element = gst_element_factory_make("glclhistogram", nullptr);
  check(element, "there is no glclhistogram");
  return GST_ELEMENT(gst_object_ref_sink(element));
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static GstElement *element = histogram();
  gst_util_set_object_arg(G_OBJECT(element), "roi", text_of(data, size).c_str());
  GValue value = G_VALUE_INIT;
  g_value_init(&value, GST_TYPE_ARRAY);
  g_object_get_property(G_OBJECT(element), "roi", &value);
  const guint count = gst_value_array_get_size(&value);
  check(count == 0 || count == 4, "roi has " + std::to_string(count) + " numbers");
  int numbers[4] = {};
  for (guint i = 0; i < count; i++)
    numbers[i] = g_value_get_int(gst_value_array_get_value(&value, i));
  g_value_unset(&value);
  const glcl::Rect roi{numbers[0], numbers[1], numbers[2], numbers[3]};
  check(count == 0 || !roi.empty(), "roi has no area");
  for (const auto &[width, height] : {std::pair{1, 1}, {1, 37}, {65, 47}, {16384, 16384}}) {
    const glcl::Rect inside = glcl::clipped(roi, width, height);
    check(!inside.empty() && inside.x >= 0 && inside.y >= 0 && inside.width <= width - inside.x &&
              inside.height <= height - inside.y,
          "roi is not clipped to " + std::to_string(width) + "×" + std::to_string(height));
  }
  return 0;
}
