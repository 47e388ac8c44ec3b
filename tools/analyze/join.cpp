// SPDX-License-Identifier: LGPL-2.1-or-later
#include "join.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "table.h"

namespace glcl::analyze {

namespace {

constexpr double least_overlap = 0.3;  // of boxes of one object, intersection over union

Json summary_of(const std::string &part) { return read_json(part + "/summary.json"); }

struct Box {
  long id;
  double x, y, width, height;
};

double overlap(const Box &a, const Box &b) {
  const double across = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double down = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (across <= 0 || down <= 0) return 0;
  return across * down / (a.width * a.height + b.width * b.height - across * down);
}

std::vector<std::string> cells_of(const std::string &line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::string text_of(const std::vector<std::string> &cells) {
  std::string text;
  for (const std::string &cell : cells) text += (text.empty() ? "" : ",") + cell;
  return text;
}

/// Gives the objects of parts the numbers that they have in the whole.
class Numbers {
 public:
  /// A part begins: which of its objects were those of the last frame of the part before.
  void begin(const Json &crossing) {
    numbers_.clear();
    std::vector<Box> open = std::move(last_);
    last_.clear();
    for (const Json &object : crossing) {
      const Box box{object.at("id"), object.at("x"), object.at("y"), object.at("width"),
                    object.at("height")};
      auto best = open.end();
      for (auto it = open.begin(); it != open.end(); ++it)
        if (overlap(*it, box) >= least_overlap &&
            (best == open.end() || overlap(*it, box) > overlap(*best, box)))
          best = it;
      if (best == open.end()) continue;
      numbers_[box.id] = best->id;
      open.erase(best);
    }
  }
  long of(long id) {
    const auto found = numbers_.find(id);
    return found != numbers_.end() ? found->second : numbers_[id] = next_++;
  }
  /// A line of objects.csv, with its frame and number those of the whole.
  std::string line(const std::string &line, size_t first_frame) {
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 7) throw Failure("objects.csv is damaged");
    const std::string frame = std::to_string(std::stoul(cells[1]) + first_frame);
    const long id = of(std::stol(cells[2]));
    if (frame != last_frame_) last_.clear();
    last_frame_ = frame;
    last_.push_back(
        {id, std::stod(cells[3]), std::stod(cells[4]), std::stod(cells[5]), std::stod(cells[6])});
    seen_.insert(id);
    cells[1] = frame;
    cells[2] = std::to_string(id);
    return text_of(cells);
  }
  /// How many objects lines had.
  size_t count() const { return seen_.size(); }
  /// Objects that were not in the part's last frame don't cross its end.
  void end(size_t frames) {
    if (frames == 0 || last_frame_ != std::to_string(frames - 1)) last_.clear();
  }

 private:
  std::map<long, long> numbers_;  // of this part's
  std::set<long> seen_;           // in lines
  std::vector<Box> last_;         // of the last frame with objects
  std::string last_frame_;
  long next_ = 1;
};

}  // namespace

Task joined_task(std::vector<std::string> &parts) {
  if (parts.empty()) throw Failure("there are no parts");
  const auto begin = [](const std::string &part) {
    return summary_of(part).at("from").get<guint64>();
  };
  std::sort(parts.begin(), parts.end(),
            [&](const std::string &a, const std::string &b) { return begin(a) < begin(b); });
  const Json first = summary_of(parts.front());
  Json to = first.at("from");
  for (const std::string &part : parts) {
    const Json summary = summary_of(part);
    if (!summary.contains("crossing")) throw Failure(shown(part) + " was not made with --part");
    for (const char *key : {"file", "size", "changed", "elements"})
      if (summary.at(key) != first.at(key))
        throw Failure(shown(part) + " is of another file, or of other elements");
    if (summary.at("from") != to)
      throw Failure(shown(part) + " does not begin where the part before it ends");
    to = summary.at("to");
  }
  Task task;
  task.file = unescaped(first.at("file"));
  task.elements = first.at("elements").get<std::vector<std::string>>();
  task.from = first.at("from");
  if (!to.is_null()) task.to = to;
  return task;
}

void join(const Task &task, const std::vector<std::string> &parts) {
  const auto path = [&](const char *name) { return task.folder + "/" + name; };
  const bool with_objects = task.has("objects"), with_shots = task.has("shots");
  Writer rows(path("frames.csv")), events(path("events.jsonl"));
  std::unique_ptr<Writer> objects, shots;
  if (with_objects) objects = std::make_unique<Writer>(path("objects.csv"));
  if (with_shots) shots = std::make_unique<Writer>(path("shots.rgb"));
  Numbers numbers;
  Json whole;
  size_t frames = 0, shot_count = 0, lost = 0;
  for (const std::string &part : parts) {
    const Json summary = summary_of(part);
    const bool first = whole.is_null();
    if (first) whole = summary;
    if (with_objects) numbers.begin(summary.at("crossing"));
    std::istringstream table(read_file(part + "/frames.csv"));
    std::string line;
    std::getline(table, line);
    if (first) rows.write(line + "\n");
    size_t count = 0;
    for (; std::getline(table, line); count++) rows.write(line + "\n");
    if (count != summary.at("frames").get<size_t>())
      throw Failure(shown(part) + "/frames.csv has not the rows that summary.json tells");
    if (with_objects) {
      std::istringstream boxes(read_file(part + "/objects.csv"));
      std::getline(boxes, line);
      if (first) objects->write(line + "\n");
      while (std::getline(boxes, line)) objects->write(numbers.line(line, frames) + "\n");
    }
    std::istringstream told(read_file(part + "/events.jsonl"));
    while (std::getline(told, line)) {
      Json event = Json::parse(line);
      if (!event["frame"].is_null()) event["frame"] = event["frame"].get<size_t>() + frames;
      if (event.contains("id")) event["id"] = numbers.of(event["id"].get<long>());
      shot_count += event["event"] == "shot";
      events.write(dump(event) + "\n");
    }
    if (with_shots && std::filesystem::exists(part + "/shots.rgb"))
      shots->write(read_file(part + "/shots.rgb"));
    frames += count;
    lost += summary.at("lost").get<size_t>();
    if (with_objects) numbers.end(frames);
  }
  rows.close();
  events.close();
  if (objects) objects->close();
  if (shots) shots->close();
  whole["to"] = GST_CLOCK_TIME_IS_VALID(task.to) ? Json(task.to) : Json();
  whole["frames"] = frames;
  whole["lost"] = lost;
  if (with_shots) whole["shots"] = shot_count;
  if (with_objects) whole["objects"] = numbers.count();
  whole.erase("crossing");
  write_file(path("summary.json"), dump(whole, 2) + "\n");
}

}  // namespace glcl::analyze
