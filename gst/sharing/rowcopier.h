// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace glcl::sharing {

/// Copies rows of pixels on the host with threads of its own, because one thread alone reaches a
/// part of what memory and bus can do. From one thread.
class RowCopier {
 public:
  RowCopier();
  ~RowCopier();
  RowCopier(const RowCopier &) = delete;

  struct RowCopy {
    char *to;
    size_t to_step;  ///< bytes from row to row
    const char *from;
    size_t from_step;
    size_t bytes;  ///< of a row
    int count;
  };
  /// Begins to copy and returns; both sides stay as they are until finish().
  void begin(const RowCopy &rows);
  /// Lends a hand until all is copied.
  void finish();

 private:
  void help();
  bool copy_one(std::unique_lock<std::mutex> &lock);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<RowCopy> waiting_;
  int copying_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace glcl::sharing
