// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-street [--short] [--cause NAME] [--kbits N] [DEVICE]: half an hour of a
// quiet street at 10 frames per second, made from real pictures and coded by H.264: the events
// that glclmotion reports, when, and false objects. `--cause`: ten minutes of one cause of
// false objects: clouds, headlights, rain, snow, insects, coding. `--kbits 0`: without an encoder.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "film.h"
#include "program.h"
#include "streetscore.h"

namespace {

using namespace street;

constexpr double noise = 2;     // levels
constexpr int key_frames = 40;  // one in so many

std::string rules() {
  char text[600];
  std::snprintf(text, sizeof text,
                R"({"lines": [{"name": "kerb", "from": [%g, 0], "to": [%g, 1]}],
                    "zones": [{"name": "bay", "polygon": [[%g, 0], [%g, 0], [%g, 1], [%g, 1]]}],
                    "events": ["light-switch", "camera-moved", "ir-switch", "camera-covered",
                               "camera-defocused", "camera-frozen"], "frozen-duration": %g})",
                line_x, line_x, zone_left, zone_right, zone_right, zone_left, frozen_duration);
  return text;
}

struct Options {
  std::string device = "auto", cause;
  bool brief = false;
  int kbits = 150;
};

int run(const Options &options) {
  const Timetable times = !options.cause.empty() ? times_of(options.cause)
                          : options.brief        ? short_times()
                                                 : long_times();
  const Pictures pictures = load_pictures();
  if (pictures.view.rgba.empty()) {
    film::leave_out("there is no film in " + reference::data_folder(""));
    return film::exit_status(true);
  }
  int kbits = options.kbits;
  if (kbits && !has_encoder()) {
    film::leave_out("no encoder and decoder of H.264 in GStreamer");
    kbits = 0;
  }
  const Scene scene(pictures, times, noise);
  Player player(
      "min-frames=10 min-area=180 learn-scenery=true max-duration=" + std::to_string(max_duration) +
          " left-after=" + std::to_string(left_after) + " device=" + options.device,
      rules(), kbits, key_frames);
  Truth truth;
  for (int i = 0; i < int(times.seconds * rate); i++) {
    std::vector<TrueBox> boxes;
    const Frame frame = scene.frame(i, boxes);
    player.play(frame, scene.is_frozen(i));
    truth.push_back(boxes);
  }
  player.end();
  return accuracy::report(Score(times, scene, truth, player.events()).print());
}

}  // namespace

int main(int argc, char **argv) {
  return accuracy::main(argc, argv, [](int count, char **arguments) {
    Options options;
    for (int i = 1; i < count; i++) {
      const bool more = i + 1 < count;
      if (!std::strcmp(arguments[i], "--short"))
        options.brief = true;
      else if (!std::strcmp(arguments[i], "--cause") && more)
        options.cause = arguments[++i];
      else if (!std::strcmp(arguments[i], "--kbits") && more)
        options.kbits = std::atoi(arguments[++i]);
      else
        options.device = arguments[i];
    }
    return run(options);
  });
}
