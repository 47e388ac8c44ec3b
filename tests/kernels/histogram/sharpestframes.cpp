// SPDX-License-Identifier: LGPL-2.1-or-later
// SharpestFrames chooses the sharpest frame of the first seconds of each shot, once that is sure.
#include "histogram/sharpestframes.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/cases.h"

using glcl::histogram::SharpestFrames;
using glcl::histogram::Shots;

namespace {

constexpr uint64_t frame_time = 40000000, second = 1000000000;
using Kind = Shots::Kind;

/// Frames of even sharpness, but for some.
class Film {
 public:
  explicit Film(uint64_t within) { frames_.set_within(within); }

  void add(int count, uint64_t sharpest = UINT64_MAX, double sharpness = 2) {
    for (const uint64_t end = next_ + uint64_t(count); next_ < end; next_++) {
      frames_.add(next_, timed_ ? next_ * frame_time : SharpestFrames::no_time,
                  next_ == sharpest ? sharpness : 1);
      note(frames_.choose());
    }
  }
  void cut(uint64_t frame) { frames_.begin({frame, Kind::cut, 1}); }
  void dissolve(uint64_t begin, uint64_t end) {
    frames_.begin({(begin + end) / 2, Kind::dissolve, 1, begin, end});
  }
  void settle() { note(frames_.settle()); }
  void without_times() { timed_ = false; }
  /// "shot:frame@newest …" since the last call.
  std::string chosen() { return std::exchange(chosen_, ""); }
  uint64_t held() const { return next_ - frames_.oldest(next_); }

 private:
  void note(const std::vector<SharpestFrames::ShotFrame> &choices) {
    for (const auto &choice : choices)
      chosen_ += std::to_string(choice.shot) + ":" + std::to_string(choice.frame) + "@" +
                 std::to_string(next_) + " ";
  }

  SharpestFrames frames_;
  uint64_t next_ = 0;
  bool timed_ = true;
  std::string chosen_;
};

void expect_chosen(Film &film, const std::string &wanted) {
  const std::string got = film.chosen();
  fail_unless(got == wanted, "\"%s\" instead of \"%s\"", got.c_str(), wanted.c_str());
}

}  // namespace

// Frames 0 to 24 are the first second; frame 25 is sharper, but too late.
TEST(first_shot) {
  Film film(second);
  film.add(24, 7);
  film.add(1, 24, 1.5);
  film.add(64, 25, 9);
  expect_chosen(film, "");
  film.add(1);
  expect_chosen(film, "0:7@89 ");
  film.add(500, 300, 9);
  film.settle();
  expect_chosen(film, "");
  fail_unless(film.held() == 0, "%d frames are held", int(film.held()));
}

TEST(first_frame) {
  Film film(0);
  film.add(70, 1, 9);
  film.cut(50);
  film.add(60, 71, 9);
  expect_chosen(film, "0:0@65 50:50@115 ");
}

// The sharpest frame of the next shot is not taken, nor one of the transition between them.
TEST(short_shots) {
  Film film(second);
  film.add(20, 15, 9);  // in the dissolve
  film.add(20, 30, 9);
  film.add(30, 45, 8);
  film.cut(40);
  film.dissolve(12, 24);
  film.add(100);
  expect_chosen(film, "0:0@76 24:30@104 40:45@129 ");
}

// A dissolve is found after a cut that follows it.
TEST(order) {
  Film film(0);
  film.add(60);
  film.cut(50);
  film.dissolve(30, 45);
  film.add(100);
  expect_chosen(film, "0:0@65 45:45@110 50:50@115 ");
}

TEST(end) {
  Film film(second);
  film.add(30, 3);
  film.cut(28);
  film.settle();
  expect_chosen(film, "0:3@30 28:28@30 ");
  film.add(30, 35);
  film.cut(29);  // its first frames came before the break
  film.add(200);
  film.settle();
  expect_chosen(film, "29:35@119 ");
  Film empty(second);
  empty.settle();
  expect_chosen(empty, "");
}

TEST(without_times) {
  Film film(second);
  film.without_times();
  film.add(100, 3, 9);
  expect_chosen(film, "0:0@65 ");
}

TEST(memory) {
  Film film(second);
  film.add(100000);
  fail_unless(film.held() <= 2 * SharpestFrames::late, "%d frames are held", int(film.held()));
}
