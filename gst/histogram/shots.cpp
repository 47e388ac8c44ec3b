// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gradual.h"

namespace glcl::histogram {

namespace {

constexpr int around = 8;     // frames on either side for comparison with a cut
constexpr int transient = 5;  // frames of a flash
constexpr int longest = 27;   // frames from the middle of a dissolve to its ends
constexpr int shortest = 3;
constexpr int lag = 6;  // frames from a dissolve's middle to the frames that are compared
constexpr int lookahead = longest + gradual_margin + 1;
constexpr int margin = 4;                 // frames before and after a dissolve
constexpr int stays_blank = 25;           // frames after which a fade ends the shot
constexpr double least_continuity = 0.3;  // similarity of each frame of a dissolve to the previous
constexpr int history_length = 2 * longest + 2 * around + stays_blank;

}  // namespace

/// The distance from the previous frame; 0 outside of the known frames.
double Shots::step(int i) const { return i > 0 && i < size() ? at(i).distance : 0; }

double Shots::luma_step(int i) const { return i > 0 && i < size() ? at(i).luma_distance : 0; }

/// Similarity of the texture to the previous frame; 0 outside of the known frames.
double Shots::similarity(int i) const {
  return i > 0 && i < size() ? at(i).comparison.similarity() : 0;
}

Views Shots::views() const {
  return [this](int i) { return i >= 0 && i < size() ? &at(i).structure : nullptr; };
}

/// True if frames [first, end) are a short shot, after which the previous one continues: another
/// textured picture that covers all of the frame.
bool Shots::is_insert(int first, int end) const {
  if (end - first < 2) return false;
  for (const int i : {first, end})
    if (at(i).comparison.change < 0.6 || at(i).comparison.equal > 0 ||
        similarity(i) >= same_texture)
      return false;
  for (int i = first + 1; i < end; i++)
    if (luma_step(i) > 0.4 * luma_step(first)) return false;
  // A flash makes the whole frame brighter.
  const double brighter = Structure::brighter(at(first - 1).structure, at(first).structure);
  if (brighter < 0.05 || brighter > 0.95) return false;
  return at(first).structure.textured_parts() >= 4 && at(first).clipped() < 0.5;
}

/// True if the picture before frame i returns soon after it, or if the picture after frame i was
/// there shortly before it.
bool Shots::is_transient(int i) const {
  const auto returns = [&](int before, int after) {
    return distance(at(before), at(after)) <= 0.5 * step(i) &&
           Structure::luma_distance(at(before).structure, at(after).structure) <=
               0.75 * luma_step(i);
  };
  for (int k = 1; k <= transient; k++)
    if (i + k < size() && returns(i - 1, i + k)) {
      if (!is_insert(i, i + k)) return true;
      break;
    }
  for (int k = 1; k <= transient; k++)
    if (i - 1 - k >= 0 && returns(i - 1 - k, i)) return !is_insert(i - k, i);
  return false;
}

/// True if the distance at frame i is far above those around it.
bool Shots::stands_out(int i) const {
  const double d = step(i);
  if (d < threshold_ || similarity(i) >= same_texture) return false;
  // A cut may take two frames, and the first one is a mixture.
  const auto high = [&](int k) { return step(k) >= 0.5 * d; };
  if (high(i - 2) || high(i + 2) || (high(i - 1) && high(i + 1))) return false;
  if (step(i + 1) > d || step(i - 1) >= d) return false;
  if (high(i - 1) && std::max(luma_step(i + 1), luma_step(i - 2)) > 0.6 * luma_step(i))
    return false;
  return d >= 3 * usual_step(i) || is_short_shot(i);
}

/// Three quarters of the steps around frame i are at most this.
double Shots::usual_step(int i) const {
  std::vector<double> others;
  for (int k = -around; k <= around; k++)
    if (k) others.push_back(step(i + k));
  std::nth_element(others.begin(), others.begin() + others.size() * 3 / 4, others.end());
  return others[others.size() * 3 / 4];
}

/// True if frame i is a cut to or from a shot of a few frames, beside others: the three frames on
/// either side change far less, but do change, unlike in film of which frames are repeated.
bool Shots::is_short_shot(int i) const {
  double most = 0;
  int moving = 0;
  for (const int k : {-3, -2, -1, 1, 2, 3}) {
    most = std::max(most, step(i + k));
    moving += luma_step(i + k) >= 1;
  }
  return moving >= 2 && step(i) >= 3 * most && at(i).comparison.change >= 0.6;
}

/// True if luma changes at frame i far more than at the two on either side.
bool Shots::stands_out_in_luma(int i) const {
  return luma_step(i) >=
         2.2 * std::max({luma_step(i - 2), luma_step(i - 1), luma_step(i + 1), luma_step(i + 2)});
}

/// True if texture changes at frame i, while it stays the same on either side.
bool Shots::joins_textures(int i) const {
  return step(i) >= threshold_ / 3 && similarity(i) < same_texture &&
         at(i).comparison.change >= 0.6 && luma_step(i) >= 10 && stands_out_in_luma(i);
}

std::optional<Shots::Shot> Shots::cut(int i) const {
  if (!stands_out(i) && !joins_textures(i)) return {};
  if (Structure::keeps_part(at(i - 1).structure, at(i).structure)) return {};
  if (is_transient(i) || differs_in_brightness(at(i - 1), at(i))) return {};
  if (is_cover(views(), i)) return {};
  const double score = stands_out(i) ? step(i) : std::min(at(i).comparison.change, 1.0);
  return Shot{at(i).frame, Kind::cut, score};
}

bool Shots::near_shot(int from, int to) const {
  for (const uint64_t start : starts_)
    for (int i = std::max(from, 0); i <= std::min(to, size() - 1); i++)
      if (at(i).frame == start) return true;
  return false;
}

/// A page of text that replaces another at frame i: histograms hardly change, the frames around it
/// are equal, and across the frame some cells become brighter and others darker. The old page does
/// not return soon, unlike the picture after damage.
std::optional<Shots::Shot> Shots::new_page(int i) const {
  const auto &comparison = at(i).comparison;
  const double changed = luma_step(i);
  if (step(i) >= threshold_ || !is_step([this](int k) { return luma_step(k); }, i)) return {};
  if (changed < 4 || !Structure::is_rewritten(at(i - 1).structure, at(i).structure)) return {};
  for (int k = 1; k <= longest; k++)
    for (const auto &[before, after] : {std::pair{i - 1, i + k}, std::pair{i - 1 - k, i}})
      if (before >= 0 && after < size() &&
          Structure::luma_distance(at(before).structure, at(after).structure) < 0.5 * changed)
        return {};
  if (near_shot(i, i) || differs_in_brightness(at(i - 1), at(i))) return {};
  return Shot{at(i).frame, Kind::cut, std::min(comparison.change, 1.0)};
}

bool Shots::has_blank(int from, int to) const {
  for (int i = from; i <= to; i++)
    if (at(i).is_blank()) return true;
  return false;
}

/// True if one of the frames differs from the previous one far more than those around it do, as
/// where a caption appears.
bool Shots::has_jump(int from, int to) const {
  for (int k = from; k <= to; k++)
    if (step(k) >=
        std::max(threshold_, 3 * std::max({step(k - 2), step(k - 1), step(k + 1), step(k + 2)})))
      return true;
  return false;
}

/// True if the variance of the levels between these frames is that of mixtures of both.
bool Shots::is_mixture(int from, int to) const {
  const FrameFeatures &before = at(from), &after = at(to);
  const double whole = distance(before, after);
  if (whole < 2.25 * threshold_ || has_blank(from - margin, to + margin)) return false;
  if (has_jump(from - margin + 1, to + margin)) return false;
  const auto [calmer, livelier] =
      std::minmax({distance(at(from - margin), before), distance(after, at(to + margin))});
  if (calmer > 0.5 * whole || livelier > 0.8 * whole) return false;
  const double gain = after.brightness / std::max(before.brightness, 1.0);
  if (scaled_distance(before, after, gain) < 0.6 * whole) return false;
  // The ends may be mixtures too, so the textures beyond them are compared. A caption may be beyond
  // them, so they are compared themselves.
  for (const int beyond : {margin, 0})
    if (Structure::similarity(at(from - beyond).structure, at(to + beyond).structure) >=
        same_texture)
      return false;
  // The variance of a mixture is a parabola; its middle is below the mean of both ends.
  const double mean_variance = (before.variance + after.variance) / 2;
  const double in_the_middle = at((from + to) / 2).variance;
  if (in_the_middle > 0.9 * mean_variance) return false;
  const double covariance = 2 * in_the_middle - mean_variance;
  double similarities = 0;
  for (int k = from + 1; k <= to; k++) {
    similarities += similarity(k);
    if (step(k) > 0.5 * whole || similarity(k) < least_continuity) return false;
    const double part = double(k - from) / (to - from), rest = 1 - part;
    const double mixed =
        rest * rest * before.variance + part * part * after.variance + 2 * part * rest * covariance;
    if (std::abs(at(k).variance - mixed) > 0.3 * mean_variance) return false;
  }
  // Texture continues from frame to frame, unlike in a fast pan.
  return similarities >= 0.75 * (to - from) && may_be_dissolve(frames_, from, to);
}

/// A dissolve by the variance with its middle at frame i, if the frames around it differ most
/// there.
std::optional<Shots::Gradual> Shots::dissolve_by_variance(int i) const {
  const auto across = [&](int middle) {
    return middle >= lag && middle + lag < size() ? distance(at(middle - lag), at(middle + lag))
                                                  : 0;
  };
  const double lagged = across(i);
  if (lagged < threshold_) return {};
  for (int k = 1; k <= lag / 2; k++)
    if (across(i - k) >= lagged || across(i + k) > lagged) return {};
  std::optional<Gradual> widest;
  double score = 0;
  for (int half = shortest; half <= longest; half++) {
    const int from = i - half, to = i + half;
    if (from < gradual_margin || to + gradual_margin >= size()) break;
    const double whole = distance(at(from), at(to));
    if (whole <= score || !is_mixture(from, to)) continue;
    if (near_shot(from - 1, to + 1) || at(from).frame < gradual_end_) return {};
    widest = Gradual{from, to, Kind::dissolve};
    score = whole;
  }
  return widest;
}

/// The longest dissolve or wipe with its middle at frame i.
std::optional<Shots::Gradual> Shots::longest_gradual(int i) const {
  for (const int length : {51, 44, 37, 31, 26, 22, 18, 15, 13, 11, 9, 8, 7, 6, 5}) {
    const int from = i - length / 2, to = from + length;
    if (from < gradual_margin || to + gradual_margin >= size()) continue;
    if (has_blank(from - gradual_margin, to + gradual_margin)) continue;
    if (at(from).frame < gradual_end_ || near_shot(from - 1, to + 1)) continue;
    const GradualFit fit = fit_gradual(frames_, from, to);
    if (fit == GradualFit::none || distance(at(from), at(to)) < threshold_) continue;
    if (has_jump(from + 1, to)) continue;
    if (fit == GradualFit::dissolve) return Gradual{from, to, Kind::dissolve};
    if (fit == GradualFit::wipe) return Gradual{from, to, Kind::wipe};
  }
  return {};
}

/// A dissolve or a wipe with its middle at frame i, unless it is part of a longer one that follows.
std::optional<Shots::Shot> Shots::gradual(int i) {
  auto best = longest_gradual(i);
  const int length = best ? best->to - best->from : 0;
  if (!best) best = dissolve_by_variance(i);
  if (!best) return {};
  for (int k = i + 1; k <= best->to; k++)
    if (const auto other = longest_gradual(k);
        other && other->from < best->to && other->to - other->from > length)
      return {};
  gradual_end_ = at(best->to).frame;
  return Shot{at(i).frame, best->kind, distance(at(best->from), at(best->to)),
              at(best->from).frame + 1, at(best->to).frame};
}

/// A fade to blank that stays, unless a picture is still there.
std::optional<Shots::Shot> Shots::fade_out(int last) {
  const int first = std::max(last + 1 - blank_frames_, 1);
  const FrameFeatures &before = at(std::max(first - 8, 0)), &after = at(last);
  fade_reported_ = true;
  if (after.is_faint()) return {};
  if (Structure::similarity(before.structure, after.structure) >= same_texture) return {};
  return Shot{at(first).frame, Kind::fade_out, distance(before, after)};
}

/// A fade that ends at frame i: up from a blank picture, or down to one that stays.
std::optional<Shots::Shot> Shots::fade(int i) {
  if (at(i).is_blank()) {
    if (!blank_frames_++) {
      blank_by_fade_ = seen_picture_ && !near_shot(i - 1, i + 1);
      fade_reported_ = false;
    }
    if (blank_frames_ < stays_blank || !blank_by_fade_ || fade_reported_) return {};
    return fade_out(i);
  }
  const int blanks = std::exchange(blank_frames_, 0);
  const bool shown_before = std::exchange(seen_picture_, true);
  if (!blanks || !shown_before || near_shot(i - 1, i + 1)) return {};
  // A change from one frame to the next is a cut or a flash.
  const int last = std::min(i + around, size() - 1);
  if (at(i).variance > 0.3 * at(last).variance) return {};
  const int shown = std::max(i - blanks - around, 0);
  if (Structure::similarity(at(shown).structure, at(last).structure) >= same_texture) return {};
  // The first frame with content.
  double least = at(i - 1).variance;
  for (int k = std::max(i - blanks, 0); k < i; k++) least = std::min(least, at(k).variance);
  int first = i;
  while (first > std::max(i - blanks, 1) &&
         std::sqrt(at(first - 1).variance) > std::sqrt(least) + 0.5)
    first--;
  return Shot{at(first).frame, Kind::fade_in, distance(at(std::max(first - 1, 0)), at(last)),
              at(std::max(i - blanks, 0)).frame, at(last).frame};
}

std::vector<Shots::Shot> Shots::search(bool to_the_end) {
  std::vector<Shot> found;
  const auto report = [&](const std::optional<Shot> &shot) {
    if (!shot) return;
    found.push_back(*shot);
    starts_.push_back(shot->frame);
    if (starts_.size() > 16) starts_.pop_front();
  };
  // Behind a plain picture the old one may appear again.
  const auto ahead = [&](int i) {
    if (to_the_end || i + 1 >= size()) return to_the_end ? 0 : around;
    return step(i) < threshold_ / 3 || !is_plain(at(i + 1).structure) ? around : lookahead;
  };
  while (next_cut_ < size() && next_cut_ < size() - ahead(next_cut_)) report(cut(next_cut_++));
  while (next_gradual_ < size() - (to_the_end ? 0 : lookahead)) {
    const int i = next_gradual_++;
    auto found_here = fade(i);
    if (!found_here) found_here = new_page(i);
    report(found_here ? found_here : gradual(i));
  }
  return found;
}

std::vector<Shots::Shot> Shots::add(uint64_t frame, const uint32_t *values) {
  FrameFeatures features(frame, values);
  if (frames_.empty())
    seen_picture_ = !features.is_blank();
  else
    features.compare_with(frames_.back());
  frames_.push_back(features);
  std::vector<Shot> found = search(false);
  while (size() > history_length) {
    frames_.pop_front();
    next_cut_--;
    next_gradual_--;
  }
  return found;
}

std::vector<Shots::Shot> Shots::finish() {
  std::vector<Shot> found = search(true);
  // The picture faded out and did not return.
  if (blank_frames_ && blank_by_fade_ && !fade_reported_)
    if (const auto shot = fade_out(size() - 1)) found.push_back(*shot);
  *this = Shots(threshold_);
  return found;
}

}  // namespace glcl::histogram
