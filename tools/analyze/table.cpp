// SPDX-License-Identifier: LGPL-2.1-or-later
#include "table.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace glcl::analyze {

namespace {

// Most frames that wait for messages: each element delays results by up to 8 frames, and a frame
// passes up to six elements and a queue.
constexpr size_t most_open = 64;

double number_of(const GValue *value) {
  if (!value) return std::nan("");
  GValue number = G_VALUE_INIT;
  g_value_init(&number, G_TYPE_DOUBLE);
  const bool is_one = g_value_transform(value, &number);
  const double found = is_one ? g_value_get_double(&number) : std::nan("");
  g_value_unset(&number);
  return found;
}

/// Arrays of messages are GstValueArrays or, for languages that read only those, GValueArrays.
const GValueArray *old_array(const GValue *value) {
  // By its name: the macro of this type is deprecated.
  return value && g_type_is_a(G_VALUE_TYPE(value), g_type_from_name("GValueArray"))
             ? static_cast<const GValueArray *>(g_value_get_boxed(value))
             : nullptr;
}

bool is_array(const GValue *value) {
  return value && (GST_VALUE_HOLDS_ARRAY(value) || old_array(value));
}

int size_of(const GValue *array) {
  const GValueArray *old = old_array(array);
  return static_cast<int>(old ? old->n_values : gst_value_array_get_size(array));
}

/// Element i of the array, or null.
const GValue *item_of(const GValue *array, int i) {
  if (!is_array(array) || i >= size_of(array)) return nullptr;
  const GValueArray *old = old_array(array);
  return old ? old->values + i : gst_value_array_get_value(array, i);
}

double value_of(const Column &column, const GstStructure *message) {
  const GValue *value = gst_structure_get_value(message, column.field);
  if (column.channel < 0) return is_array(value) ? size_of(value) : number_of(value);
  value = item_of(value, column.channel);
  if (column.bin < 0) return number_of(value);
  const int each = is_array(value) ? size_of(value) / count_bins : 0;
  double sum = each ? 0 : std::nan("");
  for (int i = 0; i < each; i++) sum += number_of(item_of(value, column.bin * each + i));
  return sum;
}

void add_histogram(std::vector<Column> &columns) {
  const char *const names[] = {"-r", "-g", "-b"};
  const std::pair<const char *, const char *> fields[] = {
      {"mean", "Mean grey level"},
      {"stddev", "Standard deviation of grey levels"},
      {"p5", nullptr},
      {"median", nullptr},
      {"p95", nullptr},
      {"clipped-low", nullptr},
      {"clipped-high", nullptr}};
  for (const auto &[field, plot] : fields)
    for (int c = 0; c < 3; c++)
      columns.push_back({std::string(field) + names[c], "glclhistogram", field, c, -1, plot});
  for (int c = 0; c < 3; c++)
    for (int bin = 0; bin < count_bins; bin++)
      columns.push_back({"count" + std::string(names[c]) + "-" + std::to_string(bin),
                         "glclhistogram", "counts", c, bin});
}

/// The extremes of each channel. Grey frames have only the first.
void add_extremes(std::vector<Column> &columns) {
  const std::pair<const char *, const char *> channels[] = {
      {"-y", "Y, code value"}, {"-cb", "Cb, code value"}, {"-cr", "Cr, code value"}};
  for (int c = 0; c < 3; c++)
    for (const char *field : {"minimum", "mean", "maximum"})
      columns.push_back(
          {std::string(field) + channels[c].first, "glclscope", field, c, -1, channels[c].second});
}

}  // namespace

std::vector<Column> columns_of(const Task &task) {
  std::vector<Column> columns;
  const auto add = [&](const char *prefix, const char *message,
                       const std::vector<std::pair<const char *, const char *>> &fields) {
    for (const auto &[field, plot] : fields)
      columns.push_back({std::string(prefix) + field, message, field, -1, -1, plot});
  };
  if (task.has("histogram")) add_histogram(columns);
  if (task.has("motion"))
    add("motion-", "glclmotion",
        {{"psnr", "PSNR of the prediction from block motion, dB"},
         {"mse", nullptr},
         {"zero", "Fraction of static blocks"},
         {"mean-x", "Mean block motion, px per frame"},
         {"mean-y", "Mean block motion, px per frame"},
         {"noise", "Noise, grey levels"}});
  if (task.has("objects")) {
    add("", "glclmotion",
        {{"camera-x", "Camera motion, px per frame"},
         {"camera-y", "Camera motion, px per frame"},
         {"camera-dilation", nullptr},
         {"camera-rotation", nullptr},
         {"camera-inliers", nullptr}});
    add("", "objects", {{"objects", "Moving objects"}});
  }
  if (task.has("flow"))
    add("flow-", "glopenclflow",
        {{"mean-x", nullptr},
         {"mean-y", nullptr},
         {"mean-magnitude", "Mean length of the optical flow, px per frame"},
         {"max-magnitude", nullptr},
         {"moving", "Fraction of the picture that moves"},
         {"direction", nullptr},
         {"confidence", nullptr}});
  if (task.has("tracks"))
    add("tracks-", "glclklt",
        {{"tracked", "Tracked points"},
         {"lost", "Lost and new points"},
         {"new", "Lost and new points"},
         {"mean-x", nullptr},
         {"mean-y", nullptr},
         {"mean-age", "Mean age of tracks, frames"}});
  if (task.has("scope")) {
    add_extremes(columns);
    add("", "glclscope",
        {{"bits", nullptr},
         {"saturation-mean", "Saturation"},
         {"saturation-maximum", "Saturation"},
         {"hue", "Hue, degrees from +Cb"},
         {"hue-median", "Hue, degrees from +Cb"},
         {"out-of-range", "Fractions of illegal and of black pixels"},
         {"out-of-gamut", "Fractions of illegal and of black pixels"},
         {"black", "Fractions of illegal and of black pixels"}});
  }
  return columns;
}

Writer::Writer(const Folder &folder, const std::string &name)
    : path_(folder.path() + "/" + name), file_(fdopen(folder.create(name), "w")) {
  if (!file_) fail();
}

Writer::~Writer() {
  if (file_) std::fclose(file_);
}

void Writer::fail() const {
  throw Failure("cannot write " + shown(path_) + ": " + g_strerror(errno));
}

void Writer::write(const void *bytes, size_t size) {
  if (std::fwrite(bytes, 1, size, file_) != size) fail();
}

void Writer::close() {
  if (std::fflush(file_) || fsync(fileno(file_))) fail();
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (!closed) fail();
}

std::string seconds(GstClockTime time) {
  char text[40];
  std::snprintf(text, sizeof text, "%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, time / GST_SECOND,
                time % GST_SECOND);
  return text;
}

std::string number(double value) {
  if (std::isnan(value)) return "";
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

Table::Table(const Task &task, const Folder &folder)
    : from_(task.from), to_(task.to), columns_(columns_of(task)), out_(folder, "frames.csv") {
  std::string header = "time";
  for (const Column &column : columns_) header += "," + column.name;
  out_.write(header + "\n");
}

void Table::frame(GstClockTime timestamp, GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(first_)) first_ = timestamp;
  if (time < from_) {
    before_++;
  } else if (GST_CLOCK_TIME_IS_VALID(to_) && time >= to_) {
    after_++;
  } else {
    times_.push_back(time);
    open_.push_back({timestamp, time, std::vector<double>(columns_.size(), std::nan(""))});
  }
  while (open_.size() > most_open) {
    write(open_.front());
    open_.pop_front();
  }
}

void Table::take(const GstStructure *message) {
  guint64 timestamp = GST_CLOCK_TIME_NONE;
  if (!gst_structure_get_uint64(message, "timestamp", &timestamp)) return;
  const char *name = gst_structure_get_name(message);
  for (Row &row : open_) {
    if (row.timestamp != timestamp) continue;
    // Of several frames with equal timestamps, take the first that has no message of this element
    // yet.
    bool filled = false;
    for (size_t i = 0; i < columns_.size(); i++)
      if (!std::strcmp(columns_[i].message, name)) filled = filled || !std::isnan(row.values[i]);
    if (filled) continue;
    for (size_t i = 0; i < columns_.size(); i++)
      if (!std::strcmp(columns_[i].message, name)) row.values[i] = value_of(columns_[i], message);
    return;
  }
}

void Table::write(const Row &row) {
  std::string line = seconds(row.time);
  for (const double value : row.values) line += "," + number(value);
  out_.write(line + "\n");
}

void Table::forget() {
  open_.clear();
  times_.clear();
  before_ = after_ = 0;
  first_ = GST_CLOCK_TIME_NONE;
}

void Table::finish() {
  for (const Row &row : open_) write(row);
  open_.clear();
  out_.close();
}

namespace {

// More gaps than these are the frames of a variable frame rate; a damaged file has fewer.
constexpr size_t least_gaps = 4;
constexpr double most_gaps = 0.125;  // of the frames

}  // namespace

FrameGaps Table::gaps(double rate) const {
  double lost = 0;
  size_t gaps = 0;
  for (size_t i = 1; i < times_.size(); i++) {
    const double frames = double(times_[i] - times_[i - 1]) * rate / GST_SECOND;
    if (times_[i] <= times_[i - 1] || frames <= 1.5) continue;
    lost += std::round(frames) - 1;
    gaps++;
  }
  const bool variable = gaps >= least_gaps && double(gaps) > most_gaps * double(times_.size());
  return {variable ? 0 : static_cast<size_t>(lost), variable};
}

std::optional<size_t> Table::row(GstClockTime time) const {
  const auto found = std::lower_bound(times_.begin(), times_.end(), time);
  if (found == times_.end() || *found != time) return {};
  return found - times_.begin();
}

}  // namespace glcl::analyze
