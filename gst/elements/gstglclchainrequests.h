// SPDX-License-Identifier: LGPL-2.1-or-later
// The chain that the properties of a glclchain name.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/glclproperties.h"
#include "chain/filewatch.h"
#include "gstglclchainchild.h"

namespace glcl::chain {

/// Where a chain comes from: its text, or else a file; and folders of filters.
struct ChainOrigin {
  std::string filters, location, path;
};

/// A requested chain, and its children, in the order of its filters.
struct ChainRequest {
  Description description;
  std::vector<Child> children;

  /// With the values that the children have now.
  Description now(int iterations) const;
};
using RequestPtr = std::shared_ptr<const ChainRequest>;

/// The request of an element, which any thread may replace while frames go on. A child with the
/// same name and filter in both stays; the element emits the signals child-added and child-removed
/// for the others. Their handlers may request another chain.
class ChainRequests {
 public:
  /// Null: no chain.
  RequestPtr current() const { return requested_.get(); }
  /// Reads the chain of `origin`, which is called when no other thread reads one. Throws Error and
  /// keeps the previous request then.
  void read(GstElement *element, const std::function<ChainOrigin()> &origin);
  void replace(GstElement *element, const RequestPtr &request);
  /// A request could not be built: `previous` takes its place, unless it is no longer current.
  void refuse(GstElement *element, const RequestPtr &refused, const RequestPtr &previous);
  /// True if the last one that was read was refused.
  bool refused_last() const { return refused_last_; }
  /// True if a file of the last chain was changed. Looks five times a second. Streaming thread.
  bool files_changed();
  /// Removes all without a signal.
  void clear() { requested_.set(nullptr); }

 private:
  static std::vector<Child> children_for(GstElement *element, const Description &description,
                                         const RequestPtr &before);
  RequestPtr exchange(const RequestPtr &request);

  Guarded<RequestPtr> requested_;
  std::mutex reading_;  // one reads files at a time
  FileWatch files_;     // under `reading_`
  std::atomic<bool> refused_last_{false};
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace glcl::chain
