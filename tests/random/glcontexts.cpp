// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcontexts.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

size_t count() {
  size_t count = 0;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    count += name == "gstglcontext";
  }
  return count;
}

}  // namespace

size_t threads_of_gl_contexts(size_t known) {
  size_t live = count();
  for (int i = 0; live > known && i < 20; i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    live = count();
  }
  return live;
}
