// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares every step of the thesis with the reference implementation, from bytes in host memory to
// a picture there.
#include "forms.h"

#include "reference/opticalflow/wheel.h"
#include "tests/kernels/opticalflow/lucaskanade.h"

using glcl::research::LucasKanadeForms;
using Form = LucasKanadeForms::Form;
using Options = LucasKanadeForms::Settings;

namespace {

constexpr int forms = static_cast<int>(Form::image) + 1;
constexpr float gain = 2;

/// Rows of R, G and B.
std::vector<uint8_t> rgb_of(const Frame &frame, int pitch) {
  std::vector<uint8_t> bytes(size_t(pitch) * frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      std::copy_n(frame.at(x, y), 3, &bytes[size_t(y) * pitch + 3 * x]);
  return bytes;
}

/// Half the derivatives give twice the vectors of four times the alpha, and a quarter of the
/// eigenvalue l in the confidence l / (l + 16).
Field reference_of(const Frame &before, const Frame &after, Options settings) {
  if (settings.thesis_scale) settings.alpha *= 4;
  Field field = reference::opticalflow::lucas_kanade(before, after, settings);
  if (!settings.thesis_scale) return field;
  for (float &v : field.vectors) v *= 2;
  for (float &c : field.confidence) c = c / (4 - 3 * c);
  return field;
}

/// Compares the picture with the colours of its field.
void check_picture(const std::vector<uint8_t> &picture, int pitch, const Field &field) {
  const Frame expected = reference::opticalflow::coloured(field, gain);
  for (int y = 0; y < expected.height; y++)
    for (int x = 0; x < expected.width; x++)
      for (int i = 0; i < 3; i++)
        fail_unless(std::abs(picture[size_t(y) * pitch + 3 * x + i] - expected.at(x, y)[i]) <= 1,
                    "the picture at (%d, %d)", x, y);
}

void check(Bench &bench, Form form, const Options &settings, const Frame &before,
           const Frame &after) {
  LucasKanadeForms engine(*bench.context, before.width, before.height, form);
  const auto first = rgb_of(before, engine.pitch()), second = rgb_of(after, engine.pitch());
  std::vector<uint8_t> picture(first.size(), 77);
  fail_if(engine.run(*bench.queue, settings, gain, first.data(), picture.data()));
  fail_unless(engine.run(*bench.queue, settings, gain, second.data(), picture.data()));
  bench.queue->cl().finish();
  const Field field = reference::opticalflow::download(*bench.queue, engine.field());
  compare(field, reference_of(before, after, settings),
          std::to_string(before.width) + "×" + std::to_string(before.height) + ", window " +
              std::to_string(settings.window));
  check_picture(picture, engine.pitch(), field);
}

}  // namespace

// The table of the thesis's scheme, and its conditions.
TEST(test_padding) {
  for (const auto &[group, halo, padding] : {std::array{16, 0, 48},
                                             {32, 0, 32},
                                             {64, 0, 0},
                                             {128, 0, 0},
                                             {64, 1, 64},
                                             {32, 1, 32},
                                             {16, 1, 48},
                                             {8, 0, 56}})
    fail_unless(LucasKanadeForms::padding(group, halo) == padding,
                "a group of %d px is padded by %d", group, LucasKanadeForms::padding(group, halo));
  for (int group = 4; group <= 256; group += 4) {
    const int width = group + LucasKanadeForms::padding(group, 1);
    fail_unless(width > group && width * 3 / 4 % 16 == 0);
    for (int i = 0; i < 5; i++) fail_unless(width * 3 * i % 64 == 0);
  }
}

TEST_EACH(test_sizes, 0, forms) {
  Bench bench;
  const int sizes[][2] = {{97, 61}, {64, 64}, {1, 1}, {9, 9}, {8, 30}, {130, 10}};
  for (const auto &[width, height] : sizes)
    for (int window : {3, 9, 15, 63}) {
      Options settings;
      settings.window = window;
      settings.thesis_scale = window == 15;
      check(bench, static_cast<Form>(__i__), settings, reference::textured_frame(width, height),
            reference::textured_frame(width, height, {0.4, -0.3, 0.002}));
    }
}

TEST_EACH(test_content, 0, forms) {
  Bench bench;
  for (const auto &[before, after] : contents())
    check(bench, static_cast<Form>(__i__), {}, before, after);
}
