// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preprocess.h"

#include <glib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <utility>

#include "condition.h"
#include "expression.h"

namespace glcl::chain {

namespace {

constexpr size_t most_tokens = size_t(1) << 16;  // of all macro expansions
constexpr int most_nested = 32;

using Tokens = std::vector<Token>;

/// A text after joining continued lines.
struct JoinedLines {
  std::string text;
  std::vector<int> lines;  // line number of each character

  explicit JoinedLines(const std::string &source) {
    int line = 1;
    for (size_t at = 0; at < source.size();) {
      const size_t end = source[at] == '\\' ? continued(source, at + 1) : at;
      if (end > at) {
        line++;
        at = end;
        continue;
      }
      const size_t after = newline(source, at);
      text += after > at ? '\n' : source[at];
      lines.push_back(line);
      line += after > at;
      at = std::max(after, at + 1);
    }
    lines.push_back(line);
  }

 private:
  /// Position after a line end at `at`; `at` itself if there is no line end.
  static size_t newline(const std::string &source, size_t at) {
    if (source.compare(at, 2, "\r\n") == 0) return at + 2;
    return at < source.size() && (source[at] == '\n' || source[at] == '\r') ? at + 1 : at;
  }
  /// Position after blanks and a line end; 0 if something else follows.
  static size_t continued(const std::string &source, size_t at) {
    while (at < source.size() && (source[at] == ' ' || source[at] == '\t')) at++;
    const size_t after = newline(source, at);
    return after > at ? after : 0;
  }
};

class Lexer {
 public:
  Lexer(const std::string &source, std::string file) : joined_(source), file_(std::move(file)) {}

  Tokens read() {
    bool begins = true, spaced = true;
    while (at_ < text().size()) {
      const char c = text()[at_];
      if (g_ascii_isspace(c)) {
        begins |= c == '\n';
        spaced = true;
        at_++;
      } else if (comment()) {
        spaced = true;
      } else {
        take(begins, spaced);
        begins = spaced = false;
      }
    }
    return std::move(tokens_);
  }

 private:
  const std::string &text() const { return joined_.text; }
  char peek(size_t ahead = 0) const { return text().c_str()[std::min(at_ + ahead, text().size())]; }
  SourceLocation location() const { return {file_, joined_.lines[at_]}; }

  bool comment() {
    if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    const bool line = peek(1) == '/';
    const size_t end = line ? text().find('\n', at_) : text().find("*/", at_ + 2);
    if (!line && end == std::string::npos) fail(location(), "the comment is not closed.");
    at_ = std::min(end, text().size()) + (line ? 0 : 2);
    return true;
  }

  void take(bool begins, bool spaced) {
    const char c = peek();
    const bool digit = g_ascii_isdigit(c) || (c == '.' && g_ascii_isdigit(peek(1)));
    const SourceLocation here = location();
    const size_t begin = at_;
    Token::Kind kind = Token::Kind::sign;
    if (digit) {
      kind = Token::Kind::number;
      while (of_name(peek()) || peek() == '.' || is_exponent_sign()) at_++;
    } else if (of_name(c)) {
      kind = Token::Kind::name;
      while (of_name(peek())) at_++;
      if (at_ - begin > most_name) refuse_name(here, text().substr(begin, at_ - begin));
    } else {
      sign();
    }
    tokens_.push_back(
        {kind, text().substr(begin, at_ - begin), here.line, begins, spaced, false, nullptr});
  }

  static bool of_name(char c) { return g_ascii_isalnum(c) || c == '_'; }
  /// True if the next character is the sign of a number's exponent.
  bool is_exponent_sign() const {
    const char before = text()[at_ - 1];
    return (peek() == '+' || peek() == '-') &&
           std::string("eEpP").find(before) != std::string::npos;
  }

  void sign() {
    static const char *const other_spellings[] = {"%:", "<:", ":>", "<%", "%>", "??"};
    static const char *const known[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "^=", "|=", "##"};
    static const std::string single = "#()[]{}<>=+-*/%&|^~!?:;,.\"'";
    const auto is_next = [&](const char *sign) {
      return text().compare(at_, strlen(sign), sign) == 0;
    };
    for (const char *spelling : other_spellings)
      if (is_next(spelling))
        fail(location(),
             std::string("“") + spelling + "” is not supported: write # [ ] { } instead.");
    for (const char *sign : known)
      if (is_next(sign)) {
        at_ += strlen(sign);
        return;
      }
    if (single.find(peek()) == std::string::npos) {
      const char *begin = text().c_str() + at_;
      const std::string character(begin, size_t(g_utf8_next_char(begin) - begin));
      fail(location(), "“" + character + "” is not allowed outside comments.");
    }
    at_++;
  }

  const JoinedLines joined_;
  const std::string file_;
  size_t at_ = 0;
  Tokens tokens_;
};

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  Tokens body;
};

class Preprocessor {
 public:
  explicit Preprocessor(std::string file) : file_(std::move(file)) {}

  Tokens run(const Tokens &tokens) {
    for (size_t i = 0; i < tokens.size();) {
      if (!tokens[i].begins || tokens[i].text != "#") {
        if (active()) pending_.push_back(tokens[i]);
        i++;
        continue;
      }
      flush();
      const size_t begin = ++i;
      while (i < tokens.size() && !tokens[i].begins) i++;
      line_ = tokens[begin - 1].line;
      directive({tokens.begin() + long(begin), tokens.begin() + long(i)});
    }
    flush();
    if (!conditions_.empty())
      fail({file_, conditions_.back().line}, "the #endif of this directive is missing.");
    for (const Token &token : out_) check(token);
    return std::move(out_);
  }

 private:
  struct Branch {
    bool active, taken, last;
    int line;
  };

  void check(const Token &token) const {
    const SourceLocation location{file_, token.line};
    if (token.text == "\"" || token.text == "'")
      fail(location, "strings are not supported: a filter computes with numbers only.");
    if (token.text == "#" || token.text == "##")
      fail(location, "“" + token.text + "” stands outside of a directive.");
  }

  SourceLocation location() const { return {file_, line_}; }
  bool active() const { return conditions_.empty() || conditions_.back().active; }

  void flush() {
    const Tokens expanded = expand(std::exchange(pending_, {}), 0);
    out_.insert(out_.end(), expanded.begin(), expanded.end());
  }

  void directive(const Tokens &line) {
    const std::string word = line.empty() ? "" : line[0].text;
    const Tokens rest(line.begin() + !line.empty(), line.end());
    if (word == "if" || word == "ifdef" || word == "ifndef" || word == "elif" || word == "else" ||
        word == "endif")
      return conditional(word, rest);
    if (word == "define" || word == "undef" || word == "pragma") {
      if (!active()) return;
      if (word == "pragma") return pragma(rest);
      if (rest.empty() || rest[0].kind != Token::Kind::name)
        fail(location(), "#" + word + " needs a name.");
      if (word == "define")
        define(rest);
      else
        macros_.erase(rest[0].text);
      return;
    }
    fail(location(),
         "“#" + word +
             "” is not supported; a filter may use #define, #undef, #if, #ifdef, #ifndef, "
             "#elif, #else, #endif and #pragma unroll.");
  }

  void conditional(const std::string &word, const Tokens &rest) {
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      if (conditions_.size() >= most_nested) fail(location(), "conditions are nested too deeply.");
      const bool was = active();
      const bool holds =
          was && (word == "if" ? is_true(rest) : is_defined(rest) == (word == "ifdef"));
      conditions_.push_back({holds, holds || !was, false, line_});
      return;
    }
    if (conditions_.empty() || (conditions_.back().last && word != "endif"))
      fail(location(), "there is no #if for this #" + word + ".");
    Branch &branch = conditions_.back();
    if (word == "endif") return conditions_.pop_back();
    branch.active = !branch.taken && (word == "else" || is_true(rest));
    branch.taken |= branch.active;
    branch.last = word == "else";
  }

  bool is_defined(const Tokens &rest) const {
    if (rest.size() != 1) fail(location(), "a name was expected.");
    return macros_.count(rest[0].text) > 0;
  }

  bool is_true(const Tokens &rest) {
    Tokens condition;
    for (size_t i = 0; i < rest.size(); i++) {
      if (rest[i].text != "defined") {
        condition.push_back(rest[i]);
        continue;
      }
      const bool in_brackets = i + 1 < rest.size() && rest[i + 1].text == "(";
      i += in_brackets ? 2 : 1;
      if (i >= rest.size() || (in_brackets && (++i >= rest.size() || rest[i].text != ")")))
        fail(location(), "a name was expected after “defined”.");
      Token result = rest[i];
      result.kind = Token::Kind::number;
      result.text = macros_.count(rest[in_brackets ? i - 1 : i].text) ? "1" : "0";
      condition.push_back(result);
    }
    return condition_holds(expand(condition, 0), location());
  }

  void pragma(const Tokens &rest) {
    static const std::regex allowed(
        "(no)?unroll|unroll [0-9]{1,4}|unroll \\( [0-9]{1,4} \\)|"
        "OPENCL EXTENSION cl_khr_fp(16|64) : enable");
    std::string text;
    for (const Token &token : expand(rest, 0)) text += (text.empty() ? "" : " ") + token.text;
    if (text.size() > most_name || !std::regex_match(text, allowed))
      fail(
          location(),
          "this #pragma is not supported; a filter may use #pragma unroll, unroll N and nounroll.");
    out_.push_back({Token::Kind::pragma, "#pragma " + text, line_, true, true, false, nullptr});
  }

  void define(const Tokens &rest) {
    Macro macro;
    size_t at = 1;
    macro.takes_arguments = rest.size() > 1 && rest[1].text == "(" && !rest[1].spaced;
    if (macro.takes_arguments)
      for (at = 2; at >= rest.size() || rest[at - 1].text != ")"; at++) {
        const bool name = at < rest.size() && rest[at].kind == Token::Kind::name;
        if (name) macro.parameters.push_back(rest[at++].text);
        const std::string next = at < rest.size() ? rest[at].text : "";
        if (next != ")" && (next != "," || !name))
          fail(location(), "write the parameters of a macro as names in ( ), separated by commas.");
      }
    macro.body.assign(rest.begin() + long(std::min(at, rest.size())), rest.end());
    for (const Token &token : macro.body)
      if (token.text == "#" || token.text == "##")
        fail(location(), "“" + token.text + "” is not supported: macros can't build new tokens.");
    macros_[rest[0].text] = std::move(macro);
  }

  /// The macro of a name; null for other tokens and for tokens that come from this macro.
  const Macro *macro_of(const Token &token) const {
    if (token.kind != Token::Kind::name) return nullptr;
    const auto known = macros_.find(token.text);
    if (known == macros_.end()) return nullptr;
    for (auto from = token.from.get(); from; from = from->outer.get())
      if (from->name == token.text) return nullptr;
    return &known->second;
  }

  Tokens expand(Tokens tokens, int depth) {
    if (depth > most_nested) fail(location(), "macro calls are nested too deeply.");
    Tokens out;
    std::reverse(tokens.begin(), tokens.end());  // the next token is the last element
    while (!tokens.empty()) {
      const Token token = tokens.back();
      tokens.pop_back();
      const Macro *macro = macro_of(token);
      const bool called = !tokens.empty() && tokens.back().text == "(";
      if (!macro || (macro->takes_arguments && !called)) {
        out.push_back(token);
        continue;
      }
      line_ = token.line;
      std::vector<Tokens> arguments;
      if (macro->takes_arguments) arguments = take_arguments(tokens, token, *macro, depth);
      put_body(tokens, token, *macro, arguments);
    }
    return out;
  }

  /// Takes the arguments of a call with their brackets from the end of `tokens`, and expands them.
  std::vector<Tokens> take_arguments(Tokens &tokens, const Token &name, const Macro &macro,
                                     int depth) {
    std::vector<Tokens> arguments(1);
    int open = 0;
    do {
      if (tokens.empty()) fail(location(), "the call of " + name.text + " is not closed.");
      Token token = std::move(tokens.back());
      tokens.pop_back();
      open += (token.text == "(") - (token.text == ")");
      if ((token.text == "(" && open == 1) || open == 0) continue;
      if (token.text == "," && open == 1)
        arguments.emplace_back();
      else
        arguments.back().push_back(std::move(token));
    } while (open > 0);
    if (macro.parameters.empty() && arguments[0].empty()) arguments.clear();
    if (arguments.size() != macro.parameters.size())
      fail(location(), name.text + " takes " + std::to_string(macro.parameters.size()) +
                           " arguments, not " + std::to_string(arguments.size()) + ".");
    for (Tokens &argument : arguments) argument = expand(std::move(argument), depth + 1);
    return arguments;
  }

  /// Appends the expansion of a macro to `tokens`, in reverse order.
  void put_body(Tokens &tokens, const Token &name, const Macro &macro,
                const std::vector<Tokens> &arguments) {
    const auto put = [&](Token token) {
      token.from = expanded(name.text, token.from ? token.from : name.from);
      token.line = name.line;
      tokens.push_back(std::move(token));
      count();
    };
    count();
    for (auto token = macro.body.rbegin(); token != macro.body.rend(); ++token) {
      const auto parameter =
          std::find(macro.parameters.begin(), macro.parameters.end(), token->text);
      if (parameter == macro.parameters.end()) {
        put(*token);
        continue;
      }
      const Tokens &argument = arguments[size_t(parameter - macro.parameters.begin())];
      for (auto part = argument.rbegin(); part != argument.rend(); ++part) put(*part);
    }
  }

  std::shared_ptr<const MacroOrigin> expanded(
      const std::string &name, const std::shared_ptr<const MacroOrigin> &outer) const {
    const int depth = outer ? outer->depth + 1 : 1;
    if (depth > most_nested)
      fail(location(), "macros that expand to macros are nested too deeply.");
    return std::make_shared<MacroOrigin>(MacroOrigin{name, outer, depth});
  }

  void count() {
    if (++count_ > most_tokens)
      fail(location(), "the macros expand to more than " + std::to_string(most_tokens) +
                           " tokens. Use functions or shorten the macros.");
  }

  const std::string file_;
  int line_ = 1;  // current line
  std::map<std::string, Macro> macros_;
  std::vector<Branch> conditions_;
  Tokens pending_, out_;
  size_t count_ = 0;
};

}  // namespace

std::vector<Token> preprocess(const std::string &source, const std::string &file) {
  return Preprocessor(file).run(Lexer(source, file).read());
}

}  // namespace glcl::chain
