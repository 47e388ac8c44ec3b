// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclfilterproperties.h"

#include <algorithm>
#include <iterator>

namespace glcl {

namespace {

using sharing::SharingMethod;

/// Values of the `sharing` properties: auto, then those of SharingMethod::all in order.
constexpr int sharing_auto = 0;
int sharing_value(const SharingMethod *method) {
  const auto *const *first = std::begin(SharingMethod::all);
  return 1 + static_cast<int>(std::find(first, std::end(SharingMethod::all), method) - first);
}

GType sharing_type() {
  static const GType type = [] {
    std::vector<GEnumValue> values{
        {sharing_auto, "The first of gl, external, egl and copy that works", "auto"}};
    for (const SharingMethod *method : SharingMethod::all)
      values.push_back({sharing_value(method), method->description, method->name});
    return register_enum("GstGLCLSharing", values);
  }();
  return type;
}

}  // namespace

std::vector<const SharingMethod *> FilterSettings::methods() const {
  std::vector<const SharingMethod *> methods;
  for (const SharingMethod *method : SharingMethod::all)
    if (sharing == sharing_auto || sharing == sharing_value(method)) methods.push_back(method);
  return methods;
}

void install_filter_properties(GObjectClass *object_class,
                               Guarded<FilterSettings> &(*settings_of)(GObject *),
                               StatsRecorder &(*stats_of)(GObject *)) {
  const FilterSettings defaults;
  Properties<FilterSettings>(object_class, settings_of)
      .other(
          g_param_spec_string("device", "Device",
                              "OpenCL device: auto, P:D (platform and device number as "
                              "glcl-info prints them) or part of its name. auto takes the "
                              "device that runs OpenGL, else the first GPU, else the first CPU",
                              defaults.device.c_str(), before_paused),
          [](FilterSettings &settings, const GValue *value) {
            const gchar *device = g_value_get_string(value);
            settings.device = device && *device ? device : "auto";
          },
          [](const FilterSettings &settings, GValue *value) {
            g_value_set_string(value, settings.device.c_str());
          })
      .choice("sharing", "Sharing",
              "How OpenCL accesses the OpenGL textures. A method chosen by name that is not "
              "available is an error",
              &FilterSettings::sharing, sharing_type(), before_paused)
      .flag("profile", "Profile",
            "Time every kernel with OpenCL events and report the times in stats",
            &FilterSettings::profile);
  const auto read_only = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  install_property(
      object_class,
      g_param_spec_enum("active-sharing", "Active sharing",
                        "Sharing method in use; auto until the first frame is negotiated",
                        sharing_type(), sharing_auto, read_only),
      {nullptr, [stats_of](GObject *object, GValue *value) {
         const SharingMethod *method = stats_of(object).get().method;
         g_value_set_enum(value, method ? sharing_value(method) : sharing_auto);
       }});
  install_property(
      object_class,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Statistics since PAUSED: frames, device, sharing, copies (transfers of a frame to or "
          "from host memory) and dropped (late or unusable frames). latency and latency-max are "
          "the mean and maximum time in ns from the arrival of a frame until it is pushed; a GPU "
          "may still work on it then. With profile, KERNEL-mean and KERNEL-max are the times of "
          "every kernel and of the whole frame, in ns",
          GST_TYPE_STRUCTURE, read_only),
      {nullptr, [stats_of](GObject *object, GValue *value) {
         g_value_take_boxed(value, stats_of(object).get().structure());
       }});
}

}  // namespace glcl
