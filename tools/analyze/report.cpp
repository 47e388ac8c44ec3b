// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report.h"

#include <gio/gio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "scene.h"
#include "scenes.h"
#include "table.h"
#include "thumbnails.h"

namespace glcl::analyze {

namespace {

constexpr size_t most_buckets = 4000;  // points of a plot
constexpr int highest = 4096;          // most rows of a small picture, px

struct Picture {
  guint64 time;
  int width, height;
  std::streamoff at;
};

/// Positions of the pictures in shots.rgb, sorted by time.
std::vector<Picture> pictures_in(std::istream &in) {
  std::vector<Picture> pictures;
  std::string line;
  while (std::getline(in, line)) {
    const Json head = parsed(line);
    if (!head.is_object()) throw Failure("shots.rgb is damaged");
    const Picture picture{head.at("time"), head.at("width"), head.at("height"), in.tellg()};
    if (picture.width != Thumbnails::width || picture.height < 1 || picture.height > highest)
      throw Failure("shots.rgb is damaged: a picture has " + std::to_string(picture.width) + "×" +
                    std::to_string(picture.height) + " px");
    pictures.push_back(picture);
    in.seekg(picture.at + std::streamoff(3) * picture.width * picture.height);
  }
  in.clear();
  std::sort(pictures.begin(), pictures.end(),
            [](const Picture &a, const Picture &b) { return a.time < b.time; });
  return pictures;
}

/// RGB pixels as a JPEG file.
std::string jpeg_of(const std::string &rgb, int width, int height) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(
      "appsrc name=in ! videoconvert ! jpegenc quality=85 ! appsink name=out sync=false", &error);
  if (error) {
    const std::string reason = error->message;
    g_error_free(error);
    if (pipeline) gst_object_unref(pipeline);
    throw Failure("no contact sheet: " + reason + " (jpegenc is in gstreamer1.0-plugins-good)");
  }
  GstElement *in = gst_bin_get_by_name(GST_BIN(pipeline), "in"),
             *out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstCaps *caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGB", "width",
                                      G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                                      GST_TYPE_FRACTION, 1, 1, nullptr);
  gst_app_src_set_caps(GST_APP_SRC(in), caps);
  gst_caps_unref(caps);
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, rgb.size(), nullptr);
  gst_buffer_fill(buffer, 0, rgb.data(), rgb.size());
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer(GST_APP_SRC(in), buffer);
  gst_app_src_end_of_stream(GST_APP_SRC(in));
  std::string jpeg;
  if (GstSample *sample = gst_app_sink_pull_sample(GST_APP_SINK(out))) {
    GstMapInfo map;
    if (gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ)) {
      jpeg.assign(reinterpret_cast<const char *>(map.data), map.size);
      gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
    }
    gst_sample_unref(sample);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(in);
  gst_object_unref(out);
  gst_object_unref(pipeline);
  if (jpeg.empty()) throw Failure("no contact sheet: jpegenc failed");
  return jpeg;
}

struct Sheet {       // NOLINT(bugprone-exception-escape): its JSON may throw only where memory ends
  Json json;         ///< `columns`, `width` and `height` of a picture, `times`
  std::string jpeg;  ///< empty without pictures
};

Sheet make_sheet(const Folder &folder) {
  if (!folder.has("shots.rgb")) return {};
  std::ifstream in = folder.open("shots.rgb");
  std::vector<Picture> pictures = pictures_in(in), chosen;
  for (size_t i = 0; i < pictures.size(); i++)
    if (pictures.size() <= most_pictures ||
        i * most_pictures / pictures.size() != (i + 1) * most_pictures / pictures.size())
      chosen.push_back(pictures[i]);
  Sheet sheet;
  if (!chosen.empty()) {
    constexpr int width = Thumbnails::width;
    int height = 16;
    for (const Picture &picture : chosen)
      height = std::max(height, std::min(picture.height, 2 * width));
    const int columns = std::min<int>(sheet_columns, static_cast<int>(chosen.size()));
    const int rows = (static_cast<int>(chosen.size()) + columns - 1) / columns;
    // Rows of RGB video begin at multiples of 4 bytes; a picture is 160 px wide.
    const size_t pitch = size_t(3) * columns * width;
    std::string rgb(pitch * rows * height, 0), line(size_t(3) * width, 0);
    Json times = Json::array();
    for (size_t i = 0; i < chosen.size(); i++) {
      times.push_back(chosen[i].time);
      in.seekg(chosen[i].at);
      for (int y = 0; y < std::min(chosen[i].height, height); y++) {
        in.read(line.data(), static_cast<std::streamsize>(line.size()));
        std::copy(line.begin(), line.end(),
                  rgb.begin() + static_cast<std::ptrdiff_t>(pitch * (i / columns * height + y) +
                                                            i % columns * line.size()));
      }
    }
    if (!in) throw Failure("shots.rgb is truncated");
    sheet.jpeg = jpeg_of(rgb, columns * width, rows * height);
    folder.write("shots.jpg", sheet.jpeg);
    sheet.json = {{"columns", columns}, {"width", width}, {"height", height}, {"times", times}};
  }
  folder.remove("shots.rgb");
  return sheet;
}

std::string jpeg_url(const std::string &jpeg) {
  gchar *text = g_base64_encode(reinterpret_cast<const guchar *>(jpeg.data()), jpeg.size());
  std::string url = std::string("data:image/jpeg;base64,") + text;
  g_free(text);
  return url;
}

/// The picture of the scene, as the address of a JPEG file; null without one.
Json scene_in(const Folder &folder) {
  if (!folder.has("scene.rgb")) return {};
  const std::string all = folder.read("scene.rgb");
  const size_t end = std::min(all.find('\n'), all.size() - 1);
  const Json head = parsed(all.substr(0, end));
  if (!head.is_object()) throw Failure("scene.rgb is damaged");
  const int width = head.at("width"), height = head.at("height");
  if (width < 4 || width > Scene::most_width || width % 4 || height < 1 ||
      height > Scene::most_height || all.size() != end + 1 + size_t(3) * width * height)
    throw Failure("scene.rgb is damaged");
  const std::string jpeg = jpeg_of(all.substr(end + 1), width, height);
  folder.remove("scene.rgb");
  return jpeg_url(jpeg);
}

std::vector<std::string> split(const std::string &line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

double number_in(const std::string &cell) {
  double value = 0;
  const char *end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) throw Failure("frames.csv is damaged");
  return value;
}

/// The columns of frames.csv that are plotted, in at most most_buckets buckets with equal numbers
/// of frames: smallest, mean and largest value.
Json plots_of(const Folder &folder, const Task &task, size_t rows) {
  std::ifstream in = folder.open("frames.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = split(line);
  struct Series {
    size_t cell;
    Json least = Json::array(), mean = Json::array(), most = Json::array();
    double low = 0, high = 0, sum = 0;
    size_t count = 0;
  };
  std::vector<std::pair<Column, Series>> all;
  for (const Column &column : columns_of(task)) {
    const auto found = std::find(header.begin(), header.end(), column.name);
    if (column.plot && found != header.end())
      all.push_back({column, Series{size_t(found - header.begin())}});
  }
  const size_t each = std::max<size_t>((rows + most_buckets - 1) / most_buckets, 1);
  Json times = Json::array();
  const auto rounded = [](double value) { return Json(std::round(value * 1e4) / 1e4); };
  const auto close = [&] {
    for (auto &[column, series] : all) {
      const bool none = !series.count;
      series.least.push_back(none ? Json() : rounded(series.low));
      series.most.push_back(none ? Json() : rounded(series.high));
      series.mean.push_back(none ? Json() : rounded(series.sum / double(series.count)));
      series.count = 0;
      series.sum = 0;
    }
  };
  size_t row = 0;
  for (; std::getline(in, line); row++) {
    const std::vector<std::string> cells = split(line);
    if (row % each == 0) {
      if (row) close();
      times.push_back(number_in(cells[0]));
    }
    for (auto &[column, series] : all) {
      if (series.cell >= cells.size() || cells[series.cell].empty()) continue;
      const double value = number_in(cells[series.cell]);
      if (!std::isfinite(value)) continue;
      series.low = series.count ? std::min(series.low, value) : value;
      series.high = series.count ? std::max(series.high, value) : value;
      series.sum += value;
      series.count++;
    }
  }
  if (row) close();
  Json plots = Json::array();
  for (auto &[column, series] : all) {
    if (plots.empty() || plots.back()["title"] != column.plot)
      plots.push_back({{"title", column.plot}, {"series", Json::array()}});
    plots.back()["series"].push_back({{"name", column.name},
                                      {"least", series.least},
                                      {"mean", series.mean},
                                      {"most", series.most}});
  }
  return {{"times", times}, {"plots", plots}};
}

Json events_of(const Folder &folder) {
  std::ifstream in = folder.open("events.jsonl");
  Json events = Json::array();
  for (std::string line; std::getline(in, line);) events.push_back(parsed(line));
  return events;
}

std::string page() {
  GBytes *bytes = g_resources_lookup_data("/org/gst-glcl/analyze/page.html",
                                          G_RESOURCE_LOOKUP_FLAGS_NONE, nullptr);
  gsize size = 0;
  const auto *text = static_cast<const char *>(g_bytes_get_data(bytes, &size));
  std::string content(text, size);
  g_bytes_unref(bytes);
  return content;
}

/// Writes the lists of shots.
void write_scenes(const Folder &folder, const Json &events, const Json &summary,
                  const std::string &file) {
  const double rate = summary.at("rate");
  const guint64 duration = summary.at("duration").is_null() ? 0 : whole(summary["duration"]);
  const guint64 end = summary.at("to").is_null() ? duration : whole(summary["to"]);
  const std::vector<Shot> shots = shots_of(events, duration ? std::min(end, duration) : end);
  folder.write("scenes.csv", scenes_csv(shots));
  folder.write("scenes.edl", scenes_edl(shots, file, rate));
  folder.write("scenes.otio", scenes_otio(shots, file, rate, duration));
}

void write_report(const Task &task) {
  const Folder folder(task.folder);
  const Sheet sheet = make_sheet(folder);
  const Json summary = folder.json("summary.json");
  const std::string file = unescaped(summary.at("file"));
  Json data{{"name", std::filesystem::path(file).filename().string()},
            {"summary", summary},
            {"events", events_of(folder)},
            {"sheet", sheet.json},
            {"scene", scene_in(folder)}};
  if (task.has("shots")) write_scenes(folder, data["events"], summary, file);
  data.update(plots_of(folder, task, whole(summary.at("frames"))));
  if (!sheet.jpeg.empty()) data["picture"] = jpeg_url(sheet.jpeg);
  // Escape the data, so that no file name can end the element that contains it.
  std::string text;
  for (const char c : dump(data))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  std::string content = page();
  const std::string place = "@DATA@";
  content.replace(content.find(place), place.size(), text);
  folder.write("index.html", content);
}

}  // namespace

void report(const Task &task) {
  try {
    write_report(task);
  } catch (const Json::exception &error) {
    throw Failure(std::string("the results are damaged: ") + error.what());
  }
}

}  // namespace glcl::analyze
