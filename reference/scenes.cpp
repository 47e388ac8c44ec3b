// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace reference {

namespace {

constexpr int width = 160, height = 90;

struct Colour {
  double r, g, b;
};

Colour mix(const Colour &a, const Colour &b, double part) {
  return {a.r + (b.r - a.r) * part, a.g + (b.g - a.g) * part, a.b + (b.b - a.b) * part};
}

/// An endless picture that repeats after some hundred px.
class Backdrop {
 public:
  explicit Backdrop(unsigned seed) : next_(seed) {
    const double light = number(40, 200);
    sky_ = colour(light), ground_ = colour(light * number(0.4, 1));
    for (Disc &disc : discs_)
      disc = {number(0, period), number(0, height), number(5, 28), colour(number(30, 230))};
    stripes_ = number(0.05, 0.4);
    for (int y = 0; y < height; y++)
      for (const Disc &disc : discs_)
        if (std::abs(y - disc.y) < disc.radius) rows_[y].push_back(disc);
  }

  /// `y`: a row of the frame.
  Colour at(double x, double y) const {
    x = x - period * std::floor(x / period);
    Colour c = mix(sky_, ground_, std::clamp(y / height, 0.0, 1.0));
    for (const Disc &disc : rows_[static_cast<size_t>(y)]) {
      double dx = std::abs(x - disc.x);
      dx = std::min(dx, period - dx);
      const double dy = y - disc.y;
      if (dx * dx + dy * dy < disc.radius * disc.radius) c = disc.colour;
    }
    const double wave = 18 * std::sin(stripes_ * (x + 0.7 * y));
    return {c.r + wave, c.g + wave, c.b + wave};
  }

 private:
  static constexpr double period = 480;
  struct Disc {
    double x, y, radius;
    Colour colour;
  };

  double number(double from, double to) {
    return from + (to - from) * (next_() >> 8) / double(1 << 24);
  }
  Colour colour(double light) {
    return {light * number(0.4, 1.5), light * number(0.4, 1.5), light * number(0.4, 1.5)};
  }

  std::mt19937 next_;
  Colour sky_, ground_;
  Disc discs_[24];
  std::array<std::vector<Disc>, height> rows_;  // the discs that reach each row
  double stripes_;
};

/// Makes a clip, a frame at a time.
class Maker {
 public:
  Maker(std::string name, unsigned seed) : seed_(seed), noise_(seed) {
    clip_.name = std::move(name);
    backdrop_ = std::make_unique<Backdrop>(seed_);
  }

  double speed = 0.3;  // px per frame
  double grain = 2;    // levels

  void shot(int frames) {
    for (int i = 0; i < frames; i++) add([&](double x, double y) { return here(x, y); });
  }
  void flash(int frames, double light) {
    for (int i = 0; i < frames; i++)
      add([&](double x, double y) { return mix(here(x, y), {255, 255, 255}, light); });
  }
  void cut() {
    renew();
    mark(count(), count(), "cut");
  }
  void dissolve(int frames) {
    const auto before = std::move(backdrop_);
    const double at = place_;
    renew();
    mark(count(), count() + frames, "dissolve");
    for (int i = 1; i < frames; i++)
      add([&](double x, double y) {
        return mix(before->at(x + at + i * speed, y), here(x, y), double(i) / frames);
      });
  }
  /// Out and in again, through `black` black frames.
  void fade(int frames, int black) {
    const int first = count();
    for (int i = 1; i < frames; i++) dimmed(1 - double(i) / frames);
    for (int i = 0; i < black; i++) dimmed(0);
    renew();
    mark(first, count() + frames, "fade-in");
    for (int i = 1; i < frames; i++) dimmed(double(i) / frames);
  }
  void fade_out(int frames, int black) {
    mark(count(), count() + frames, "fade-out");
    for (int i = 1; i < frames; i++) dimmed(1 - double(i) / frames);
    for (int i = 0; i < black; i++) dimmed(0);
  }
  /// A short shot, after which the one before goes on.
  void insert(int frames) {
    auto old = std::move(backdrop_);
    const double place = place_;
    renew();
    mark(count(), count(), "cut");
    shot(frames);
    backdrop_ = std::move(old);
    place_ = place;
    mark(count(), count(), "cut");
  }
  /// The next shot comes in from the left.
  void wipe(int frames) {
    const auto old = std::move(backdrop_);
    const double place = place_;
    renew();
    mark(count(), count() + frames, "wipe");
    for (int i = 1; i <= frames; i++)
      add([&](double x, double y) {
        return x < width * i / (frames + 1.0) ? here(x, y) : old->at(x + place, y);
      });
  }
  /// Something dark and wide goes through the picture.
  void passing(int frames) {
    for (int i = 0; i < frames; i++) {
      const double right = (width * 2.2) * (i + 1) / frames;
      add([&](double x, double y) {
        return x < right && x > right - width * 1.1 && y > 8 ? Colour{40 + 0.1 * y, 44, 50}
                                                             : here(x, y);
      });
    }
  }
  /// Its exposure falls or rises.
  void exposure(int frames, double to) {
    const double from = light_;
    for (int i = 1; i <= frames; i++) {
      light_ = from + (to - from) * i / frames;
      shot(1);
    }
  }

  Clip done() { return std::move(clip_); }

 private:
  int count() const { return static_cast<int>(clip_.frames.size()); }
  Colour here(double x, double y) const {
    const Colour c = backdrop_->at(x + place_, y);
    return {c.r * light_, c.g * light_, c.b * light_};
  }
  void renew() {
    seed_ += 7919;
    backdrop_ = std::make_unique<Backdrop>(seed_);
    place_ = 0;
    light_ = 1;
  }
  void mark(int first, int last, const char *kind) {
    clip_.transitions.push_back({first, last, kind});
  }
  void dimmed(double part) {
    add([&](double x, double y) {
      const Colour c = here(x, y);
      return Colour{c.r * part, c.g * part, c.b * part};
    });
  }
  template <class Picture>
  void add(const Picture &picture) {
    Frame frame(width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const Colour c = picture(x, y);
        const double values[] = {c.r, c.g, c.b};
        uint8_t *pixel = frame.at(x, y);
        for (int i = 0; i < 3; i++) {
          const double jitter = grain * ((noise_() >> 8) / double(1 << 23) - 1);
          pixel[i] = static_cast<uint8_t>(std::lround(std::clamp(values[i] + jitter, 0.0, 255.0)));
        }
        pixel[3] = 255;
      }
    clip_.frames.push_back(std::move(frame));
    place_ += speed;
  }

  Clip clip_;
  unsigned seed_;
  std::mt19937 noise_;
  std::unique_ptr<Backdrop> backdrop_;
  double place_ = 0, light_ = 1;
};

using Make = std::function<void(const char *name, const std::function<void(Maker &)> &work)>;

void make_transitions(const Make &make) {
  make("cuts", [](Maker &m) {
    for (int i = 0; i < 6; i++) {
      m.shot(20 + 3 * i);
      m.cut();
    }
    m.shot(20);
  });
  make("short shots", [](Maker &m) {
    m.shot(15);
    for (int i = 0; i < 6; i++) {
      m.cut();
      m.shot(7 + i);
    }
    m.shot(10);
  });
  make("dissolves", [](Maker &m) {
    for (int i = 0; i < 4; i++) {
      m.shot(30);
      m.dissolve(12);
    }
    m.shot(30);
  });
  make("fades", [](Maker &m) {
    for (int i = 0; i < 3; i++) {
      m.shot(30);
      m.fade(12, 4 + 3 * i);
    }
    m.shot(30);
    m.fade_out(15, 40);
  });
  make("flashes", [](Maker &m) {
    for (int i = 0; i < 5; i++) {
      m.shot(20);
      m.flash(1 + i % 4, 0.5 + 0.1 * i);
    }
    m.shot(20);
    m.cut();
    m.shot(25);
  });
}

/// Changes that look like transitions, and some transitions.
void make_disturbances(const Make &make) {
  make("fast pans", [](Maker &m) {
    for (int i = 0; i < 4; i++) {
      m.speed = 0.3;
      m.shot(12);
      m.speed = 10 + 5 * i;
      m.shot(6 + 2 * i);
    }
    m.speed = 0.3;
    m.shot(15);
    m.cut();
    m.speed = 12;
    m.shot(30);
  });
  make("something passes", [](Maker &m) {
    m.shot(15);
    m.passing(14);
    m.shot(15);
    m.passing(24);
    m.shot(12);
    m.cut();
    m.shot(15);
    m.passing(18);
    m.shot(15);
  });
  make("exposure", [](Maker &m) {
    m.shot(15);
    m.exposure(10, 0.5);
    m.shot(6);
    m.cut();
    m.shot(20);
    m.exposure(8, 1.4);
    m.shot(20);
  });
  make("noise", [](Maker &m) {
    m.grain = 25;
    m.shot(30);
    m.cut();
    m.shot(30);
    m.dissolve(12);
    m.shot(30);
  });
  make("steps of exposure", [](Maker &m) {
    m.shot(20);
    for (const double light : {0.7, 1.3, 0.5, 1.0}) {
      m.exposure(1, light);
      m.shot(20);
    }
    m.cut();
    m.shot(20);
    for (const double light : {0.6, 1.4, 0.8}) {
      m.exposure(2, light);
      m.shot(20);
    }
  });
}

void make_edits(const Make &make) {
  make("inserts", [](Maker &m) {
    m.shot(25);
    for (int i = 0; i < 3; i++) {
      m.insert(3 + i);
      m.shot(25);
    }
  });
  make("short dissolves", [](Maker &m) {
    for (int i = 0; i < 3; i++) {
      m.shot(30);
      m.dissolve(5);
    }
    m.shot(40);
  });
  make("wipes", [](Maker &m) {
    for (int i = 0; i < 3; i++) {
      m.shot(30);
      m.wipe(10 + 4 * i);
    }
    m.shot(45);
  });
}

std::vector<Clip> made(unsigned seed, const std::vector<void (*)(const Make &)> &groups) {
  std::vector<Clip> all;
  const Make make = [&](const char *name, const std::function<void(Maker &)> &work) {
    Maker maker(name, seed++ * 104729 + 1);
    work(maker);
    all.push_back(maker.done());
  };
  for (const auto group : groups) group(make);
  return all;
}

}  // namespace

std::vector<Clip> clips(unsigned seed) { return made(seed, {make_transitions, make_disturbances}); }

std::vector<Clip> edited_clips(unsigned seed) { return made(seed, {make_edits}); }

}  // namespace reference
