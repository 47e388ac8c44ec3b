// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenes.h"

#include <gio/gio.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace glcl::analyze {

namespace {

constexpr double usual_rate = 25;  // of files that have none

double usable(double rate) { return rate >= 1 ? rate : usual_rate; }

guint64 frame_at(guint64 time, double rate) {
  return static_cast<guint64>(std::llround(double(time) * rate / 1e9));
}

/// Hours, minutes, seconds and frames, by whole frames per second as editing programs count.
std::string timecode(guint64 frame, double rate) {
  const auto whole = static_cast<guint64>(std::llround(rate));
  const guint64 seconds = frame / whole;
  gchar *text =
      g_strdup_printf("%02u:%02u:%02u:%02u", unsigned(seconds / 3600 % 100),
                      unsigned(seconds / 60 % 60), unsigned(seconds % 60), unsigned(frame % whole));
  std::string copy = text;
  g_free(text);
  return copy;
}

std::string seconds_of(guint64 time) {
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%.3f", double(time) / 1e9);
}

std::string name_of(const std::string &file) {
  return std::filesystem::path(file).filename().string();
}

Json rational_time(double value, double rate) {
  return {{"OTIO_SCHEMA", "RationalTime.1"}, {"rate", rate}, {"value", value}};
}

Json range(guint64 begin, guint64 end, double rate) {
  const guint64 first = frame_at(begin, rate), last = std::max(frame_at(end, rate), first);
  return {{"OTIO_SCHEMA", "TimeRange.1"},
          {"start_time", rational_time(double(first), rate)},
          {"duration", rational_time(double(last - first), rate)}};
}

std::string address_of(const std::string &file) {
  gchar *uri = g_filename_to_uri(file.c_str(), nullptr, nullptr);
  std::string address = uri ? uri : file;
  g_free(uri);
  return address;
}

}  // namespace

std::vector<Shot> shots_of(const Json &events, guint64 end) {
  std::vector<Shot> shots;
  for (const Json &event : events)
    if (event.value("event", "") == "shot")
      shots.push_back({event.at("time"), 0, event.value("kind", "cut")});
  std::sort(shots.begin(), shots.end(),
            [](const Shot &a, const Shot &b) { return a.begin < b.begin; });
  for (size_t i = 0; i < shots.size(); i++)
    shots[i].end = i + 1 < shots.size() ? shots[i + 1].begin : std::max(end, shots[i].begin);
  return shots;
}

std::string scenes_csv(const std::vector<Shot> &shots) {
  std::string text = "shot,begin,end,duration,kind\n";
  for (size_t i = 0; i < shots.size(); i++)
    text += std::to_string(i + 1) + "," + seconds_of(shots[i].begin) + "," +
            seconds_of(shots[i].end) + "," + seconds_of(shots[i].end - shots[i].begin) + "," +
            shots[i].kind + "\n";
  return text;
}

std::string scenes_edl(const std::vector<Shot> &shots, const std::string &file, double rate) {
  rate = usable(rate);
  const std::string name = shown(name_of(file)), blanks(2, ' ');
  std::string text = "TITLE: " + name + "\nFCM: NON-DROP FRAME\n";
  const guint64 first = shots.empty() ? 0 : frame_at(shots[0].begin, rate);
  for (size_t i = 0; i < shots.size(); i++) {
    const guint64 begin = frame_at(shots[i].begin, rate), end = frame_at(shots[i].end, rate);
    gchar *number = g_strdup_printf("%03u", unsigned(i + 1));
    text += "\n" + std::string(number) + blanks + "AX" + std::string(7, ' ') + "V" +
            std::string(5, ' ') + "C" + std::string(8, ' ') + timecode(begin, rate) + " " +
            timecode(end, rate) + " " + timecode(begin - first, rate) + " " +
            timecode(end - first, rate) + "\n* FROM CLIP NAME: " + name + "\n";
    g_free(number);
  }
  return text;
}

std::string scenes_otio(const std::vector<Shot> &shots, const std::string &file, double rate,
                        guint64 duration) {
  rate = usable(rate);
  const std::string name = name_of(file);
  Json clips = Json::array();
  for (size_t i = 0; i < shots.size(); i++)
    clips.push_back({{"OTIO_SCHEMA", "Clip.1"},
                     {"name", "shot " + std::to_string(i + 1)},
                     {"metadata", {{"gst-glcl", {{"kind", shots[i].kind}}}}},
                     {"source_range", range(shots[i].begin, shots[i].end, rate)},
                     {"media_reference",
                      {{"OTIO_SCHEMA", "ExternalReference.1"},
                       {"target_url", address_of(file)},
                       {"available_range", range(0, duration, rate)}}}});
  const Json track{
      {"OTIO_SCHEMA", "Track.1"}, {"name", "shots"}, {"kind", "Video"}, {"children", clips}};
  const Json timeline{{"OTIO_SCHEMA", "Timeline.1"},
                      {"name", name},
                      {"tracks", {{"OTIO_SCHEMA", "Stack.1"}, {"children", Json::array({track})}}}};
  return dump(timeline, 2) + "\n";
}

}  // namespace glcl::analyze
