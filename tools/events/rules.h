// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of rules as JSON, and their topics for MQTT.
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>
#include <string>

#include "frametime.h"

namespace glcl::events {

/// True for messages of this name that rules cause: of zones, lines and the scene.
bool is_of_rules(const std::string &name);

/// An event of rules: its message, and `utc`, `frame-width` and `frame-height`.
nlohmann::ordered_json rule_json(GstMessage *message, const FrameFacts &facts);

/// The reason why this text can't begin a topic of MQTT; empty if it can.
std::string topic_fault(const std::string &topic);
/// The topic of an event: below `topic`, its name and that of its zone or line. Other characters of
/// that name than letters, digits, `-`, `_` and `.` become `_`.
std::string topic_of(const std::string &topic, GstMessage *message);

}  // namespace glcl::events
