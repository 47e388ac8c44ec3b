// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rowcopier.h"

#include <algorithm>
#include <cstring>

namespace glcl::sharing {

namespace {

constexpr unsigned most_helpers = 3;
constexpr size_t piece_bytes = size_t(1) << 17;

void copy(const RowCopier::RowCopy &rows) {
  if (rows.to_step == rows.bytes && rows.from_step == rows.bytes) {
    std::memcpy(rows.to, rows.from, rows.bytes * rows.count);
    return;
  }
  for (int y = 0; y < rows.count; y++)
    std::memcpy(rows.to + y * rows.to_step, rows.from + y * rows.from_step, rows.bytes);
}

}  // namespace

RowCopier::RowCopier() {
  const unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  for (unsigned i = 0; i < std::min(threads - 1, most_helpers); i++)
    helpers_.emplace_back(&RowCopier::help, this);
}

RowCopier::~RowCopier() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread &helper : helpers_) helper.join();
}

void RowCopier::begin(const RowCopy &rows) {
  const int of_a_piece = static_cast<int>(std::max<size_t>(piece_bytes / rows.bytes, 1));
  {
    const std::lock_guard lock(mutex_);
    for (int y = 0; y < rows.count; y += of_a_piece)
      waiting_.push_back({rows.to + y * rows.to_step, rows.to_step, rows.from + y * rows.from_step,
                          rows.from_step, rows.bytes, std::min(of_a_piece, rows.count - y)});
  }
  wake_.notify_all();
}

void RowCopier::finish() {
  std::unique_lock lock(mutex_);
  while (copy_one(lock)) {
  }
  done_.wait(lock, [&] { return copying_ == 0; });
}

/// The loop of each helper.
void RowCopier::help() {
  std::unique_lock lock(mutex_);
  while (!stopping_)
    if (!copy_one(lock)) wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
}

/// Copies the next piece; false if no piece is left.
bool RowCopier::copy_one(std::unique_lock<std::mutex> &lock) {
  if (waiting_.empty()) return false;
  const RowCopy rows = waiting_.front();
  waiting_.pop_front();
  copying_++;
  lock.unlock();
  copy(rows);
  lock.lock();
  if (--copying_ == 0 && waiting_.empty()) done_.notify_all();
  return true;
}

}  // namespace glcl::sharing
