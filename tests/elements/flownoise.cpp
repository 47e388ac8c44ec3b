// SPDX-License-Identifier: LGPL-2.1-or-later
// glopenclflow on a static scene with a camera's noise and changing light.
#include <algorithm>
#include <cmath>
#include <functional>

#include "pipeline.h"
#include "reference/scenes.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::expect;
using test::Frame;
using test::number;

namespace {

constexpr int w = 320, h = 240;  // px

/// The next message, after all frames so far.
GstStructure *next_message(Chain &chain) {
  chain.drain();
  GstStructure *message = chain.messages().structure("glopenclflow", 5 * GST_SECOND);
  expect(message, "no message");
  return message;
}

/// A grey wall, lit evenly or from one side.
Frame wall(bool shaded) {
  Frame frame(w, h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      std::fill_n(frame.at(x, y), 4, uint8_t(110 + (shaded ? x / 16 : 0)));
  return frame;
}

/// The worst values in the messages of some frames.
struct LoggedMessage {
  double moving = 0, magnitude = 0, x = 0, y = 0, noise = 0;  // x, y, noise: of the last message
  size_t coloured = 0;  // pixels that are not black, of the last frame
};

/// Plays frames and reads the messages of all but the first, which has no previous frame.
LoggedMessage last_message(Chain &chain, int frames, const std::function<Frame(int i)> &frame) {
  LoggedMessage result;
  for (int i = 0; i < frames; i++) {
    const Frame in = frame(i);
    GstBuffer *buffer = chain.buffer_of(in);
    if (i == 0) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    chain.push(buffer, in.width, in.height);
    const Frame out = chain.pull();
    if (i == 0) continue;
    GstStructure *message = next_message(chain);
    result.moving = std::max(result.moving, number(message, "moving"));
    result.magnitude = std::max(result.magnitude, number(message, "mean-magnitude"));
    result.x = number(message, "mean-x"), result.y = number(message, "mean-y");
    result.noise = number(message, "noise");
    gst_structure_free(message);
    result.coloured = 0;
    for (size_t j = 0; j < out.rgba.size(); j += 4)
      result.coloured += *std::max_element(&out.rgba[j], &out.rgba[j + 3]) > 32;
  }
  return result;
}

}  // namespace

// Camera noise causes no motion, and hides no motion.
TEST_EACH(noise, 0, 2) {
  const int frames = 3;
  const std::string method = __i__ ? "census" : "pyramidal";
  Chain chain("glopenclflow interval=0 gain=1 method=" + method);
  const Frame flat = wall(false);
  const auto noisy = [](const Frame &scene, double level) {
    return [=](int i) { return reference::noisy(scene, level, unsigned(i) + 1); };
  };
  const std::pair<const char *, Frame> still[] = {{"one colour", flat},
                                                  {"a gradient", wall(true)},
                                                  {"texture", reference::textured_frame(w, h)}};
  for (const auto &[name, scene] : still)
    for (double level : {2, 8, 16}) {
      const LoggedMessage of = last_message(chain, frames, noisy(scene, level));
      const std::string what = method + ", " + name + ", noise " + std::to_string(int(level));
      fail_unless(of.moving <= 0.01 && of.magnitude <= 0.1, "%s: %g move, by %g px", what.c_str(),
                  of.moving, of.magnitude);
      fail_unless(of.coloured * 50 <= size_t(w) * h, "%s: %zu pixels are coloured", what.c_str(),
                  of.coloured);
      fail_unless(std::abs(of.noise - level) <= 0.15 * level || &scene != &still[0].second,
                  "%s: a noise of %g", what.c_str(), of.noise);
    }

  // The wall moves if the element is set to no noise, and stops once this is corrected.
  g_object_set(chain["glopenclflow"], "noise", 0.0, nullptr);
  const LoggedMessage without = last_message(chain, frames, noisy(flat, 8));
  expect(without.moving > 0.05 && without.noise == 0, method + ", noise=0: it does not move");
  g_object_set(chain["glopenclflow"], "noise", 8.0, nullptr);
  const LoggedMessage set = last_message(chain, 2, noisy(flat, 8));
  fail_unless(set.moving <= 0.01 && std::abs(set.noise - 8) < 1e-3,
              "%s, noise=8: %g move, a noise of %g", method.c_str(), set.moving, set.noise);

  g_object_set(chain["glopenclflow"], "noise", -1.0, nullptr);
  const LoggedMessage of = last_message(chain, 3, [&](int i) {
    return reference::noisy(reference::textured_frame(w, h, {3.0 * i, -2.0 * i}), 4,
                            unsigned(i) + 1);
  });
  fail_unless(std::hypot(of.x - 3, of.y + 2) < 0.2, "%s: moved by (%g, %g)", method.c_str(), of.x,
              of.y);
}

// Flickering lamps, or a camera that adjusts its exposure, cause no motion either.
TEST_EACH(flicker, 0, 2) {
  const std::string method = __i__ ? "census" : "pyramidal";
  Chain chain("glopenclflow interval=0 gain=1 method=" + method);
  const std::pair<double, double> lights[] = {{1.03, 0}, {0.94, 0}, {1, 3}, {0.9, 4}};
  const std::pair<const char *, Frame> still[] = {{"shapes", reference::natural_frame(w, h)},
                                                  {"texture", reference::textured_frame(w, h)}};
  for (const auto &[name, scene] : still)
    for (const auto &[gain, offset] : lights) {
      const LoggedMessage of =
          last_message(chain, 4, [&, &scene = scene, gain = gain, offset = offset](int i) {
            const Frame seen = reference::noisy(scene, 2, unsigned(i) + 1);
            return i % 2 ? reference::relit(seen, gain, offset) : seen;
          });
      fail_unless(of.moving <= 0.01 && of.magnitude <= 0.1,
                  "%s, %s, light times %g and %g levels up: %g move, by %g px", method.c_str(),
                  name, gain, offset, of.moving, of.magnitude);
    }
}

// Bands by lamps on the mains with a rolling shutter cause no motion either.
TEST_EACH(rolling, 0, 2) {
  const std::string method = __i__ ? "census" : "pyramidal";
  Chain chain("glopenclflow interval=0 gain=1 method=" + method);
  const std::pair<const char *, Frame> still[] = {{"one colour", wall(false)},
                                                  {"a gradient", wall(true)},
                                                  {"texture", reference::textured_frame(w, h)}};
  for (const auto &[name, scene] : still)
    for (double by : {0.03, 0.08}) {
      const LoggedMessage of = last_message(chain, 4, [&, &scene = scene](int i) {
        return reference::noisy(reference::rolling(scene, by, i), 3, unsigned(i) + 1);
      });
      fail_unless(of.moving <= 0.01 && of.magnitude <= 0.1, "%s, %s, by %g: %g move, by %g px",
                  method.c_str(), name, by, of.moving, of.magnitude);
    }
  // Objects in such light move.
  const LoggedMessage of = last_message(chain, 4, [&](int i) {
    return reference::noisy(
        reference::rolling(reference::textured_frame(w, h, {3.0 * i, -2.0 * i}), 0.05, i), 3,
        unsigned(i) + 1);
  });
  fail_unless(std::hypot(of.x - 3, of.y + 2) < 0.4, "%s: moved by (%g, %g)", method.c_str(), of.x,
              of.y);
}

// The method lucas-kanade does not measure noise.
TEST(no_noise) {
  Chain chain("glopenclflow interval=0 method=lucas-kanade");
  for (int i = 0; i < 2; i++) chain.filter(reference::textured_frame(w, h));
  GstStructure *message = next_message(chain);
  expect(!gst_structure_has_field(message, "noise"), "a field noise");
  gst_structure_free(message);
}
