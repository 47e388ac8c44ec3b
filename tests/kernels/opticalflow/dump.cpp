// SPDX-License-Identifier: LGPL-2.1-or-later
// Patterns for the names of vector files, and the handling of existing files.
#include "opticalflow/dump.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "cases.h"
#include "opencl/error.h"
#include "reference/opticalflow/flow.h"

using glcl::opticalflow::check_dump_pattern;
using glcl::opticalflow::dump_path;
using glcl::opticalflow::is_dump_pattern;
using glcl::opticalflow::write_flo;
namespace fs = std::filesystem;

namespace {

constexpr float vectors[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/// A folder that exists until the end of the test.
struct Folder {
  Folder() {
    g_autofree gchar *made = g_dir_make_tmp("glcl-dump-XXXXXX", nullptr);
    fail_unless(made != nullptr);
    path = made;
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
  }

  std::string path;
};

std::string content(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Expects an Error with these words.
void expect_error(const std::function<void()> &work, const std::vector<std::string> &words) {
  try {
    work();
  } catch (const glcl::Error &error) {
    for (const std::string &word : words)
      fail_unless(std::string(error.what()).find(word) != std::string::npos, "no \"%s\" in: %s",
                  word.c_str(), error.what());
    return;
  }
  fail("no error with %s", words.front().c_str());
}

void expect_path(const std::string &pattern, uint64_t number, const char *wanted) {
  const std::string path = dump_path(pattern, number);
  fail_unless(path == wanted, "%s, not %s", path.c_str(), wanted);
}

void expect_refused(const std::string &path, const std::string &reason) {
  expect_error([&] { write_flo(path, 3, 2, vectors); }, {path, reason});
}

}  // namespace

TEST(patterns) {
  const std::pair<const char *, const char *> named[] = {
      {"%d", "7"},           {"flow-%05d.flo", "flow-00007.flo"},
      {"a%4ib", "a   7b"},   {"%u.flo", "7.flo"},
      {"%0d", "7"},          {"100%%-%d-%%", "100%-7-%"},
      {"%09d", "000000007"}, {"/%d/%%d", "/7/%d"}};
  for (const auto &[pattern, path] : named) {
    fail_unless(is_dump_pattern(pattern), "%s is a pattern", pattern);
    expect_path(pattern, 7, path);
  }
  expect_path("%02d", 12345678901, "12345678901");
  for (const char *text :
       {"",     "%",   "%%",   "plain",       "%d%d",  "%d-%i", "d-%s%n.flo", "%n",
        "%s",   "%d%", "%d%s", "%5",          "%0",    "%-5d",  "%+d",        "% d",
        "%#d",  "%'d", "%00d", "%.5d",        "%5.5d", "%*d",   "%ld",        "%hhd",
        "%1$d", "%x",  "%10d", "%999999999d", "%010d", "%%d",   "%5%d"}) {
    fail_if(is_dump_pattern(text), "%s is no pattern", text);
    expect_error([&] { dump_path(text, 0); }, {"dump-location", text, "flow-%05d.flo"});
  }
  fail_if(is_dump_pattern(std::string("%d\0.flo", 7)), "a name ends at a zero");
}

TEST(folders) {
  const Folder folder;
  check_dump_pattern(folder / "%d.flo");
  check_dump_pattern("%d.flo");
  check_dump_pattern(folder / "%d/flow.flo");  // may be created later
  expect_error([&] { check_dump_pattern(folder / "none/%d.flo"); },
               {"dump-location", folder / "none/0.flo", "No such file"});
  std::ofstream(folder / "file") << "file";
  expect_error([&] { check_dump_pattern(folder / "file/%d.flo"); }, {"Not a directory"});
}

TEST(files) {
  const Folder folder;
  const std::string path = folder / "0.flo";
  std::ofstream(path) << "an old file that is longer than the new one is, by some bytes at least";
  fs::create_hard_link(path, folder / "link");
  const std::string old = content(path);
  write_flo(path, 3, 2, vectors);
  const reference::opticalflow::Field field = reference::opticalflow::load_flo(path);
  fail_unless(field.width == 3 && field.height == 2);
  for (int i = 0; i < 6; i++)
    fail_unless(field.x(i % 3, i / 3) == vectors[2 * i] &&
                field.y(i % 3, i / 3) == vectors[2 * i + 1]);
  fail_unless(content(folder / "link") == old, "the old file was written to");
  fail_unless_equals_int(fs::file_size(path), 12 + sizeof vectors);
  fail_unless_equals_int(folder.entries(), 2);
}

TEST(no_ordinary_files) {
  const Folder folder;
  const std::string target = folder / "target", link = folder / "link", fifo = folder / "fifo",
                    dangling = folder / "dangling";
  std::ofstream(target) << "precious";
  fs::create_symlink(target, link);
  fs::create_symlink(folder / "none", dangling);
  fail_unless(mkfifo(fifo.c_str(), 0600) == 0);
  expect_refused(link, "symbolic link");
  expect_refused(dangling, "symbolic link");
  expect_refused(fifo, "not a regular file");
  expect_refused(folder.path, "not a regular file");
  expect_refused("/dev/null", "not a regular file");
  expect_refused(folder / "none/0.flo", "No such file");
  fail_unless(content(target) == "precious");
  fail_unless(fs::is_symlink(link) && fs::is_fifo(fifo), "they are what they were");
  fail_unless_equals_int(folder.entries(), 4);
}

// A failed write keeps the old file.
TEST(no_room) {
  const Folder folder;
  const std::string path = folder / "0.flo";
  std::ofstream(path) << "old";
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t all = std::exchange(limit.rlim_cur, 20);
  setrlimit(RLIMIT_FSIZE, &limit);
  expect_refused(path, "File too large");
  limit.rlim_cur = all;
  setrlimit(RLIMIT_FSIZE, &limit);
  fail_unless(content(path) == "old");
  fail_unless_equals_int(folder.entries(), 1);
}
