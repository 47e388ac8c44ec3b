// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenewatch.h"

namespace glcl::rules {

namespace {

using Kind = SceneChange::Kind;

void add(std::vector<SceneChange> &changes, Kind kind, const std::optional<LastingChange> &change) {
  if (change) changes.push_back({kind, change->begins, change->lasted});
}

}  // namespace

std::vector<SceneChange> SceneWatch::step(const ScenePicture &picture, bool follows,
                                          const SceneWishes &wishes, uint64_t now) {
  std::vector<SceneChange> changes;
  if (!follows) changes = end(now);
  const bool repeats = wishes.frozen && follows && picture.repeats;
  add(changes, Kind::frozen,
      frozen_.step(repeats, !repeats, now, static_cast<uint64_t>(wishes.frozen_seconds * 1e9), 0));
  const ViewWatch::Changes view = view_.step(picture, wishes.covered, wishes.defocused, now);
  add(changes, Kind::covered, view.covered);
  add(changes, Kind::defocused, view.defocused);
  if (!wishes.ir_switch)
    colours_.reset();
  else if (const auto kind = colours_.step(picture, now))
    changes.push_back({Kind::switched, *kind == ColourWatch::Kind::grey, 0});
  disturbed_ = ((wishes.covered || wishes.defocused) && view_.disturbed()) ||
               (wishes.ir_switch && colours_.disturbed(now));
  return changes;
}

std::vector<SceneChange> SceneWatch::end(uint64_t now) {
  std::vector<SceneChange> changes;
  add(changes, Kind::frozen, frozen_.end(now));
  const ViewWatch::Changes view = view_.end(now);
  add(changes, Kind::covered, view.covered);
  add(changes, Kind::defocused, view.defocused);
  colours_.reset();
  disturbed_ = false;
  return changes;
}

}  // namespace glcl::rules
