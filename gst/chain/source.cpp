// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include <algorithm>
#include <map>

#include "expression.h"
#include "words.h"

namespace glcl::chain {

namespace {

constexpr size_t most_brackets = 64;  // nested
constexpr size_t most_names = 256;    // global
constexpr double most_calls = 4096;   // after inlining

using Tokens = std::vector<Token>;

void check_words(const Tokens &tokens, const std::string &file) {
  for (const Token &token : tokens)
    if (token.kind == Token::Kind::name && token.text.rfind("__", 0) == 0 &&
        !is_allowed(token.text))
      fail(
          {file, token.line},
          "“" + token.text +
              "” is not supported: a filter returns one pixel and reads its input with at() only.");
}

/// The calls between the functions of a file.
class CallGraph {
 public:
  explicit CallGraph(std::string file) : file_(std::move(file)) {}

  void add(const std::string &function, const std::string &called, int line) {
    Call &call = calls_[function].emplace(called, Call{line, 0}).first->second;
    call.times++;
  }

  /// Throws if a function calls itself, also indirectly, or is too long once inlined: OpenCL
  /// compilers inline all functions, and might never end.
  void check() {
    for (const auto &call : calls_) length_of(call.first);
  }

 private:
  struct Call {
    int line;
    double times;
  };

  /// Number of calls in a function after inlining.
  double length_of(const std::string &name) {
    const auto calls = calls_.find(name);
    if (calls == calls_.end()) return 0;
    if (const auto known = lengths_.find(name); known != lengths_.end()) return known->second;
    call_stack_.push_back(name);
    double length = 0;
    for (const auto &[called, call] : calls->second) {
      const auto begin = std::find(call_stack_.begin(), call_stack_.end(), called);
      if (begin != call_stack_.end()) refuse_circle({begin, call_stack_.end()}, call.line);
      length += call.times * (1 + length_of(called));
      if (length > most_calls)
        fail({file_, call.line},
             name + " makes more than " + std::to_string(int(most_calls)) +
                 " calls, including those of the functions it calls. Write a loop.");
    }
    call_stack_.pop_back();
    return lengths_[name] = length;
  }

  [[noreturn]] void refuse_circle(const std::vector<std::string> &circle, int line) const {
    std::string text = circle.front();
    for (size_t i = 1; i < circle.size(); i++) text += " calls " + circle[i] + ", which";
    fail({file_, line}, text + " calls " + (circle.size() > 1 ? circle.front() : "itself") +
                            ": OpenCL C has no recursion. Write a loop.");
  }

  const std::string file_;
  std::map<std::string, std::map<std::string, Call>> calls_;
  std::map<std::string, double> lengths_;
  std::vector<std::string> call_stack_;
};

void check_brackets(const Tokens &tokens, const std::string &file) {
  static const std::string open = "({[", close = ")}]";
  std::vector<const Token *> brackets;
  for (const Token &token : tokens) {
    if (token.text.size() != 1) continue;
    if (open.find(token.text) != std::string::npos) {
      brackets.push_back(&token);
      if (brackets.size() > most_brackets)
        fail({file, token.line},
             "more than " + std::to_string(most_brackets) + " brackets are nested.");
    } else if (close.find(token.text) != std::string::npos) {
      if (brackets.empty() || open.find(brackets.back()->text) != close.find(token.text))
        fail({file, token.line}, "this " + token.text + " closes nothing.");
      brackets.pop_back();
    }
  }
  if (!brackets.empty())
    fail({file, brackets.back()->line}, "this " + brackets.back()->text + " is not closed.");
}

/// The global names of functions, tables and types: names outside brackets that precede a bracket,
/// a value or an end.
std::set<std::string> global_names(const Tokens &tokens, const std::string &file) {
  static const std::set<std::string> unnamed{"struct", "union", "enum"};
  std::set<std::string> names;
  int depth = 0;
  bool value = false;
  const Token *last = nullptr;
  for (const Token &token : tokens) {
    const std::string &word = token.text;
    const bool ends = word.size() == 1 && std::string("([={;").find(word) != std::string::npos;
    if (depth == 0 && !value && ends && last && last->kind == Token::Kind::name &&
        !unnamed.count(last->text))
      names.insert(last->text);
    if (names.size() > most_names)
      fail({file, token.line},
           "there are more than " + std::to_string(most_names) + " functions and tables.");
    if (depth == 0) value = word == "=" || (value && word != ";");
    depth +=
        (word == "(" || word == "[" || word == "{") - (word == ")" || word == "]" || word == "}");
    last = &token;
  }
  return names;
}

/// The calls between the named functions. `(name)(…)` is a call, too.
CallGraph calls_of(const Tokens &tokens, const std::set<std::string> &names,
                   const std::string &file) {
  CallGraph calls(file);
  std::string function;  // current function
  int depth = 0;
  for (size_t i = 0; i < tokens.size(); i++) {
    const std::string &word = tokens[i].text;
    size_t next = i + 1;
    while (depth > 0 && next < tokens.size() && tokens[next].text == ")") next++;
    const bool called = names.count(word) && next < tokens.size() && tokens[next].text == "(";
    if (called && depth == 0)
      function = word;
    else if (called && !function.empty())
      calls.add(function, word, tokens[i].line);
    if (word == "(" || word == "[" || word == "{") depth++;
    if (word == ")" || word == "]" || word == "}") depth--;
    if (depth == 0 && (word == "}" || word == ";")) function.clear();
  }
  return calls;
}

}  // namespace

Code::Code(const std::string &source, const std::string &file) : tokens_(preprocess(source, file)) {
  check_words(tokens_, file);
  check_brackets(tokens_, file);
  globals_ = global_names(tokens_, file);
  calls_of(tokens_, globals_, file).check();
  picture_line_ = find_picture();
  const Token *last = nullptr;
  for (Token &token : tokens_) {
    token.from.reset();
    const bool member = last && (last->text == "." || last->text == "->") && is_allowed(token.text);
    token.own = token.kind == Token::Kind::name && !member && is_own(token.text);
    last = &token;
  }
}

bool Code::reads(const std::string &word) const {
  return !defines(word) && std::any_of(tokens_.begin(), tokens_.end(), [&](const Token &token) {
    return token.kind == Token::Kind::name && token.text == word;
  });
}

int Code::find_picture() const {
  for (size_t i = 0; i + 1 < tokens_.size(); i++) {
    const std::string &word = tokens_[i].text;
    if ((word == "picture" || word == "picture_at") && tokens_[i + 1].text == "(" && !defines(word))
      return tokens_[i].line;
  }
  return 0;
}

bool Code::is_own(const std::string &name) const { return defines(name) || !is_allowed(name); }

std::string Code::word(const std::string &name, const std::string &prefix) const {
  return is_own(name) ? prefix + name : name;
}

std::string Code::text(const std::string &prefix) const {
  std::string text;
  int line = 1;
  for (const Token &token : tokens_) {
    for (; line < token.line; line++) text += '\n';
    text += (token.own ? prefix : "") + token.text + ' ';  // a blank, so that two tokens never join
  }
  return text;
}

}  // namespace glcl::chain
