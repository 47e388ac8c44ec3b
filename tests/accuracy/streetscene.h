// SPDX-License-Identifier: LGPL-2.1-or-later
// The street of accuracy-street, frame by frame.
#pragma once

#include <optional>
#include <vector>

#include "opencl/rect.h"
#include "streetpictures.h"
#include "streettimes.h"

namespace street {

/// Where something that an entry brings is, px of the frame.
struct TrueBox {
  size_t entry;
  glcl::RectF box;
  bool passes;  ///< false for what was put down or taken away
};

/// Renders the frames of a timetable.
class Scene {
 public:
  Scene(const Pictures &pictures, const Timetable &times, double noise);

  /// A frame, and what can be seen in it.
  Frame frame(int number, std::vector<TrueBox> &truth) const;
  /// True while the picture is frozen.
  bool is_frozen(int number) const { return is_on(Kind::frozen, double(number) / rate); }
  /// Where leaves swing, where a clock is, and where a flag waves.
  std::vector<glcl::RectF> scenery() const;
  /// When a car that parks stands, s.
  static double stop_of(const Entry &entry);

 private:
  struct Place {
    double x, feet;  // the middle of the lower edge, px of the view
  };

  bool is_on(Kind kind, double t) const;
  const Entry *entry_at(Kind kind, double t) const;
  std::optional<Place> place_of(const Entry &entry, double t) const;
  bool is_done(const Entry &entry, double t) const;
  int camera_shift(double t) const;
  void draw_scenery(Frame &view, int number) const;
  void draw_objects(Frame &view, int number, std::vector<TrueBox> &truth) const;
  const Cutout &cutout_of(const Entry &entry, int number) const;
  void light(Frame &frame, double t) const;
  void before_lens(Frame &frame, double t, int number) const;
  void add_noise(Frame &frame, int number) const;

  Pictures pictures_;
  std::vector<Cutout> mirrored_[3];  // dogs, cyclists, the car
  Timetable times_;
  std::vector<signed char> noise_;
};

}  // namespace street
