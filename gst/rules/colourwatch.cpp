// SPDX-License-Identifier: LGPL-2.1-or-later
#include "colourwatch.h"

#include <algorithm>

#include "path.h"

namespace glcl::rules {

namespace {

constexpr uint64_t second = 1000000000;   // ns
constexpr double least_colour = 4;        // levels, mean of a picture in colour
constexpr double most_grey = 2;           // levels, mean of a grey picture; coders leave some
constexpr float tinted = 3;               // levels; a cell that is not grey
constexpr double most_tinted = 0.01;      // part of the cells of a grey picture
constexpr double dark = 16;               // levels, mean; a darker picture has no kind
constexpr double same = 0.5;              // likeness of a picture before and after a switch
constexpr double follows = 0.1;           // part by which means follow a picture
constexpr double faded = 0.4;             // part of the colour that is left
constexpr uint64_t hold = second / 2;     // of a kind before it is certain
constexpr uint64_t longest = 2 * second;  // of a switch
constexpr int least_frames = 3;

}  // namespace

std::optional<ColourWatch::Kind> ColourWatch::kind_of(const ScenePicture &picture) {
  if (picture.colour.empty() || mean_of(picture.level) < dark) return {};
  const double colour = mean_of(picture.colour);
  if (colour >= least_colour) return Kind::colour;
  const auto cells = std::count_if(picture.colour.begin(), picture.colour.end(),
                                   [](float cell) { return cell > tinted; });
  if (colour <= most_grey && double(cells) <= most_tinted * double(picture.colour.size()))
    return Kind::grey;
  return {};
}

/// Follows pictures of the known kind.
void ColourWatch::follow(const ScenePicture &picture, uint64_t now) {
  look_->level = picture.level;
  look_->colour += follows * (mean_of(picture.colour) - look_->colour);
  look_->bright += follows * (mean_of(picture.level) - look_->bright);
  look_->seen = now;
}

/// True if the picture shows the scene before. A cut replaces the structure.
bool ColourWatch::is_same(const ScenePicture &picture) const {
  return elapsed(since_, look_->seen) <= longest &&
         likeness(picture.columns, look_->level, picture.level).alike >= same;
}

/// True if the colour of the picture is more than its light explains: the colour of a picture that
/// fades goes with its light.
bool ColourWatch::has_turned(const ScenePicture &picture) const {
  const double bright = mean_of(picture.level), colour = mean_of(picture.colour);
  const double expected = look_->kind == Kind::colour ? look_->colour * bright / look_->bright
                                                      : colour * look_->bright / bright;
  return expected >= least_colour;
}

std::optional<ColourWatch::Kind> ColourWatch::step(const ScenePicture &picture, uint64_t now) {
  if (look_ && (now < look_->seen || look_->level.size() != picture.level.size())) reset();
  const std::optional<Kind> kind = kind_of(picture);
  fades_ = look_ && look_->kind == Kind::colour && mean_of(picture.colour) < faded * look_->colour;
  if (look_ && kind == look_->kind) {
    follow(picture, now);
    next_ = {};
    return {};
  }
  if (!kind) {
    next_ = {};
    if (look_ && elapsed(now, look_->seen) > longest) look_ = {};
    return {};
  }
  if (next_ != kind || now < since_) next_ = kind, since_ = now, frames_ = 0;
  if (++frames_ < least_frames || elapsed(now, since_) < hold) return {};
  const bool same_view = look_ && is_same(picture), switched = same_view && has_turned(picture);
  // Encoders bring colours back bit by bit.
  if (same_view && !switched && kind == Kind::colour && elapsed(now, since_) < longest) return {};
  look_ = Look{*kind, picture.level, mean_of(picture.colour), mean_of(picture.level), now};
  next_ = {};
  fades_ = false;
  if (!switched) return {};
  last_ = now;
  return kind;
}

bool ColourWatch::disturbed(uint64_t now) const {
  return (look_ && next_) || fades_ || (last_ && elapsed(now, *last_) < second);
}

}  // namespace glcl::rules
