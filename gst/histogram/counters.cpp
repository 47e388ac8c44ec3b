// SPDX-License-Identifier: LGPL-2.1-or-later
#include "counters.h"

#include <algorithm>

namespace glcl {

Counters::Entry &Counters::entry_of(const Histogram::Format &format) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry &entry) { return entry.format == format; });
  if (known != entries_.end()) return *known;
  entries_.push_back({format, {}, {}, {}});
  return entries_.back();
}

Counters::Engine Counters::make(const Histogram::Format &format) const {
  return std::make_unique<Histogram>(context_, width_, height_, format, layout_);
}

void Counters::build(const Histogram::Format &format) {
  Entry &entry = entry_of(format);
  if (!entry.engine) entry.engine = make(format);
}

bool Counters::ready(const Histogram::Format &format) {
  Entry &entry = entry_of(format);
  if (entry.engine) return true;
  if (!entry.to_come.valid()) {
    Histogram::check(format, layout_);
    entry.to_come = std::async(std::launch::async, &Counters::make, this, format);
  }
  if (entry.to_come.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  entry.engine = entry.to_come.get();
  return true;
}

void Counters::next_frame() {
  for (Entry &entry : entries_) entry.counts = nullptr;
}

const cl::Buffer &Counters::count(Queue &queue, const Picture &in, const Histogram::Format &format,
                                  const Area &area) {
  Entry &entry = entry_of(format);
  if (!entry.counts || !(entry.area == area)) {
    entry.counts = &entry.engine->run(queue, in, area);
    entry.area = area;
  }
  return *entry.counts;
}

}  // namespace glcl
