// SPDX-License-Identifier: LGPL-2.1-or-later
// File descriptors that OpenCL imports.
//
// NVIDIA's OpenCL (580.159) counts by number, for the whole process. Every import of memory or of a
// semaphore adds one to the count of its descriptor's number. Every clReleaseMemObject of an object
// that was imported by that number, of its last reference or not, takes one away, and at zero the
// number is closed. A semaphore's descriptor is closed in its import, and its count stays. From
// that follows what is done here:
// - An imported image has one reference (Image). The release of another one would close the number
//   early, and later releases would close it for whoever imported it since.
// - All semaphores are imported by one number, which memory never gets: its descriptor would stay
//   open with a count of a semaphore that has gone.
// - Imports and releases take turns. Between the last count and the close another import of the
//   number would be forgotten, and never closed.
#pragma once

#include <mutex>

namespace glcl::sharing {

/// To be held around every import into OpenCL and around the release of imported memory.
std::mutex &imports();

/// The number by which semaphores are imported, for the time of an import. With imports() held.
class SemaphoreNumber {
 public:
  /// Takes the descriptor over. Where no number can be had, it keeps its own.
  explicit SemaphoreNumber(int descriptor);
  /// Keeps the number from everybody else until the next import.
  ~SemaphoreNumber();
  SemaphoreNumber(const SemaphoreNumber &) = delete;

  int number() const { return number_; }
  /// The driver did not take the descriptor over: it is closed.
  void refused();

 private:
  int number_;
};

}  // namespace glcl::sharing
