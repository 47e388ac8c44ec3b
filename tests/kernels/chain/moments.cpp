// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters that read the moment of the frame: `time`, `cycle` and `frame`.
#include <cmath>
#include <cstring>

#include "chain/chain.h"
#include "chain/generate.h"
#include "kernels/planes.h"
#include "reference/chain/chain.h"

using glcl::FrameFormat;
using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::Moment;
using glcl::chain::parse_chain;
using glcl::chain::parse_filter;
using reference::Colours;

namespace {

// Red by the time, green by the number of the frame, blue of the left neighbour.
const std::string moving =
    "//! filter moving: colours by the moment\n"
    "//! param speed 0..4 = 1: of the time\n"
    "//! radius 1\n"
    "float wave(PIXEL) { return fabs(fmod(speed * time, 2.0f) - 1.0f); }\n"
    "float4 moving(PIXEL) {\n"
    "  const float4 c = at(0, 0);\n"
    "  return (float4)(0.5f * c.x + 0.5f * wave(HERE), (frame % 256) / 255.0f, at(-1, 0).z, c.w);\n"
    "}\n";

float wave(const Moment &moment) {
  return std::fabs(std::fmod(static_cast<float>(moment.time), 2.0F) - 1);
}

Frame moved(const Frame &in, const Moment &moment) {
  Frame out = in;
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      uint8_t *to = out.at(x, y);
      const float red = 0.5F * (float(in.at(x, y)[0]) / 255) + 0.5F * wave(moment);
      to[0] = static_cast<uint8_t>(std::nearbyint(255 * red));
      to[1] = static_cast<uint8_t>(moment.frame % 256);
      to[2] = in.at(std::max(x - 1, 0), y)[2];
    }
  return out;
}

/// The chain of a filter file, with filters of the library before and after it.
Description chain_with(const std::string &source, const std::string &before = "",
                       const std::string &after = "") {
  Description wanted;
  const auto add = [&](const std::string &text) {
    if (text.empty()) return;
    for (const auto &item : parse_chain(text, "test", {}).items) wanted.items.push_back(item);
  };
  add(before);
  const auto filter = parse_filter(source, "own.cl");
  wanted.items.push_back({filter, filter->name, filter->initial(), 1});
  add(after);
  return wanted;
}

Frame by_reference(const Frame &frame, const std::string &filters) {
  return filters.empty() ? frame : reference::chain(frame, parse_chain(filters, "test", {}));
}

Frame run(Bench &bench, Chain &chain, const Frame &frame, const Moment &moment) {
  const Picture in = bench.upload(frame, chain.layout(), 3),
                out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
  chain.run(*bench.queue, in, out, moment);
  return bench.download(out);
}

constexpr Moment moments[] = {{0, 0}, {0.5F, 1}, {1, 30}, {77.25F, 300}, {3601.5F, 2147483647}};

/// A filter whose function returns a value as red, with further lines and text before it.
std::string returning(const std::string &value, const std::string &lines = "") {
  return "//! filter own: text\n" + lines + "float4 own(PIXEL) { return (float4)(" + value +
         ", 0, 0, 1); }\n";
}

/// The level of red of that filter at a moment.
int red_of(Bench &bench, const std::string &source, const Moment &moment) {
  Chain chain(*bench.context, chain_with(source), {});
  return run(bench, chain, Frame(3, 2), moment).at(1, 1)[0];
}

}  // namespace

// In each place of a chain and each kind of plan, with parameters as constants and as arguments.
TEST(test_every_place) {
  Bench bench;
  Agreement agreement;
  const Frame frames[] = {reference::random_frame(37, 21), reference::flat_frame(37, 21),
                          reference::gradient_frame(33, 7), reference::natural_frame(71, 53),
                          reference::random_frame(1, 1)};
  for (const auto &[before, after] : {std::pair<std::string, std::string>{"", ""},
                                      {"invert", "gauss(sigma=1)"},
                                      {"gauss(sigma=1)", "invert ! box"}})
    for (const int plan : {Chain::plan_unfused, 0, 1}) {
      const Layout layout = plan == 0 ? Layout::image : Layout::buffer;
      auto variant = Chain::tunable().defaults(bench.context->device(), "");
      variant["plan"] = before.empty() ? std::min(plan, 0) : plan;
      Chain chain(*bench.context, chain_with(moving, before, after), {plan == 1, layout, variant});
      for (size_t i = 0; i < std::size(frames); i++)
        agreement.check(
            run(bench, chain, frames[i], moments[i]),
            by_reference(moved(by_reference(frames[i], before), moments[i]), after),
            before + " ! moving ! " + after + ", " + chain.describe() + ", " + std::to_string(i));
    }
}

// A filter of earlier frames reads what each frame was at its own moment.
TEST(test_earlier_frames) {
  Bench bench;
  Chain chain(*bench.context, chain_with(moving, "", "blend(amount=0.5)"), {});
  std::vector<Frame> frames;
  for (unsigned seed = 1; seed < 4; seed++) frames.push_back(reference::random_frame(33, 21, seed));
  std::vector<Frame> inputs;
  for (size_t i = 0; i < frames.size(); i++) inputs.push_back(moved(frames[i], moments[i]));
  const auto expected = reference::chain(inputs, parse_chain("blend(amount=0.5)", "test", {}));
  Agreement agreement;
  for (size_t i = 0; i < frames.size(); i++)
    agreement.check(run(bench, chain, frames[i], moments[i]), expected[i],
                    "frame " + std::to_string(i));
}

TEST(test_frames_of_planes) {
  Bench bench;
  const std::string source =
      "//! filter own: grey\nfloat4 own(PIXEL) {\n"
      "  const float v = time / 8 + frame / 1024.0f;\n  return (float4)(v, v, v, 1);\n}\n";
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    Chain chain(*bench.context, chain_with(source), {false, FrameFormat(layout, format, {}), {}});
    const PlanarFrame planar = random_planes(format, 33, 7, true);
    for (const Moment &moment : {Moment{0.5F, 3}, {5.25F, 255}}) {
      const Picture out = upload(bench, PlanarFrame(format, 33, 7), layout);
      chain.run(*bench.queue, upload(bench, planar, layout), out, moment);
      Colours expected(planar, {});
      for (int y = 0; y < 7; y++)
        for (int x = 0; x < 33; x++)
          for (int c = 0; c < 3; c++)
            expected.at(x, y)[c] = 255 * (moment.time / 8 + moment.frame / 1024.0);
      check_planes(download(bench, out, format), expected, {}, format.bits == 16 ? 2.5 : 0.56,
                   format.name);
    }
  });
}

// Kernels take the moment only where a filter of theirs reads it; others stay as they were.
TEST(test_only_where_read) {
  Bench bench;
  const auto text_of = [&](const Description &wanted) {
    const auto stages = stages_of(wanted);
    const auto passes = passes_of(stages, glcl::chain::unfused(stages));
    return glcl::chain::generate(wanted, stages, passes,
                                 {glcl::layout_for(bench.context->device()), {}, false});
  };
  const auto count = [](const std::string &text, const std::string &word) {
    int times = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      times++;
    return times;
  };
  const std::string argument = "glcl_maps, const float2 glcl_time, const int glcl_frame) {";
  const std::string without = text_of(parse_chain("gauss ! invert ! blend", "test", {}));
  fail_unless(!count(without, "glcl_time") && !count(without, "glcl_frame"));
  const std::string with = text_of(chain_with(moving, "gauss", "invert"));
  fail_unless_equals_int(count(with, argument), 1);
  fail_unless_equals_int(count(with, "__kernel __attribute__"), 4);
  fail_unless_equals_int(count(text_of(chain_with(returning("0.5f"))), "glcl_time"), 0);
}

// The same part of a period as the reference, also after weeks.
TEST(test_cycle) {
  Bench bench;
  const std::string source =
      "//! filter own: red and green are the part, in 65025 steps\n"
      "//! param period -10..1000 = 1: s\n"
      "float part(PIXEL) { return cycle(period) * 255.0f; }\n"
      "float4 own(PIXEL) {\n  const float whole = floor(part(HERE));\n"
      "  return (float4)(whole / 255.0f, part(HERE) - whole, 0, 1);\n}\n";
  constexpr double day = 86400;
  for (const float period : {1.0F, 0.04F, 1.6F, 0.333F, 60.0F, 999.0F}) {
    Description wanted = chain_with(source);
    wanted.items.front().values.numbers = {double(period)};
    Chain chain(*bench.context, wanted, {});
    for (const double start : {0.0, 1.0, 3601.5, day, 30 * day})
      for (int i = 0; i < 8; i++) {
        const double time = start + i / 60.0, expected = reference::cycle(time, period);
        const Frame result = run(bench, chain, Frame(3, 2), {time, 0});
        const uint8_t *out = result.at(1, 1);
        const double part = (out[0] + out[1] / 255.0) / 255;
        fail_unless(std::abs(std::remainder(part - expected, 1)) < 1.5 / 65025,
                    "%g of %g s, not %g, at %.9g s", part, double(period), expected, time);
      }
  }
  for (const char *period : {"0", "-0.5f", "NAN"})
    fail_unless_equals_int(red_of(bench, returning("cycle(" + std::string(period) + ")"), {0.7, 1}),
                           0);
}

// The time itself is the nearest float.
TEST(test_time_is_a_float) {
  Bench bench;
  for (const double time : {0.1, 86400.02, 1e7 + 0.3}) {
    const auto nearest = static_cast<float>(time);
    int bits;
    std::memcpy(&bits, &nearest, sizeof bits);
    fail_unless_equals_int(
        red_of(bench, returning("time == as_float(" + std::to_string(bits) + ")"), {time, 0}), 255);
  }
}

// A name that the file declares or defines keeps its meaning.
TEST(test_own_names) {
  Bench bench;
  const Moment moment{0.2F, 51};
  fail_unless_equals_int(red_of(bench, returning("time"), moment), 51);
  fail_unless_equals_int(red_of(bench, returning("frame / 255.0f"), moment), 51);
  fail_unless_equals_int(
      red_of(bench, returning("time", "//! param time 0..1 = 0.4: text\n"), moment), 102);
  fail_unless_equals_int(
      red_of(bench, returning("frame[0] + time", "//! list frame = [0.4 1]: text\n"), moment), 153);
  fail_unless_equals_int(
      red_of(bench, returning("frame(2)", "float frame(int time) { return 0.2f * time; }\n"),
             moment),
      102);
  fail_unless_equals_int(
      red_of(bench, returning("cycle(1)", "float cycle(float period) { return period / 5; }\n"),
             moment),
      51);
  fail_unless_equals_int(
      red_of(bench, returning("cycle", "//! param cycle 0..1 = 0.4: text\n"), moment), 102);
  fail_unless_equals_int(
      red_of(bench, returning("half_of(time)", "float half_of(float time) { return time / 2; }\n"),
             {0.4F, 0}),
      51);
  fail_unless_equals_int(
      red_of(bench,
             "//! filter frame: text\nfloat4 frame(PIXEL) { return (float4)(time, 0, 0, 1); }\n",
             moment),
      51);
}

// A row of such filters is no lookup table, which would keep the first frame's moment.
TEST(test_channelwise) {
  Bench bench;
  const std::string source =
      "//! filter own: text\n//! channelwise\n//! table half_of[256] = i / 510\n"
      "float4 own(PIXEL) {\n  const float4 c = at(0, 0);\n"
      "  return (float4)(half_of[(int)(c.x * 255 + 0.5f)] + time / 2, c.y, c.z, c.w);\n}\n";
  Chain chain(*bench.context, chain_with(source, "gamma(value=1)"), {});
  const Frame in = reference::random_frame(37, 21);
  for (const float time : {0.0F, 0.25F, 1.0F}) {
    Frame expected = in;
    for (size_t i = 0; i < in.rgba.size(); i += 4)
      expected.rgba[i] = static_cast<uint8_t>(std::nearbyint(0.5F * (in.rgba[i] + 255 * time)));
    Agreement agreement;
    agreement.most = 0.2;  // halves of levels
    agreement.check(run(bench, chain, in, {time, 0}), expected, std::to_string(time) + " s");
  }
}

TEST(test_errors) {
  Bench bench;
  const auto expect = [&](const std::string &source, const std::string &place,
                          const std::string &word) {
    try {
      Chain chain(*bench.context, chain_with(source), {});
      fail_unless(false, "“%s” is taken", source.c_str());
    } catch (const glcl::Error &error) {
      const std::string text = error.text();
      fail_unless(text.rfind(place, 0) == 0 && text.find(word) != std::string::npos, "%s",
                  text.c_str());
    }
  };
  expect(returning("0", "//! radius time\n"), "own.cl:2:", "“time” is not a parameter");
  expect("//! filter own: text\nfloat4 own(PIXEL) {\n  float time = 1;\n  return time;\n}\n",
         "own.cl:3:", "time");
}
