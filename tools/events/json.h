// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages of pipelines as JSON.
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>

namespace glcl::events {

/// The JSON of a value. An enumeration becomes its nick, and a type that JSON lacks becomes
/// GStreamer's text for it. NaN, infinity, GST_CLOCK_TIME_NONE and values without a text become
/// null.
nlohmann::ordered_json json_of(const GValue *value);

/// The fields of a structure, in their order.
nlohmann::ordered_json json_of(const GstStructure *structure);

/// The name of an element message's structure, or the type of another message, such as
/// `state-changed`.
const gchar *name_of(GstMessage *message);

/// A message: `message`, its name_of(), and `element`, the name of its sender, before its fields.
nlohmann::ordered_json json_of(GstMessage *message);

}  // namespace glcl::events
