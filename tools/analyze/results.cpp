// SPDX-License-Identifier: LGPL-2.1-or-later
#include "results.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "events/json.h"
#include "events/rules.h"
#include "ruletable.h"

namespace glcl::analyze {

namespace {

constexpr double blank_deviation = 6;  // levels, as for shots

/// Begin or end of a black or frozen part.
bool is_lasting(const std::string &name) {
  return name == "black-begin" || name == "black-end" || name == "freeze-begin" ||
         name == "freeze-end";
}

/// Sorts events by time. Those of black and frozen parts follow others of the same time, because
/// the order of the messages of different elements varies.
bool is_earlier(const std::pair<GstClockTime, Json> &a, const std::pair<GstClockTime, Json> &b) {
  const auto key = [](const Json &event) {
    const std::string name = event.at("event");
    return is_lasting(name) ? name : std::string();
  };
  return a.first != b.first ? a.first < b.first : key(a.second) < key(b.second);
}

}  // namespace

Results::Results(const Task &task, Thumbnails *thumbnails)
    : task_(task), folder_(task.folder), table_(task, folder_), thumbnails_(thumbnails) {
  if (task.has("objects")) {
    objects_ = std::make_unique<Writer>(folder_, "objects.csv");
    objects_->write("time,frame,id,x,y,width,height,velocity-x,velocity-y,score,age\n");
  }
  if (thumbnails_) shots_ = std::make_unique<Writer>(folder_, "shots.rgb");
}

void Results::add_message(const GstStructure *message) {
  const std::string name = gst_structure_get_name(message);
  table_.take(message);
  if (name == "glclhistogram")
    add_histogram(message);
  else if (name == "shot")
    add_shot(message);
  else if (name == "objects" && objects_)
    add_objects(message);
  else if (name == "motion-begin" || name == "motion-end" || is_lasting(name) ||
           events::is_of_rules(name))
    add_begin_or_end(name, message);
}

void Results::add_histogram(const GstStructure *message) {
  double variance = 0;
  const Json deviations = events::json_of(gst_structure_get_value(message, "stddev"));
  for (const Json &deviation : deviations)
    variance += std::pow(deviation.get<double>(), 2) / double(deviations.size());
  ends_blank_ = variance < blank_deviation * blank_deviation;
  if (std::exchange(seen_, true)) return;
  begins_blank_ = ends_blank_;
  if (thumbnails_ && !task_.from) first_picture(message);
}

void Results::add_shot(const GstStructure *shot) {
  guint64 timestamp = 0, time = 0;
  double score = 0;
  gst_structure_get_uint64(shot, "timestamp", &timestamp);
  gst_structure_get_uint64(shot, "stream-time", &time);
  gst_structure_get_double(shot, "score", &score);
  if (!in_range(time)) return;
  add_event(
      time,
      {{"event", "shot"}, {"kind", gst_structure_get_string(shot, "kind")}, {"score", score}});
  if (thumbnails_) thumbnails_->write(timestamp, time, *shots_);
}

void Results::add_objects(const GstStructure *message) {
  guint64 time = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(message, "stream-time", &time);
  const Json found = events::json_of(gst_structure_get_value(message, "objects"));
  if (time < task_.from) crossing_ = found;
  const auto row = table_.row(time);
  if (!row) return;
  for (const Json &object : found) {
    if (object.contains("id")) ids_.insert(object["id"].get<guint64>());
    std::string line = seconds(time) + "," + std::to_string(*row);
    for (const char *field :
         {"id", "x", "y", "width", "height", "velocity-x", "velocity-y", "score", "age"})
      line += "," + (object.contains(field) && object[field].is_number()
                         ? number(object[field].get<double>())
                         : std::string());
    objects_->write(line + "\n");
  }
}

void Results::add_begin_or_end(const std::string &name, const GstStructure *message) {
  if (is_lasting(name)) watch_lasting(name, message);
  guint64 time = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(message, "stream-time", &time);
  Json event{{"event", name}};
  const Json fields = events::json_of(message);
  for (const auto &[key, value] : fields.items())
    if (key != "timestamp" && key != "stream-time" && key != "running-time" && key != "duration")
      event[key] = value;
  add_event(time, std::move(event));
}

/// A black or frozen part that reaches from the first frame into the range may have begun earlier.
void Results::watch_lasting(const std::string &name, const GstStructure *message) {
  guint64 timestamp = GST_CLOCK_TIME_NONE, time = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64(message, "timestamp", &timestamp);
  gst_structure_get_uint64(message, "stream-time", &time);
  const size_t dash = name.find('-');
  const std::string kind = name.substr(0, dash);
  if (name.substr(dash) == "-end") {
    if (time < task_.from) cut_off_.erase(kind);
  } else if (timestamp == table_.first()) {
    cut_off_.insert(kind);
  }
}

void Results::add_event(GstClockTime time, Json event) {
  if (in_range(time)) events_.emplace_back(time, std::move(event));
}

void Results::forget() {
  table_.forget();
  events_.clear();
  crossing_ = Json::array();
  cut_off_.clear();
  begins_blank_ = ends_blank_ = seen_ = false;
  if (shots_) shots_ = std::make_unique<Writer>(folder_, "shots.rgb");
}

void Results::first_picture(const GstStructure *message) {
  guint64 timestamp = 0, time = 0;
  if (gst_structure_get_uint64(message, "timestamp", &timestamp) &&
      gst_structure_get_uint64(message, "stream-time", &time) &&
      table_.row(time) == std::optional<size_t>(0))
    thumbnails_->write(timestamp, time, *shots_);
}

/// The first shot begins with the first frame of the file.
void Results::first_shot() {
  if (!task_.has("shots") || task_.from > 0 || !table_.rows()) return;
  add_event(table_.time(0), {{"event", "shot"}, {"kind", "start"}, {"score", 0.0}});
}

/// Writes the events, and those of rules as a table with counts for `summary`. Returns the number
/// of shots.
guint64 Results::write_events(Json &summary) {
  std::stable_sort(events_.begin(), events_.end(), is_earlier);
  Writer out(folder_, "events.jsonl");
  std::optional<RuleTable> rules;
  if (!task_.rules.empty()) rules.emplace(folder_, summary["rules"] = parsed(task_.rules));
  guint64 shots = 0;
  for (const auto &[time, event] : events_) {
    Json line{{"time", time}, {"frame", nullptr}};
    if (const auto row = table_.row(time)) line["frame"] = *row;
    line.update(event);
    out.write(dump(line) + "\n");
    if (rules) rules->add(line);
    shots += event["event"] == "shot";
  }
  out.close();
  if (!rules) return shots;
  rules->close();
  summary["counts"] = rules->counts();
  return shots;
}

void Results::finish(Json summary, double rate) {
  first_shot();
  table_.finish();
  const guint64 shots = write_events(summary);
  if (objects_) objects_->close();
  if (shots_) shots_->close();
  summary["frames"] = table_.rows();
  const FrameGaps gaps = table_.gaps(rate);
  summary["lost"] = gaps.lost;
  summary["variable-rate"] = gaps.variable;
  if (task_.has("shots")) summary["shots"] = shots;
  if (objects_) summary["objects"] = ids_.size();
  if (task_.part) summary["crossing"] = crossing_;
  folder_.write("summary.json", dump(summary, 2) + "\n");
}

}  // namespace glcl::analyze
