// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclregion.h"

#include <utility>

namespace glcl {

void set_region(Rect &area, const GValue *value) {
  const guint count = gst_value_array_get_size(value);
  int numbers[4] = {};
  bool good = count == 0 || count == 4;
  for (guint i = 0; good && i < count; i++) {
    const GValue *item = gst_value_array_get_value(value, i);
    good = G_VALUE_HOLDS_INT(item);
    if (good) numbers[i] = g_value_get_int(item);
  }
  const Rect given{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (good && (count == 0 || !given.empty())) {
    area = given;
    return;
  }
  gchar *text = gst_value_serialize(value);
  g_warning(
      "roi=%s is ignored: give <x, y, width, height> as integers in px, the last two above 0, or "
      "<> for the whole frame.",
      text ? text : "");
  g_free(text);
}

void get_region(const Rect &area, GValue *value) {
  if (area.empty()) return;
  for (int number : {area.x, area.y, area.width, area.height}) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_INT);
    g_value_set_int(&item, number);
    gst_value_array_append_and_take_value(value, &item);
  }
}

void warn_of_region(GstElement *element, const Rect &roi, int width, int height, const Rect &used,
                    bool &warned) {
  const bool leaves = !roi.empty() && !(used == roi);
  if (std::exchange(warned, leaves) || !leaves) return;
  GST_ELEMENT_WARNING(
      element, RESOURCE, SETTINGS,
      ("roi=<%d,%d,%d,%d> is not inside the frame of %d×%d px; <%d,%d,%d,%d> is used instead. "
       "Choose x, y, width and height in px inside the frame.",
       roi.x, roi.y, roi.width, roi.height, width, height, used.x, used.y, used.width, used.height),
      ("the next warning comes after a roi was inside the frame or the frame size changed"));
}

}  // namespace glcl
