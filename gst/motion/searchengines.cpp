// SPDX-License-Identifier: LGPL-2.1-or-later
#include "searchengines.h"

#include <algorithm>
#include <cmath>

namespace glcl::motion {

using Method = MotionSettings::Method;

BlockSearch SearchEngines::build(const MotionSettings &settings) const {
  return {*context_, settings, layout_, pool_.get()};
}

AdaptiveSearch SearchEngines::build_adaptive(int block) const {
  return {
      Search(*context_, block,
             tuned_parameters(Search::tunable(), context_->device(), Search::problem(block)), true),
      Range(*context_, layout_.width, layout_.height)};
}

void SearchEngines::prepare(const MotionSettings &settings) {
  const int block = settings.search_block();
  blocks_[block].get([&] { return build(settings); });
  if (settings.range == 0) adaptive_[block].get([&] { return build_adaptive(block); });
}

bool SearchEngines::ready(const MotionSettings &settings) {
  const int block = settings.search_block();
  const bool blocks = blocks_[block].poll([this, settings] { return build(settings); });
  const bool adapts = settings.range == 0 && settings.method == Method::full && !pool_;
  return (!adapts || adaptive_[block].poll([this, block] { return build_adaptive(block); })) &&
         blocks;
}

SearchRange SearchEngines::select_range(MotionSettings &settings, const SearchRange &before,
                                        uint64_t frames) {
  SearchRange selected;
  if (settings.range) return selected;
  if (!settings.max_range) settings.max_range = largest_range(layout_.width, layout_.height);
  const bool full = settings.method == Method::full;
  if (full && !pool_)
    selected.adaptive = adaptive_[settings.search_block()].poll(
        [this, block = settings.search_block()] { return build_adaptive(block); });
  selected.follows = selected.adaptive && selected.adaptive == before.adaptive && frames > 2;
  if (full && pool_ && settings.target_psnr > 0 && frames > 1)
    selected.preliminary = {std::min(settings.min_range, settings.max_range),
                            largest_error(settings)};
  settings.range = settings.max_range;
  return selected;
}

double SearchEngines::largest_error(const MotionSettings &settings) const {
  return 255 * 255 / std::pow(10, settings.target_psnr / 10) * layout_.width * layout_.height;
}

}  // namespace glcl::motion
