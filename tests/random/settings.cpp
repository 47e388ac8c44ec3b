// SPDX-License-Identifier: LGPL-2.1-or-later
#include "settings.h"

#include <algorithm>
#include <map>
#include <vector>

#include "options.h"
#include "pictures.h"
#include "signals.h"

namespace {

/// The cost of a frame grows with these, or with their squares.
const std::map<std::string, double> costly = {{"radius", 8}, {"iterations", 2},
                                              {"range", 12}, {"sigma-space", 3},
                                              {"warps", 4},  {"window", 15}};

/// The largest value that may be set.
double most(const GParamSpec *spec, double maximum, Random &random, int area) {
  const auto cost = costly.find(spec->name);
  if (cost == costly.end() || (area < 5000 && random.chance(10))) return maximum;
  return std::min(maximum, cost->second);
}

/// One of the two limits, or a value between them.
double number(Random &random, double least, double most) {
  switch (random.below(6)) {
    case 0:
      return least;
    case 1:
      return most;
    default:
      return random.real(least, most);
  }
}

std::string text(const std::string &name, Random &random, bool playing) {
  const std::string picture = options.picture;
  if (name == "template")
    return random.of<std::string>(
        {"", "", picture, picture + "," + picture, picture + ",/nowhere.png", ",,", "/tmp"});
  if (name == "mask" || name == "picture")
    return random.of<std::string>({"", "", picture, "/nowhere.png", "/dev/zero"});
  // A device or file that does not exist is seldom set: it ends the round.
  if (random.chance(playing ? 10 : 2) && name != "dump-location" && name != "filters")
    return random.of<std::string>({"9:9", "no such device", "-1:-1", "99999999999:1", "%n%s", ":"});
  if (name == "devices") return random.of<std::string>({"", "0:0", "0:0,0:0"});
  if (name == "device") return random.of<std::string>({"", "auto", "0:0"});
  if (name == "filters")
    return random.of<std::string>({"", "gauss ! grey", "sharpen*2 ! threshold",
                                   "blend ! motionblur", "lut ! gamma(value=3) ! invert",
                                   "overlay(opacity=0.5) ! watermark", "convolve(matrix=[1 2; 3])",
                                   "nonsense(", "gauss(sigma=9e9)"});
  if (name == "points" || name == "matrix")  // of children
    return random.of<std::string>(
        {"[0 1]", "[1]", "[0 1 0; 1 4 1; 0 1 0]", "[1 2]", "[", "", "[1e300 -1e300 0]"});
  return "";
}

void fill(GValue *value, GParamSpec *spec, Random &random, int area, bool playing) {
  const std::string name = spec->name;
  if (G_IS_PARAM_SPEC_INT(spec)) {
    const GParamSpecInt *range = G_PARAM_SPEC_INT(spec);
    int chosen =
        static_cast<int>(number(random, range->minimum, most(spec, range->maximum, random, area)));
    if (name == "bins" && random.chance(95)) chosen = random.of<int>({32, 64, 128, 256});
    g_value_set_int(value, chosen);
  } else if (G_IS_PARAM_SPEC_UINT(spec)) {
    g_value_set_uint(value, random.of<guint>({0, 0xff000000, 0x80ff4020, 0x00ffffff, G_MAXUINT}));
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    const GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE(spec);
    g_value_set_double(value,
                       number(random, range->minimum, most(spec, range->maximum, random, area)));
  } else if (G_IS_PARAM_SPEC_UINT64(spec)) {
    g_value_set_uint64(value, random.of<guint64>({0, 1, GST_SECOND / 30, GST_SECOND / 10,
                                                  static_cast<guint64>(G_MAXINT64)}));
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_value_set_boolean(value, random.chance(50));
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumClass *choices = G_PARAM_SPEC_ENUM(spec)->enum_class;
    int chosen = random.below(static_cast<int>(choices->n_values));
    // An unavailable method ends the run.
    if (name == "sharing" && random.chance(95)) chosen = 0;
    g_value_set_enum(value, choices->values[chosen].value);
  } else if (G_IS_PARAM_SPEC_FLAGS(spec)) {
    g_value_set_flags(value,
                      static_cast<guint>(random.below(
                          static_cast<int>(G_PARAM_SPEC_FLAGS(spec)->flags_class->mask) + 1)));
  } else if (G_IS_PARAM_SPEC_STRING(spec)) {
    g_value_set_string(value, text(name, random, playing).c_str());
  } else if (spec->value_type == GST_TYPE_SAMPLE) {
    if (random.chance(75)) gst_value_take_sample(value, random_sample(random));
  } else if (spec->value_type == GST_TYPE_ARRAY && random.chance(40)) {
    for (int low : {0, 0, 1, 1}) {
      GValue item = G_VALUE_INIT;
      g_value_init(&item, G_TYPE_INT);
      g_value_set_int(&item, random.chance(2) ? random.between(-2, 4000) : random.between(low, 8));
      gst_value_array_append_and_take_value(value, &item);
    }
  }
}

std::string set_random(GstObject *object, Random &random, int area, bool playing) {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(object), &count);
  GParamSpec *spec = all[random.below(static_cast<int>(count))];
  g_free(all);
  const std::string name = spec->name;
  if (name == "name" || name == "parent") return "";
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  std::string action;
  if (spec->flags & G_PARAM_WRITABLE) {
    fill(&value, spec, random, area, playing);
    if (options.verbose) {
      gchar *contents = g_strdup_value_contents(&value);
      action = std::string(GST_OBJECT_NAME(object)) + "." + name + "=" + contents;
      g_free(contents);
    }
    g_object_set_property(G_OBJECT(object), spec->name, &value);
    all_settings++;
  } else if (spec->flags & G_PARAM_READABLE) {
    g_object_get_property(G_OBJECT(object), spec->name, &value);
  }
  g_value_unset(&value);
  return action;
}

}  // namespace

std::string random_action(GstElement *element, Random &random, int area, bool playing) {
  if (random.chance(10)) {
    const std::string action = emit_random(element, random);
    all_signals += !action.empty();
    return action;
  }
  if (GST_IS_CHILD_PROXY(element) && random.chance(40)) {
    auto *proxy = GST_CHILD_PROXY(element);
    const int children = static_cast<int>(gst_child_proxy_get_children_count(proxy));
    const guint which = static_cast<guint>(random.below(children + 1));
    // The last one is not there, nor those that another thread has replaced meanwhile.
    GObject *child = gst_child_proxy_get_child_by_index(proxy, which);
    if (!child) return "";
    const std::string action = set_random(GST_OBJECT(child), random, area, playing);
    g_object_unref(child);
    all_children++;
    return action;
  }
  return set_random(GST_OBJECT(element), random, area, playing);
}
