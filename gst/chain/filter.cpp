// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filter.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>

namespace glcl::chain {

namespace {

constexpr const char mark[] = "//!";

std::string stripped(const std::string &text) {
  const auto blank = [](char c) { return g_ascii_isspace(c); };
  const auto begin = std::find_if_not(text.begin(), text.end(), blank);
  const auto end = std::find_if_not(text.rbegin(), text.rend(), blank).base();
  return begin < end ? std::string(begin, end) : std::string();
}

/// The text before and after the first `at`.
std::pair<std::string, std::string> parted(const std::string &text, char at) {
  const size_t found = text.find(at);
  if (found == std::string::npos) return {stripped(text), {}};
  return {stripped(text.substr(0, found)), stripped(text.substr(found + 1))};
}

/// Reads the lines of a declaration into a filter.
class Declaration {
 public:
  Declaration(Filter &filter, std::string file) : filter_(filter), location_{std::move(file), 0} {}

  void read(const std::string &source) {
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);) {
      location_.line++;
      line = stripped(line);
      if (line.rfind(mark, 0) == 0) directive(stripped(line.substr(sizeof mark - 1)));
    }
    if (filter_.name.empty())
      fail({location_.file, 1},
           "this is not a filter: the line “//! filter NAME: what it does” is missing.");
  }

 private:
  void directive(const std::string &line) {
    Cursor cursor(line, location_);
    const std::string word = cursor.name();
    cursor.skip();
    if (filter_.name.empty() && word != "filter")
      fail(location_, "the declaration must begin with “//! filter NAME: what it does”.");
    if (word == "filter")
      head(cursor);
    else if (word == "param")
      parameter(cursor);
    else if (word == "list")
      list(cursor);
    else if (word == "table")
      table(cursor);
    else if (word == "radius")
      filter_.radius = Expression::parse(cursor.rest(), location_);
    else if (word == "frames")
      frames(cursor);
    else if (word == "channelwise")
      filter_.channelwise = true;
    else if (word == "weights")
      filter_.weights = Expression::parse(cursor.rest(), location_);
    else if (word == "gain")
      filter_.gain = Expression::parse(cursor.rest(), location_);
    else if (word == "offset")
      filter_.offset = Expression::parse(cursor.rest(), location_);
    else
      fail(location_, "“" + word +
                          "” is unknown; a declaration may use filter, param, list, table, radius, "
                          "frames, channelwise, weights, gain and offset.");
  }

  void head(Cursor &cursor) {
    if (!filter_.name.empty()) fail(location_, "a file can declare one filter only.");
    filter_.name = cursor.name();
    if (filter_.name.empty()) fail(location_, "the filter needs a name: letters, digits and _.");
    filter_.text = blurb(cursor);
  }

  std::string blurb(Cursor &cursor) {
    cursor.skip();
    if (!cursor.done() && !cursor.accept(':')) fail(location_, "a : was expected before the text.");
    return stripped(cursor.rest());
  }

  std::string fresh_name(Cursor &cursor) {
    static const std::set<std::string> taken{"x",  "y",  "width", "height", "at",    "earlier", "i",
                                             "dx", "dy", "name",  "parent", "PIXEL", "HERE"};
    std::string name = cursor.name();
    if (name.empty()) fail(location_, "a name was expected: letters, digits and _.");
    // GObject's properties begin with a letter.
    if (name[0] == '_' || taken.count(name) || name.rfind("glcl", 0) == 0 ||
        !names_.insert(name).second)
      fail(location_, "the name " + name + " is reserved; choose another one.");
    return name;
  }

  void parameter(Cursor &cursor) {
    if (filter_.parameters.size() >= max_parameters)
      fail(location_, "a filter has at most " + std::to_string(max_parameters) + " parameters.");
    Parameter parameter;
    parameter.name = fresh_name(cursor);
    // “0..8” would read as “0.” and “.8”.
    const auto [range, rest] = parted(cursor.rest(), '=');
    const size_t dots = range.find("..");
    if (dots == std::string::npos || rest.empty())
      fail(location_, "write a parameter as “//! param NAME LOW..HIGH = DEFAULT: what it means”.");
    parameter.low = number(range.substr(0, dots));
    parameter.high = number(range.substr(dots + 2));
    Cursor after(rest, location_);
    parameter.initial = after.number();
    parameter.text = blurb(after);
    if (!(parameter.low <= parameter.initial && parameter.initial <= parameter.high))
      fail(location_, "the default of " + parameter.name + " is outside its range.");
    filter_.parameters.push_back(parameter);
  }

  double number(const std::string &text) {
    Cursor cursor(stripped(text), location_);
    const double value = cursor.number();
    if (!cursor.done()) fail(location_, "“" + beginning(text) + "” is not a number.");
    return value;
  }

  void list(Cursor &cursor) {
    List list;
    list.name = fresh_name(cursor);
    cursor.skip();
    if (!cursor.accept('='))
      fail(location_, "write a list as “//! list NAME = [1 2; 3 4]: what it means”.");
    cursor.skip();
    list.initial = parse_matrix(cursor);
    list.text = blurb(cursor);
    if (filter_.lists.size() >= max_parameters) fail(location_, "the filter has too many lists.");
    filter_.lists.push_back(list);
  }

  void table(Cursor &cursor) {
    const std::string name = fresh_name(cursor);
    const auto [size, value] = parted(cursor.rest(), '=');
    if (size.size() < 3 || size.front() != '[' || size.back() != ']' || value.empty())
      fail(location_, "write a table as “//! table NAME[SIZE] = value of i”.");
    if (filter_.tables.size() >= max_parameters) fail(location_, "the filter has too many tables.");
    filter_.tables.push_back({name, Expression::parse(size.substr(1, size.size() - 2), location_),
                              Expression::parse(value, location_)});
  }

  void frames(Cursor &cursor) {
    const double frames = cursor.number();
    if (frames < 1 || frames > max_frames || frames != std::floor(frames))
      fail(location_,
           "frames must be a whole number from 1 to " + std::to_string(max_frames) + ".");
    filter_.frames = static_cast<int>(frames);
  }

  Filter &filter_;
  SourceLocation location_;
  std::set<std::string> names_;
};

}  // namespace

Matrix parse_matrix(Cursor &cursor) {
  constexpr int most = 2 * max_radius + 1;
  if (!cursor.accept('['))
    fail(cursor.location(), "write a list as numbers in [ ], with rows separated by ;.");
  Matrix matrix{0, 1, {}};
  int column = 0;
  const auto end_row = [&] {
    if (matrix.width == 0) matrix.width = column;
    if (column == 0 || column != matrix.width)
      fail(cursor.location(), "all rows of a list need the same number of values, at least one.");
    column = 0;
  };
  for (;;) {
    cursor.skip();
    if (cursor.accept(']')) break;
    if (cursor.accept(';')) {
      end_row();
      matrix.height++;
    } else if (cursor.accept(',')) {
      continue;
    } else {
      matrix.values.push_back(cursor.number());
      column++;
    }
    if (column > max_table || matrix.height > most || matrix.values.size() > size_t(most) * most)
      fail(cursor.location(), "the list is too long.");
  }
  end_row();
  return matrix;
}

std::string describe(const Matrix &matrix) {
  std::string text = "[";
  for (int y = 0; y < matrix.height; y++)
    for (int x = 0; x < matrix.width; x++) {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      text += x ? " " : y ? "; " : "";
      text += g_ascii_formatd(number, sizeof number, "%.9g", matrix.at(x, y));
    }
  return text + "]";
}

std::string describe(const Parameter &parameter, double value) {
  if (!parameter.choices.empty()) return parameter.choices[static_cast<size_t>(value)];
  const std::string number = describe(Matrix{1, 1, {value}});
  return number.substr(1, number.size() - 2);
}

Values Filter::initial() const {
  Values values;
  for (const Parameter &parameter : parameters) values.numbers.push_back(parameter.initial);
  for (const List &list : lists) values.lists.push_back(list.initial);
  return values;
}

Expression::Scope Filter::scope(const Values &values,
                                std::vector<std::pair<std::string, const double *>> more) const {
  return [this, &values, more = std::move(more)](const std::string &wanted,
                                                 const std::vector<double> &arguments) {
    if (arguments.size() == 2)
      for (size_t l = 0; l < lists.size(); l++)
        if (lists[l].name == wanted) {
          const Matrix &list = values.lists[l];
          const int middle_x = (list.width - 1) / 2, middle_y = (list.height - 1) / 2;
          const double x = arguments[0] + middle_x, y = arguments[1] + middle_y;
          const bool inside = x >= 0 && y >= 0 && x < list.width && y < list.height;
          return inside ? list.at(static_cast<int>(x), static_cast<int>(y)) : 0.0;
        }
    if (!arguments.empty()) throw std::out_of_range(wanted);
    for (const auto &[known, value] : more)
      if (known == wanted) return *value;
    for (size_t p = 0; p < parameters.size(); p++)
      if (parameters[p].name == wanted) return values.numbers[p];
    for (size_t l = 0; l < lists.size(); l++) {
      if (lists[l].name + "_width" == wanted) return double(values.lists[l].width);
      if (lists[l].name + "_height" == wanted) return double(values.lists[l].height);
    }
    throw std::out_of_range(wanted);
  };
}

bool Filter::reads(const std::string &member) const {
  const auto named = [&](const auto &declared) {
    return std::any_of(declared.begin(), declared.end(),
                       [&](const auto &one) { return one.name == member; });
  };
  return code.reads(member) && !named(parameters) && !named(lists) && !named(tables);
}

int Filter::radius_for(const Values &values) const {
  const double wanted = std::ceil(radius.evaluate(scope(values)));
  if (wanted > max_radius)
    fail({file, 1}, name + " reads " + std::to_string(static_cast<long>(std::min(wanted, 1e9))) +
                        " px around a pixel with these values; the limit is " +
                        std::to_string(max_radius) + ".");
  return std::max(0, static_cast<int>(wanted));
}

Matrix Filter::weights_for(const Values &values) const {
  for (size_t l = 0; l < lists.size(); l++)
    if (values.lists[l].width % 2 == 0 || values.lists[l].height % 2 == 0)
      fail({file, 1}, name + "'s " + lists[l].name + " " + describe(values.lists[l]) +
                          " has no centre: use an odd number of rows and columns.");
  const int r = radius_for(values), side = 2 * r + 1;
  Matrix matrix{side, side, {}};
  double sum = 0, size = 0, dx = 0, dy = 0;
  const Expression::Scope at = scope(values, {{"dx", &dx}, {"dy", &dy}});
  for (dy = -r; dy <= r; dy++)
    for (dx = -r; dx <= r; dx++) {
      const double weight = weights->evaluate(at);
      matrix.values.push_back(weight);
      sum += weight;
      size += std::fabs(weight);
    }
  const double factor =
      gain.evaluate(scope(values)) / (std::fabs(sum) > 1e-9 * size && sum != 0 ? sum : 1);
  for (double &weight : matrix.values) {
    weight *= factor;
    if (!(std::fabs(weight) <= largest_number))
      fail({file, 1}, "the weights of " + name + " are larger than 1e36: give it smaller numbers.");
  }
  return matrix;
}

std::vector<double> Filter::table_for(const Table &table, const Values &values) const {
  const double size = std::ceil(table.size.evaluate(scope(values)));
  if (size < 1 || size > max_table)
    fail({file, 1}, "the table " + table.name + " of " + name + " must have a size of 1 to " +
                        std::to_string(max_table) + ".");
  std::vector<double> numbers;
  double i = 0;
  const Expression::Scope at = scope(values, {{"i", &i}});
  for (; i < size; i++) numbers.push_back(table.value.evaluate(at));
  return numbers;
}

std::shared_ptr<const Filter> parse_filter(const std::string &source, const std::string &file) {
  auto filter = std::make_shared<Filter>();
  filter->file = file;
  filter->source = source;
  if (source.size() > max_text)
    fail({file, 1}, "the file is larger than " + std::to_string(max_text / 1024) + " KiB.");
  if (source.find('\0') != std::string::npos || !g_utf8_validate(source.c_str(), -1, nullptr))
    fail({file, 1}, "the file is not valid UTF-8.");
  Declaration(*filter, file).read(source);
  filter->code = Code(source, file);
  const bool has_function = filter->code.defines(filter->name);
  if (!filter->weights && !has_function)
    fail({file, 1}, "there is no function “float4 " + filter->name + "(PIXEL)” in the file.");
  if (filter->weights && has_function)
    fail({file, 1}, "a filter can have weights or a function, not both.");
  if (filter->weights && filter->frames > 1)
    fail({file, 1}, "a filter with weights must have one input frame.");
  if (filter->channelwise && (filter->weights || filter->frames > 1))
    fail({file, 1}, "a channelwise filter needs a function of one input frame.");
  // Defaults that can't be evaluated are reported now.
  const Values values = filter->initial();
  if (filter->radius_for(values) > 0 && filter->channelwise)
    fail({file, 1}, "a channelwise filter must not have a radius.");
  if (filter->weights) filter->weights_for(values);
  for (const Table &table : filter->tables) filter->table_for(table, values);
  return filter;
}

}  // namespace glcl::chain
