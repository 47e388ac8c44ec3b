// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace glcl::sharing {

/// Copies rows of pixels on the host with its own threads, because a single thread can't use the
/// full bandwidth of memory and bus. Call it from one thread.
class RowCopier {
 public:
  RowCopier();
  ~RowCopier();
  RowCopier(const RowCopier &) = delete;

  /// A copy of rows between two pictures in host memory.
  struct RowCopy {
    char *to;
    size_t to_step;  ///< bytes from row to row
    const char *from;
    size_t from_step;
    size_t bytes;  ///< size of a row
    int count;
  };
  /// Starts to copy and returns; keep both sides unchanged until finish().
  void begin(const RowCopy &rows);
  /// Helps copying and returns when everything is copied.
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
