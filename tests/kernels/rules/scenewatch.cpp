// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of the camera, from made sequences of measures.
#include "rules/scenewatch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "tests/support/cases.h"

using glcl::rules::SceneChange;
using glcl::rules::ScenePicture;
using glcl::rules::SceneWatch;
using glcl::rules::SceneWishes;
using Kind = SceneChange::Kind;

namespace {

constexpr int columns = 48, rows = 27, cells = columns * rows;
constexpr uint64_t second = 1000000000;  // ns

/// A scene with edges in all directions.
ScenePicture scene(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0, 1);
  ScenePicture picture{columns, rows, std::vector<float>(cells, 110), std::vector<float>(cells, 9),
                       std::vector<float>(cells, 20)};
  for (int wave = 0; wave < 12; wave++) {
    const double angle = 2 * M_PI * part(random), length = 4 + 8 * part(random),
                 phase = 2 * M_PI * part(random);
    for (int i = 0; i < cells; i++)
      picture.level[size_t(i)] +=
          float(9 * std::sin((i % columns * std::cos(angle) + i / columns * std::sin(angle)) *
                                 (2 * M_PI / length) +
                             phase));
  }
  return picture;
}

/// Scales what shows the light.
ScenePicture lit(ScenePicture picture, double light) {
  for (float &level : picture.level) level *= float(light);
  for (float &detail : picture.detail) detail *= float(light * light);
  for (float &colour : picture.colour) colour *= float(light);
  return picture;
}

ScenePicture grey(ScenePicture picture) {
  std::fill(picture.colour.begin(), picture.colour.end(), 0.0f);
  return picture;
}

/// The left part is hidden by something plain.
ScenePicture hidden(ScenePicture picture, double part, float level = 30) {
  for (int i = 0; i < cells; i++)
    if (i % columns < part * columns)
      picture.level[size_t(i)] = level, picture.detail[size_t(i)] = 0.1f,
      picture.colour[size_t(i)] = 2;
  return picture;
}

ScenePicture blurred(ScenePicture picture, double detail = 0.1) {
  for (float &one : picture.detail) one *= float(detail);
  return picture;
}

/// A stream of pictures.
class Stream {
 public:
  explicit Stream(double rate = 25) : frame_(uint64_t(double(second) / rate)) {}

  /// Frames of `seconds`; `picture` gets the part of them that has passed.
  void play(double seconds, const std::function<ScenePicture(double)> &picture,
            bool follows = true) {
    const int frames = std::max(int(std::lround(seconds * double(second) / double(frame_))), 1);
    for (int i = 0; i < frames; i++, follows = true) {
      note(watch.step(picture(double(i) / frames), follows && now > 0, wishes, now));
      disturbed += watch.disturbed();
      now += frame_;
    }
  }
  void play(double seconds, const ScenePicture &picture, bool follows = true) {
    play(
        seconds, [&](double) { return picture; }, follows);
  }
  void end() { note(watch.end(now)); }

  /// Fails if other events have come since the last call. An event is a letter, small for an end.
  void expect(const std::string &wanted, const char *what) {
    fail_unless(events == wanted, "%s: “%s” instead of “%s”", what, events.c_str(), wanted.c_str());
    events.clear();
  }

  SceneWatch watch;
  SceneWishes wishes{true, true, true, true, 5};
  uint64_t now = 0;
  std::string events;
  std::vector<double> lasted;  // s
  int disturbed = 0;           // frames

 private:
  void note(const std::vector<SceneChange> &changes) {
    for (const SceneChange &change : changes) {
      const char name = "GCDF"[int(change.kind)];
      events += change.on ? name : char(std::tolower(name));
      lasted.push_back(double(change.lasted) / double(second));
    }
  }
  uint64_t frame_;
};

const double rates[] = {5, 12.5, 25, 60};

}  // namespace

// A lens that is covered for four seconds, at all frame rates, by something dark or bright.
TEST(test_covered) {
  for (const double rate : rates)
    for (const float level : {30.0f, 5.0f, 200.0f}) {
      if (rate < 10 && level < 16) continue;
      Stream stream(rate);
      const ScenePicture view = scene(1);
      stream.play(4, view);
      fail_unless(stream.disturbed == 0);
      stream.play(0.4, [&](double part) { return hidden(view, part, level); });
      stream.play(1.8, hidden(view, 1, level));
      stream.expect("", "not yet");
      stream.play(2.2, hidden(view, 1, level));
      stream.expect("C", "covered");
      fail_unless(std::abs(stream.lasted.back() - 2) <= 1.3 / rate + 0.01, "%g frames/s: %g s",
                  rate, stream.lasted.back());
      fail_unless(stream.watch.disturbed());
      stream.play(2, view);
      stream.expect("c", "uncovered");
      fail_unless(std::abs(stream.lasted.back() - 4.1) <= 0.3 + 1 / rate, "%g frames/s: %g s", rate,
                  stream.lasted.back());
      fail_unless(!stream.watch.disturbed());
      stream.play(10, view);
      stream.expect("", "clear");
    }
}

// Another view, or the same one at night, ends a cover and a blur; objects may begin again.
TEST(test_another_view) {
  const ScenePicture view = scene(1);
  for (const ScenePicture &later : {scene(2), lit(view, 0.4)})
    for (const bool covers : {true, false}) {
      Stream stream(25);
      stream.play(4, view);
      if (covers) stream.play(0.4, [&](double part) { return hidden(view, part); });
      stream.play(4, covers ? hidden(view, 1) : blurred(view));
      stream.expect(covers ? "C" : "D", "it begins");
      stream.play(5, later);
      stream.expect(covers ? "c" : "d", "it ends");
      fail_unless(!stream.watch.disturbed());
    }
}

// Not coverings: short ones, parts of the picture, cuts, light that goes out, fades.
TEST(test_not_covered) {
  for (const double rate : rates) {
    const ScenePicture view = scene(1);
    const auto silent = [&](const char *what, const std::function<void(Stream &)> &play) {
      Stream stream(rate);
      stream.play(4, view);
      play(stream);
      stream.play(5, view);
      stream.end();
      stream.expect("", what);
    };
    silent("for half a second", [&](Stream &stream) {
      stream.play(0.2, [&](double part) { return hidden(view, part); });
      stream.play(0.5, hidden(view, 1));
      stream.play(0.2, [&](double part) { return hidden(view, 1 - part); });
    });
    silent("40 % of the picture", [&](Stream &stream) { stream.play(4, hidden(view, 0.4)); });
    silent("a fade", [&](Stream &stream) {
      stream.play(1, [&](double part) { return lit(view, 1 - part); });
      stream.play(4, lit(view, 0));
      stream.play(1, [&](double part) { return lit(view, part); });
    });
    silent("light that goes out", [&](Stream &stream) { stream.play(4, lit(view, 0.02)); });
    silent("a cut", [&](Stream &stream) { stream.play(4, scene(2)); });
    silent("cuts", [&](Stream &stream) {
      for (unsigned i = 2; i < 9; i++) stream.play(1.5, scene(i));
    });
    silent("a white picture", [&](Stream &stream) {
      stream.play(0.4, [&](double part) { return hidden(view, part, 255); });
      stream.play(4, hidden(view, 1, 255));
    });
    if (rate > 10)
      silent("a cut to a plain picture", [&](Stream &stream) { stream.play(4, hidden(view, 1)); });
  }
}

// A lens out of focus, at once or slowly; also while the light changes.
TEST(test_defocused) {
  for (const double rate : rates)
    for (const double light : {1.0, 0.6}) {
      Stream stream(rate);
      const ScenePicture view = scene(1);
      stream.play(4, view);
      stream.play(1, [&](double part) { return blurred(view, std::pow(0.05, part)); });
      stream.play(4, blurred(lit(view, light), 0.05));
      stream.expect("D", "out of focus");
      fail_unless(stream.watch.disturbed());
      stream.play(2, view);
      stream.expect("d", "in focus");
      fail_unless(std::abs(stream.lasted.back() - 4.4) < 0.5 + 1 / rate, "%g s",
                  stream.lasted.back());
      fail_unless(!stream.watch.disturbed());
    }
}

TEST(test_not_defocused) {
  const ScenePicture view = scene(1);
  ScenePicture pan = blurred(view);
  pan.moves = true;
  ScenePicture part = view;
  for (int i = 0; i < cells / 2; i++) part.detail[size_t(i)] *= 0.1f;
  for (const ScenePicture &other :
       {lit(view, 0.4), blurred(view, 0.5), blurred(scene(2)), pan, part}) {
    Stream stream;
    stream.play(4, view);
    stream.play(4, other);
    stream.play(4, view);
    stream.expect("", "no blur");
  }
  // A view without texture is never out of focus.
  Stream plain;
  plain.play(4, blurred(view, 0.05));
  plain.play(4, blurred(view, 0.001));
  plain.expect("", "no texture");
  // A slow blur is learnt.
  Stream slow;
  slow.play(4, view);
  slow.play(120, [&](double gone) { return blurred(view, std::pow(0.05, gone)); });
  slow.expect("", "slowly");
}

// A picture turns grey and back, while the light changes too.
TEST(test_switch) {
  for (const double rate : rates)
    for (const double light : {0.5, 1.0, 1.6}) {
      Stream stream(rate);
      const ScenePicture view = scene(1), night = grey(lit(view, light));
      stream.play(4, view);
      stream.play(1, [&](double part) { return part < 0.5 ? view : lit(view, 0.05); });
      stream.play(3, night);
      stream.expect("G", "to grey");
      stream.play(4, view);
      stream.expect("g", "to colour");
      fail_unless(!stream.watch.disturbed());
      stream.play(4, view);
      stream.expect("", "colour");
    }
}

// Encoders bring colours back in more than half a second.
TEST(test_slow_colours) {
  for (const double rate : rates) {
    const auto coloured = [](double part) {
      ScenePicture picture = scene(1);
      for (float &colour : picture.colour) colour = float(9 * part);
      return picture;
    };
    Stream stream(rate);
    stream.play(4, coloured(1));
    stream.play(3, grey(lit(coloured(1), 0.6)));
    stream.expect("G", "to grey");
    stream.play(1.5, [&](double part) { return coloured(0.5 + 0.5 * part); });
    stream.play(1, coloured(1));
    stream.expect("g", "to colour");
    fail_unless(!stream.watch.disturbed());
  }
}

TEST(test_no_switch) {
  const ScenePicture view = scene(1);
  ScenePicture wall = grey(view);
  std::fill(wall.level.begin(), wall.level.end(), 120.0f);
  for (const ScenePicture &other : {grey(scene(2)), wall, lit(view, 0.1), grey(lit(view, 0.02))}) {
    Stream stream;
    stream.wishes.covered = stream.wishes.defocused = false;
    stream.play(4, view);
    stream.play(4, other);
    stream.play(4, view);
    stream.expect("", "no switch");
  }
  Stream fade;
  for (int i = 0; i < 3; i++) {
    fade.play(3, [&](double part) { return lit(view, part); });
    fade.play(2, view);
    fade.play(3, [&](double part) { return lit(view, 1 - part); });
  }
  fade.expect("", "a fade");
  Stream format;  // without colours
  ScenePicture without = view;
  without.colour.clear();
  format.play(4, view);
  format.play(4, without);
  format.play(4, grey(view));
  format.expect("", "a grey format");
  Stream short_time;
  short_time.play(4, view);
  short_time.play(0.3, grey(view));
  short_time.play(4, view);
  short_time.expect("", "a moment");
}

TEST(test_frozen) {
  for (const double rate : rates) {
    Stream stream(rate);
    const ScenePicture view = scene(1);
    ScenePicture still = view;
    still.repeats = true;
    stream.play(2, view);
    stream.play(4.9, still);
    stream.play(1, view);
    stream.expect("", "not for five seconds");
    stream.play(8, still);
    stream.expect("F", "frozen");
    fail_unless(std::abs(stream.lasted.back() - 5) <= 1 / rate + 1e-6);
    fail_unless(!stream.watch.disturbed());
    stream.play(1, view);
    stream.expect("f", "it goes on");
    fail_unless(std::abs(stream.lasted.back() - 8) <= 1 / rate + 1e-6);
    stream.play(6, still);
    stream.play(1, still, false);
    stream.expect("Ff", "a gap");
    stream.wishes.frozen_seconds = 1;
    stream.play(2, still);
    stream.expect("F", "a second");
    stream.wishes.frozen = false;
    stream.play(0.2, still);
    stream.expect("f", "no longer wanted");
  }
}

// Every begin has an end: at the end of the stream, after a gap, in another size, if time goes
// back.
TEST(test_ends) {
  const ScenePicture view = scene(1);
  const std::vector<std::function<void(Stream &)>> all{
      [](Stream &stream) { stream.end(); },
      [&](Stream &stream) { stream.play(1, view, false); },
      [&](Stream &stream) {
        stream.play(1, ScenePicture{2, 2, std::vector<float>(4, 9), std::vector<float>(4, 9), {}});
      },
      [&](Stream &stream) {
        stream.now = 0;
        stream.play(1, view);
      },
      [&](Stream &stream) {
        stream.wishes = {};
        stream.play(2, hidden(view, 1));
      },
  };
  for (const auto &ends : all) {
    Stream stream;
    stream.play(4, view);
    stream.play(0.4, [&](double part) { return hidden(view, part); });
    stream.play(4, hidden(view, 1));
    stream.expect("C", "covered");
    ends(stream);
    stream.expect("c", "it ends");
  }
}

// Nothing is an event in the smallest frames, nor without timestamps.
TEST(test_nothing) {
  Stream tiny;
  for (const float level : {0.0f, 100.0f, 255.0f, 3.0f})
    tiny.play(4, ScenePicture{1, 1, {level}, {level}, {level}});
  tiny.expect("", "one cell");
  SceneWatch watch;
  for (int i = 0; i < 1000; i++) {
    ScenePicture picture = i < 300 ? scene(1) : hidden(scene(1), std::min((i - 300) / 30.0, 1.0));
    picture.repeats = i > 500;
    fail_unless(watch.step(picture, i > 0, {true, true, true, true, 5}, 7).empty(), "frame %d", i);
  }
}
