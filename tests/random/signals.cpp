// SPDX-License-Identifier: LGPL-2.1-or-later
#include "signals.h"

#include <vector>

#include "pictures.h"

namespace {

/// The argument of a signal.
void fill_argument(GValue *value, Random &random) {
  if (G_VALUE_HOLDS_STRING(value))
    g_value_take_string(value, g_strdup_printf("t%d", random.below(20)));
  else if (G_VALUE_HOLDS_INT(value))
    g_value_set_int(
        value, random.chance(95) ? random.between(-2, 90) : random.of<int>({G_MININT, G_MAXINT}));
  else if (G_VALUE_HOLDS(value, GST_TYPE_SAMPLE))
    gst_value_take_sample(value, random_sample(random));
}

}  // namespace

std::string emit_random(GstElement *element, Random &random) {
  guint count = 0;
  guint *ids = g_signal_list_ids(G_OBJECT_TYPE(element), &count);
  std::vector<GSignalQuery> actions;
  for (guint i = 0; i < count; i++) {
    GSignalQuery query;
    g_signal_query(ids[i], &query);
    if (query.signal_flags & G_SIGNAL_ACTION) actions.push_back(query);
  }
  g_free(ids);
  if (actions.empty()) return "";
  const GSignalQuery action = random.of(actions);
  std::vector<GValue> values(action.n_params + 1);
  g_value_init(values.data(), G_OBJECT_TYPE(element));
  g_value_set_object(values.data(), element);
  for (guint i = 0; i < action.n_params; i++) {
    g_value_init(&values[i + 1], action.param_types[i] & ~G_SIGNAL_TYPE_STATIC_SCOPE);
    fill_argument(&values[i + 1], random);
  }
  GValue result = G_VALUE_INIT;
  if (action.return_type != G_TYPE_NONE) g_value_init(&result, action.return_type);
  g_signal_emitv(values.data(), action.signal_id, 0, &result);
  if (action.return_type != G_TYPE_NONE) g_value_unset(&result);
  for (GValue &value : values) g_value_unset(&value);
  return std::string(GST_OBJECT_NAME(element)) + "." + action.signal_name + "()";
}

void query_element(GstElement *element) {
  gint64 time = 0;
  gst_element_query_position(element, GST_FORMAT_TIME, &time);
  gst_element_query_duration(element, GST_FORMAT_TIME, &time);
  GstState state;
  gst_element_get_state(element, &state, nullptr, 0);
  GstStructure *stats = nullptr;
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats"))
    g_object_get(element, "stats", &stats, nullptr);
  if (stats) gst_structure_free(stats);
  GstPad *pad = gst_element_get_static_pad(element, "sink");
  gst_caps_unref(gst_pad_query_caps(pad, nullptr));
  gst_object_unref(pad);
}
