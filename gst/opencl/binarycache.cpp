// SPDX-License-Identifier: LGPL-2.1-or-later
#include "binarycache.h"

namespace glcl {

BinaryCache &BinaryCache::of_process() {
  // A random run of all elements built 92 programs of rusticl, 6 MB.
  constexpr size_t max_bytes = 12 << 20;
  static auto *cache = new BinaryCache(max_bytes);
  return *cache;
}

std::shared_ptr<BinaryCache::Binary> BinaryCache::get(cl_device_id device,
                                                      const std::string &source) {
  const std::lock_guard lock(mutex_);
  Entry &entry = entries_[{device, source}];
  const bool is_new = !entry.binary;
  if (is_new) entry.binary = std::make_shared<Binary>();
  entry.last_request = ++requests_;
  std::shared_ptr<Binary> binary = entry.binary;
  if (is_new) drop_old();
  return binary;
}

void BinaryCache::drop_old() {
  for (;;) {
    size_t size = 0;
    auto oldest = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      Binary &binary = *entry->second.binary;
      if (entry->second.binary.use_count() > 1) continue;  // in use, perhaps for minutes
      const std::lock_guard lock(binary.mutex);
      size += entry->first.second.size() + binary.bytes.size();
      if (oldest == entries_.end() || entry->second.last_request < oldest->second.last_request)
        oldest = entry;
    }
    if (size <= max_bytes_) return;
    entries_.erase(oldest);
  }
}

}  // namespace glcl
