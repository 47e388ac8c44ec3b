// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shared.h"

#include <algorithm>
#include <utility>

namespace glcl::motion {

SharedSearch::SharedSearch(Team &team, int block, int width, int height)
    : team_(team), layout_(width, height) {
  for (size_t i = 0; i < team.size(); i++) {
    Context &context = *team.member(i).context;
    Part part;
    part.search = Search(context, block);
    for (Plane &plane : part.planes) plane = make_plane(context.cl(), width, height);
    part.found.resize(part.search.keys(layout_));
    part.keys = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, part.found.size() * sizeof(Key));
    parts_.push_back(std::move(part));
  }
}

/// Brings a frame, one of the last two, to a device that does not have it.
void SharedSearch::upload(Team::Member &member, Part &part, uint64_t frame) {
  if (part.frames[frame % 2] == frame) return;
  member.queue->cl().enqueueWriteBuffer(part.planes[frame % 2].buffer, CL_FALSE, 0, layout_.bytes(),
                                        frames_[frame % 2].data());
  part.frames[frame % 2] = frame;
}

const std::vector<Key> &SharedSearch::next(const uint8_t *luma, const Window &window, int lambda) {
  return next(luma, window, lambda, team_.shares(window.y.count));
}

const std::vector<Key> &SharedSearch::next(const uint8_t *luma, const Window &window, int lambda,
                                           const std::vector<int> &shares) {
  check_search(layout_, layout_, window, lambda);
  frame_++;
  frames_[frame_ % 2].assign(luma, luma + layout_.bytes());
  keys_.clear();
  if (std::exchange(first_, false)) return keys_;
  team_.run_shares(shares, [&](size_t index, Team::Member &member, int begin, int end) {
    Part &part = parts_[index];
    upload(member, part, frame_ - 1);
    upload(member, part, frame_);
    const Window own{window.x, {window.y.first + begin, end - begin}};
    part.search.run(*member.queue, part.planes[frame_ % 2], part.planes[(frame_ + 1) % 2], own,
                    lambda, part.keys);
    member.queue->cl().enqueueReadBuffer(part.keys, CL_FALSE, 0, part.found.size() * sizeof(Key),
                                         part.found.data());
  });
  for (size_t i = 0; i < parts_.size(); i++) {
    if (!shares[i]) continue;
    const std::vector<Key> &found = parts_[i].found;
    if (keys_.empty())
      keys_ = found;
    else
      std::transform(keys_.begin(), keys_.end(), found.begin(), keys_.begin(),
                     [](Key a, Key b) { return std::min(a, b); });
  }
  return keys_;
}

}  // namespace glcl::motion
