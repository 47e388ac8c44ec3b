// SPDX-License-Identifier: LGPL-2.1-or-later
// A property `roi`: an array of x, y, width and height.
#pragma once

#include <gst/gst.h>

namespace glcl {

/// Takes a value; others than the two kinds that there are change nothing, with a warning. `Area`
/// has int x, y, width and height, and empty().
template <class Area>
void set_region(Area &area, const GValue *value) {
  const guint count = gst_value_array_get_size(value);
  int numbers[4] = {};
  bool good = count == 0 || count == 4;
  for (guint i = 0; good && i < count; i++) {
    const GValue *item = gst_value_array_get_value(value, i);
    good = G_VALUE_HOLDS_INT(item);
    if (good) numbers[i] = g_value_get_int(item);
  }
  const Area given{numbers[0], numbers[1], numbers[2], numbers[3]};
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

template <class Area>
void get_region(const Area &area, GValue *value) {
  if (area.empty()) return;
  for (int number : {area.x, area.y, area.width, area.height}) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_INT);
    g_value_set_int(&item, number);
    gst_value_array_append_and_take_value(value, &item);
  }
}

}  // namespace glcl
