// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cube.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "opencl/source.h"

namespace glcl::chain {

namespace {

using std::string_view;

std::string text_of(double number) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%.9g", number);
}

/// The beginning of a word in quotes, as valid UTF-8.
std::string shown(string_view word) {
  g_autofree gchar *valid = g_utf8_make_valid(word.data(), static_cast<gssize>(word.size()));
  return "“" + beginning(valid) + "”";
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }
bool is_of_number(char c) {
  return g_ascii_isdigit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/// Reads a line word by word.
class Words {
 public:
  explicit Words(string_view line) : rest_(line) {}

  /// The next word; empty at the end of the line.
  string_view next() {
    const auto begin = std::find_if_not(rest_.begin(), rest_.end(), is_blank);
    const auto end = std::find_if(begin, rest_.end(), is_blank);
    const string_view word = rest_.substr(begin - rest_.begin(), end - begin);
    rest_.remove_prefix(end - rest_.begin());
    return word;
  }

 private:
  string_view rest_;
};

/// A range of the input that the file states, and the keyword for messages.
struct Domain {
  std::array<double, 3> low{0, 0, 0}, high{1, 1, 1};
  const char *keyword = nullptr;
  int line = 0;
};

class CubeParser {
 public:
  CubeParser(const std::string &text, std::string file)
      : text_(text), location_{std::move(file), 0} {}

  std::shared_ptr<const Cube> read() {
    for (string_view rest = text_; !rest.empty();) {
      location_.line++;
      const size_t end = std::find_if(rest.begin(), rest.end(), ends_line) - rest.begin();
      string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + (rest.substr(end, 2) == "\r\n" ? 2 : 1), rest.size()));
      this->line(line.substr(0, line.find('#')));
    }
    location_.line = std::max(location_.line, 1);
    if (!expected()) refuse_without_size();
    if (rows_ < expected())
      fail(location_, sizes() + " needs " + std::to_string(expected()) +
                          " lines of three numbers, but the file has " + std::to_string(rows_) +
                          ". Export the table again.");
    set_ranges();
    return std::make_shared<const Cube>(std::move(cube_));
  }

 private:
  using Read = void (CubeParser::*)(Words &words, const char *keyword);
  struct Keyword {
    const char *name;
    Read read;
  };

  void line(string_view line) {
    Words words(line), after = words;
    const string_view first = after.next();
    if (first.empty()) return;
    if (g_ascii_isdigit(first[0]) || std::strchr("+-.", first[0])) return row(words);
    static const Keyword keywords[] = {{"TITLE", nullptr},
                                       {"LUT_1D_SIZE", &CubeParser::size},
                                       {"LUT_3D_SIZE", &CubeParser::size},
                                       {"DOMAIN_MIN", &CubeParser::bound},
                                       {"DOMAIN_MAX", &CubeParser::bound},
                                       {"LUT_1D_INPUT_RANGE", &CubeParser::range},
                                       {"LUT_3D_INPUT_RANGE", &CubeParser::range}};
    for (const Keyword &keyword : keywords) {
      if (first != keyword.name) continue;
      if (keyword.read) (this->*keyword.read)(after, keyword.name);
      return;
    }
    std::string known;
    for (const Keyword &keyword : keywords)
      known += (known.empty() ? "" : ", ") + std::string(keyword.name);
    fail(location_, shown(first) + " is neither a number nor one of " + known +
                        ". Correct or remove the line.");
  }

  size_t expected() const {
    const size_t edge = cube_.lattice.size;
    return cube_.curve.size + edge * edge * edge;
  }

  std::string sizes() const {
    const auto named = [](const char *name, const ColourTable &table) {
      return table.size ? name + (" " + std::to_string(table.size)) : std::string();
    };
    const std::string curve = named("LUT_1D_SIZE", cube_.curve),
                      lattice = named("LUT_3D_SIZE", cube_.lattice);
    return curve + (curve.empty() || lattice.empty() ? "" : " with ") + lattice;
  }

  [[noreturn]] void refuse_without_size() const {
    fail(location_,
         "the size of the table is missing: write LUT_1D_SIZE or LUT_3D_SIZE before the numbers.");
  }

  double number(Words &words, const std::string &where) {
    const string_view word = words.next();
    if (word.empty()) fail(location_, where + ", but a number is missing here.");
    const bool plain = std::all_of(word.begin(), word.end(), is_of_number);
    char *end = nullptr;
    const double value = plain ? g_ascii_strtod(word.data(), &end) : 0;
    if (end != word.data() + word.size())
      fail(location_, shown(word) + " is not a finite number, such as 0.25 or 1e-3.");
    if (!(std::fabs(value) <= largest_number)) fail(location_, "numbers go from -1e36 to 1e36.");
    return value;
  }

  void end(Words &words, const std::string &where) {
    const string_view more = words.next();
    if (!more.empty()) fail(location_, where + ", but " + shown(more) + " follows.");
  }

  void row(Words &words) {
    static const std::string where = "a line of the table has three numbers";
    if (!expected()) refuse_without_size();
    if (rows_ == expected())
      fail(location_, "the table goes on after the " + std::to_string(rows_) + " lines of " +
                          sizes() + ". Correct the size, or remove the rest.");
    ColourTable &table = rows_ < size_t(cube_.curve.size) ? cube_.curve : cube_.lattice;
    for (int c = 0; c < 3; c++) table.points.push_back(static_cast<float>(number(words, where)));
    table.points.push_back(0);
    end(words, where);
    rows_++;
  }

  void size(Words &words, const char *keyword) {
    const bool is_curve = std::strcmp(keyword, "LUT_1D_SIZE") == 0;
    ColourTable &table = is_curve ? cube_.curve : cube_.lattice;
    const std::string name = keyword, where = name + " has one number";
    if (rows_) fail(location_, name + " must come before the numbers of the table.");
    if (table.size) fail(location_, name + " appears twice. Remove one of them.");
    const double size = number(words, where);
    const int most = is_curve ? max_curve : max_lattice;
    if (size < 2 || size > most || size != std::floor(size))
      fail(location_, name + " is " + text_of(size) + "; it must be a whole number from 2 to " +
                          std::to_string(most) + ". Export the table with such a size.");
    end(words, where);
    table.size = static_cast<int>(size);
    // A size may lie: the text bounds the memory.
    const size_t shortest = 6;  // "0 0 0" and the end of the line
    table.points.reserve(4 * std::min(expected(), text_.size() / shortest + 1));
  }

  void bound(Words &words, const char *keyword) {
    const std::string where = keyword + std::string(" has three numbers");
    std::array<double, 3> &bound =
        std::strcmp(keyword, "DOMAIN_MIN") == 0 ? domain_.low : domain_.high;
    for (double &value : bound) value = number(words, where);
    end(words, where);
    domain_.keyword = keyword;
    domain_.line = location_.line;
  }

  void range(Words &words, const char *keyword) {
    const std::string where = keyword + std::string(" has two numbers");
    Domain &range = std::strcmp(keyword, "LUT_1D_INPUT_RANGE") == 0 ? curve_range_ : lattice_range_;
    range.low.fill(number(words, where));
    range.high.fill(number(words, where));
    end(words, where);
    range.keyword = keyword;
    range.line = location_.line;
  }

  /// Gives each table the range of its own, and the first one the domain of the file otherwise.
  void set_ranges() {
    bool first = true;
    for (const auto &[table, own] :
         {std::pair{&cube_.curve, &curve_range_}, {&cube_.lattice, &lattice_range_}}) {
      if (!table->size) continue;
      const Domain none, &range = own->keyword ? *own : first ? domain_ : none;
      first = false;
      for (int c = 0; c < 3; c++)
        if (!(range.high[c] - range.low[c] >= least_domain))
          fail({location_.file, range.line},
               range.keyword + std::string(" makes the range of the input go from ") +
                   text_of(range.low[c]) + " to " + text_of(range.high[c]) +
                   "; the upper end must be larger by 1e-6 at least.");
      table->low = range.low;
      table->high = range.high;
    }
  }

  const std::string &text_;
  SourceLocation location_;
  Cube cube_;
  size_t rows_ = 0;
  Domain domain_, curve_range_, lattice_range_;
};

}  // namespace

bool is_cube(const std::string &name) {
  static const std::string ending = ".cube";
  return name.size() >= ending.size() &&
         g_ascii_strcasecmp(name.c_str() + name.size() - ending.size(), ending.c_str()) == 0;
}

std::shared_ptr<const Cube> parse_cube(const std::string &text, const std::string &file) {
  return CubeParser(text, file).read();
}

std::shared_ptr<const Filter> cube_filter(std::shared_ptr<const Cube> cube) {
  // Without the line `#line`.
  const std::string source = kernel_source("chain/cube.cl");
  auto filter =
      std::make_shared<Filter>(*parse_filter(source.substr(source.find('\n') + 1), "cube.cl"));
  filter->parameters.push_back({"interpolation",
                                "how colours between the points of a 3D table are computed",
                                0,
                                1,
                                0,
                                {"tetrahedral", "trilinear"}});
  filter->source += std::to_string(cube->curve.size) + " " + std::to_string(cube->lattice.size);
  filter->channelwise = cube->lattice.size == 0;
  filter->cube = std::move(cube);
  return filter;
}

}  // namespace glcl::chain
