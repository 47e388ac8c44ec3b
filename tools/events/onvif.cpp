// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onvif.h"

#include <algorithm>
#include <array>

#include "json.h"
#include "printable.h"

namespace glcl::events {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array names{"objects",
                           "motion-begin",
                           "motion-end",
                           "zone-enter",
                           "zone-leave",
                           "line-cross",
                           "camera-covered-begin",
                           "camera-covered-end",
                           "camera-defocused-begin",
                           "camera-defocused-end"};

constexpr char stream_begin[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><tt:MetadataStream "
    "xmlns:tt=\"http://www.onvif.org/ver10/schema\" "
    "xmlns:wsnt=\"http://docs.oasis-open.org/wsn/b-2\" "
    "xmlns:tns1=\"http://www.onvif.org/ver10/topics\">";

/// A text for XML, which allows neither control characters nor U+FFFE and U+FFFF.
std::string xml(const std::string &text) {
  std::string valid = printable(text);
  for (const char *other : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (size_t at = valid.find(other); at != std::string::npos; at = valid.find(other, at))
      valid.replace(at, 3, "?");
  gchar *escaped = g_markup_escape_text(valid.data(), static_cast<gssize>(valid.size()));
  std::string copy = escaped;
  g_free(escaped);
  return copy;
}

std::string attribute(const char *name, const std::string &value) {
  return std::string(" ") + name + "=\"" + xml(value) + "\"";
}

std::string attribute(const char *name, double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return attribute(name, std::string(g_ascii_formatd(text, sizeof text, "%.6f", value)));
}

std::string item(const char *name, const std::string &value) {
  return "<tt:SimpleItem" + attribute("Name", std::string(name)) + attribute("Value", value) + "/>";
}

std::string id_of(const Json &object) { return std::to_string(object.at("id").get<guint64>()); }

/// The box of an object. ONVIF's coordinates reach from the lower left corner, (-1, -1), to the
/// upper right one, (1, 1).
std::string shape_of(const Json &object, const FrameFacts &facts) {
  if (facts.width <= 0 || facts.height <= 0) return "";
  const auto x = [&](double px) { return 2 * px / facts.width - 1; };
  const auto y = [&](double px) { return 1 - 2 * px / facts.height; };
  const double left = object.at("x"), top = object.at("y"), width = object.at("width"),
               height = object.at("height");
  return "<tt:Appearance><tt:Shape><tt:BoundingBox" + attribute("left", x(left)) +
         attribute("top", y(top)) + attribute("right", x(left + width)) +
         attribute("bottom", y(top + height)) + "/><tt:CenterOfGravity" +
         attribute("x", x(left + width / 2)) + attribute("y", y(top + height / 2)) +
         "/></tt:Shape></tt:Appearance>";
}

std::string object_of(const Json &object, const FrameFacts &facts) {
  return "<tt:Object" + attribute("ObjectId", id_of(object)) + ">" + shape_of(object, facts) +
         "</tt:Object>";
}

/// The objects of a message and their end.
std::string frame_of(const Json &message, const FrameFacts &facts) {
  std::string content;
  if (message.at("message") == "objects")
    for (const Json &object : message.at("objects")) content += object_of(object, facts);
  else if (message.at("message") == "motion-end")
    content =
        "<tt:ObjectTree><tt:Delete" + attribute("ObjectId", id_of(message)) + "/></tt:ObjectTree>";
  else
    content = object_of(message, facts);
  return "<tt:VideoAnalytics><tt:Frame" + attribute("UtcTime", utc_text(facts.utc)) +
         attribute("Source", message.at("element").get<std::string>()) + ">" + content +
         "</tt:Frame></tt:VideoAnalytics>";
}

/// A notification. `property`: it is the new value of a property.
std::string notification(const std::string &topic, const FrameFacts &facts, bool property,
                         const std::string &source, const std::string &content) {
  return "<tt:Event><wsnt:NotificationMessage><wsnt:Topic "
         "Dialect=\"http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet\">tns1:" +
         topic + "</wsnt:Topic><wsnt:Message><tt:Message" +
         attribute("UtcTime", utc_text(facts.utc)) +
         (property ? attribute("PropertyOperation", std::string("Changed")) : "") + "><tt:Source>" +
         source + "</tt:Source>" + content +
         "</tt:Message></wsnt:Message></wsnt:NotificationMessage></tt:Event>";
}

/// The event of a camera: a property of the video source.
std::string camera_event_of(const Json &message, const FrameFacts &facts) {
  const std::string name = message.at("message");
  const bool covered = name.rfind("camera-covered", 0) == 0,
             begins = name.size() > 5 && name.substr(name.size() - 5) == "begin";
  return notification(covered ? "VideoSource/GlobalSceneChange/AnalyticsService"
                              : "VideoSource/ImageTooBlurry/AnalyticsService",
                      facts, true, item("Source", message.at("element").get<std::string>()),
                      "<tt:Data>" + item("State", begins ? "true" : "false") + "</tt:Data>");
}

/// The event of a zone or a line: a property of the object and the zone, or a single event.
std::string event_of(const Json &message, const FrameFacts &facts) {
  const std::string name = message.at("message"), element = message.at("element");
  const bool crosses = name == "line-cross";
  const std::string id = item("ObjectId", id_of(message)),
                    rule = message.at(crosses ? "line" : "zone"),
                    content = crosses
                                  ? "<tt:Data>" + id + "</tt:Data>"
                                  : "<tt:Key>" + id + "</tt:Key><tt:Data>" +
                                        item("IsInside", name == "zone-enter" ? "true" : "false") +
                                        "</tt:Data>";
  return notification(
      crosses ? "RuleEngine/LineDetector/Crossed" : "RuleEngine/FieldDetector/ObjectsInside", facts,
      !crosses,
      item("VideoSourceConfigurationToken", element) +
          item("VideoAnalyticsConfigurationToken", element) + item("Rule", rule),
      content);
}

}  // namespace

bool is_of_onvif(const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string onvif_document(GstMessage *message, const FrameFacts &facts) {
  const Json json = json_of(message);
  const std::string name = json.at("message");
  if (name.rfind("camera-", 0) == 0)
    return stream_begin + camera_event_of(json, facts) + "</tt:MetadataStream>";
  std::string document = stream_begin + frame_of(json, facts);
  if (json.contains("zone") || json.contains("line")) document += event_of(json, facts);
  return document + "</tt:MetadataStream>";
}

}  // namespace glcl::events
