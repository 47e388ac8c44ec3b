// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of filters: allowed and refused text, and the words of errors.
#include "chain/build.h"
#include "chain/chain.h"
#include "kernels/engine.h"

using glcl::chain::Chain;
using glcl::chain::Description;
using glcl::chain::parse_chain;

// One that goes by #line, PoCL's, and one that does not.
TEST(test_logs_of_compilers) {
  const std::string
      source = "int a;\n#line 1 \"my \\\"own\\\".cl\"\nint b;\nint c = d;\n#line 1 \"pass\"\n",
      one_error = "my \"own\".cl:2: no d";
  for (const char *log :
       {"1 warning\nmy \"own\".cl:2:9: error: no d\n", "error: my \"own\".cl:2:9: no d",
        "error: my \"own\".cl:2:9 <Spelling=pass:14:16>: no d",
        "error: my \"own\".cl:2:9: no glcl_12_d", "<kernel>:4:9: error: no d\nint c = d;\n",
        "input.cl:4:9: error: no d\n    2 | int c = d;\n"}) {
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
  // Those of Mesa's rusticl.
  fail_unless(glcl::chain::first_error("(file=input,line=0,column=0,index=0): Unresolved external "
                                       "reference to \"glcl_3_f\".\n",
                                       source) == "undefined function 'f'");
  const std::string linked =
      glcl::chain::first_error("Internal compilation error: nir_shader not fully linked\n", source);
  fail_unless(linked.find("use sinpi, cospi and mad") != std::string::npos, "%s", linked.c_str());
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
  const Frame frame = reference::natural_frame(31, 17);
  const Picture in = bench.upload(frame, chain.layout(), 3),
                out = bench.upload(Frame(frame.width, frame.height), chain.layout(), 5);
  chain.run(*bench.queue, in, out);
  const Frame got = bench.download(out);
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
