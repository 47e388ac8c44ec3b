// SPDX-License-Identifier: LGPL-2.1-or-later
#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "folder.h"
#include "printable.h"

namespace glcl::analyze {

namespace {

constexpr double every = 5;  // seconds between lines of progress

std::string clock(double seconds) {
  const auto whole = static_cast<long>(std::min(seconds, 1e7));
  char text[40];
  std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  return text;
}

}  // namespace

ProgressReporter::ProgressReporter() : terminal_(isatty(STDOUT_FILENO)) {}

void ProgressReporter::line(const Json &json) const {
  if (!terminal_) std::cout << dump(json) << std::endl;
}

void ProgressReporter::text(const std::string &text) const {
  if (terminal_) std::cout << "\r\x1b[K" << text << std::flush;
}

void ProgressReporter::begins(const Task &task) {
  line({{"event", "begin"}, {"file", escaped(task.file)}});
}

void ProgressReporter::done(const Task &task, const std::string &folder) {
  done_++;
  const Json summary = Folder(folder).json("summary.json");
  const guint64 frames = whole(summary.at("frames"));
  frames_ += frames;
  line({{"event", "done"},
        {"file", escaped(task.file)},
        {"folder", escaped(folder)},
        {"frames", frames},
        {"lost", summary.at("lost")}});
  text(shown(task.file) + ": " + std::to_string(frames) + " frames, " + shown(folder) +
       (summary.at("lost") == 0 ? "" : ", " + dump(summary.at("lost")) + " frames lost") + "\n");
}

void ProgressReporter::kept(const Task &task, const std::string &folder) {
  kept_++;
  line({{"event", "kept"}, {"file", escaped(task.file)}, {"folder", escaped(folder)}});
  text(shown(task.file) + ": kept, " + shown(folder) + "\n");
}

void ProgressReporter::failed(const Task &task, const std::string &reason) {
  failed_++;
  line({{"event", "failed"}, {"file", escaped(task.file)}, {"reason", reason}});
  text("failed: " + shown(task.file) + ": " + printable(reason) + "\n");
}

void ProgressReporter::progress(double part, double elapsed, double rate, size_t files) {
  if (!terminal_ && elapsed < reported_ + every) return;
  reported_ = elapsed;
  const double left = part > 0.001 ? elapsed * (1 - part) / part : -1;
  line({{"event", "progress"},
        {"part", std::round(part * 1e4) / 1e4},
        {"rate", std::round(rate * 10) / 10},
        {"left", left < 0 ? Json() : Json(std::round(left))},
        {"files", files}});
  if (!terminal_) return;
  char tail[120];
  std::snprintf(tail, sizeof tail, " %3.0f %%  %.0f frames/s  %s left  %zu file%s", 100 * part,
                rate, left < 0 ? "?" : clock(left).c_str(), files, files == 1 ? "" : "s");
  winsize size{};
  const int columns =
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  const int room = std::clamp(columns - static_cast<int>(std::string(tail).size()) - 4, 5, 60);
  const int filled = static_cast<int>(std::lround(part * room));
  text("[" + std::string(filled, '#') + std::string(room - filled, '.') + "]" + tail);
}

void ProgressReporter::sum_up(double elapsed) {
  line({{"event", "summary"},
        {"done", done_},
        {"kept", kept_},
        {"failed", failed_},
        {"frames", frames_},
        {"seconds", std::round(elapsed * 1e3) / 1e3}});
  text(std::to_string(done_) + " done, " + std::to_string(kept_) + " kept, " +
       std::to_string(failed_) + " failed; " + std::to_string(frames_) + " frames in " +
       clock(elapsed) + "\n");
}

}  // namespace glcl::analyze
