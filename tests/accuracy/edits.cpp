// SPDX-License-Identifier: LGPL-2.1-or-later
// accuracy-edits [--all] [--half 0|1] [--kind NAME] [--peer]: shot boundaries found in clips edited
// from real film, clean and coded as cameras do, by kind of edit or event. Fails where fewer are
// found, or more are wrong, than the table says. With --peer also what FFmpeg's scdet finds.
#include <gst/gst.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "coded.h"
#include "detectors.h"
#include "film.h"
#include "reference/histogram/shots.h"
#include "takes.h"

namespace {

using glcl::histogram::Shots;
using reference::Score;

constexpr int kbits = 300;

/// Least fraction of the boundaries that are found, most wrong ones per clip.
struct Bound {
  const char *kind;
  double found, wrong;
  bool all = false;  ///< all clips, as with --all
};
constexpr Bound bounds[] = {
    {"cut", 1, 0},
    {"cuts every 4 to 6", 0.9, 0},
    {"insert of 3", 0.9, 0},
    {"jump cut", 0.9, 0},
    {"slides", 0.95, 0},
    {"slides, inset", 0.9, 0},
    {"pages, line by line", 0.9, 0},
    {"dissolve of 4", 0.9, 0},
    {"dissolve of 8", 0.8, 0},
    {"dissolve of 12", 0.9, 0},
    {"dissolve of 25", 0.8, 0},
    {"dissolve of 50", 0.7, 0},
    {"wipe", 0.6, 0},
    {"fade down and up", 1, 0},
    {"one take", 1, 0},
    {"lamp", 1, 0},
    {"night filter", 1, 0},
    {"white balance", 1, 0},
    {"dull take", 1, 0},
    {"dull, white balance", 1, 0},
    {"exposure", 1, 0},
    {"lower third", 1, 0},
    {"lower third, moved", 1, 0.3, true},
    {"logo", 1, 0},
    {"whip pan", 1, 0.2},
    {"black frames", 1, 0},
    {"damaged frames", 1, 0.5},
    {"passing thing", 1, 0},
    {"covered lens", 1, 0},
    {"flash", 1, 0},
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

bool row(const Bound &bound, const std::vector<takes::Film> &films, const Options &options) {
  const bool coded = !clips::codecs().empty() && clips::codecs()[0] == "H.264";
  const bool all = options.all || bound.all;
  const int count = all ? 10 : 6;
  Score score, peer;
  std::string details;
  for (int i = 0; i < count; i++) {
    const takes::Clip clip = takes::make(bound.kind, films, unsigned(i));
    // By turns, or both.
    for (const bool as_coded : {false, true}) {
      if ((as_coded && !coded) || (!all && coded && as_coded != (i % 2 == 1))) continue;
      const auto frames = as_coded ? clips::coded(clip.frames, "H.264", kbits) : clip.frames;
      const auto shots = find(options.method, frames);
      const Score one = reference::score(shots, clip.transitions);
      score += one;
      if (options.peer) peer += reference::score(scdet(frames), clip.transitions);
      if (!options.kind.empty())
        details += "  " + std::to_string(i) + (as_coded ? " coded: " : " clean: ") +
                   reference::describe(shots) + "\n";
    }
  }
  const int boundaries = score.found + score.missed, clips = all && coded ? 2 * count : count;
  const bool good = score.found >= bound.found * boundaries && score.wrong <= bound.wrong * clips;
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
  const auto films = takes::films(options.half == 0 ? 0 : 1);
  if (films.empty()) return film::exit_status(true);
  bool good = true;
  for (const Bound &bound : bounds)
    if (options.kind.empty() || options.kind == bound.kind) good &= row(bound, films, options);
  return film::exit_status(good);
}
