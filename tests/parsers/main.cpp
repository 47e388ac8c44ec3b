// SPDX-License-Identifier: LGPL-2.1-or-later
// Gives a target the files of a folder and random changes of them, the same in every run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "parser.h"

namespace {

constexpr int usual_changes = 4000;
constexpr size_t most_bytes = 1 << 16;

class Changes {
 public:
  explicit Changes(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {}

  std::string next() {
    std::string text = any();
    for (size_t steps = 1 + below(6); steps > 0; steps--) change(text);
    text.resize(std::min(text.size(), most_bytes));
    return text;
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  const std::string &any() { return corpus_[below(corpus_.size())]; }
  /// A part of a text, the end excluded.
  std::pair<size_t, size_t> part(const std::string &text) {
    const size_t from = below(text.size() + 1);
    return {from, from + below(std::min<size_t>(text.size() - from, 32) + 1)};
  }

  void change(std::string &text) {
    static const char *const tokens[] = {"-",
                                         "%",
                                         "0",
                                         "9",
                                         ":",
                                         ",",
                                         "<",
                                         ">",
                                         "[",
                                         "{",
                                         "}",
                                         "]",
                                         "\"",
                                         "\\u0000",
                                         "1e999",
                                         "-0",
                                         "null",
                                         "%d",
                                         "2147483647",
                                         "-2147483648",
                                         "2147483648",
                                         "4294967296",
                                         "18446744073709551616",
                                         "99999999999999999999"};
    const auto [from, to] = part(text);
    switch (below(6)) {
      case 0:
        text.erase(from, to - from);
        break;
      case 1:
        text.insert(from, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text.insert(from, tokens[below(std::size(tokens))]);
        break;
      case 3:
        if (from < text.size()) text[from] = static_cast<char>(text[from] ^ 1 << below(8));
        break;
      case 4: {
        const std::string again = text.substr(from, to - from);
        for (size_t times = 1 + below(8); times > 0; times--) text.insert(from, again);
        break;
      }
      default: {
        const std::string &other = any();
        const auto [begin, end] = part(other);
        text.replace(from, to - from, other, begin, end - begin);
      }
    }
  }

  std::vector<std::string> corpus_;
  std::mt19937 random_{1};
};

void give(const std::string &text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: " << argv[0] << " FOLDER [CHANGES]\n";
    return 2;
  }
  const int changed = argc == 3 ? std::atoi(argv[2]) : usual_changes;
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  check(!paths.empty(), std::string(argv[1]) + " is empty");
  std::vector<std::string> corpus;
  for (const auto &path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  for (const std::string &text : corpus) give(text);
  Changes changes(corpus);
  for (int i = 0; i < changed; i++) give(changes.next());
  std::cout << corpus.size() << " texts and " << changed << " changes of them\n";
}
