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

/// A full search that a pool of devices shares, row of candidates by row. Each device finds the
/// least keys among its candidates, and the host takes the least of all. The keys equal those of
/// Search for any number of devices and any shares. Nothing waits: several searches may be pending,
/// and a device receives the next frame while it searches.
class MultiDeviceSearch {
 public:
  /// A frame's luma on the host, as Plane lays it out.
  struct HostLuma {
    uint64_t number;  // another one for every frame
    std::shared_ptr<Pinned> memory;
    cl::Event arrived;  ///< its bytes; null: they are there

    uint8_t *bytes() const { return static_cast<uint8_t *>(memory->data()); }
  };

  /// For frames of width × height px; `block` as for Search; host memory is pinned for `context`.
  /// Throws Error::failed, cl::Error.
  MultiDeviceSearch(DevicePool &pool, Context &context, int block, int width, int height);
  /// Waits for pending work.
  ~MultiDeviceSearch();

  /// Room for a frame, of layout().bytes().
  HostLuma frame();
  const LumaPlane &layout() const { return layout_; }
  /// How many keys a search gives.
  size_t keys() const { return keys_; }

  /// Rows of candidates of a window for each device, as the next search shares them.
  std::vector<int> shares(const SearchWindow &window) const;

  /// A search within ±range px that the slowest device does first. If its vectors predict the frame
  /// with at most these squared errors, the other devices do not search.
  struct Ahead {
    int range = 0;  ///< 0: none
    double errors = 0;
  };

  /// Enqueues a search of a plane, which `queue` fills, in the one of the previous frame: `results`
  /// goes on when the pool has filled `keys`; `queue` goes on at once, and the host does not wait.
  /// The planes are in use until `results` has come to here. `number` is one more for every frame
  /// of the stream. Candidates lie within ±range px. After a failure all vectors are 0 and the
  /// outcome says why.
  std::shared_ptr<const DeferredError> enqueue(Queue &queue, Queue &results, uint64_t number,
                                               const LumaPlane &current, const LumaPlane &before,
                                               int range, const Ahead &ahead, int lambda,
                                               const cl::Buffer &keys);
  /// An int on the device: the square of the range that was enough; with `ahead`.
  const cl::Buffer &range_square() const { return range_square_; }

  /// Starts the search of `current` in `reference`. `keys` receives the keys. Then a thread of the
  /// pool calls `done`, with the error if there was one. Throws Error::settings as Search::run
  /// does.
  void start(const HostLuma &current, const HostLuma &reference, const SearchWindow &window,
             int lambda, Key *keys, DevicePool::Done done);
  /// The same with chosen shares: rows of candidates for each device.
  void start(const HostLuma &current, const HostLuma &reference, const SearchWindow &window,
             int lambda, Key *keys, DevicePool::Done done, const std::vector<int> &shares);

 private:
  /// A frame on a device.
  struct FrameSlot {
    LumaPlane plane;
    uint64_t number = 0;  // of the frame that it holds
    uint64_t used = 0;    // the last time
  };

  /// The search on one device, and the frames that it holds.
  struct DevicePart {
    Search search;
    FrameSlot slots[4];  // of this search's frames and the last one's
    uint64_t uses = 0;
    cl::Buffer keys;
    std::unique_ptr<SquaredErrors> errors;  // with its sums, once the device has searched ahead
    cl::Buffer sums;
    std::unique_ptr<PinnedPool> found;  // keys, and sums behind them
  };

  static std::vector<DevicePart> parts(DevicePool &pool, int block);
  const LumaPlane &upload(DevicePool::Worker &worker, DevicePart &part, const HostLuma &luma);
  HostLuma fetch(Queue &queue, const LumaPlane &plane);
  void start_ahead(const HostLuma &current, const HostLuma &reference, const Ahead &ahead,
                   int lambda, Key *keys, const DevicePool::Done &enough,
                   const DevicePool::Done &more);

  DevicePool &pool_;
  cl::Context context_;
  LumaPlane layout_;
  std::vector<DevicePart> parts_;  // by worker; each on that one's thread
  size_t keys_;
  Queue fetches_;  // of planes to the host
  PinnedPool frames_;
  std::atomic<uint64_t> number_{0};

  PinnedPool merged_;  // keys, and the square of the range behind them
  cl::Buffer range_square_;
  HostLuma last_;             // the frame that enqueue() was given last
  uint64_t last_number_ = 0;  // in the stream; 0: none
  std::deque<std::pair<cl::Event, std::shared_ptr<Pinned>>> written_;  // in use until then
};

}  // namespace glcl::motion
