// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include <glib.h>

#include <algorithm>
#include <set>

namespace glcl::chain {

namespace {

const std::set<std::string> &forbidden() {
  static const auto *words = new std::set<std::string>{
      "__kernel",     "kernel",        "__global", "global",       "__local",
      "local",        "barrier",       "asm",      "__asm",        "__asm__",
      "include",      "include_next",  "import",   "__include__",  "write_imagef",
      "write_imagei", "write_imageui", "printf",   "__attribute__"};
  return *words;
}

/// The words and signs of C, without comments and texts.
class Scanner {
 public:
  Scanner(const std::string &source, const std::string &file) : cursor_(source, {file, 1}) {}

  const Place &place() const { return cursor_.place(); }

  /// A word, a sign, or empty at the end.
  std::string next() {
    while (!cursor_.done()) {
      cursor_.skip();
      if (cursor_.accept('/')) {
        if (cursor_.peek() == '/')
          while (!cursor_.done() && cursor_.peek() != '\n') cursor_.take();
        else if (cursor_.accept('*'))
          block_comment();
        else
          return "/";
      } else if (cursor_.peek() == '"' || cursor_.peek() == '\'') {
        text(cursor_.take());
      } else if (std::string name = cursor_.name(); !name.empty()) {
        return name;
      } else if (!cursor_.done()) {
        return {cursor_.take()};
      }
    }
    return {};
  }

 private:
  void block_comment() {
    const Place begin = place();
    for (char last = '\0'; !cursor_.done();) {
      const char now = cursor_.take();
      if (last == '*' && now == '/') return;
      last = now;
    }
    fail(begin, "the comment does not end.");
  }

  void text(char quote) {
    const Place begin = place();
    while (!cursor_.done()) {
      const char now = cursor_.take();
      if (now == '\\' && !cursor_.done())
        cursor_.take();
      else if (now == quote)
        return;
      else if (now == '\n')
        break;
    }
    fail(begin, "the text does not end on its line.");
  }

  Cursor cursor_;
};

}  // namespace

std::vector<std::string> global_names(const std::string &source, const std::string &file) {
  static const std::string open = "({[", close = ")}]";
  std::vector<std::string> names;
  std::vector<std::pair<char, Place>> brackets;
  Scanner scanner(source, file);
  std::string last, function;  // that is being read
  bool directive = false, value = false;
  int line = 0;
  for (std::string word = scanner.next(); !word.empty(); word = scanner.next()) {
    const bool new_line = scanner.place().line != line;
    line = scanner.place().line;
    if (forbidden().count(word))
      fail(scanner.place(), "“" + word +
                                "” can't be used: a filter computes the pixel that it returns, and "
                                "reads its input with at() only.");
    if (new_line) directive = word == "#";
    if (directive) continue;
    const bool outside = brackets.empty();
    const bool is_name = g_ascii_isalpha(last[0]) || last[0] == '_';
    if (outside && !value && is_name && last.rfind("__", 0) != 0 &&
        std::string("([={;").find(word) != std::string::npos &&
        std::find(names.begin(), names.end(), last) == names.end())
      names.push_back(last);
    if (outside && word == "(") function = last;
    if (!outside && word == "(" && last == function)
      fail(scanner.place(), function + " can't call itself: OpenCL C has no recursion.");
    if (outside) value = word == "=" || (value && word != ";");
    if (open.find(word) != std::string::npos) {
      brackets.push_back({word[0], scanner.place()});
    } else if (close.find(word) != std::string::npos) {
      if (brackets.empty() || open.find(brackets.back().first) != close.find(word))
        fail(scanner.place(), "this " + word + " closes nothing.");
      brackets.pop_back();
    }
    last = word;
  }
  if (!brackets.empty())
    fail(brackets.back().second, std::string("this ") + brackets.back().first + " is not closed.");
  return names;
}

}  // namespace glcl::chain
