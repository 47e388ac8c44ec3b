// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cl.h"

namespace glcl {

/// Binaries of programs, by device and source. Beyond its size it drops those that were not
/// requested for the longest time, so that changes of settings do not fill the memory. Safe to use
/// from several threads.
class BinaryCache {
 public:
  /// The binary of a source for a device; empty until it is compiled. `mutex` guards it.
  struct Binary {
    std::mutex mutex;
    std::vector<unsigned char> bytes;
  };

  /// It keeps at most `max_bytes` of binaries and sources, beside binaries in use.
  explicit BinaryCache(size_t max_bytes) : max_bytes_(max_bytes) {}
  BinaryCache(const BinaryCache &) = delete;

  /// The cache of the process, never destroyed: OpenCL drivers crash when called at exit.
  static BinaryCache &of_process();

  /// The binary of a source with its options; it is in use until the caller drops it.
  std::shared_ptr<Binary> get(cl_device_id device, const std::string &source);

 private:
  struct Entry {
    std::shared_ptr<Binary> binary;
    uint64_t last_request;
  };

  void drop_old();

  const size_t max_bytes_;
  std::mutex mutex_;  // guards the members below
  uint64_t requests_ = 0;
  std::map<std::pair<cl_device_id, std::string>, Entry> entries_;
};

}  // namespace glcl
