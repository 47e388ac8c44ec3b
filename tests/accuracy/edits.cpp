// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-edits [--all] [--half 0|1] [--method histogram|shape|points] [--kind NAME] [--peer]:
// shot boundaries found in clips edited from real film, clean and coded as cameras do, by kind of
// edit or event; with `points` the cuts that tracking points reports. Fails where fewer are found,
// or more are wrong, than the table says. With --peer also what FFmpeg's scdet finds.
#include <gst/gst.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coded.h"
#include "detectors.h"
#include "film.h"
#include "program.h"
#include "reference/histogram/shots.h"
#include "takes.h"

namespace {

using glcl::histogram::Shots;
using reference::Score;

constexpr int kbits = 300;

/// Least fraction of the boundaries that are found, most wrong ones per clip.
struct Least {
  double found = 0, wrong = 0;
};

/// By histograms; by shapes, which find neither dissolves nor wipes; by points, for which a shot is
/// a cut if points are lost.
struct Bound {
  const char *kind;
  Least histogram, shape, points;
  bool all = false;  ///< all clips, as with --all
  Least of(const std::string &method) const {
    return method == "shape" ? shape : method == "points" ? points : histogram;
  }
};
constexpr Bound bounds[] = {
    {"cut", {1, 0}, {0.5, 0}, {0.8, 0}},
    {"cuts every 4 to 6", {0.9, 0}, {0.1, 0}, {0.8, 0}},
    {"insert of 3", {0.9, 0}, {0, 0}, {0.8, 0.2}},
    {"jump cut", {0.9, 0}, {0.2, 0}, {0.5, 0}},
    {"slides", {0.9, 0}, {0.5, 0}, {0.9, 0}},
    {"slides, inset", {0.8, 0}, {0.4, 0}, {0.9, 0}},
    {"pages, line by line", {0.9, 0}, {0.6, 0}, {0.9, 0}},
    {"dissolve of 4", {0.9, 0}, {0, 0}, {0, 0.2}},
    {"dissolve of 8", {0.8, 0}, {0, 0}, {0, 0.2}},
    {"dissolve of 12", {0.9, 0}, {0, 0}, {0, 0.2}},
    {"dissolve of 25", {0.8, 0}, {0, 0}, {0, 0.2}},
    {"dissolve of 50", {0.6, 0.2}, {0, 0}, {0, 0.2}},
    {"wipe", {0.6, 0}, {0, 0}, {0, 0}},
    {"fade down and up", {1, 0}, {0.9, 0}, {0.9, 0}},
    {"one take", {1, 0}, {1, 0}, {1, 0}},
    {"lamp", {1, 0}, {1, 0}, {1, 0.4}},
    {"night filter", {1, 0}, {1, 0}, {1, 0}},
    {"white balance", {1, 0}, {1, 0}, {1, 0}},
    {"dull take", {1, 0.1}, {1, 0.2}, {1, 0.2}},
    {"dull, white balance", {1, 0}, {1, 0}, {1, 0.4}},
    {"exposure", {1, 0}, {1, 0.2}, {1, 0}},
    {"lower third", {1, 0}, {1, 0.2}, {1, 0}},
    {"lower third, moved", {1, 0.3}, {1, 0.1}, {1, 0}, true},
    {"logo", {1, 0.2}, {1, 0}, {1, 0}},
    {"whip pan", {1, 0.2}, {1, 0.5}, {1, 0.2}},
    {"black frames", {1, 0}, {1, 0}, {1, 0}},
    {"damaged frames", {1, 0.5}, {1, 0.8}, {1, 0.2}},
    {"passing thing", {1, 0}, {1, 0.2}, {1, 0.2}},
    {"covered lens", {1, 0.5}, {1, 0.7}, {1, 0.8}},
    {"flash", {1, 0}, {1, 0}, {1, 0.2}},
};

/// Frames at which FFmpeg's scdet finds a scene change.
std::vector<Shots::Shot> scdet(const std::vector<reference::Frame> &frames) {
  char log[] = "/tmp/glcl-scdet-XXXXXX";
  const int file = mkstemp(log);
  const std::string command = "ffmpeg -v info -f rawvideo -pix_fmt rgba -s " +
                              std::to_string(takes::width) + "x" + std::to_string(takes::height) +
                              " -r 25 -i - -vf scdet -f null - 2>" + log;
  FILE *pipe = file < 0 ? nullptr : popen(command.c_str(), "w");
  if (!pipe) throw std::runtime_error("FFmpeg does not start.");
  for (const auto &frame : frames) fwrite(frame.rgba.data(), 1, frame.rgba.size(), pipe);
  if (pclose(pipe)) throw std::runtime_error("FFmpeg fails: " + command);
  std::vector<Shots::Shot> found;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("lavfi.scd.time: ");
    if (at != std::string::npos)
      found.push_back({uint64_t(std::lround(std::strtod(line.c_str() + at + 16, nullptr) * 25)),
                       Shots::Kind::cut, 1});
  }
  std::filesystem::remove(log);
  return found;
}

struct Options {
  bool all = false, peer = false;
  int half = 1;
  std::string kind, method = "histogram";
};

accuracy::FoundShots find(const std::string &method, const std::vector<reference::Frame> &frames) {
  if (method == "shape") return accuracy::find_by_shape(frames);
  if (method == "points") return accuracy::find_by_points(frames);
  return reference::find_shots(frames);
}

/// A clip as it is and as each codec leaves it, or by turns one of these.
std::vector<std::pair<std::string, std::vector<reference::Frame>>> forms(const takes::Clip &clip,
                                                                         int number, bool all) {
  std::vector<std::string> names{"clean"};
  for (const std::string &codec : clips::codecs()) names.push_back(codec);
  if (!all) names = {names[size_t(number) % names.size()]};
  std::vector<std::pair<std::string, std::vector<reference::Frame>>> list;
  for (const std::string &name : names)
    list.emplace_back(name, name == "clean" ? clip.frames : clips::coded(clip.frames, name, kbits));
  return list;
}

bool row(const Bound &bound, const std::vector<takes::Film> &films, const Options &options) {
  const bool all = options.all || bound.all;
  const int count = all ? 10 : accuracy::few_rows() ? 3 : 6;
  Score score, peer;
  std::string details;
  int clips = 0;
  for (int i = 0; i < count; i++) {
    const takes::Clip clip = takes::make(bound.kind, films, unsigned(i));
    for (const auto &[form, frames] : forms(clip, i, all)) {
      const auto shots = find(options.method, frames);
      score += reference::score(shots, clip.transitions);
      clips++;
      if (options.peer) peer += reference::score(scdet(frames), clip.transitions);
      if (!options.kind.empty())
        details += "  " + std::to_string(i) + " " + form + ": " + reference::describe(shots) + "\n";
    }
  }
  const Least least = bound.of(options.method);
  const int boundaries = score.found + score.missed;
  // Of few clips a single one weighs more than the bounds allow for.
  const int spared = accuracy::few_rows() ? 1 : 0;
  const bool good = score.found >= least.found * boundaries - spared &&
                    score.wrong <= least.wrong * clips + spared;
  std::printf("%-19s %3d of %3d found, %2d wrong in %d clips", bound.kind, score.found, boundaries,
              score.wrong, clips);
  if (options.peer) std::printf("; scdet %3d found, %2d wrong", peer.found, peer.wrong);
  std::printf("%s\n%s", good ? "" : "  too bad", details.c_str());
  return good;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  Options options;
  for (int i = 1; i < argc; i++) {
    const std::string name = argv[i];
    const auto value = [&]() -> const char * { return i + 1 < argc ? argv[++i] : ""; };
    if (name == "--all")
      options.all = true;
    else if (name == "--peer")
      options.peer = true;
    else if (name == "--half")
      options.half = std::atoi(value());
    else if (name == "--method")
      options.method = value();
    else if (name == "--kind")
      options.kind = value();
    else
      return std::fprintf(stderr, "Unknown option: %s\n", argv[i]), EXIT_FAILURE;
  }
  if (options.method != "histogram" && options.method != "shape" && options.method != "points")
    return std::fprintf(stderr, "Unknown method: %s\n", options.method.c_str()), EXIT_FAILURE;
  const auto films = takes::films(options.half == 0 ? 0 : 1);
  if (films.empty()) return film::exit_status(true);
  bool good = true;
  for (const Bound &bound : bounds)
    if (options.kind.empty() || options.kind == bound.kind) good &= row(bound, films, options);
  return film::exit_status(good);
}
