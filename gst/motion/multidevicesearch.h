// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <deque>

#include "devicepool.h"
#include "errors.h"
#include "opencl/deferrederror.h"
#include "opencl/pinned.h"
#include "search.h"

namespace glcl::motion {

/// A full search on a pool of devices, each of which tries some rows of candidates. Each device
/// finds the least keys among its candidates, and the host merges them. The keys equal those of
/// Search for any number of devices and any shares. The start of a search does not wait: several
/// may be pending, and a device receives the next frame while it searches. The destructor waits.
class MultiDeviceSearch {
 public:
  /// The luma of a frame on the host, in the layout of LumaPlane.
  struct HostLuma {
    uint64_t number;  ///< unique
    std::shared_ptr<Pinned> memory;
    cl::Event arrived;  ///< completes when the bytes are valid; null: they are

    uint8_t *bytes() const { return static_cast<uint8_t *>(memory->data()); }
  };

  /// For frames of width × height px; `block` as for Search. Host memory is pinned for `context`.
  /// Throws Error::settings for other blocks, Error::failed or cl::Error if a device refuses.
  MultiDeviceSearch(DevicePool &pool, Context &context, int block, int width, int height);
  /// Waits for pending work.
  ~MultiDeviceSearch();

  /// Pinned memory for a frame, layout().bytes() bytes.
  HostLuma frame();
  const LumaPlane &layout() const { return layout_; }
  /// The number of keys of a search.
  size_t keys() const { return keys_; }

  /// The number of rows of candidates for each device in the next search of this window.
  std::vector<int> shares(const SearchWindow &window) const;

  /// A preliminary search within ±range px on the slowest device. If its vectors predict the frame
  /// with at most `errors`, the other devices do not search.
  struct PreliminarySearch {
    int range = 0;      ///< px; 0: no preliminary search
    double errors = 0;  ///< squared, over the frame, levels²
  };

  /// Enqueues the search of a plane, which `queue` fills, in that of the previous frame. `results`
  /// continues when the pool has filled `keys`; `queue` continues at once, and the host does not
  /// wait. The planes are in use until `results` passes this search. `number` increases by 1 per
  /// frame of the stream. Candidates lie within ±range px. After a failure all vectors are 0, and
  /// the result has the error. Throws Error::settings as Search::run() does.
  std::shared_ptr<const DeferredError> enqueue(Queue &queue, Queue &results, uint64_t number,
                                               const LumaPlane &current, const LumaPlane &before,
                                               int range, const PreliminarySearch &preliminary,
                                               int lambda, const cl::Buffer &keys);
  /// An int on the device: the square of the range that was sufficient, with a preliminary search.
  const cl::Buffer &range_square() const { return range_square_; }

  /// Starts the search of `current` in `reference`. `keys` receives the keys; then a thread of the
  /// pool calls `done` with the error or null. Throws Error::settings as Search::run() does.
  void start(const HostLuma &current, const HostLuma &reference, const SearchWindow &window,
             int lambda, Key *keys, DevicePool::Done done);
  /// The same with these shares: rows of candidates for each device.
  void start(const HostLuma &current, const HostLuma &reference, const SearchWindow &window,
             int lambda, Key *keys, DevicePool::Done done, const std::vector<int> &shares);

 private:
  /// A frame on a device.
  struct FrameSlot {
    LumaPlane plane;
    uint64_t number = 0;  // of the frame that it holds
    uint64_t used = 0;    // `uses` at the last use; the slot with the least is replaced
  };

  /// The search on one device, and the frames that it holds.
  struct DevicePart {
    Search search;
    FrameSlot slots[4];  // for the frames of this search and of the last one
    uint64_t uses = 0;
    cl::Buffer keys;
    std::unique_ptr<SquaredErrors> errors;  // with `sums`, made by the first preliminary search
    cl::Buffer sums;
    std::unique_ptr<PinnedPool> host_memory;  // for keys, then sums
  };

  static std::vector<DevicePart> parts(DevicePool &pool, int block);
  const LumaPlane &upload(DevicePool::Worker &worker, DevicePart &part, const HostLuma &luma);
  HostLuma download(Queue &queue, const LumaPlane &plane);
  void start_preliminary(const HostLuma &current, const HostLuma &reference,
                         const PreliminarySearch &preliminary, int lambda, Key *keys,
                         const DevicePool::Done &sufficient, const DevicePool::Done &insufficient);

  DevicePool &pool_;
  cl::Context context_;
  LumaPlane layout_;
  std::vector<DevicePart> parts_;  // by worker, for use on its threads
  size_t keys_;
  Queue downloads_;  // queue for copies of planes to the host
  PinnedPool frames_;
  std::atomic<uint64_t> number_{0};

  PinnedPool merged_;  // for keys, then the square of the range
  cl::Buffer range_square_;
  HostLuma last_;             // the last frame of enqueue()
  uint64_t last_number_ = 0;  // its number in the stream; 0 without a frame
  // Memory that is in use until its event.
  std::deque<std::pair<cl::Event, std::shared_ptr<Pinned>>> pending_writes_;
};

}  // namespace glcl::motion
