// SPDX-License-Identifier: LGPL-2.1-or-later
#include "takes.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <random>

#include "decode.h"
#include "film.h"

namespace takes {

namespace {

uint8_t level(double value) { return uint8_t(std::lround(std::clamp(value, 0.0, 255.0))); }

Frame mixed(const Frame &a, const Frame &b, double part) {
  Frame result = a;
  for (size_t i = 0; i < result.rgba.size(); i++)
    result.rgba[i] = level(a.rgba[i] + (b.rgba[i] - a.rgba[i]) * part);
  return result;
}

/// A frame of which every pixel is changed by its place.
Frame changed(const Frame &frame, const std::function<void(int, int, double *)> &change) {
  Frame result = frame;
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      uint8_t *pixel = result.at(x, y);
      double rgb[] = {double(pixel[0]), double(pixel[1]), double(pixel[2])};
      change(x, y, rgb);
      for (int c = 0; c < 3; c++) pixel[c] = level(rgb[c]);
    }
  return result;
}

Frame lit(const Frame &frame, double red, double green, double blue) {
  return changed(frame,
                 [&](int, int, double *rgb) { rgb[0] *= red, rgb[1] *= green, rgb[2] *= blue; });
}

/// Lines of letters, of 6×5 px each.
void write(Frame &frame, int left, int top, int right, int bottom, int size, uint8_t ink,
           std::mt19937 &random) {
  const int cell = size * 4, line = size * 8;
  for (int y = top; y + line <= bottom; y += line) {
    const int end = right - int(random() % 4) * cell * 2;
    for (int x = left; x + cell <= end; x += cell) {
      if (random() % 6 == 0) continue;  // between words
      const unsigned letter = random() | 0x1249;
      for (int i = 0; i < 15; i++)
        if (letter >> i & 1)
          for (int v = 0; v < size; v++)
            for (int u = 0; u < size; u++) {
              uint8_t *pixel = frame.at(x + i % 3 * size + u, y + i / 3 * size + v);
              pixel[0] = pixel[1] = pixel[2] = ink;
            }
    }
  }
}

Frame slide(unsigned seed) {
  Frame frame(width, height);
  for (size_t i = 0; i < frame.rgba.size(); i++) frame.rgba[i] = i % 4 == 3 ? 255 : 248;
  std::mt19937 random(seed);
  write(frame, 18, 14, 140 + int(random() % 120), 40, 3, 70, random);
  write(frame, 24, 52, 230 + int(random() % 60), 76 + int(random() % 90), 1 + int(random() % 2), 40,
        random);
  return frame;
}

/// Builds clips of films.
class Editor {
 public:
  Editor(const std::string &kind, const std::vector<Film> &films, unsigned number)
      : films_(films), number_(number), random_(number * 7919 + seed(kind)) {
    clip_.name = kind;
    turn();
  }

  double between(double least, double most) {
    return least + (most - least) * (random_() % 1024) / 1024;
  }
  int whole(int least, int most) { return least + int(random_() % unsigned(most - least + 1)); }

  /// Another film, from a place that leaves 50 frames at least.
  void turn() {
    const size_t before = film_;
    while (film_ == before) film_ = random_() % films_.size();
    at_ = whole(0, std::max(int(frames().size()) - 70, 0));
  }
  /// All of the film with the clip's number.
  void play_film() {
    film_ = number_ % films_.size();
    at_ = 0;
    play(static_cast<int>(frames().size()));
  }
  /// 20 frames of a film whose camera moves, then a later part of it.
  void jump() {
    do turn();
    while (films_[film_].fixed || frames().size() < 60);
    at_ = 0;
    play(20);
    cut();
    at_ = static_cast<int>(frames().size()) - 20;
    play(35);
  }
  const Frames &frames() const { return films_[film_].frames; }
  int count() const { return int(clip_.frames.size()); }
  /// The film's next frame; at its end it goes back as it came.
  const Frame &next() {
    const int size = int(frames().size()), place = at_++ % (2 * size - 2);
    return frames()[size_t(place < size ? place : 2 * size - 2 - place)];
  }
  void add(Frame frame) { clip_.frames.push_back(std::move(frame)); }
  void play(int number) {
    for (int i = 0; i < number; i++) add(next());
  }
  void mark(int first, int last, const char *kind) {
    clip_.transitions.push_back({first, last, kind});
  }
  void cut() { mark(count(), count(), "cut"); }
  /// From this film to another by a function of both, the part (0–1) and the place.
  void blend(int length, const char *kind,
             const std::function<Frame(const Frame &, const Frame &, double)> &by) {
    const int first = count();
    Frames old;
    for (int i = 0; i < length; i++) old.push_back(next());
    turn();
    for (int i = 0; i < length; i++) add(by(old[size_t(i)], next(), (i + 1.0) / (length + 1)));
    mark(first, count(), kind);
  }
  /// The frames of one take, changed by their number.
  void alter(int number, const std::function<Frame(const Frame &, int)> &by) {
    for (int i = 0; i < number; i++) add(by(next(), i));
  }
  std::mt19937 &random() { return random_; }
  Clip done() { return std::move(clip_); }

 private:
  static unsigned seed(const std::string &kind) {
    unsigned sum = 0;
    for (const char letter : kind) sum = sum * 31 + static_cast<unsigned char>(letter);
    return sum;
  }

  const std::vector<Film> &films_;
  unsigned number_;
  std::mt19937 random_;
  Clip clip_;
  size_t film_ = 0;
  int at_ = 0;
};

void dissolve(Editor &e, int length) {
  e.play(35);
  e.blend(length, "dissolve", mixed);
  e.play(35);
}

void wipe(Editor &e) {
  const int direction = e.whole(0, 3), soft = e.whole(1, 12);
  e.play(35);
  e.blend(e.whole(8, 25), "wipe", [&](const Frame &a, const Frame &b, double part) {
    Frame result = a;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double place = direction == 0   ? double(x) / width
                             : direction == 1 ? 1 - double(x) / width
                             : direction == 2 ? double(y) / height
                                              : (double(x) / width + double(y) / height) / 2;
        const double share = std::clamp((part * (1 + soft / 100.0) - place) * 100 / soft, 0.0, 1.0);
        for (int c = 0; c < 3; c++)
          result.at(x, y)[c] = level(a.at(x, y)[c] + (b.at(x, y)[c] - a.at(x, y)[c]) * share);
      }
    return result;
  });
  e.play(35);
}

void short_shots(Editor &e) {
  e.play(30);
  for (int i = 0; i < 10; i++) {
    e.turn();
    e.cut();
    e.play(e.whole(4, 6));
  }
  e.turn();
  e.cut();
  e.play(30);
}

void insert(Editor &e) {
  const Frames old = [&] {
    Frames list;
    for (int i = 0; i < 70; i++) list.push_back(e.next());
    return list;
  }();
  for (int i = 0; i < 32; i++) e.add(old[size_t(i)]);
  e.turn();
  e.cut();
  e.play(3);
  e.cut();
  for (size_t i = 35; i < old.size(); i++) e.add(old[i]);
}

void slides(Editor &e, bool inset) {
  for (int k = 0; k < 4; k++) {
    const Frame page = slide(unsigned(e.random()()));
    if (k) e.cut();
    for (int i = 0, n = e.whole(30, 40); i < n; i++) {
      Frame frame = page;
      if (inset) {
        const Frame &small = e.next();
        for (int y = 0; y < 60; y++)
          for (int x = 0; x < 80; x++)
            for (int c = 0; c < 3; c++) frame.at(240 + x, 120 + y)[c] = small.at(4 * x, 3 * y)[c];
      }
      e.add(frame);
    }
  }
}

/// Pages of one title, in which lines of text appear one after the other.
void pages(Editor &e) {
  const int lines = 5, pitch = e.whole(20, 25);
  const unsigned title = unsigned(e.random()());
  for (int k = 0; k < 3; k++) {
    Frame page(width, height);
    for (size_t i = 0; i < page.rgba.size(); i++) page.rgba[i] = i % 4 == 3 ? 255 : 250;
    std::mt19937 random(title);
    write(page, 16, 8, 150, 32, 3, 60, random);
    if (k) e.cut();
    const int shown = e.whole(2, lines);
    for (int line = 0; line < lines; line++) {
      const int top = 46 + line * pitch;
      write(page, 20, top, 200 + e.whole(0, 100), top + 16, 2, 30, e.random());
      if (line + 1 >= shown)
        for (int i = 0, n = e.whole(30, 40); i < n; i++) e.add(page);
    }
  }
}

void fade(Editor &e) {
  const int length = e.whole(6, 15), black = e.whole(1, 12), first = e.count() + 35;
  e.play(35);
  for (int i = 1; i <= length; i++)
    e.add(lit(e.next(), 1 - double(i) / length, 1 - double(i) / length, 1 - double(i) / length));
  const Frame none = changed(e.next(), [](int, int, double *rgb) { rgb[0] = rgb[1] = rgb[2] = 0; });
  for (int i = 0; i < black; i++) e.add(none);
  e.turn();
  for (int i = 1; i <= length; i++)
    e.add(lit(e.next(), double(i) / length, double(i) / length, double(i) / length));
  e.mark(first, e.count(), "fade-in");
  e.play(35);
}

void lamp(Editor &e) {
  const double x0 = e.between(0, width), y0 = e.between(0, height), dark = e.between(0.15, 0.35);
  const bool off = e.whole(0, 1);
  e.alter(90, [&](const Frame &frame, int i) {
    const bool on = (i >= 45) != off;
    return changed(frame, [&](int x, int y, double *rgb) {
      const double light =
          on ? dark + 0.95 / (1 + ((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (110.0 * 110))
             : dark;
      for (int c = 0; c < 3; c++)
        rgb[c] = 255 * std::pow(std::min(rgb[c] * light / 255, 1.0), 0.85);
    });
  });
}

void night_filter(Editor &e) {
  const double contrast = e.between(0.6, 0.9), offset = e.between(10, 40);
  e.alter(90, [&](const Frame &frame, int i) {
    return i < 45 ? frame : changed(frame, [&](int, int, double *rgb) {
      // Infrared: foliage and fabrics, red and dark, are bright.
      const double grey = contrast * (0.5 * rgb[0] + 0.4 * rgb[1] + 0.1 * rgb[2]) + offset;
      rgb[0] = rgb[1] = rgb[2] = grey;
    });
  });
}

void white_balance(Editor &e) {
  const double red = e.between(0.75, 1.3);
  e.alter(90,
          [&](const Frame &frame, int i) { return i < 45 ? frame : lit(frame, red, 1, 1 / red); });
}

/// A view of little contrast, such as a table from near, with the noise of a camera. Auto exposure
/// drifts; `jumps`: the white balance changes in one frame.
void dull(Editor &e, bool jumps) {
  const double contrast = e.between(0.12, 0.3), grey = e.between(80, 170);
  const double drift = e.between(0.04, 0.12), period = e.between(30, 90),
               red = e.between(1.15, 1.5);
  e.alter(140, [&](const Frame &frame, int i) {
    const double gain = 1 + drift * std::sin(2 * M_PI * i / period);
    const bool warm = jumps && i >= 70;
    return changed(frame, [&](int, int, double *rgb) {
      for (int c = 0; c < 3; c++) {
        const double balance = !warm ? 1 : c == 0 ? red : c == 2 ? 1 / red : 1;
        const double noise = int(e.random()() % 7) - 3;
        rgb[c] = gain * balance * (grey + contrast * (rgb[c] - 128)) + noise;
      }
    });
  });
}

void exposure(Editor &e) {
  const double gain = e.whole(0, 1) ? e.between(0.4, 0.7) : e.between(1.4, 2);
  e.alter(90,
          [&](const Frame &frame, int i) { return i < 45 ? frame : lit(frame, gain, gain, gain); });
}

void lower_third(Editor &e) {
  const int top = e.whole(125, 138), slides_in = e.whole(0, 1) * 8;
  const unsigned text = unsigned(e.random()());
  const int colour = e.whole(0, 2);
  e.alter(110, [&](const Frame &frame, int i) {
    if (i < 35 || i >= 80) return frame;
    Frame result = frame;
    const int end = slides_in ? std::min(width, (i - 34) * width / slides_in) : width;
    for (int y = top; y < top + 36; y++)
      for (int x = 0; x < end; x++)
        for (int c = 0; c < 3; c++) result.at(x, y)[c] = c == colour ? 150 : 25;
    std::mt19937 random(text);
    if (end == width) write(result, 16, top + 4, 300, top + 34, 3, 250, random);
    return result;
  });
}

/// A caption of up to a third of the frame, with or without a box, that slides up or fades in, and
/// leaves in the same way.
void moved_caption(Editor &e) {
  const int high = e.whole(24, height / 3), takes = e.whole(4, 25), colour = e.whole(0, 3);
  const bool slides = e.whole(0, 1);
  const unsigned text = unsigned(e.random()());
  e.alter(110, [&](const Frame &frame, int i) {
    const double shown = std::clamp(std::min(i - 30, 84 - i) / double(takes), 0.0, 1.0);
    const int top = height - (slides ? int(std::lround(high * shown)) : high);
    Frame result = frame;
    if (colour < 3)
      for (int y = top; y < height; y++)
        for (int x = 0; x < width; x++)
          for (int c = 0; c < 3; c++) result.at(x, y)[c] = c == colour ? 150 : 25;
    Frame below(width, high);
    for (int y = top; y < height; y++)
      std::copy_n(result.at(0, y), width * 4, below.at(0, y - top));
    std::mt19937 random(text);
    write(below, 16, 4, 300, high - 2, 2, 250, random);
    for (int y = top; y < height; y++)
      std::copy_n(below.at(0, y - top), width * 4, result.at(0, y));
    return slides ? result : mixed(frame, result, shown);
  });
}

void logo(Editor &e) {
  const int left = e.whole(0, 1) ? 16 : width - 80, top = e.whole(0, 1) ? 8 : height - 56;
  const unsigned text = unsigned(e.random()());
  const int fades = e.whole(0, 12);
  e.alter(110, [&](const Frame &frame, int i) {
    if (i < 35 || i >= 80) return frame;
    Frame box = frame;
    for (int y = top; y < top + 48; y++)
      for (int x = left; x < left + 64; x++) std::fill_n(box.at(x, y), 3, uint8_t(230));
    std::mt19937 random(text);
    write(box, left + 4, top + 4, left + 60, top + 44, 4, 20, random);
    return mixed(frame, box, fades ? std::min((i - 34.0) / fades, 1.0) : 1);
  });
}

/// A camera that is torn round: frames of a wide picture, blurred as they are exposed.
void whip_pan(Editor &e) {
  const Frame a = e.next();
  e.turn();
  const Frame b = e.next();
  e.turn();
  const Frame c = e.next();
  const Frame *all[] = {&a, &b, &c};
  // Joined by soft seams, as background is.
  const auto at = [&](double x, int y, int channel) {
    const int place = std::clamp(int(x), 0, 3 * width - 1), part = place / width,
              column = place % width;
    const double here = all[part]->at(column, y)[channel];
    if (column < width - 60 || part == 2) return here;
    const double share = (column - (width - 60)) / 60.0;
    return here * (1 - share) + share * all[part + 1]->at(0, y)[channel];
  };
  const int length = e.whole(6, 12);
  double x0 = 0;
  for (int i = 0; i < 80; i++) {
    const double t = std::clamp((i - 34.0) / length, 0.0, 1.0);
    const double x1 = 2 * width * t * t * (3 - 2 * t) * 0.99;
    const int steps = std::clamp(int(std::abs(x1 - x0) / 3), 1, 24);
    Frame frame(width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        for (int channel = 0; channel < 3; channel++) {
          double sum = 0;
          for (int k = 0; k < steps; k++)
            sum += at(x + x1 + (x0 - x1) * k / (2.0 * steps), y, channel);
          frame.at(x, y)[channel] = level(sum / steps + int(e.random()() % 5) - 2);
        }
        frame.at(x, y)[3] = 255;
      }
    x0 = x1;
    e.add(std::move(frame));
  }
}

void black_frames(Editor &e) {
  const int length = e.whole(1, 4);
  e.alter(90, [&](const Frame &frame, int i) {
    return i >= 45 && i < 45 + length ? lit(frame, 0, 0, 0) : frame;
  });
}

/// Slices that a decoder lacks: grey, or another place's, until the next intra frame.
void damaged_frames(Editor &e) {
  const int length = e.whole(1, 12), top = e.whole(3, 7) * 16, grey = e.whole(0, 1);
  e.alter(90, [&](const Frame &frame, int i) {
    if (i < 45 || i >= 45 + length) return frame;
    Frame result = frame;
    for (int y = top; y < height; y++)
      for (int x = 0; x < width; x++) {
        const int block = x / 16 * 7 + y / 16 * 5;
        const uint8_t *from = frame.at((x + block % 9 * 16) % width, y - block % 3 * 16);
        for (int c = 0; c < 3; c++) result.at(x, y)[c] = grey ? uint8_t(128) : from[c];
      }
    return result;
  });
}

void passing(Editor &e) {
  const int length = e.whole(6, 20);
  const double size = e.between(0.5, 1.2);
  const bool leftward = e.whole(0, 1);
  const Frame cover = [&] {
    Editor &other = e;
    other.turn();
    return lit(other.next(), 0.35, 0.3, 0.3);
  }();
  e.turn();
  e.alter(100, [&](const Frame &frame, int i) {
    const double t = (i - 40.0) / length;
    if (t <= 0 || t >= 1) return frame;
    Frame result = frame;
    const double front = (1 + size) * width * t;
    for (int y = 12; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double place = (leftward ? width - 1 - x : x);
        if (place > front || place < front - size * width) continue;
        const int column = std::clamp(int(front - place) % width, 0, width - 1);
        for (int c = 0; c < 3; c++) result.at(x, y)[c] = cover.at(column, y)[c];
      }
    return result;
  });
}

/// A hand before the lens: dark, out of focus, with soft folds. It comes over some frames, covers
/// all of the picture and leaves.
void covered(Editor &e) {
  const int comes = e.whole(2, 9), stays = e.whole(3, 18);
  const double fold = e.between(30, 90), slope = e.between(-0.6, 0.6), light = e.between(15, 60);
  e.alter(120, [&](const Frame &frame, int i) {
    const double part =
        std::clamp(std::min(i - 39, 39 + 2 * comes + stays - i) / double(comes), 0.0, 1.0);
    const double front = part * (1.4 * width) - 0.2 * width;
    return changed(frame, [&](int x, int y, double *rgb) {
      const double share =
          part <= 0 ? 0 : std::clamp((front - x - slope * (y - height / 2)) / 30, 0.0, 1.0);
      const double hand =
          light * (1 + 0.3 * std::sin((x + 0.5 * y) / fold)) + int(e.random()() % 5) - 2;
      const double skin[] = {1.3 * hand, 0.9 * hand, 0.8 * hand};
      for (int c = 0; c < 3; c++) rgb[c] += (skin[c] - rgb[c]) * share;
    });
  });
}

void flash(Editor &e) {
  const int length = e.whole(1, 3);
  const double gain = e.between(1.5, 3), offset = e.between(20, 80);
  e.alter(90, [&](const Frame &frame, int i) {
    if (i < 45 || i >= 45 + length) return frame;
    return changed(frame, [&](int, int, double *rgb) {
      for (int c = 0; c < 3; c++) rgb[c] = rgb[c] * gain + offset;
    });
  });
}

void one_cut(Editor &e) {
  e.play(35);
  e.turn();
  e.cut();
  e.play(40);
}

const std::map<std::string, std::function<void(Editor &)>> &all() {
  static const std::map<std::string, std::function<void(Editor &)>> list{
      {"cut", one_cut},
      {"cuts every 4 to 6", short_shots},
      {"insert of 3", insert},
      {"jump cut", [](Editor &e) { e.jump(); }},
      {"slides", [](Editor &e) { slides(e, false); }},
      {"pages, line by line", pages},
      {"slides, inset", [](Editor &e) { slides(e, true); }},
      {"dissolve of 4", [](Editor &e) { dissolve(e, 4); }},
      {"dissolve of 8", [](Editor &e) { dissolve(e, 8); }},
      {"dissolve of 12", [](Editor &e) { dissolve(e, 12); }},
      {"dissolve of 25", [](Editor &e) { dissolve(e, 25); }},
      {"dissolve of 50", [](Editor &e) { dissolve(e, 50); }},
      {"wipe", wipe},
      {"fade down and up", fade},
      {"one take", [](Editor &e) { e.play_film(); }},
      {"lamp", lamp},
      {"night filter", night_filter},
      {"white balance", white_balance},
      {"dull take", [](Editor &e) { dull(e, false); }},
      {"dull, white balance", [](Editor &e) { dull(e, true); }},
      {"exposure", exposure},
      {"lower third", lower_third},
      {"lower third, moved", moved_caption},
      {"logo", logo},
      {"whip pan", whip_pan},
      {"black frames", black_frames},
      {"damaged frames", damaged_frames},
      {"passing thing", passing},
      {"covered lens", covered},
      {"flash", flash},
  };
  return list;
}

}  // namespace

std::vector<Film> films(int half) {
  struct File {
    const char *folder, *name;
    int first, count;
    bool fixed = false;
  };
  // By turns, so that both halves have films of fixed, hand-held and following cameras.
  static const File files[] = {
      {"video", "bigbuckbunny_720p25_132f.mp4", 0, 132},
      {"video", "bikes_640x272_250f.mp4", 77, 59},
      {"video", "car-detection_768x432_377f.mp4", 0, 140, true},
      {"highway", "video.mp4", 0, 140, true},
      {"davis", "blackswan/video.mp4", 0, 50},
      {"davis", "bmx-trees/video.mp4", 0, 80},
      {"davis", "camel/video.mp4", 0, 90},
      {"davis", "car-roundabout/video.mp4", 0, 75},
      {"davis", "dog/video.mp4", 0, 60},
      {"davis", "kite-surf/video.mp4", 0, 50},
      {"shake", "video-1.m4v", 0, 140},
      {"shake", "video-8.m4v", 0, 140},
      {"video", "bikes_640x272_250f.mp4", 30, 46},
      {"video", "bikes_640x272_250f.mp4", 137, 50},
      {"shake", "video-1.m4v", 300, 140},
      {"shake", "video-10.m4v", 60, 140},
  };
  std::vector<Film> list;
  for (size_t i = size_t(half); i < std::size(files); i += 2) {
    const File &file = files[i];
    const std::filesystem::path path =
        std::filesystem::path(reference::data_folder(file.folder)) / file.name;
    if (!std::filesystem::exists(path)) {
      film::leave_out("there is no " + path.string());
      return {};
    }
    Frames frames =
        film::decode(path.string(), width, height, size_t(file.first) + size_t(file.count));
    if (static_cast<int>(frames.size()) < file.first + 40) {
      film::leave_out(path.string() + " has too few frames");
      return {};
    }
    frames.erase(frames.begin(), frames.begin() + file.first);
    list.push_back(
        {std::string(file.name) + " " + std::to_string(file.first), std::move(frames), file.fixed});
  }
  return list;
}

Clip make(const std::string &kind, const std::vector<Film> &films, unsigned number) {
  Editor editor(kind, films, number);
  all().at(kind)(editor);
  return editor.done();
}

}  // namespace takes
