// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-presets: the boxes of glclmotion in film of a road under a fixed camera, by its presets
// and the settings of docs/presets.md. A box is right if its IoU with a true one is at least 0.5.
// Fails if a row is worse than the defaults by more than its bound, in one half of the film.
#include <gst/gst.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "film.h"
#include "highwaytruth.h"
#include "program.h"

namespace {

using highway::Box;
using highway::Truth;

constexpr size_t frames = 300, half = 150;
constexpr double least_iou = 0.5;

/// Settings of glclmotion, and how much their recall and precision may be below those of the
/// defaults.
struct Row {
  const char *settings;
  double recall, precision;
  bool often = true;  ///< also in the usual suite
};
const Row rows[] = {{"", 0, 0},
                    {"@preset=fast", 0, 0, false},
                    {"@preset=balanced", 0.03, 0.03},
                    {"@preset=accurate", 0.03, 0.03, false},
                    {"camera-compensation=none", 0.06, 0.06},
                    {"@preset=balanced camera-compensation=none", 0.12, 0.12, false},
                    {"min-frames=10", 0.06, 0.06},
                    {"sensitivity=0.3", 0.06, 0.06, false}};

struct Score {
  int present = 0, found = 0, wrong = 0;
  double recall() const { return double(found) / present; }
  double precision() const { return found ? double(found) / (found + wrong) : 0; }
};

std::vector<Box> boxes_in(const GstStructure *message) {
  std::vector<Box> boxes;
  const GValue *value = gst_structure_get_value(message, "objects");
  const auto *objects =
      static_cast<const GValueArray *>(value ? g_value_get_boxed(value) : nullptr);
  for (guint i = 0; objects && i < objects->n_values; i++) {
    const GstStructure *object = gst_value_get_structure(&objects->values[i]);
    gint x = 0, y = 0, w = 0, h = 0;
    gst_structure_get(object, "x", G_TYPE_INT, &x, "y", G_TYPE_INT, &y, "width", G_TYPE_INT, &w,
                      "height", G_TYPE_INT, &h, nullptr);
    boxes.push_back({float(x), float(y), float(x + w), float(y + h)});
  }
  return boxes;
}

/// The boxes of each frame with objects, by its number.
std::map<size_t, std::vector<Box>> boxes_with(const std::string &settings,
                                              const std::string &file) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(
      ("filesrc name=source ! decodebin ! videoconvert ! glupload ! glcolorconvert ! glclmotion " +
       settings + " detect=true interval=0 ! fakesink sync=false")
          .c_str(),
      &error);
  if (error) throw std::runtime_error(error->message);
  GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
  g_object_set(source, "location", file.c_str(), nullptr);
  gst_object_unref(source);
  GstBus *bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::map<size_t, std::vector<Box>> boxes;
  for (bool ended = false; !ended;) {
    GstMessage *message = gst_bus_timed_pop(bus, GST_CLOCK_TIME_NONE);
    ended = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      throw std::runtime_error("the pipeline ended with an error");
    const GstStructure *fields = gst_message_get_structure(message);
    guint64 time = 0, duration = 0;
    if (fields && gst_structure_has_name(fields, "objects") &&
        gst_structure_get_uint64(fields, "stream-time", &time) &&
        gst_structure_get_uint64(fields, "duration", &duration) && duration)
      boxes[size_t((time + duration / 2) / duration)] = boxes_in(fields);
    gst_message_unref(message);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return boxes;
}

Score score_of(std::map<size_t, std::vector<Box>> &boxes, const std::vector<Truth> &truth,
               size_t first, size_t end) {
  Score score;
  for (size_t i = first; i < end; i++) {
    const auto [found, wrong] = truth[i].compare(boxes[i], least_iou);
    score.found += found;
    score.wrong += wrong;
    score.present += int(truth[i].boxes.size());
  }
  return score;
}

int run(int, char **) {
  const std::string folder = reference::data_folder("highway/"), file = folder + "video.mp4";
  if (!g_file_test(file.c_str(), G_FILE_TEST_EXISTS)) {
    film::leave_out("there is no " + file);
    return film::exit_status(true);
  }
  std::vector<Truth> truth;
  for (size_t i = 0; i < frames; i++) truth.emplace_back(folder, i);
  std::printf("%-44s  first half         second half\n%-44s  recall precision   recall precision\n",
              "", "");
  Score defaults[2];
  int beyond = 0;
  for (const Row &row : rows) {
    if (!row.often && accuracy::few_rows()) continue;
    auto boxes = boxes_with(row.settings, file);
    std::printf("%-44s", *row.settings ? row.settings : "the defaults");
    for (int part : {0, 1}) {
      const Score score =
          score_of(boxes, truth, part ? half : highway::settled, part ? frames : half);
      if (!*row.settings) defaults[part] = score;
      const bool good = score.found > score.present / 2 &&
                        score.recall() >= defaults[part].recall() - row.recall &&
                        score.precision() >= defaults[part].precision() - row.precision;
      std::printf("  %.2f   %.2f %s   ", score.recall(), score.precision(), good ? " " : "!");
      beyond += !good;
    }
    std::printf("\n");
  }
  return accuracy::report(beyond);
}

}  // namespace

int main(int argc, char **argv) { return accuracy::main(argc, argv, run); }
