// SPDX-License-Identifier: LGPL-2.1-or-later
// The element messages of a chain.
#pragma once

#include <string>
#include <vector>

#include "pipeline.h"

namespace test {

/// A message's name and fields.
struct Event {
  std::string name;
  GstStructure *fields;
};
/// The element messages that gather() took, in their order.
class Events {
 public:
  ~Events() {
    for (Event &event : list_) gst_structure_free(event.fields);
  }
  void gather(Chain &chain) {
    while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
      const GstStructure *fields = gst_message_get_structure(message);
      list_.push_back({gst_structure_get_name(fields), gst_structure_copy(fields)});
      gst_message_unref(message);
    }
  }
  std::vector<const GstStructure *> of(const std::string &name) const {
    std::vector<const GstStructure *> found;
    for (const Event &event : list_)
      if (event.name == name) found.push_back(event.fields);
    return found;
  }

 private:
  std::vector<Event> list_;
};

inline void end(Chain &chain) { gst_harness_push_event(chain.harness(), gst_event_new_eos()); }

}  // namespace test
