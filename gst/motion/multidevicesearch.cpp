// SPDX-License-Identifier: LGPL-2.1-or-later
#include "multidevicesearch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "opencl/error.h"
#include "opencl/queuesync.h"
#include "opencl/userevent.h"
#include "opencl/waiting.h"

namespace glcl::motion {

MultiDeviceSearch::MultiDeviceSearch(DevicePool &pool, Context &context, int block, int width,
                                     int height)
    : pool_(pool),
      context_(context.cl()),
      layout_(width, height),
      parts_(parts(pool, block)),
      keys_(parts_.front().search.keys(layout_)),
      downloads_(context.shared_from_this()),
      frames_(context, layout_.bytes()),
      merged_(context, (keys_ + 1) * sizeof(Key)),
      range_square_(context.cl(), CL_MEM_READ_WRITE, sizeof(cl_int)) {
  for (size_t i = 0; i < pool.size(); i++) {
    Context &own = *pool.worker(i).context;
    DevicePart &part = parts_[i];
    try {
      for (FrameSlot &slot : part.slots) slot.plane = make_plane(own.cl(), width, height);
      part.keys = cl::Buffer(own.cl(), CL_MEM_READ_WRITE, keys_ * sizeof(Key));
      part.host_memory =
          std::make_unique<PinnedPool>(own, keys_ * sizeof(Key) + SquaredErrors::bytes);
    } catch (const cl::Error &error) {
      throw Error("Can't allocate memory for a share of the motion search on " + own.device().name +
                      ". Remove it from devices.",
                  error);
    }
  }
}

std::vector<MultiDeviceSearch::DevicePart> MultiDeviceSearch::parts(DevicePool &pool, int block) {
  std::vector<DevicePart> parts(pool.size());
  for (size_t i = 0; i < pool.size(); i++) parts[i].search = Search(*pool.worker(i).context, block);
  return parts;
}

MultiDeviceSearch::~MultiDeviceSearch() {
  pool_.wait_noexcept();
  wait_noexcept(downloads_.cl());
  for (const auto &[event, keys] : pending_writes_) wait_noexcept(event);
}

MultiDeviceSearch::HostLuma MultiDeviceSearch::frame() { return {++number_, frames_.take(), {}}; }

/// The plane of a frame on the device. Uploads it if the device does not have it yet.
const LumaPlane &MultiDeviceSearch::upload(DevicePool::Worker &worker, DevicePart &part,
                                           const HostLuma &luma) {
  const auto known =
      std::find_if(std::begin(part.slots), std::end(part.slots),
                   [&](const FrameSlot &slot) { return slot.number == luma.number; });
  FrameSlot &slot = known != std::end(part.slots)
                        ? *known
                        : *std::min_element(std::begin(part.slots), std::end(part.slots),
                                            [](const FrameSlot &a, const FrameSlot &b) {
                                              return a.used < b.used;
                                            });
  slot.used = ++part.uses;
  if (slot.number == luma.number) return slot.plane;
  slot.number = 0;  // until the upload is enqueued
  std::vector<cl::Event> uploaded(1);
  worker.transfers->cl().enqueueWriteBuffer(slot.plane.buffer, CL_FALSE, 0, layout_.bytes(),
                                            luma.bytes(), nullptr, &uploaded[0]);
  worker.transfers->cl().flush();
  worker.queue->cl().enqueueBarrierWithWaitList(&uploaded);
  slot.number = luma.number;
  return slot.plane;
}

void MultiDeviceSearch::start(const HostLuma &current, const HostLuma &reference,
                              const SearchWindow &window, int lambda, Key *keys,
                              DevicePool::Done done) {
  start(current, reference, window, lambda, keys, std::move(done), shares(window));
}

std::vector<int> MultiDeviceSearch::shares(const SearchWindow &window) const {
  const int unit = parts_.front().search.rows_at_once(), rows = window.y.count;
  std::vector<int> shares = pool_.shares((rows + unit - 1) / unit);
  int assigned = 0;
  for (int &share : shares) {
    share = std::min(share * unit, rows - assigned);
    assigned += share;
  }
  return shares;
}

void MultiDeviceSearch::start(const HostLuma &current, const HostLuma &reference,
                              const SearchWindow &window, int lambda, Key *keys,
                              DevicePool::Done done, const std::vector<int> &shares) {
  check_search(layout_, layout_, window, lambda);
  const auto found = std::make_shared<std::vector<std::shared_ptr<Pinned>>>(parts_.size());
  const auto work = [=](size_t index, DevicePool::Worker &worker, int begin, int end) {
    DevicePart &part = parts_[index];
    const LumaPlane &there = upload(worker, part, reference), &own = upload(worker, part, current);
    part.search.run(*worker.queue, own, there, {window.x, {window.y.first + begin, end - begin}},
                    lambda, part.keys);
    std::shared_ptr<Pinned> &own_found = (*found)[index] = part.host_memory->take();
    worker.queue->cl().enqueueReadBuffer(part.keys, CL_FALSE, 0, keys_ * sizeof(Key),
                                         own_found->data());
  };
  const auto merge = [=](const std::exception_ptr &failure) {
    bool first = true;
    for (const auto &memory : *found) {
      if (!memory || failure) continue;
      const Key *own = static_cast<const Key *>(memory->data());
      if (std::exchange(first, false))
        std::copy_n(own, keys_, keys);
      else
        std::transform(own, own + keys_, keys, keys, [](Key a, Key b) { return std::min(a, b); });
    }
    found->clear();
    done(failure);
  };
  // The transfer of the reference was enqueued earlier to the same queue, so it completes before.
  pool_.start(shares, current.arrived, work, merge);
}

/// Starts the preliminary search. Calls `sufficient` if its result is used, else `insufficient`.
void MultiDeviceSearch::start_preliminary(const HostLuma &current, const HostLuma &reference,
                                          const PreliminarySearch &preliminary, int lambda,
                                          Key *keys, const DevicePool::Done &sufficient,
                                          const DevicePool::Done &insufficient) {
  const auto found = std::make_shared<std::shared_ptr<Pinned>>();
  const auto work = [=](size_t index, DevicePool::Worker &worker, int, int) {
    DevicePart &part = parts_[index];
    if (!part.errors) {
      part.sums = cl::Buffer(worker.context->cl(), CL_MEM_READ_WRITE, SquaredErrors::bytes);
      part.errors = std::make_unique<SquaredErrors>(*worker.context, part.search);
    }
    const LumaPlane &there = upload(worker, part, reference), &own = upload(worker, part, current);
    part.search.run(*worker.queue, own, there, SearchWindow::of_range(preliminary.range), lambda,
                    part.keys);
    part.errors->run(*worker.queue, own, there, part.keys, part.sums);
    *found = part.host_memory->take();
    Key *own_found = static_cast<Key *>((*found)->data());
    worker.queue->cl().enqueueReadBuffer(part.keys, CL_FALSE, 0, keys_ * sizeof(Key), own_found);
    worker.queue->cl().enqueueReadBuffer(part.sums, CL_FALSE, 0, SquaredErrors::bytes,
                                         own_found + keys_);
  };
  const auto decide = [=](const std::exception_ptr &failure) {
    const std::shared_ptr<Pinned> memory = std::exchange(*found, nullptr);
    const Key *own_found = memory ? static_cast<const Key *>(memory->data()) : nullptr;
    if (failure || SquaredErrors::total(own_found + keys_) > preliminary.errors)
      return insufficient(failure);
    std::copy_n(own_found, keys_, keys);
    sufficient({});
  };
  std::vector<int> shares(pool_.size(), 0);
  shares[pool_.slowest()] = 1;
  pool_.start(shares, current.arrived, work, decide, false);
}

/// Enqueues a copy of a plane to the host.
MultiDeviceSearch::HostLuma MultiDeviceSearch::download(Queue &queue, const LumaPlane &plane) {
  HostLuma luma = frame();
  queue.cl().enqueueReadBuffer(plane.buffer, CL_FALSE, 0, plane.bytes(), luma.bytes(), nullptr,
                               &luma.arrived);
  return luma;
}

std::shared_ptr<const DeferredError> MultiDeviceSearch::enqueue(
    Queue &queue, Queue &results, uint64_t number, const LumaPlane &current,
    const LumaPlane &before, int range, const PreliminarySearch &preliminary, int lambda,
    const cl::Buffer &keys) {
  const SearchWindow window = SearchWindow::of_range(range);
  check_search(current, before, window, lambda);
  Queue &downloads = &results == &queue ? queue : downloads_;
  wait_for(downloads, queue);
  if (!last_number_ || last_number_ != number - 1) last_ = download(downloads, before);
  const HostLuma reference = std::exchange(last_, download(downloads, current));
  last_number_ = number;
  downloads.cl().flush();

  const std::shared_ptr<Pinned> merged = merged_.take();
  const cl::UserEvent found(context_);
  const auto deferred_error = std::make_shared<DeferredError>();
  Key *own = static_cast<Key *>(merged->data());
  const auto done = [found, merged, deferred_error, own, count = keys_](
                        int searched, const std::exception_ptr &failure) {
    if (failure) {
      std::fill_n(own, count, key_of(0, {}));
      deferred_error->set_failure(failure);
    }
    const cl_int square = searched * searched;
    std::memcpy(own + count, &square, sizeof square);
    complete(found);
  };
  const auto all = [=, now = last_](const std::exception_ptr &earlier) {
    if (earlier) return done(range, earlier);
    start(now, reference, window, lambda, own,
          [=](const std::exception_ptr &failure) { done(range, failure); });
  };
  if (preliminary.range)
    start_preliminary(
        last_, reference, preliminary, lambda, own,
        [=](const std::exception_ptr &failure) { done(preliminary.range, failure); }, all);
  else
    all({});
  const std::vector<cl::Event> wait{found};
  while (!pending_writes_.empty() &&
         pending_writes_.front().first.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE)
    pending_writes_.pop_front();
  cl::Event written;
  results.cl().enqueueWriteBuffer(keys, CL_FALSE, 0, keys_ * sizeof(Key), own, &wait, &written);
  if (preliminary.range)
    results.cl().enqueueWriteBuffer(range_square_, CL_FALSE, 0, sizeof(cl_int), own + keys_,
                                    nullptr, &written);
  pending_writes_.push_back({written, merged});
  return deferred_error;
}

}  // namespace glcl::motion
