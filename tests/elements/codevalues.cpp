// SPDX-License-Identifier: LGPL-2.1-or-later
// glclhistogram on decoders' frames: code values, illegal values, and the matrix and range of the
// caps.
#include <gst/video/video.h>

#include <cmath>

#include "histogram.h"
#include "opencl/format.h"
#include "reference/conversion/conversion.h"
#include "reference/histogram/histogram.h"
#include "reference/scenes.h"

using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;

namespace {

/// Pushes raw frames of NV12 or P010 with their colorimetry into an element.
class RawFrames {
 public:
  RawFrames(const std::string &format, const std::string &colorimetry, int width, int height,
            const std::string &element)
      : chain_(Chain::plain("glupload ! " + element)) {
    GstCaps *caps = gst_caps_from_string(
        ("video/x-raw,framerate=25/1,format=" + format + ",colorimetry=" + colorimetry +
         ",width=" + std::to_string(width) + ",height=" + std::to_string(height))
            .c_str());
    expect(gst_video_info_from_caps(&info_, caps), "caps of " + format + " in " + colorimetry);
    gst_harness_set_src_caps(chain_->harness(), caps);
  }

  /// `value (plane, x, y)` is a stored value: of luma, or of U and V in turn.
  template <class Value>
  GstBuffer *filter(const Value &value) {
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info_), nullptr);
    GstVideoFrame frame;
    expect(gst_video_frame_map(&frame, &info_, buffer, GST_MAP_WRITE), "a frame can be mapped");
    const bool wide = GST_VIDEO_FRAME_COMP_DEPTH(&frame, 0) > 8;
    for (int plane = 0; plane < 2; plane++)
      for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane); y++) {
        auto *row = static_cast<uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane)) +
                    size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
        for (int x = 0; x < GST_VIDEO_FRAME_WIDTH(&frame); x++) {
          const int stored = value(plane, x, y);
          if (wide)
            GST_WRITE_UINT16_LE(row + 2 * x, stored << 6);
          else
            row[x] = static_cast<uint8_t>(stored);
        }
      }
    gst_video_frame_unmap(&frame);
    GST_BUFFER_PTS(buffer) = 40 * GST_MSECOND * pushed_++;
    expect(gst_harness_push(chain_->harness(), buffer) == GST_FLOW_OK, "push failed");
    return chain_->pull_buffer();
  }

  Chain &chain() { return *chain_; }
  const GstVideoInfo &info() const { return info_; }

 private:
  std::unique_ptr<Chain> chain_;
  GstVideoInfo info_{};
  int pushed_ = 0;
};

/// Expects these fractions of illegal values in the message; negative: the message has no such
/// fields.
void expect_illegal(const GstStructure *message, double below, double above) {
  if (below < 0) {
    expect(!gst_structure_has_field(message, "below-black") &&
               !gst_structure_has_field(message, "above-white"),
           "what can't exist is not reported");
    return;
  }
  fail_unless(number(message, "below-black", 0) == below);
  fail_unless(number(message, "above-white", 0) == above);
}

uint32_t count_in(GstBuffer *frame, const char *array) {
  return mapped(gst_value_get_buffer(gst_structure_get_value(result_of(frame), array))).at(0);
}

}  // namespace

// Every code value once in each column.
TEST(code_values_and_illegal_ones) {
  const struct {
    const char *format, *colorimetry;
    double below, above;   // fractions of the pixels
    double clipped[2][2];  // with levels=display and levels=code, at black and at white
  } cases[] = {
      {"NV12", "bt709", 16 / 256., 20 / 256., {{17 / 256., 21 / 256.}, {17 / 256., 21 / 256.}}},
      {"P010_10LE",
       "bt2100-pq",
       64 / 1024.,
       83 / 1024.,
       {{66 / 1024., 85 / 1024.}, {68 / 1024., 84 / 1024.}}},
      {"NV12", "1:3:5:1", -1, -1, {{1 / 256., 1 / 256.}, {1 / 256., 1 / 256.}}}};
  for (const auto &one : cases)
    for (const bool code : {false, true}) {
      RawFrames frames(one.format, one.colorimetry, 256, 4,
                       std::string("glclhistogram interval=0 attach-meta=true levels=") +
                           (code ? "code" : "display"));
      const int steps = GST_VIDEO_INFO_COMP_DEPTH(&frames.info(), 0) > 8 ? 4 : 1;
      GstBuffer *buffer = frames.filter(
          [&](int plane, int x, int y) { return plane ? 128 * steps : x * steps + y % steps; });
      fail_unless_equals_string(gst_structure_get_string(result_of(buffer), "levels"),
                                code ? "code" : "display");
      const Counts counts = mapped(counts_of(buffer));
      if (code) expect(counts == Counts(256, 4), "each code is in its bin");
      if (one.below >= 0) {
        expect(count_in(buffer, "below-black") == 1024 * one.below &&
                   count_in(buffer, "above-white") == 1024 * one.above,
               "the meta counts illegal values");
      } else {
        expect(!gst_structure_has_field(result_of(buffer), "below-black"), "full range has none");
      }
      gst_buffer_unref(buffer);
      frames.chain().drain();
      GstStructure *message = frames.chain().messages().structure("glclhistogram");
      expect(message, "a message");
      fail_unless_equals_string(gst_structure_get_string(message, "levels"),
                                code ? "code" : "display");
      expect_illegal(message, one.below, one.above);
      fail_unless(number(message, "clipped-low", 0) == one.clipped[code][0] &&
                      number(message, "clipped-high", 0) == one.clipped[code][1],
                  "%s, %s: clipped %f and %f", one.format, code ? "code" : "display",
                  number(message, "clipped-low", 0), number(message, "clipped-high", 0));
      if (code) fail_unless(number(message, "mean", 0) == (256. - 1. / steps) / 2);
      gst_structure_free(message);
    }
}

// RGB frames have only levels, and R, G and B of all frames are levels.
TEST(rgb_has_no_code_values) {
  for (const char *mode : {"luma", "rgb"}) {
    Chain chain(std::string("glclhistogram interval=0 levels=code mode=") + mode);
    const Frame frame = reference::natural_frame(33, 21);
    chain.filter(frame);
    chain.drain();
    GstStructure *message = chain.messages().structure("glclhistogram");
    expect(message, "a message");
    const Format format{mode == std::string("rgb") ? Mode::rgb : Mode::luma, 256};
    check_message(message, format, mode, reference::histogram(frame, format), 33 * 21);
    fail_unless_equals_string(gst_structure_get_string(message, "levels"), "display");
    expect_illegal(message, -1, -1);
    gst_structure_free(message);
  }
}

// R, G and B by the matrix and the range of the caps, compared with a reference in double
// precision. The transfer function is not used.
TEST(colours_by_the_matrix_of_the_caps) {
  const struct {
    const char *colorimetry;
    double kr, kb;
    bool full;
  } cases[] = {{"bt601", 0.299, 0.114, false},        {"bt709", 0.2126, 0.0722, false},
               {"smpte240m", 0.212, 0.087, false},    {"bt2020", 0.2627, 0.0593, false},
               {"bt2020-10", 0.2627, 0.0593, false},  {"bt2100-pq", 0.2627, 0.0593, false},
               {"bt2100-hlg", 0.2627, 0.0593, false}, {"1:3:5:1", 0.2126, 0.0722, true},
               {"1:6:14:7", 0.2627, 0.0593, true}};
  const int colours[][3] = {{126, 118, 137}, {80, 100, 150}, {180, 140, 120}};
  for (const char *format : {"NV12", "P010_10LE"})
    for (const auto &one : cases) {
      RawFrames frames(format, one.colorimetry, 8, 4, "glclhistogram interval=0 mode=rgb");
      const glcl::PixelFormat &pixels = *glcl::PixelFormat::find(format);
      const int unit = 1 << (pixels.bits - 8);
      for (const auto &colour : colours) {
        const auto value = [&](int channel) { return colour[channel] * unit + unit / 2; };
        gst_buffer_unref(
            frames.filter([&](int plane, int x, int) { return value(plane ? 1 + x % 2 : 0); }));
        frames.chain().drain();
        reference::PlanarFrame planar(pixels, 1, 1);
        planar.planes[0].values[0] = static_cast<uint16_t>(value(0) << pixels.padding);
        for (int i = 0; i < 2; i++)
          planar.planes[1].values[i] = static_cast<uint16_t>(value(1 + i) << pixels.padding);
        const auto expected = reference::levels_at(planar, {one.kr, one.kb, one.full}, 0, 0);
        GstStructure *message = frames.chain().messages().structure("glclhistogram");
        expect(message, "a message");
        for (guint i = 0; i < 3; i++)
          fail_unless(std::abs(number(message, "mean", i) - expected[i]) < 0.54,
                      "%s in %s: channel %u is %f, reference %f", format, one.colorimetry, i,
                      number(message, "mean", i), expected[i]);
        gst_structure_free(message);
      }
      expect_none(frames.chain().messages().errors());
    }
}
