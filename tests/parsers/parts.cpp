// SPDX-License-Identifier: LGPL-2.1-or-later
// The folder of a part that glcl-analyze --join reads: it is joined, or a Failure says why not.
// A text has the files behind lines of their names, "=== summary.json".
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "analyze/folder.h"
#include "analyze/join.h"
#include "analyze/report.h"
#include "parser.h"

namespace {

using namespace glcl::analyze;

/// A folder of this process, in memory where that can be: results go to the disk, file by file.
class Work {
 public:
  Work() {
    const std::filesystem::path memory = "/dev/shm";
    const bool can = access(memory.c_str(), W_OK) == 0;
    path_ = (can ? memory : std::filesystem::temp_directory_path()) /
            ("glcl-parts-" + std::to_string(getpid()));
    gst_init(nullptr, nullptr);
    Folder::made(part());
    Folder::made(whole());
  }
  ~Work() { std::filesystem::remove_all(path_); }
  std::string part() const { return path_ + "/part"; }
  std::string whole() const { return path_ + "/whole"; }

 private:
  std::string path_;
};

void write_files(const Folder &folder, const std::string &text) {
  folder.clear();
  for (const char *name :
       {"summary.json", "frames.csv", "events.jsonl", "objects.csv", "shots.rgb"}) {
    const std::string head = std::string("=== ") + name + "\n";
    const size_t begin = text.find(head);
    if (begin == std::string::npos) continue;
    const size_t end = std::min(text.find("=== ", begin + head.size()), text.size());
    folder.write(name, text.substr(begin + head.size(), end - begin - head.size()));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Work work;
  write_files(Folder(work.part()), text_of(data, size));
  const Folder whole(work.whole());
  whole.clear();
  try {
    std::vector<std::string> parts{work.part()};
    Task task = joined_task(parts);
    task.folder = work.whole();
    join(task, parts);
    report(task);
  } catch (const Failure &) {
    return 0;
  }
  check(whole.has("index.html") && whole.json("summary.json").contains("frames"),
        "it is not whole");
  return 0;
}
