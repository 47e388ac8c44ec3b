// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shared.h"

#include <algorithm>
#include <utility>

#include "opencl/error.h"

namespace glcl::motion {

SharedSearch::SharedSearch(Team &team, Context &context, int block, int width, int height)
    : team_(team), layout_(width, height), frames_(context, layout_.bytes()) {
  for (size_t i = 0; i < team.size(); i++) {
    Context &own = *team.member(i).context;
    Part part;
    part.search = Search(own, block);
    keys_ = part.search.keys(layout_);
    try {
      for (Slot &slot : part.slots) slot.plane = make_plane(own.cl(), width, height);
      part.keys = cl::Buffer(own.cl(), CL_MEM_READ_WRITE, keys_ * sizeof(Key));
      part.found = std::make_unique<PinnedPool>(own, keys_ * sizeof(Key));
    } catch (const cl::Error &error) {
      throw Error("There is no memory for a share of the motion search on " + own.device().name +
                      ". Leave it out of devices.",
                  error);
    }
    parts_.push_back(std::move(part));
  }
}

SharedSearch::~SharedSearch() { team_.settle(); }

SharedSearch::Luma SharedSearch::frame() { return {++number_, frames_.take(), {}}; }

/// The plane of a frame, brought to the device if that does not have it yet.
const Plane &SharedSearch::upload(Team::Member &member, Part &part, const Luma &luma) {
  const auto known = std::find_if(std::begin(part.slots), std::end(part.slots),
                                  [&](const Slot &slot) { return slot.number == luma.number; });
  Slot &slot =
      known != std::end(part.slots)
          ? *known
          : *std::min_element(std::begin(part.slots), std::end(part.slots),
                              [](const Slot &a, const Slot &b) { return a.used < b.used; });
  slot.used = ++part.uses;
  if (slot.number == luma.number) return slot.plane;
  slot.number = 0;  // until all of it is enqueued
  std::vector<cl::Event> uploaded(1);
  member.transfers->cl().enqueueWriteBuffer(slot.plane.buffer, CL_FALSE, 0, layout_.bytes(),
                                            luma.bytes(), nullptr, &uploaded[0]);
  member.transfers->cl().flush();
  member.queue->cl().enqueueBarrierWithWaitList(&uploaded);
  slot.number = luma.number;
  return slot.plane;
}

void SharedSearch::start(const Luma &current, const Luma &reference, const Window &window,
                         int lambda, Key *keys, Team::Done done) {
  start(current, reference, window, lambda, keys, std::move(done), shares(window));
}

std::vector<int> SharedSearch::shares(const Window &window) const {
  const int unit = parts_.front().search.rows_at_once(), rows = window.y.count;
  std::vector<int> shares = team_.shares((rows + unit - 1) / unit);
  int given = 0;
  for (int &share : shares) {
    share = std::min(share * unit, rows - given);
    given += share;
  }
  return shares;
}

void SharedSearch::start(const Luma &current, const Luma &reference, const Window &window,
                         int lambda, Key *keys, Team::Done done, const std::vector<int> &shares) {
  check_search(layout_, layout_, window, lambda);
  const auto found = std::make_shared<std::vector<std::shared_ptr<Pinned>>>(parts_.size());
  const auto work = [=](size_t index, Team::Member &member, int begin, int end) {
    Part &part = parts_[index];
    const Plane &there = upload(member, part, reference), &own = upload(member, part, current);
    part.search.run(*member.queue, own, there, {window.x, {window.y.first + begin, end - begin}},
                    lambda, part.keys);
    std::shared_ptr<Pinned> &own_found = (*found)[index] = part.found->take();
    member.queue->cl().enqueueReadBuffer(part.keys, CL_FALSE, 0, own_found->bytes(),
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
  // The reference arrived before: its transfer was enqueued earlier, to the same queue.
  team_.start(shares, current.arrived, work, merge);
}

}  // namespace glcl::motion
