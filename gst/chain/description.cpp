// SPDX-License-Identifier: LGPL-2.1-or-later
#include "description.h"

#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cube.h"
#include "opencl/error.h"
#include "opencl/source.h"

namespace glcl::chain {

namespace {

struct GFreeDeleter {
  void operator()(gpointer memory) const { g_free(memory); }
};
using Text = std::unique_ptr<gchar, GFreeDeleter>;

/// A path as valid UTF-8.
std::string shown(const std::string &path) {
  return Text(g_filename_display_name(path.c_str())).get();
}

/// Reads a regular file of at most `most` bytes. Errors contain `location`, which names the file.
std::string read_file(const std::string &path, const SourceLocation &location,
                      size_t most = max_text) {
  const auto refuse = [&](const std::string &why) {
    fail(location, shown(path) + " can't be read: " + why + ".");
  };
  if (!g_file_test(path.c_str(), G_FILE_TEST_EXISTS)) refuse("there is no such file");
  // Refuse pipes and devices: reading them might not end.
  if (!g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR)) refuse("it is not a regular file");
  GStatBuf status;
  if (g_stat(path.c_str(), &status) != 0 || static_cast<guint64>(status.st_size) > most)
    refuse("it is larger than " + std::to_string(most / 1024) + " KiB");
  gchar *text = nullptr;
  gsize size = 0;
  GError *error = nullptr;
  if (!g_file_get_contents(path.c_str(), &text, &size, &error)) {
    const std::string reason = error->message;
    g_error_free(error);
    refuse(reason);
  }
  const Text owned(text);
  static const std::string mark = "\xef\xbb\xbf";  // byte order mark of some editors
  const size_t skipped = g_str_has_prefix(text, mark.c_str()) ? mark.size() : 0;
  return {text + skipped, size - skipped};
}

std::string joined(const std::string &folder, const std::string &name) {
  if (folder.empty() || g_path_is_absolute(name.c_str())) return name;
  return Text(g_build_filename(folder.c_str(), name.c_str(), nullptr)).get();
}

class ChainParser {
 public:
  ChainParser(const std::string &text, const std::string &file, const Folders &folders,
              std::string base)
      : cursor_(text, {file, 1}), folders_(folders), base_(std::move(base)) {}

  Description read() {
    for (skip(); !cursor_.done(); skip()) {
      if (!chain_.items.empty() && !cursor_.accept('!'))
        fail(location(), "“!” was expected between filters.");
      item();
    }
    return std::move(chain_);
  }

 private:
  const SourceLocation &location() const { return cursor_.location(); }
  void skip() { cursor_.skip('#'); }

  std::string word() {
    static const std::string ends = "!(*#\"'";
    std::string word;
    skip();
    const char quote = cursor_.peek();
    if (cursor_.accept('"') || cursor_.accept('\'')) {
      while (!cursor_.done() && cursor_.peek() != quote) word += cursor_.take();
      if (!cursor_.accept(quote)) fail(location(), std::string("a ") + quote + " is missing.");
    } else {
      while (!cursor_.done() && !g_ascii_isspace(cursor_.peek()) &&
             ends.find(cursor_.peek()) == std::string::npos)
        word += cursor_.take();
    }
    return word;
  }

  void item() {
    const std::string name = word();
    if (name.empty()) fail(location(), "the name of a filter was expected.");
    if (chain_.items.size() >= max_filters)
      fail(location(), "a chain has at most " + std::to_string(max_filters) + " filters.");
    Item item;
    item.filter = find(name);
    item.values = item.filter->initial();
    skip();
    if (cursor_.accept('(')) arguments(item);
    skip();
    if (cursor_.accept('*')) {
      skip();
      const double times = cursor_.number();
      if (times < 1 || times > max_stages || times != std::floor(times))
        fail(location(),
             "after * a whole number was expected, 1 to " + std::to_string(max_stages) + ".");
      item.times = static_cast<int>(times);
    }
    const int uses = ++uses_[item.filter->name];
    item.name = item.filter->name + (uses > 1 ? "-" + std::to_string(uses) : "");
    chain_.items.push_back(item);
  }

  void arguments(Item &item) {
    for (skip(); !cursor_.accept(')'); skip()) {
      cursor_.accept(',');
      skip();
      const std::string name = cursor_.name();
      skip();
      if (name.empty() || !cursor_.accept('=')) fail(location(), "NAME=VALUE was expected in ( ).");
      skip();
      value(item, name);
    }
  }

  void value(Item &item, const std::string &name) {
    const Filter &filter = *item.filter;
    for (size_t p = 0; p < filter.parameters.size(); p++) {
      const Parameter &parameter = filter.parameters[p];
      if (parameter.name != name) continue;
      const double value = parameter.choices.empty() ? cursor_.number() : choice(filter, parameter);
      if (value < parameter.low || value > parameter.high) {
        const Matrix range{2, 1, {parameter.low, parameter.high}};
        fail(location(),
             filter.name + "'s " + name + " is outside its range " + describe(range) + ".");
      }
      item.values.numbers[p] = value;
      return;
    }
    for (size_t l = 0; l < filter.lists.size(); l++)
      if (filter.lists[l].name == name) {
        item.values.lists[l] = parse_matrix(cursor_);
        return;
      }
    std::string names;
    for (const Parameter &parameter : filter.parameters)
      names += (names.empty() ? "" : ", ") + parameter.name;
    for (const List &list : filter.lists) names += (names.empty() ? "" : ", ") + list.name;
    fail(location(), filter.name + " has no parameter " + name +
                         "; its parameters are: " + (names.empty() ? "(none)" : names) + ".");
  }

  /// The number of the value that the text names.
  double choice(const Filter &filter, const Parameter &parameter) {
    const std::string name = cursor_.name();
    const auto &choices = parameter.choices;
    const auto found = std::find(choices.begin(), choices.end(), name);
    if (found != choices.end()) return static_cast<double>(found - choices.begin());
    std::string known;
    for (const std::string &one : choices) known += (known.empty() ? "" : ", ") + one;
    fail(location(), filter.name + "'s " + parameter.name + " must be one of: " + known + ".");
  }

  std::shared_ptr<const Filter> find(const std::string &name) {
    if (name.find('/') != std::string::npos || g_str_has_suffix(name.c_str(), ".cl") ||
        is_cube(name))
      return from_file(joined(base_, name));
    for (const std::string &folder : folders_)
      for (const char *ending : {".cl", ".cube"}) {
        const std::string path = joined(folder, name + ending);
        if (g_file_test(path.c_str(), G_FILE_TEST_EXISTS)) return from_file(path);
      }
    const auto names = library();
    if (std::find(names.begin(), names.end(), name) != names.end()) return library_filter(name);
    std::string known;
    for (const std::string &one : names) known += (known.empty() ? "" : ", ") + one;
    fail(location(), "there is no filter " + name + " in the folders of path; the library offers " +
                         known + ".");
  }

  std::shared_ptr<const Filter> from_file(const std::string &path) {
    auto &known = read_[path];
    if (known) return known;
    if (is_cube(path))
      known = cube_filter(parse_cube(read_file(path, location(), max_cube_text), shown(path)));
    else
      known = parse_filter(read_file(path, location()), shown(path));
    chain_.files.push_back(path);
    return known;
  }

  Cursor cursor_;
  const Folders &folders_;
  std::string base_;
  Description chain_;
  std::map<std::string, int> uses_;
  std::map<std::string, std::shared_ptr<const Filter>> read_;
};

}  // namespace

bool Description::reads_picture() const {
  return std::any_of(items.begin(), items.end(),
                     [](const Item &item) { return item.filter->reads_picture(); });
}

void Description::check_without_picture() const {
  for (const Item &item : items)
    if (item.filter->reads_picture())
      fail({item.filter->file, item.filter->code.picture_line()},
           item.filter->name +
               " reads a picture, and the property picture is empty. Set it to a picture file, for "
               "example picture=logo.png.");
}

std::string Description::text() const {
  std::string text;
  for (const Item &item : items) {
    text += (text.empty() ? "" : " ! ") + item.filter->name;
    bool first = true;
    const auto value = [&](const std::string &name, const std::string &given) {
      text += (first ? "(" : ", ") + name + "=" + given;
      first = false;
    };
    for (size_t p = 0; p < item.values.numbers.size(); p++) {
      const Parameter &parameter = item.filter->parameters[p];
      value(parameter.name, describe(parameter, item.values.numbers[p]));
    }
    for (size_t l = 0; l < item.values.lists.size(); l++)
      value(item.filter->lists[l].name, describe(item.values.lists[l]));
    if (!item.values.numbers.empty() || !item.values.lists.empty()) text += ")";
    if (item.times > 1) text += "*" + std::to_string(item.times);
  }
  if (iterations > 1) text = "(" + text + ")*" + std::to_string(iterations);
  return text;
}

std::string Description::checksum() const {
  std::string sources;
  for (const Item &item : items) sources += item.filter->source;
  const Text sum(g_compute_checksum_for_string(G_CHECKSUM_SHA256, sources.c_str(), -1));
  return {sum.get(), 12};
}

Description parse_chain(const std::string &text, const std::string &file, const Folders &folders,
                        const std::string &base) {
  if (text.size() > max_text) fail({file, 1}, "the chain is too long.");
  if (!g_utf8_validate(text.c_str(), static_cast<gssize>(text.size()), nullptr))
    fail({file, 1}, "the chain is not valid UTF-8.");
  return ChainParser(text, file, folders, base).read();
}

Description load_chain(const std::string &path, const Folders &folders) {
  const std::string text = read_file(path, {shown(path), 1});
  Description chain =
      parse_chain(text, shown(path), folders, Text(g_path_get_dirname(path.c_str())).get());
  chain.files.push_back(path);
  return chain;
}

std::vector<std::string> library() {
  return {"grey",       "gauss",     "box",    "sobel",      "sharpen", "unsharp",
          "median",     "threshold", "gamma",  "saturation", "lut",     "blend",
          "motionblur", "emboss",    "invert", "convolve",   "overlay", "watermark"};
}

std::shared_ptr<const Filter> library_filter(const std::string &name) {
  const std::string source = kernel_source("chain/" + name + ".cl");
  return parse_filter(source.substr(source.find('\n') + 1),
                      name + ".cl");  // without its line `#line`
}

}  // namespace glcl::chain
