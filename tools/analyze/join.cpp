// SPDX-License-Identifier: LGPL-2.1-or-later
#include "join.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "ruletable.h"
#include "table.h"

namespace glcl::analyze {

namespace {

constexpr double least_overlap = 0.3;  // intersection over union of two boxes of one object

Json summary_of(const std::string &part) { return Folder::named(part).json("summary.json"); }

/// Turns other exceptions into Failure: a part's files have invalid numbers or lack fields.
template <class Function>
auto reading(const std::string &part, const Function &function) {
  try {
    return function();
  } catch (const Failure &) {
    throw;
  } catch (const std::exception &error) {
    throw Failure(shown(part) + " is damaged: " + error.what());
  }
}

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

/// Renumbers the objects of parts for the joined file.
class ObjectNumbering {
 public:
  /// Begins a part: finds its objects that continue those in the last frame of the previous part.
  void begin(const Json &crossing) {
    joined_numbers_.clear();
    std::vector<Box> open = std::move(last_);
    last_.clear();
    for (const Json &object : crossing) {
      const Box box{long(whole(object.at("id"))), object.at("x"), object.at("y"),
                    object.at("width"), object.at("height")};
      auto best = open.end();
      for (auto it = open.begin(); it != open.end(); ++it)
        if (overlap(*it, box) >= least_overlap &&
            (best == open.end() || overlap(*it, box) > overlap(*best, box)))
          best = it;
      if (best == open.end()) continue;
      joined_numbers_[box.id] = best->id;
      open.erase(best);
    }
  }
  long number_of(long id) {
    const auto found = joined_numbers_.find(id);
    return found != joined_numbers_.end() ? found->second : joined_numbers_[id] = next_++;
  }
  /// Converts a line of objects.csv to the frame and object numbers of the joined file.
  std::string line(const std::string &line, size_t first_frame) {
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 7) throw Failure("objects.csv is damaged");
    const std::string frame = std::to_string(std::stoul(cells[1]) + first_frame);
    const long id = number_of(std::stol(cells[2]));
    if (frame != last_frame_) last_.clear();
    last_frame_ = frame;
    last_.push_back(
        {id, std::stod(cells[3]), std::stod(cells[4]), std::stod(cells[5]), std::stod(cells[6])});
    seen_.insert(id);
    cells[1] = frame;
    cells[2] = std::to_string(id);
    return text_of(cells);
  }
  /// Number of objects in all lines.
  size_t count() const { return seen_.size(); }
  /// Objects that were not in the part's last frame don't cross its end.
  void end(size_t frames) {
    if (frames == 0 || last_frame_ != std::to_string(frames - 1)) last_.clear();
  }

 private:
  std::map<long, long> joined_numbers_;  // by the number in this part
  std::set<long> seen_;                  // numbers that lines contain
  std::vector<Box> last_;                // boxes in the last frame with objects
  std::string last_frame_;
  long next_ = 1;
};

/// The files of the joined task, to which parts are added.
class JoinedResults {
 public:
  explicit JoinedResults(const Task &task)
      : task_(task),
        folder_(task.folder),
        rows_(folder_, "frames.csv"),
        events_(folder_, "events.jsonl") {
    if (task.has("objects")) objects_ = std::make_unique<Writer>(folder_, "objects.csv");
    if (task.has("shots")) shots_ = std::make_unique<Writer>(folder_, "shots.rgb");
    if (!task.rules.empty()) rules_.emplace(folder_, parsed(task.rules));
  }

  void add(const Folder &part) {
    const Json summary = part.json("summary.json");
    const bool first = summary_.is_null();
    if (first) summary_ = summary;
    if (first && rules_ && part.has("scene.rgb"))
      folder_.write("scene.rgb", part.read("scene.rgb"));
    if (objects_) numbering_.begin(summary.at("crossing"));
    const size_t count = add_lines(part.open("frames.csv"), first, rows_,
                                   [](const std::string &line) { return line; });
    if (count != whole(summary.at("frames")))
      throw Failure(shown(part.path()) +
                    "/frames.csv and summary.json differ in the number of rows");
    if (objects_)
      add_lines(part.open("objects.csv"), first, *objects_,
                [&](const std::string &line) { return numbering_.line(line, frames_); });
    add_events(part.open("events.jsonl"));
    if (shots_ && part.has("shots.rgb")) shots_->write(part.read("shots.rgb"));
    frames_ += count;
    lost_ += whole(summary.at("lost"));
    if (objects_) numbering_.end(frames_);
  }

  void finish() {
    rows_.close();
    events_.close();
    if (objects_) objects_->close();
    if (shots_) shots_->close();
    if (rules_) {
      rules_->close();
      summary_["counts"] = rules_->counts();
    }
    summary_["to"] = GST_CLOCK_TIME_IS_VALID(task_.to) ? Json(task_.to) : Json();
    summary_["frames"] = frames_;
    summary_["lost"] = lost_;
    if (shots_) summary_["shots"] = shot_count_;
    if (objects_) summary_["objects"] = numbering_.count();
    summary_.erase("crossing");
    folder_.write("summary.json", dump(summary_, 2) + "\n");
  }

 private:
  /// Appends a table, with its header only the first time. Returns its number of rows.
  template <class Function>
  static size_t add_lines(std::ifstream in, bool first, Writer &out, const Function &changed) {
    std::string line;
    std::getline(in, line);
    if (first) out.write(line + "\n");
    size_t count = 0;
    for (; std::getline(in, line); count++) out.write(changed(line) + "\n");
    return count;
  }
  void add_events(std::ifstream in) {
    for (std::string line; std::getline(in, line);) {
      Json event = parsed(line);
      if (!event.is_object()) throw Failure("events.jsonl is damaged");
      if (!event.at("frame").is_null()) event["frame"] = whole(event["frame"]) + frames_;
      if (event.contains("id")) event["id"] = numbering_.number_of(long(whole(event["id"])));
      shot_count_ += event.at("event") == "shot";
      if (rules_) rules_->add(event);
      events_.write(dump(event) + "\n");
    }
  }

  const Task &task_;
  Folder folder_;
  Writer rows_, events_;
  std::unique_ptr<Writer> objects_, shots_;
  std::optional<RuleTable> rules_;
  ObjectNumbering numbering_;
  Json summary_;  // of the first part
  size_t frames_ = 0, shot_count_ = 0, lost_ = 0;
};

guint64 begin_of(const std::string &part) {
  return reading(part, [&] { return whole(summary_of(part).at("from")); });
}

/// The end of a part, at which the next one must begin. `from` is the required begin of this part.
Json end_of(const std::string &part, const Json &first, const Json &from) {
  const Json summary = summary_of(part);
  if (!summary.contains("crossing")) throw Failure(shown(part) + " was not made with --part");
  for (const char *key : {"file", "size", "changed", "elements"})
    if (summary.at(key) != first.at(key))
      throw Failure(shown(part) + " belongs to another file or other elements");
  if (summary.value("rules", Json()) != first.value("rules", Json()))
    throw Failure(shown(part) + " was made with other rules");
  if (summary.at("from") != from)
    throw Failure(shown(part) + " does not begin where the previous part ends");
  return summary.at("to");
}

}  // namespace

Task joined_task(std::vector<std::string> &parts) {
  if (parts.empty()) throw Failure("no parts given");
  std::sort(parts.begin(), parts.end(),
            [&](const std::string &a, const std::string &b) { return begin_of(a) < begin_of(b); });
  const Json first = summary_of(parts.front());
  Json to = begin_of(parts.front());
  for (const std::string &part : parts) to = reading(part, [&] { return end_of(part, first, to); });
  return reading(parts.front(), [&] {
    Task task;
    task.file = unescaped(first.at("file"));
    task.elements = first.at("elements").get<std::vector<std::string>>();
    task.from = whole(first.at("from"));
    if (!to.is_null()) task.to = whole(to);
    if (first.contains("rules")) task.rules = dump(first["rules"]);
    return task;
  });
}

void join(const Task &task, const std::vector<std::string> &parts) {
  JoinedResults results(task);
  for (const std::string &part : parts) reading(part, [&] { results.add(Folder::named(part)); });
  results.finish();
}

}  // namespace glcl::analyze
