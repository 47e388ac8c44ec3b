// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of filters: fused, one kernel for each filter, and the scalar reference.
#include "chain/chain.h"
#include "chain/build.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <future>
#include <random>
#include <thread>

#include "kernels/bands.h"
#include "kernels/engine.h"
#include "opencl/compilertask.h"
#include "reference/chain/chain.h"

using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::parse_chain;

namespace {

/// Every filter of the library, with values that are not its defaults.
const char *const samples[] = {"grey",
                               "gauss(sigma=0.8)",
                               "gauss(sigma=1.7, radius=4)",
                               "box(size=2)",
                               "sobel(gain=1.5)",
                               "sharpen(amount=0.75)",
                               "unsharp(sigma=0.9, amount=1.2)",
                               "median",
                               "threshold(level=0.4)",
                               "gamma(value=1.8)",
                               "saturation(amount=2)",
                               "lut(points=[0.1 0.2 0.9 1])",
                               "blend(amount=0.3)",
                               "motionblur(decay=0.6)",
                               "emboss(depth=1)",
                               "invert(strength=0.9)",
                               "convolve(matrix=[1 2 1; 2 4 2; 1 2 1])",
                               "convolve(matrix=[0 -1 0; -1 8 -1; 0 -1 0], factor=1.5)",
                               "convolve(matrix=[-1 0 1], plus=0.5)"};

glcl::Parameters variant(Size group, int rows, int plan) {
  return {{"group-x", int(group.x)}, {"group-y", int(group.y)}, {"rows", rows}, {"plan", plan}};
}

std::vector<Frame> run(Bench &bench, Chain &chain, const std::vector<Frame> &frames) {
  std::vector<Frame> results;
  for (const Frame &frame : frames) {
    const Picture in = bench.upload(frame, chain.layout(), 3),
                  out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
    chain.run(*bench.queue, in, out);
    results.push_back(bench.download(out));
  }
  return results;
}

/// Counts differences of more than a level, which a different rounding may become after a threshold
/// or another steep filter, and all differences.
struct Difference {
  size_t values = 0, off = 0, far = 0;

  void add(const std::vector<Frame> &a, const std::vector<Frame> &b) {
    for (size_t f = 0; f < a.size(); f++)
      for (size_t i = 0; i < a[f].rgba.size(); i++) {
        const int difference = std::abs(int(a[f].rgba[i]) - int(b[f].rgba[i]));
        values++;
        off += difference > 0;
        far += difference > 1;
      }
  }
};

std::vector<Frame> frames_of(int width, int height, unsigned seed) {
  return {reference::random_frame(width, height, seed), reference::natural_frame(width, height),
          reference::gradient_frame(width, height)};
}

}  // namespace

TEST(test_every_filter_equals_the_reference) {
  Bench bench;
  Agreement agreement;
  int count = 0;  // every other filter on images, the rest on buffers
  for (const char *text : samples) {
    const Description wanted = parse_chain(text, "test", {});
    const bool both = wanted.items[0].filter->frames > 1;
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      if (!both && layout == (count++ % 4 < 2 ? Layout::image : Layout::buffer)) continue;
      Chain chain(*bench.context, wanted, {false, layout, {}});
      for (const auto &[width, height] : {std::pair{1, 1}, {33, 7}, {71, 53}}) {
        chain.reset();
        auto frames = frames_of(width, height, 3);
        frames.push_back(reference::flat_frame(width, height));
        const auto expected = reference::chain(frames, wanted);
        const auto got = run(bench, chain, frames);
        for (size_t f = 0; f < frames.size(); f++)
          agreement.check(got[f], expected[f], std::string(text) + ", frame " + std::to_string(f));
      }
    }
  }
}

TEST(test_bands) {
  Bench bench;
  const Description wanted = parse_chain("gauss(sigma=1.7) ! sobel ! median", "test", {});
  for (const Layout layout : {Layout::image, Layout::buffer})
    for (const int rows : {1, 4}) {
      const Chain::Options options{false, layout, variant({8, 4}, rows, 0)};
      Chain whole(*bench.context, wanted, options), parts(*bench.context, wanted, options);
      const auto frames = frames_of(71, 153, 5);
      std::vector<Frame> got;
      const int bands = in_bands(*bench.queue, [&] { got = run(bench, parts, frames); });
      fail_unless(bands >= 3, "%d launches", bands);
      const auto expected = run(bench, whole, frames);
      for (size_t f = 0; f < frames.size(); f++) check_equal(got[f], expected[f], whole.describe());
    }
}

TEST(test_random_chains_fused_and_one_by_one) {
  Bench bench;
  std::mt19937 random(20);
  const auto pick = [&](size_t n) { return random() % n; };
  Difference by_itself, from_reference;
  for (int round = 0; round < 7; round++) {
    std::string text;
    for (size_t i = 0, n = 2 + pick(4); i < n; i++)
      text += (i ? " ! " : "") + std::string(samples[pick(std::size(samples))]) +
              (pick(6) == 0 ? "*2" : "");
    Description wanted = parse_chain(text, "test", {});
    wanted.iterations = pick(5) == 0 ? 2 : 1;
    const Layout layout = pick(2) ? Layout::image : Layout::buffer;
    const Size groups[] = {{8, 4}, {16, 16}, {32, 2}, {5, 3}};
    const int width = 1 + int(pick(60)), height = 1 + int(pick(50));
    const auto frames = frames_of(width, height, random());
    Chain unfused(*bench.context, wanted,
                  {false, layout, variant({16, 4}, 1, Chain::plan_unfused)});
    const auto apart = run(bench, unfused, frames);
    for (const int plan : {0, int(1 + pick(3))}) {
      const int rows = 1 << pick(3);
      std::unique_ptr<Chain> fused;
      try {
        fused = std::make_unique<Chain>(
            *bench.context, wanted,
            Chain::Options{pick(2) == 0, layout, variant(groups[pick(4)], rows, plan)});
      } catch (const glcl::Error &error) {
        fail_unless(plan > 0, "%s: %s", text.c_str(), error.text().c_str());
        continue;  // there are fewer plans
      }
      Difference here;
      const auto together = run(bench, *fused, frames);
      here.add(together, apart);
      by_itself.add(together, apart);
      fail_unless(here.far == 0, "%s, %d×%d, %s: %zu values are not those of %s", text.c_str(),
                  width, height, fused->describe().c_str(), here.far, unfused.describe().c_str());
    }
    from_reference.add(apart, reference::chain(frames, wanted));
  }
  std::printf("fused: %zu of %zu values differ; reference: %zu differ, %zu by more than a level\n",
              by_itself.off, by_itself.values, from_reference.off, from_reference.far);
  fail_unless(from_reference.far <= from_reference.values / 1000,
              "%zu of %zu are not the reference's", from_reference.far, from_reference.values);
}

TEST(test_channelwise_filters_share_a_table) {
  Bench bench;
  const auto frames = frames_of(61, 23, 8);
  for (const char *text :
       {"saturation ! gamma ! invert", "gauss(sigma=1) ! invert(strength=0.9) ! lut ! median",
        "gamma(value=0.7) ! threshold(level=0.2) ! grey ! invert ! lut ! blend ! gamma*2"})
    for (const Layout layout : {Layout::image, Layout::buffer})
      for (const bool live : {false, true}) {
        const Description wanted = parse_chain(text, "test", {});
        Chain fused(*bench.context, wanted, {live, layout, variant({16, 4}, 2, 0)});
        Chain apart(*bench.context, wanted,
                    {live, layout, variant({16, 4}, 1, Chain::plan_unfused)});
        Difference difference, from_reference;
        const auto together = run(bench, fused, frames);
        difference.add(together, run(bench, apart, frames));
        from_reference.add(together, reference::chain(frames, wanted));
        fail_unless(difference.off == 0 && from_reference.far == 0, "%s: %zu and %zu values differ",
                    fused.describe().c_str(), difference.off, from_reference.far);
      }
}

// A radius may grow with a parameter.
TEST(test_channelwise_filters_with_a_radius_are_none) {
  Bench bench;
  Description wanted = parse_chain("gamma", "test", {});
  wanted.items[0].filter = glcl::chain::parse_filter(
      "//! filter own: text\n//! param r 0..2 = 0\n//! radius r\n//! table t[1] = 1\n"
      "//! channelwise\nfloat4 own(PIXEL) { return at((int)r, 0) * t[0]; }\n",
      "own.cl");
  wanted.items[0].values = wanted.items[0].filter->initial();
  wanted.items[0].values.numbers[0] = 1;
  Chain chain(*bench.context, wanted, {});
  const Frame frame = reference::natural_frame(31, 17), got = run(bench, chain, {frame})[0];
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      fail_unless(got.at(x, y)[0] == frame.at(std::min(x + 1, frame.width - 1), y)[0]);
}

TEST(test_channelwise_filters_know_no_place) {
  Bench bench;
  Description wanted = parse_chain("gamma", "test", {});
  wanted.items[0].filter = glcl::chain::parse_filter(
      "//! filter own: text\n//! table t[2] = i\n//! channelwise\n"
      "float4 own(PIXEL) {\n  return at(0, 0) * t[x % 2];\n}\n",
      "own.cl");
  wanted.items[0].values = wanted.items[0].filter->initial();
  try {
    Chain chain(*bench.context, wanted, {});
    fail_unless(false, "a channelwise filter reads x");
  } catch (const glcl::Error &error) {
    fail_unless(error.text().rfind("own.cl:5:", 0) == 0, "%s", error.text().c_str());
  }
}

TEST(test_a_matrix_of_rank_1_is_separated) {
  using glcl::chain::Matrix;
  glcl::chain::Separated parts;
  fail_unless(separate(Matrix{3, 3, {1, 2, 1, 2, 4, 2, 1, 2, 1}}, parts));
  fail_unless(parts.row == std::vector<double>({0.25, 0.5, 0.25}) &&
              parts.column == std::vector<double>({4, 8, 4}));
  fail_unless(separate(Matrix{3, 3, {0, 0, 0, -1, 0, 1, 0, 0, 0}}, parts));
  fail_unless(parts.row.size() == 3 && parts.column.size() == 1);
  fail_unless(separate(Matrix{3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}}, parts));  // Sobel's
  fail_unless(separate(Matrix{3, 3, {0, 0, 0, 0, 0, 0, 0, 0, 0}}, parts));
  fail_unless(!separate(Matrix{3, 3, {0, 1, 0, 1, 4, 1, 0, 1, 0}}, parts));
  // A Gaussian takes two steps, 5 of its 25 values in each.
  const auto stages = stages_of(parse_chain("gauss(sigma=1, radius=2) ! grey", "test", {}));
  fail_unless(stages.size() == 3 && stages[0].taps() == 5 && stages[1].taps() == 5);
}

// Chains wait for a driver that is to compile one program at a time.
TEST(test_chains_compile_alone) {
  Bench bench;
  const auto build = [&](const std::string &filters) {
    Chain(*bench.context, parse_chain(filters, "test", {}), {});
  };
  const gint64 begin = g_get_monotonic_time();
  build("invert(strength=" + std::to_string(begin % 1000 / 1e3) + ")");  // no cache has it
  const gint64 once = g_get_monotonic_time() - begin;
  if (!glcl::builds_singly(bench.context->device())) return;
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  const glcl::CompilerTask other("another", bench.context->cl(), bench.context->device(), [open] {
    open.wait();
    return cl::Program();
  });
  g_usleep(100 * 1000);  // it has its turn
  std::atomic<bool> done{false};
  std::thread builder([&] {
    build("sharpen(amount=" + std::to_string(begin % 1000 / 1e3) + ")");
    done = true;
  });
  const gint64 end = g_get_monotonic_time() + 4 * once;
  while (g_get_monotonic_time() < end && !done) g_usleep(1000);
  const bool early = done;
  gate.set_value();
  other.get();
  builder.join();
  fail_unless(!early && done, "it compiles beside another one");
}

// One that goes by #line, PoCL's, and one that does not.
TEST(test_logs_of_compilers) {
  const std::string
      source = "int a;\n#line 1 \"my \\\"own\\\".cl\"\nint b;\nint c = d;\n#line 1 \"pass\"\n",
      one_error = "my \"own\".cl:2: no d";
  for (const char *log :
       {"1 warning\nmy \"own\".cl:2:9: error: no d\n", "error: my \"own\".cl:2:9: no d",
        "error: my \"own\".cl:2:9 <Spelling=pass:14:16>: no d",
        "error: my \"own\".cl:2:9: no glcl_12_d", "<kernel>:4:9: error: no d\nint c = d;\n"}) {
    const std::string error = glcl::chain::first_error(log, source);
    fail_unless(error == one_error, "%s", error.c_str());
  }
  // NVIDIA's of functions that are not there.
  const std::string fatal = "ptxas fatal   : Unresolved extern function 'f'\n";
  const struct {
    std::string log, error;
  } of_nvidia[] = {
      {"<kernel>:4:1: warning: implicit declaration of function 'f' is invalid\n"
       "f ( 1 ) ; \n^\n(): Warning: Function k is a kernel\n" +
           fatal,
       "my \"own\".cl:2: implicit declaration of function 'f' is invalid"},
      {"(): Warning: Function k is a kernel\n" + fatal, "Unresolved extern function 'f'"}};
  for (const auto &[log, wanted] : of_nvidia) {
    const std::string error = glcl::chain::first_error(log, source);
    fail_unless(error == wanted, "%s", error.c_str());
  }
}

TEST(test_errors_name_file_and_line) {
  const auto expect = [](const std::string &source, const std::string &place,
                         const std::string &word) {
    try {
      glcl::chain::parse_filter(source, "own.cl");
      fail_unless(false, "“%s” is taken", source.c_str());
    } catch (const glcl::Error &error) {
      const std::string text = error.what();
      fail_unless(text.rfind(place, 0) == 0 && text.find(word) != std::string::npos, "%s",
                  text.c_str());
    }
  };
  const std::string head = "//! filter own: text\n",
                    end = "float4 own(PIXEL) { return at(0, 0); }\n";
  expect(end, "own.cl:1:", "filter NAME");
  expect("\n//! param a 0..1 = 0\n" + head + end, "own.cl:2:", "must begin with");
  expect(head + "//! parm a 0..1 = 0\n" + end, "own.cl:2:", "parm");
  expect(head + "//! param a 0..1 = 2\n" + end, "own.cl:2:", "range");
  expect(head + "//! param a 0..1 = 0\n//! param a 0..1 = 0\n" + end, "own.cl:3:", "a");
  expect(head + "//! radius 65\n" + end, "own.cl:1:", "64");
  expect(head + "//! radius b + 1\n" + end, "own.cl:2:", "b");
  expect(head + "//! radius 1 / 0\n" + end, "own.cl:2:", "finite");
  expect(head + "//! radius 1e20 * 1e20\n" + end, "own.cl:2:", "1e36");
  expect(head + "//! list l = [1e300]: text\n" + end, "own.cl:2:", "1e36");
  expect(head + "//! frames 9\n" + end, "own.cl:2:", "8");
  expect(head + "//! table t[2000] = i\n" + end, "own.cl:1:", "1024");
  expect(head + "float4 other(PIXEL) { return 0; }\n", "own.cl:1:", "float4 own(PIXEL)");
  expect(head + "float4 own(PIXEL) {\n  return at(0, 0;\n}\n", "own.cl:4:", "}");
  expect(head + "float4 own(PIXEL) {\n  return own(HERE);\n}\n", "own.cl:3:", "calls itself");
  const std::string both = head + "float one(PIXEL, float v);\n";
  const std::string other =
      "float other(PIXEL, float v) { return v > 0 ? one(HERE, v - 1) : v; }\n";
  expect(both + other + "float one(PIXEL, float v) { return other(HERE, v); }\n" + end,
         "own.cl:3:", "one calls other, which calls one");
  expect(
      both +
          "#define AGAIN(v) \\\n  one(HERE, v)\nfloat one(PIXEL, float v) { return AGAIN(v); }\n" +
          end,
      "own.cl:5:", "loop");
  for (const char *again : {"(own)(HERE)", "SAME(own)(HERE)", "SAME(AGAIN)(HERE)", "CALL(own)"})
    expect(head +
               "#define SAME(f) f\n#define CALL(f) f(HERE)\n#define AGAIN own\n"
               "float4 own(PIXEL) { return " +
               again + "; }\n",
           "own.cl:5:", "calls itself");
  expect(head + "#define BODY { return own(HERE); }\nfloat4 own(PIXEL) BODY\n",
         "own.cl:3:", "calls itself");
  expect(head + "#define MAKE(f) float f(float v) { return f(v); }\nMAKE(other)\n" + end,
         "own.cl:3:", "other calls itself");
  expect(head + "//! weights 1\n" + end, "own.cl:1:", "not both");
  expect(head + "//! channelwise\n//! radius 1\n" + end, "own.cl:1:", "not have a radius");
  expect(head + "//! channelwise\n//! frames 2\n" + end, "own.cl:1:", "one input frame");
  expect(head + "//! channelwise\n//! weights 1\n", "own.cl:1:", "needs a function");
}

/// A filter with a text next to its function, which returns its own input.
std::shared_ptr<const glcl::chain::Filter> own_filter(const std::string &text,
                                                      const std::string &value = "at(0, 0)") {
  return glcl::chain::parse_filter(
      "//! filter own: text\n" + text + "\nfloat4 own(PIXEL) { return " + value + "; }\n",
      "own.cl");
}

/// The compiler's input for a filter.
std::string compiled(const std::string &text, const std::string &value = "at(0, 0)") {
  const auto filter = own_filter(text, value);
  return filter->code.text("glcl_7_");
}

/// The chain of one filter.
Description chain_of(const std::shared_ptr<const glcl::chain::Filter> &filter) {
  return {{{filter, filter->name, filter->initial(), 1}}, 1, {}};
}

// Every spelling of a directive that reads a file, and every way to a word that is not allowed.
TEST(test_a_filter_reaches_nothing_outside_of_its_file) {
  struct Case {
    const char *text, *place, *word;
  };
  for (const Case &one :
       std::vector<Case>{{"#include \"/etc/passwd\"", "own.cl:2:", "#include"},
                         {"#include </etc/passwd>", "own.cl:2:", "#include"},
                         {"#inc\\\nlude </etc/passwd>", "own.cl:2:", "#include"},
                         {"#inc\\ \t\r\nlude </etc/passwd>", "own.cl:2:", "#include"},
                         {"\n#\\\n\\\ninclude </etc/passwd>", "own.cl:3:", "#include"},
                         {"/* \n */ # /* */ include </etc/passwd>", "own.cl:3:", "#include"},
                         {"int a; // \\\n\r#include </etc/passwd>", "own.cl:4:", "#include"},
                         {"%:include </etc/passwd>", "own.cl:2:", "%:"},
                         {"%\\\n:include </etc/passwd>", "own.cl:2:", "%:"},
                         {"?\?=include </etc/passwd>", "own.cl:2:", "??"},
                         {"#import </etc/passwd>", "own.cl:2:", "#import"},
                         {"#include_next <a>", "own.cl:2:", "#include_next"},
                         {"#embed </etc/passwd>", "own.cl:2:", "#embed"},
                         {"#line 1", "own.cl:2:", "#line"},
                         {"#if __has_include(<a>)\n#endif", "own.cl:2:", "__has_include"},
                         {"#ifdef nothing\n#include <a>\n#endif", "own.cl:3:", "#include"},
                         {"#define JOIN(a, b) a##b\nJOIN(__as, m__)", "own.cl:2:", "##"},
                         {"#define JOIN(a, b) a#\\\n#b", "own.cl:2:", "##"},
                         {"#define TEXT(a) #a", "own.cl:2:", "#"},
                         {"#pragma OPENCL FP_CONTRACT ON", "own.cl:2:", "#pragma"},
                         {"#pragma include_alias", "own.cl:2:", "#pragma"},
                         {"__as\\\nm__(0);", "own.cl:2:", "__asm__"},
                         {"#define A __attribute__\nA int a;", "own.cl:3:", "__attribute__"},
                         {"__constant char name[] = __FILE__;", "own.cl:2:", "__FILE__"},
                         {"__builtin_trap();", "own.cl:2:", "__builtin_trap"},
                         {"__constant char t[] = \"a\";", "own.cl:2:", "strings"},
                         {"int \\u0061sm;", "own.cl:2:", "“\\”"},
                         {"int \xc3\xa4;", "own.cl:2:", "\xc3\xa4"},
                         {"int a$b;", "own.cl:2:", "$"}}) {
    try {
      own_filter(one.text);
      fail_unless(false, "“%s” is taken", one.text);
    } catch (const glcl::Error &error) {
      const std::string text = error.what();
      fail_unless(text.rfind(one.place, 0) == 0 && text.find(one.word) != std::string::npos,
                  "“%s”: %s", one.text, text.c_str());
    }
  }
  // Words that are not allowed mean nothing: they get the name of the file's own.
  for (const char *word : {"printf", "system", "asm", "kernel", "global", "local", "barrier",
                           "include", "write_imagef", "get_global_id", "typeof", "_Pragma",
                           "GLCL_GIVEN", "glcl_values", "extern", "vstore4", "atomic_add"}) {
    const std::string text = compiled("#define CALL(f) f\n", "CALL(" + std::string(word) + ")(1)"),
                      named = "glcl_7_" + std::string(word) + " (";
    fail_unless(text.find(named) != std::string::npos, "%s", text.c_str());
  }
  fail_unless(compiled("", "1 < :0 ? at(0, 0).xyz : 0").find("< :") != std::string::npos,
              "signs become others");
}

// Missing names are reported when the filter is built, with the line or the name.
TEST(test_functions_outside_of_a_filter_do_not_build) {
  Bench bench;
  for (const char *source : {"//! filter own: text\nfloat4 own(PIXEL) {\n  int system(int);\n"
                             "  return at(0, 0) + system(1);\n}\n",
                             "//! filter own: text\nfloat4 own(PIXEL) {\n\n"
                             "  barrier(1);\n  return at(0, 0);\n}\n",
                             "//! filter own: text\n\n\nglobal int *where;\n"
                             "float4 own(PIXEL) { return at(0, 0); }\n"}) {
    try {
      Chain chain(*bench.context, chain_of(glcl::chain::parse_filter(source, "own.cl")), {});
      fail_unless(false, "“%s” builds", source);
    } catch (const glcl::Error &error) {
      const std::string text = error.text();
      fail_unless(text.rfind("own.cl:4:", 0) == 0 ||
                      text.find("symbol system") != std::string::npos ||
                      text.find("function 'system'") != std::string::npos,
                  "%s", text.c_str());
    }
  }
}

// A line of a comment or a directive can't be had from a file's name.
TEST(test_names_of_files_stay_names) {
  Bench bench;
  const std::string name = "a\n#include </etc/passwd>\r\n\"?\?/\".cl";
  const auto filter = glcl::chain::parse_filter(
      "//! filter own: text\nfloat4 own(PIXEL) { return nothing; }\n", name);
  try {
    Chain chain(*bench.context, chain_of(filter), {});
    fail_unless(false, "it builds");
  } catch (const glcl::Error &error) {
    fail_unless(error.text().find("nothing") != std::string::npos, "%s", error.text().c_str());
  }
}

// Joined lines, conditions, macros of macros, types, own functions with the names of others, and
// two uses of one filter.
TEST(test_what_filters_may_write) {
  Bench bench;
  const auto filter = glcl::chain::parse_filter(
      "//! filter own: text\n"
      "//! param mix 0..1 = 1: named as a function\n"
      "//! list points = [0.25 0.5]\n"
      "//! table half_of[3] = i / 2\n"
      "#define RED\\\n 1\n"
      "#if !defined(GREEN) && (RED + 1) * 2 == 4 // the first\n"
      "#define PICK\n"
      "#undef PICK\n"
      "#define PICK(c) ((c).y)\n"
      "#elif 1 / 0\n"
      "#else\n"
      "#define PICK(c) nothing(c)\n"
      "#endif\n"
      "#define EMPTY\n"
      "#define sqrt(v) sqrt(fabs(v))\n"
      "#define CLAMPED(v) clamp(v, 0.0f, 1.0f)\n"
      "typedef struct { float lo, value; } pair;\n"
      "enum { third = 2 };\n"
      "__constant float weights[2] = {0.5f, 1.0e+0f};\n"
      "static inline float length(pair p) { return p.lo + p.value; }\n"
      "float twice(PIXEL, float v);\n"
      "float4 own(PIXEL) {\n"
      "  const float4 c = at(0, 0);\n"
      "  pair p = {0.0f, PICK(c)};\n"
      "  p.lo += EMPTY 0.0f;\n"
      "  float sum = 0;\n"
      "#pragma unroll 2\n"
      "  for (int i = 0; i < 2; ++i) sum += weights[i] * half_of[third] * points[i] * 0x1p0f;\n"
      "  const float v = CLAMPED(sqrt(-length(p) * length(p)));\n"
      "  return (float4)(mix * v, twice(HERE, v) / 2, sum, c.w);\n"
      "}\n"
      "float twice(PIXEL, float v) { return v + v + 0 * mix; }\n",
      "own.cl");
  Description wanted = chain_of(filter);
  wanted.items[0].times = 2;
  Chain chain(*bench.context, wanted, {});
  const Frame frame = reference::natural_frame(31, 17), got = run(bench, chain, {frame})[0];
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      fail_unless(got.at(x, y)[0] == frame.at(x, y)[1] && got.at(x, y)[1] == frame.at(x, y)[1] &&
                  got.at(x, y)[2] == 159);  // 0.625
}

// Each would keep a compiler, or this code, busy forever or exhaust its stack.
TEST(test_sizes_of_filters_are_limited) {
  const auto expect = [](const std::string &text, const std::string &limit,
                         const std::string &value = "at(0, 0)") {
    try {
      own_filter(text, value);
      fail_unless(false, "%.60s is taken", text.c_str());
    } catch (const glcl::Error &error) {
      const std::string said = error.what();
      fail_unless(said.find(limit) != std::string::npos && said.size() < 400, "%s", said.c_str());
    }
  };
  const auto repeated = [](const std::string &text, int times) {
    std::string all;
    for (int i = 0; i < times; i++) all += text;
    return all;
  };
  std::string laughs = "#define a0 1 + 1\n", calls = "float f0(float v) { return v; }\n",
              names = "#define b0 1\n", functions;
  for (int i = 1; i < 32; i++) {
    const std::string n = std::to_string(i), last = std::to_string(i - 1);
    laughs += "#define a" + n + " a" + last + " + a" + last + "\n";
    calls += "float f" + n + "(float v) { return f" + last + "(v) + f" + last + "(v); }\n";
  }
  for (int i = 1; i < 2000; i++) {
    names += "#define b" + std::to_string(i) + " b" + std::to_string(i - 1) + "\n";
    functions += "int g" + std::to_string(i) + "(void);\n";
  }
  expect(laughs, "65536", "a20");
  expect(laughs, "65536", "a31");
  expect(names, "too deep", "b1999");
  expect("#define ID(v) v\n", "too deep", repeated("ID(", 5000) + "1" + repeated(")", 5000));
  expect(calls, "4096", "f31(1)");
  expect(functions, "256");
  expect("", "64", repeated("(", 10000) + "1" + repeated(")", 10000));
  expect(repeated("#if 1\n", 10000), "too deep");
  expect("#if " + repeated("!", 10000) + "1\n#endif\n", "too deep");
  expect("#if " + repeated("(", 10000) + "1\n#endif\n", "too deep");
  expect("int " + std::string(60000, 'a') + ";\n", "64 characters");
  expect("//! param " + std::string(60000, 'a') + " 0..1 = 0\n", "64 characters");
  expect("//! radius 1" + repeated("+1", 30000) + "\n", "256");
  expect("//! radius " + repeated("1-(", 10000) + "1" + repeated(")", 10000) + "\n",
         "32 nested brackets");
  expect("//! radius " + repeated("min(1,", 5000) + "1" + repeated(")", 5000) + "\n",
         "32 nested brackets");
  expect("//! radius unknown(1" + repeated(",1", 30000) + ")\n", "256");
  expect("//! radius 1 " + std::string(60000, '!') + "\n", "not allowed here");
}

TEST(test_what_is_no_recursion) {
  for (const char *source :
       {"float part(float v) { const float part = 2 * v; return part + 1; }\n",
        "float part(float v);\nfloat whole(float v) { return part(v); }\n"
        "float part(float v) { return v; }\n",
        "#define sqrt(v) sqrt(fabs(v))\nfloat part(float v) { return sqrt(v); }\n",
        "#define twice(part) (2 * part)\nfloat part(float v) { return twice(v); }\n",
        "float part(float v) { return v; }\n__constant float t[1] = {1};\n"
        "float whole(float v) { return part(v) * t[0] + part(v); }\n"})
    glcl::chain::parse_filter("//! filter own: text\n" + std::string(source) +
                                  "float4 own(PIXEL) { return at(0, 0) * part(1); }\n",
                              "own.cl");
}

TEST(test_values_that_change) {
  Bench bench;
  const Frame frame = reference::natural_frame(61, 47);
  Description wanted = parse_chain("gauss(sigma=1.2) ! threshold(level=0.3) ! unsharp", "test", {});
  Chain fixed(*bench.context, wanted, {}), live(*bench.context, wanted, {true, {}, {}});
  fail_unless(fixed.takes(wanted) && live.takes(wanted));
  wanted.items[0].values.numbers[0] = 1.3;  // the same radius
  wanted.items[1].values.numbers[0] = 0.5;
  fail_unless(!fixed.takes(wanted) && live.takes(wanted));
  live.set(wanted);
  Agreement agreement;
  agreement.check(run(bench, live, {frame})[0], reference::chain(frame, wanted), "other values");
  wanted.items[0].values.numbers[0] = 3;
  fail_unless(!live.takes(wanted));
  wanted = parse_chain("gamma ! invert", "test", {});
  Chain table(*bench.context, wanted, {true, {}, {}});
  for (const double value : {2.2, 0.5, 3.0}) {
    wanted.items[0].values.numbers[0] = value;
    table.set(wanted);
    for (int frames = 0; frames < 2; frames++)
      agreement.check(run(bench, table, {frame})[0], reference::chain(frame, wanted), "a table");
  }
}

/// A blur in double precision that reads as far as a Gaussian is more than nothing.
Frame blurred(const Frame &frame, double sigma) {
  const int reach = static_cast<int>(std::ceil(8 * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (int d = -reach; d <= reach; d++) {
    weights.push_back(std::exp(-d * d / (2 * sigma * sigma)));
    sum += weights.back();
  }
  const auto pass = [&](const std::vector<double> &in, int dx, int dy) {
    std::vector<double> out(in.size());
    for (int y = 0; y < frame.height; y++)
      for (int x = 0; x < frame.width; x++)
        for (int d = -reach; d <= reach; d++) {
          const int from_x = std::clamp(x + d * dx, 0, frame.width - 1),
                    from_y = std::clamp(y + d * dy, 0, frame.height - 1);
          for (int c = 0; c < 4; c++)
            out[(size_t(y) * frame.width + x) * 4 + c] +=
                weights[d + reach] / sum * in[(size_t(from_y) * frame.width + from_x) * 4 + c];
        }
    return out;
  };
  const auto values = pass(pass({frame.rgba.begin(), frame.rgba.end()}, 1, 0), 0, 1);
  Frame out = frame;
  for (size_t i = 0; i < values.size(); i++)
    if (i % 4 < 3) out.rgba[i] = static_cast<uint8_t>(std::lround(values[i]));
  return out;
}

TEST(test_a_gaussian_is_one) {
  Bench bench;
  Frame edge(61, 47);  // white next to black
  for (int y = 0; y < edge.height; y++)
    for (int x = 0; x < edge.width; x++)
      for (int c = 0; c < 4; c++) edge.at(x, y)[c] = x < 30 || c == 3 ? 255 : 0;
  for (const double sigma : {0.8, 2.0, 5.0}) {
    const auto wanted = parse_chain("gauss(sigma=" + std::to_string(sigma) + ")", "test", {});
    Chain chain(*bench.context, wanted, {});
    Agreement agreement;
    agreement.most = 0.3;
    for (const Frame &frame :
         {edge, reference::natural_frame(61, 47), reference::random_frame(61, 47)})
      agreement.check(run(bench, chain, {frame})[0], blurred(frame, sigma), chain.describe());
  }
}

TEST(test_the_largest_radius) {
  Bench bench;
  const Frame frame = reference::natural_frame(47, 61);
  std::string row = "[";
  for (int i = 0; i < 129; i++) row += i % 3 ? "1 " : "2 ";
  const Description wanted =
      parse_chain("convolve(matrix=" + row + "]) ! gauss(sigma=20)", "test", {});
  Chain chain(*bench.context, wanted, {});
  Agreement agreement;
  agreement.check(run(bench, chain, {frame})[0], reference::chain(frame, wanted), chain.describe());
}
