// SPDX-License-Identifier: LGPL-2.1-or-later
// The chain that the properties of a glclchain request.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/glclfilewatch.h"
#include "base/glclproperties.h"
#include "gstglclchainchild.h"

namespace glcl::chain {

/// Source of a chain: its text, or else a file; the folders of filters; and the file of the picture
/// that filters read.
struct ChainOrigin {
  std::string filters, location, path, picture;
};

/// A requested chain, and its children, in the order of its filters.
struct ChainRequest {
  Description description;
  std::vector<Child> children;

  /// The description with the current values of the children.
  Description now(int iterations) const;
};
using RequestPtr = std::shared_ptr<const ChainRequest>;

/// The request of an element. Any thread may replace it while frames are processed. Children with
/// the same name and filter in both requests stay; for the others the element emits the signals
/// child-added and child-removed. Their handlers may request another chain.
class ChainRequests {
 public:
  /// Null: no chain.
  RequestPtr current() const { return requested_.get(); }
  /// Reads the chain of `origin`, a function that is called while no other thread reads a chain. If
  /// it throws Error, also for a missing picture, the previous request stays.
  void read(GstElement *element, const std::function<ChainOrigin()> &origin);
  void replace(GstElement *element, const RequestPtr &request);
  /// Call it if a request could not be built: `previous` replaces it if it is still current.
  void refuse(GstElement *element, const RequestPtr &refused, const RequestPtr &previous);
  /// True if the last request was refused.
  bool refused_last() const { return refused_last_; }
  /// True if a file of the last chain was changed. Checks five times per second. Streaming thread.
  bool files_changed();
  /// Removes the request without a signal.
  void clear() { requested_.set(nullptr); }

 private:
  static std::vector<Child> children_for(GstElement *element, const Description &description,
                                         const RequestPtr &before);
  RequestPtr exchange(const RequestPtr &request);

  Guarded<RequestPtr> requested_;
  std::mutex reading_;  // one thread reads files at a time
  FileWatch files_;     // guarded by `reading_`
  std::atomic<bool> refused_last_{false};
};

}  // namespace glcl::chain
