// SPDX-License-Identifier: LGPL-2.1-or-later
// Filters that read a picture: `picture` and `picture_at`.
#include <cmath>

#include "chain/chain.h"
#include "chain/generate.h"
#include "kernels/planes.h"
#include "reference/chain/chain.h"

using glcl::FrameFormat;
using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::parse_chain;
using glcl::chain::parse_filter;
using reference::Colours;

namespace {

// Red from the picture over the frame, green from its own pixels, blue of the left neighbour.
const std::string reading =
    "//! filter reading: colours of the picture\n"
    "//! param part 0..1 = 0.5: of the picture\n"
    "//! radius 1\n"
    "float4 own_pixel(PIXEL, float step) {\n"
    "  return picture_at(step * (x % picture_width), y % picture_height);\n"
    "}\n"
    "float4 reading(PIXEL) {\n"
    "  const float4 c = at(0, 0), p = picture(x + 0.25f, y);\n"
    "  return (float4)(mix(c.x, p.x, part * p.w), own_pixel(HERE, 0.5f).y, at(-1, 0).z, c.w);\n"
    "}\n";

Frame read(const Frame &in, const Frame &picture, double part = 0.5) {
  Frame out = in;
  const auto level = [](double value) {
    return static_cast<uint8_t>(std::nearbyint(255 * std::clamp(value, 0.0, 1.0)));
  };
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      const auto over = reference::picture_over(picture, x + 0.25, y, in);
      const auto own =
          reference::picture_at(picture, 0.5 * (x % picture.width), y % picture.height);
      const double red = in.at(x, y)[0] / 255.0;
      out.at(x, y)[0] = level(red + part * over[3] * (over[0] - red));
      out.at(x, y)[1] = level(own[1]);
      out.at(x, y)[2] = in.at(std::max(x - 1, 0), y)[2];
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

Frame run(Bench &bench, Chain &chain, const Frame &frame, const Frame &picture,
          const glcl::chain::Moment &moment = {}) {
  const Picture in = bench.upload(frame, chain.layout(), 3),
                out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
  chain.run(*bench.queue, in, out, moment,
            picture.width ? bench.upload(picture, Layout::buffer, 2) : Picture());
  return bench.download(out);
}

/// Pictures with every kind of opacity.
std::vector<Frame> pictures() {
  Frame clear = reference::random_frame(6, 5, 4);
  for (size_t i = 3; i < clear.rgba.size(); i += 4) clear.rgba[i] = i % 3 ? 255 : 0;
  return {reference::random_frame(1, 1, 2), reference::random_frame(7, 5, 3),
          reference::natural_frame(160, 90), reference::gradient_frame(3, 64), clear};
}

/// A filter whose function returns a value as red, with further lines and text before it.
std::string returning(const std::string &value, const std::string &lines = "") {
  return "//! filter own: text\n" + lines + "float4 own(PIXEL) { return (float4)(" + value +
         ", 0, 0, 1); }\n";
}

/// The level of red of that filter at a pixel of a frame of 3×2 px.
int red_of(Bench &bench, const std::string &source, const Frame &picture, int x = 1, int y = 1) {
  Chain chain(*bench.context, chain_with(source), {});
  return run(bench, chain, Frame(3, 2), picture).at(x, y)[0];
}

Frame grey_picture(int width, int height, const std::vector<uint8_t> &levels) {
  Frame picture(width, height);
  for (size_t i = 0; i < picture.rgba.size(); i++)
    picture.rgba[i] = i % 4 == 3 ? 255 : levels[i / 4];
  return picture;
}

/// The error of a function, which it has to throw.
template <class Work>
glcl::Error error_of(const Work &work) {
  try {
    work();
  } catch (const glcl::Error &error) {
    return error;
  }
  fail("nothing was thrown");
  return {glcl::Error::Kind::failed, ""};
}

}  // namespace

TEST(test_filters_of_the_library) {
  Bench bench;
  Agreement agreement;
  int count = 0;
  for (const char *text :
       {"overlay", "overlay(opacity=0.3)", "watermark", "watermark(scale=0.4, margin=2)",
        "watermark(across=0, down=0.5, opacity=0.6, margin=0)", "watermark(scale=2.5, margin=5)",
        "watermark(across=0.3, down=0, margin=100)"}) {
    const Description wanted = parse_chain(text, "test", {});
    const Layout layout = count++ % 2 ? Layout::image : Layout::buffer;
    Chain chain(*bench.context, wanted, {false, layout, {}});
    for (const Frame &picture : pictures())
      for (const Frame &frame : {reference::random_frame(1, 1), reference::random_frame(33, 7),
                                 reference::natural_frame(71, 53), reference::flat_frame(20, 30)})
        agreement.check(run(bench, chain, frame, picture), reference::chain(frame, wanted, picture),
                        std::string(text) + " with " + std::to_string(picture.width) + "×" +
                            std::to_string(picture.height));
  }
}

// In each place of a chain and each kind of plan, with parameters as constants and as arguments.
TEST(test_every_place) {
  Bench bench;
  Agreement agreement;
  const Frame frames[] = {reference::random_frame(37, 21), reference::gradient_frame(33, 7),
                          reference::natural_frame(71, 53), reference::random_frame(1, 1)};
  for (const auto &[before, after] : {std::pair<std::string, std::string>{"", ""},
                                      {"invert", "gauss(sigma=1)"},
                                      {"gauss(sigma=1)", "invert ! box"}})
    for (const int plan : {Chain::plan_unfused, 0, 1}) {
      const Layout layout = plan == 0 ? Layout::image : Layout::buffer;
      auto variant = Chain::tunable().defaults(bench.context->device(), "");
      variant["plan"] = before.empty() ? std::min(plan, 0) : plan;
      Chain chain(*bench.context, chain_with(reading, before, after), {plan == 1, layout, variant});
      for (const Frame &picture : pictures())
        for (const Frame &frame : frames)
          agreement.check(run(bench, chain, frame, picture),
                          by_reference(read(by_reference(frame, before), picture), after),
                          before + " ! reading ! " + after + ", " + chain.describe());
    }
}

// Beside the moment of the frame, earlier frames and another reader, with changed parameters.
TEST(test_with_other_values) {
  Bench bench;
  const std::string source =
      "//! filter own: text\n//! param part 0..1 = 0.5: text\n//! frames 2\n"
      "float4 own(PIXEL) {\n"
      "  return (float4)(part * picture(x, y).x, time, frame / 255.0f, 0) + earlier(1, 0, 0).wwww "
      "* 0;\n"
      "}\n";
  const Frame picture = grey_picture(3, 2, {0, 50, 100, 150, 200, 250});
  Description wanted = chain_with(source);
  Chain chain(*bench.context, wanted, {true, {}, {}});
  for (const double part : {0.5, 1.0, 0.25}) {
    wanted.items[0].values.numbers[0] = part;
    chain.set(wanted);
    const Frame out = run(bench, chain, Frame(3, 2), picture, {0.5F, 7});
    for (int i = 0; i < 6; i++) {
      const uint8_t *pixel = out.at(i % 3, i / 3);
      fail_unless(std::abs(pixel[0] - part * 50 * i) <= 0.5 && std::abs(pixel[1] - 127.5) <= 0.5 &&
                      pixel[2] == 7,
                  "pixel %d: %d, %d, %d", i, pixel[0], pixel[1], pixel[2]);
    }
  }
  const Description twice = parse_chain("overlay(opacity=0.5) ! invert ! watermark", "test", {});
  Chain both(*bench.context, twice, {});
  const Frame frame = reference::natural_frame(40, 30), mark = reference::random_frame(9, 7);
  Agreement{}.check(run(bench, both, frame, mark), reference::chain(frame, twice, mark), "twice");
}

// Its pixels are exact, the values between are linear, and beyond the edges the edge repeats, also
// for infinite positions and NaN.
TEST(test_positions) {
  Bench bench;
  const Frame picture = grey_picture(3, 2, {0, 100, 200, 50, 150, 250});
  for (const auto &[place, level] : {std::pair<std::string, int>{"0, 0", 0},
                                     {"1, 0", 100},
                                     {"2, 1", 250},
                                     {"0.5f, 0", 50},
                                     {"1, 0.5f", 125},
                                     {"1.25f, 1", 175},
                                     {"-7, 0", 0},
                                     {"99, -1e30f", 200},
                                     {"INFINITY, INFINITY", 250},
                                     {"NAN, 1", 50},
                                     {"-INFINITY, NAN", 0},
                                     {"1.0f / 0.0f, 2000000000", 250}}) {
    const int got = red_of(bench, returning("picture_at(" + place + ").x"), picture);
    fail_unless(got == level, "picture_at(%s): %d", place.c_str(), got);
  }
  for (int x = 0; x < 3; x++)
    for (int y = 0; y < 2; y++)
      fail_unless(red_of(bench, returning("picture(x, y).x"), picture, x, y) == picture.at(x, y)[0],
                  "a picture of the frame's size");
  fail_unless(red_of(bench,
                     returning("(picture_width + 10 * picture_height) / 255.0f + "
                               "0 * picture(x, y).x"),
                     picture) == 23,
              "its size");
}

// Transparent pixels give no colour to others; opacity itself is linear.
TEST(test_opacity) {
  Bench bench;
  Frame picture(2, 1);
  const uint8_t pixels[8] = {200, 0, 0, 255, 255, 255, 255, 0};
  std::copy_n(pixels, 8, picture.rgba.begin());
  const auto red = [&](const std::string &value) {
    return red_of(bench, returning(value), picture);
  };
  fail_unless(red("picture_at(0.5f, 0).x") == 200 && red("picture_at(0.75f, 0).x") == 200);
  fail_unless(red("picture_at(1, 0).x") == 0 && red("picture_at(1, 0).w") == 0);
  fail_unless(red("picture_at(0.25f, 0).w") == 191 && red("picture_at(0, 0).w") == 255);
}

TEST(test_frames_of_planes) {
  Bench bench;
  const std::string source =
      "//! filter own: grey\nfloat4 own(PIXEL) {\n"
      "  const float v = picture(x, y).x;\n  return (float4)(v, v, v, 1);\n}\n";
  const Frame picture = reference::natural_frame(12, 9);
  for_luma(bench, [&](const PixelFormat &format, Layout layout) {
    Chain chain(*bench.context, chain_with(source), {false, FrameFormat(layout, format, {}), {}});
    const PlanarFrame planar = random_planes(format, 33, 7, true);
    const Picture out = upload(bench, PlanarFrame(format, 33, 7), layout);
    chain.run(*bench.queue, upload(bench, planar, layout), out, {},
              bench.upload(picture, Layout::buffer));
    Colours expected(planar, {});
    for (int y = 0; y < 7; y++)
      for (int x = 0; x < 33; x++) {
        const auto colour = reference::picture_over(picture, x, y, Frame(33, 7));
        for (int c = 0; c < 3; c++) expected.at(x, y)[c] = 255 * colour[0];
      }
    check_planes(download(bench, out, format), expected, {}, format.bits == 16 ? 2.5 : 0.56,
                 format.name);
  });
}

// Kernels take the picture only where a filter of theirs reads it; others stay as they were.
TEST(test_only_where_read) {
  Bench bench;
  const auto text_of = [&](const Description &wanted) {
    const auto stages = stages_of(wanted);
    const auto passes = passes_of(stages, glcl::chain::unfused(stages));
    return glcl::chain::generate(wanted, stages, passes,
                                 {glcl::layout_for(bench.context->device()), {}, false});
  };
  const auto kernels_with = [](const std::string &text) {
    int count = 0;
    for (size_t at = text.find("void glcl_pass_"); at != std::string::npos;
         at = text.find("void glcl_pass_", at + 1))
      count +=
          text.substr(at, text.find(") {", at) - at).find("glcl_picture_size") != std::string::npos;
    return count;
  };
  const std::string without = text_of(parse_chain("invert ! gauss(sigma=1)", "test", {}));
  fail_unless(without.find("glcl_picture") == std::string::npos, "no word of it");
  fail_unless(kernels_with(text_of(chain_with(reading, "invert ! grey", "sobel"))) == 1);
  fail_unless(kernels_with(text_of(parse_chain("overlay ! invert ! watermark", "test", {}))) == 2);
}

// Declared names hide the functions, and words of the same name do not call them.
TEST(test_own_names) {
  Bench bench;
  const std::string pixel = "float4 own(PIXEL) { ";
  for (const auto &[source, level] :
       {std::pair<std::string, int>{
            "//! filter own: text\nfloat picture(float v) { return v / 255; }\n" + pixel +
                "return (float4)(picture(9), 0, 0, 1); }\n",
            9},
        {returning("picture / 255", "//! param picture 0..9 = 8: text\n"), 8},
        {returning("picture[1] / 255", "//! table picture[2] = 6 * i\n"), 6},
        {"//! filter own: text\n" + pixel +
             "const float picture = 5, picture_width = 1;\n"
             "return (float4)(picture / 255 * picture_width, 0, 0, 1); }\n",
         5},
        {"//! filter own: text\n#define picture(a, b) (4 / 255.0f)\n" + pixel +
             "return (float4)(picture(x, y), 0, 0, 1); }\n",
         4}}) {
    const Description wanted = chain_with(source);
    fail_unless(!wanted.reads_picture(), "%s", source.c_str());
    Chain chain(*bench.context, wanted, {});
    const int got = run(bench, chain, Frame(3, 2), {}).at(1, 1)[0];
    fail_unless(got == level, "%d of %s", got, source.c_str());
  }
  // A parameter may have the name of the picture's size.
  fail_unless(red_of(bench,
                     returning("(picture_width + picture(x, y).x) / 255",
                               "//! param picture_width 0..9 = 3: text\n"),
                     grey_picture(1, 1, {0})) == 3);
}

// A filter that promises to be channelwise is computed per pixel.
TEST(test_channelwise) {
  Bench bench;
  const Frame picture = reference::natural_frame(8, 8), frame = reference::random_frame(8, 8);
  Chain chain(*bench.context,
              chain_with("//! filter own: text\n//! table t[2] = i\n//! channelwise\n"
                         "float4 own(PIXEL) {\n  const float4 c = at(0, 0);\n"
                         "  return (float4)(t[1] * c.xyz * picture(x, y).xyz, c.w);\n}\n",
                         "invert ! gamma"),
              {});
  const Frame before = by_reference(frame, "invert ! gamma");
  Frame expected = before;
  for (size_t i = 0; i < expected.rgba.size(); i++) {
    const int pixel = static_cast<int>(i / 4);
    const auto over = reference::picture_at(picture, pixel % 8, float(pixel / 8));
    if (i % 4 < 3)
      expected.rgba[i] = static_cast<uint8_t>(std::nearbyint(before.rgba[i] * over[i % 4]));
  }
  Agreement agreement;
  agreement.most = 0.05;
  agreement.check(run(bench, chain, frame, picture), expected, "channelwise");
}

// Without a picture, the error names the line, the property and the remedy.
TEST(test_missing) {
  Bench bench;
  const Description wanted = chain_with(reading, "invert");
  for (const auto &error : {error_of([&] { wanted.check_without_picture(); }), error_of([&] {
                              Chain chain(*bench.context, wanted, {});
                              const Picture frame = bench.upload(Frame(3, 2), chain.layout());
                              chain.run(*bench.queue, frame, frame);
                            })}) {
    const std::string text = error.what();
    fail_unless(error.kind() == glcl::Error::Kind::settings);
    for (const char *words :
         {"own.cl:5: ", "reading reads a picture", "property picture is empty", "picture=logo.png"})
      fail_unless(text.find(words) != std::string::npos, "%s", text.c_str());
  }
  chain_with(returning("0")).check_without_picture();
}

// A wrong call is an error of the file.
TEST(test_wrong_calls) {
  Bench bench;
  for (const char *value : {"picture(1)", "picture_at(1, 2, 3)", "picture(x, y, 1).x"}) {
    const auto error = error_of([&] { Chain(*bench.context, chain_with(returning(value)), {}); });
    fail_unless(std::string(error.what()).rfind("own.cl:2: ", 0) == 0, "%s", error.what());
  }
}
