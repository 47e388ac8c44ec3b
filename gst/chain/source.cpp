// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include <glib.h>

#include <algorithm>
#include <map>
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
  /// What follows the last word or sign at once.
  char peek() const { return cursor_.peek(); }

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

/// Which functions and macros of a text use which.
class Uses {
 public:
  /// A word of a line with #define or of what continues it; `touched`: a ( follows at once.
  void in_macro(const std::string &word, const Place &place, bool touched) {
    if (macro_.empty()) {
      macro_ = word;
      macros_.insert(word);
      in_parameters_ = touched;
      parameters_.clear();
    } else if (in_parameters_) {
      parameters_.insert(word);
      in_parameters_ = word != ")";
    } else if (!parameters_.count(word)) {
      uses_[macro_].emplace(word, place);
    }
  }
  void end_macro() { macro_.clear(); }

  /// A word within a function, which is called, or may be a macro.
  void in_function(const std::string &function, const std::string &word, const Place &place,
                   bool called) {
    if (called || macros_.count(word)) uses_[function].emplace(word, place);
  }

  /// Throws where a function comes back to itself: compilers of OpenCL put functions into each
  /// other, and may never end.
  void check() const {
    std::set<std::string> done;
    std::vector<std::string> way;
    for (const auto &use : uses_) follow(use.first, way, done);
  }

 private:
  void follow(const std::string &name, std::vector<std::string> &way,
              std::set<std::string> &done) const {
    const auto uses = uses_.find(name);
    if (uses == uses_.end() || done.count(name)) return;
    way.push_back(name);
    for (const auto &[used, place] : uses->second) {
      const auto begin = std::find(way.begin(), way.end(), used);
      if (begin == way.end())
        follow(used, way, done);
      else if (std::any_of(begin, way.end(), [&](const auto &one) { return !macros_.count(one); }))
        refuse({begin, way.end()}, place);  // macros alone do end
    }
    way.pop_back();
    done.insert(name);
  }

  [[noreturn]] static void refuse(const std::vector<std::string> &circle, const Place &place) {
    std::string text = circle.front();
    for (size_t i = 1; i < circle.size(); i++) text += " calls " + circle[i] + ", which";
    fail(place, text + " calls " + (circle.size() > 1 ? circle.front() : "itself") +
                    ": OpenCL C has no recursion. Write a loop.");
  }

  std::map<std::string, std::map<std::string, Place>> uses_;
  std::set<std::string> macros_, parameters_;
  std::string macro_;  // that is being read
  bool in_parameters_ = false;
};

}  // namespace

std::vector<std::string> global_names(const std::string &source, const std::string &file) {
  static const std::string open = "({[", close = ")}]";
  std::vector<std::string> names;
  std::vector<std::pair<char, Place>> brackets;
  Scanner scanner(source, file);
  Uses uses;
  std::string last, before, function;  // that is being read
  bool directive = false, value = false, macro = false;
  int line = 0;
  for (std::string word = scanner.next(); !word.empty(); before = word, word = scanner.next()) {
    const bool new_line = scanner.place().line != line;
    line = scanner.place().line;
    if (forbidden().count(word))
      fail(scanner.place(), "“" + word +
                                "” can't be used: a filter computes the pixel that it returns, and "
                                "reads its input with at() only.");
    if (new_line && before != "\\") macro = false, uses.end_macro();
    if (macro) uses.in_macro(word, scanner.place(), scanner.peek() == '(');
    if (new_line) directive = word == "#";
    if (directive && word == "define") macro = true;
    if (directive) continue;
    const bool outside = brackets.empty();
    const bool is_name = g_ascii_isalpha(last[0]) || last[0] == '_';
    if (outside && !value && is_name && last.rfind("__", 0) != 0 &&
        std::string("([={;").find(word) != std::string::npos &&
        std::find(names.begin(), names.end(), last) == names.end())
      names.push_back(last);
    if (outside && word == "(") function = value ? "" : last;
    if (!outside && !function.empty())
      uses.in_function(function, word == "(" ? last : word, scanner.place(), word == "(");
    if (outside) value = word == "=" || (value && word != ";");
    if (open.find(word) != std::string::npos) {
      brackets.push_back({word[0], scanner.place()});
    } else if (close.find(word) != std::string::npos) {
      if (brackets.empty() || open.find(brackets.back().first) != close.find(word))
        fail(scanner.place(), "this " + word + " closes nothing.");
      brackets.pop_back();
      if (word == "}" && brackets.empty()) function.clear();
    }
    last = word;
  }
  if (!brackets.empty())
    fail(brackets.back().second, std::string("this ") + brackets.back().first + " is not closed.");
  uses.check();
  return names;
}

}  // namespace glcl::chain
