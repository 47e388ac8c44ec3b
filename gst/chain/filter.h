// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expression.h"
#include "source.h"

namespace glcl::chain {

/// The limits of filters and chains.
constexpr int max_radius = 64;                // px
constexpr int max_frames = 8;                 // input frames of a filter, the current one included
constexpr int max_filters = 16;               // in a chain's text
constexpr int max_stages = 64;                // stages per frame, over all iterations
constexpr int max_table = 1024;               // values
constexpr size_t max_parameters = 16;         // of a filter
constexpr size_t max_text = size_t(1) << 16;  // bytes of a file

struct Cube;

/// A matrix of numbers, row by row.
struct Matrix {
  int width = 0, height = 0;
  std::vector<double> values;

  double at(int x, int y) const { return values[size_t(y) * width + x]; }
  bool operator==(const Matrix &other) const {
    return width == other.width && height == other.height && values == other.values;
  }
};

/// "[1 2 1; 2 4 2; 1 2 1]", the brackets included; throws Error::settings.
Matrix parse_matrix(Cursor &cursor);
std::string describe(const Matrix &matrix);

/// A number that users can set, with its range, default and description.
struct Parameter {
  std::string name, text;
  double low = 0, high = 1, initial = 0;
  std::vector<std::string> choices{};  ///< names of the values 0, 1 … if it has names
};
/// A value of a parameter as users write it.
std::string describe(const Parameter &parameter, double value);

/// A matrix that users can set, with its default and description.
struct List {
  std::string name, text;
  Matrix initial;
};

/// A table that is computed once for the filter's values; entry i is `value` at i.
struct Table {
  std::string name;
  Expression size, value;  ///< of i, from 0
};

/// The values of a filter's parameters and lists, in their order.
struct Values {
  std::vector<double> numbers;
  std::vector<Matrix> lists;
  bool operator==(const Values &other) const {
    return numbers == other.numbers && lists == other.lists;
  }
};

/// A filter as its file declares it (docs/filter-files.md): a function, or a convolution gain * Σ
/// weight * input + offset. The weights are divided by their sum unless that is 0.
struct Filter {
  std::string name, text;
  std::string file;    ///< for messages
  std::string source;  ///< text of the file
  std::vector<Parameter> parameters;
  std::vector<List> lists;
  std::vector<Table> tables;
  Expression radius = Expression::constant(0);
  int frames = 1;
  bool channelwise = false;  ///< each channel depends only on the same channel of the same pixel
  std::optional<Expression> weights;  ///< of dx and dy
  Expression gain = Expression::constant(1), offset = Expression::constant(0);
  std::shared_ptr<const Cube> cube;  ///< its tables of colours, or null
  Code code;

  Values initial() const;
  /// The names in expressions while the values live: parameters, lists (NAME(dx, dy) from the
  /// centre, NAME_width, NAME_height) and these.
  Expression::Scope scope(const Values &values,
                          std::vector<std::pair<std::string, const double *>> more = {}) const;
  /// px, 0..max_radius; throws Error::settings for a larger radius.
  int radius_for(const Values &values) const;
  /// The convolution's weights, gain included, of side 2 radius + 1.
  Matrix weights_for(const Values &values) const;
  /// True if its result depends on the moment of the frame.
  bool reads_moment() const { return reads("time") || reads("frame") || reads("cycle"); }
  /// True if its function reads a value of this name, such as a member of Moment: the file contains
  /// the word and declares nothing of this name.
  bool reads(const std::string &member) const;
  bool reads_picture() const { return code.picture_line() > 0; }
  /// True if its function indexes tables or lists by the colour of a pixel.
  bool looks_up() const { return !tables.empty() || !lists.empty() || cube; }
  std::vector<double> table_for(const Table &table, const Values &values) const;
};

/// The moment of a frame, which the functions of filters read as `time`, `cycle (seconds)` and
/// `frame`.
struct Moment {
  double time = 0;  ///< running time, s
  int frame = 0;    ///< number of the frame
};

/// Reads a filter; `file` is for messages. Throws Error::settings with file and line.
std::shared_ptr<const Filter> parse_filter(const std::string &source, const std::string &file);

}  // namespace glcl::chain
