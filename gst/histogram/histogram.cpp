// SPDX-License-Identifier: LGPL-2.1-or-later
#include "histogram.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "histogram/interface.h"
#include "opencl/error.h"

namespace glcl::histogram {

namespace {

using Mode = Histogram::Mode;

constexpr int most_copies = 16;
constexpr size_t most_in_half_a_word = 65535;
constexpr int tile_rows = SUB_GROUP / TILE_COLUMNS;

bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }
int log2_of(int n) {
  int log = 0;
  while (n >>= 1) log++;
  return log;
}

const char *mode_name(Mode mode) {
  static const char *const names[] = {"luma",     "rgb",    "rgba",   "color-8",
                                      "color-16", "grey-8", "grey-16"};
  return names[static_cast<int>(mode)];
}

bool is_joint(Mode mode) { return mode == Mode::color_8 || mode == Mode::color_16; }
bool is_grey(Mode mode) { return mode == Mode::grey_8 || mode == Mode::grey_16; }
int depth_of(const Histogram::Format &format) {
  return format.mode == Mode::grey_16 ? format.depth : 8;
}

/// The format of a problem's name.
Histogram::Format format_of(const std::string &problem) {
  for (int mode = 0; mode <= static_cast<int>(Mode::grey_16); mode++) {
    const std::string name = std::string(mode_name(static_cast<Mode>(mode))) + "-";
    if (problem.compare(0, name.size(), name) != 0 || !std::isdigit(problem[name.size()])) continue;
    Histogram::Format format;
    format.mode = static_cast<Mode>(mode);
    const int counters = std::stoi(problem.substr(name.size()));
    if (is_joint(format.mode) && format.counters() != counters) continue;
    format.bins = counters;
    return format;
  }
  return {};
}

int levels_of(const Histogram::Format &format) { return format.counters() / format.channels(); }

/// Words of local memory for one copy of the counters.
int words_of(const Histogram::Format &format, const Parameters &p) {
  return p.at("packed") ? (format.channels() + 1) / 2 * levels_of(format) : format.counters();
}

/// Copies that fit in local memory.
int fitting_copies(const Device &device, const Histogram::Format &format, const Parameters &p) {
  return static_cast<int>(device.local_memory() / sizeof(cl_uint) / words_of(format, p));
}

/// Complete copies of the counters per group, with two more counters for illegal values; at least
/// one copy.
int copies_with_illegal(const Device &device, int counters, const Parameters &p) {
  const auto fit = static_cast<int>(device.local_memory() / sizeof(cl_uint)) / counters;
  int copies = p.at("copies");
  while (copies > std::max(fit, 1)) copies /= 2;
  return std::max(copies, 1);
}

/// Groups for frames of this many runs of pixels: those of the variant, or more if half words would
/// overflow.
size_t groups_of(const Device &device, const Parameters &p, size_t runs) {
  size_t groups = size_t(device.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()) * p.at("groups");
  if (!p.at("packed")) return groups;
  const size_t group = p.at("group"), copies = p.at("copies"),
               sharing = (group + copies - 1) / copies;
  while ((runs / (groups * group) + 2) * p.at("pixels") * sharing > most_in_half_a_word)
    groups *= 2;
  return groups;
}

Parameters defaults(const Device &device, const std::string &problem) {
  const Histogram::Format format = format_of(problem);
  Parameters p = {{"form", Histogram::group},
                  {"copies", 1},
                  {"packed", 0},
                  {"merge", 0},
                  {"pixels", 4},
                  {"group", 256},
                  {"groups", 1}};
  if (device.is_cpu()) {
    p["form"] = Histogram::item;
    p["copies"] = format.counters() > 1024 ? 1 : 4;
    p["group"] = 1;
    p["groups"] = 8;
    return p;
  }
  const size_t most = device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  if (most >= 1024)
    p["group"] = 1024;
  else
    while (size_t(p["group"]) > most) p["group"] /= 2;
  p["packed"] = format.channels() > 1;
  const int fit = fitting_copies(device, format, p);
  if (fit < 1) {
    p["form"] = Histogram::global;
    p["packed"] = 0;
  }
  while (p["copies"] * 2 <= std::min(fit, most_copies)) p["copies"] *= 2;
  return p;
}

bool can_run(const Device &device, const std::string &problem, const Parameters &p) {
  const Histogram::Format format = format_of(problem);
  const int form = p.at("form"), group = p.at("group"), copies = p.at("copies");
  if (size_t(group) > device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>()) return false;
  // Equivalent variants get the same parameters.
  if (form == Histogram::item)
    return group == 1 && copies >= 1 && copies <= 16 && !p.at("packed") && !p.at("merge") &&
           p.at("pixels") == 4;
  if (p.at("merge") && p.at("pixels") % 4) return false;
  if (p.at("packed") && (form != Histogram::group || format.channels() < 2)) return false;
  return form != Histogram::group || (group >= 32 && p.at("groups") <= 2 && copies >= 1 &&
                                      copies <= std::min(group, fitting_copies(device, format, p)));
}

/// Variants for the tuning.
bool possible(const Device &device, const std::string &problem, const Parameters &p) {
  return device.is_cpu() == (p.at("form") == Histogram::item) && can_run(device, problem, p);
}

cl::Buffer zeros(const cl::Context &context, size_t count) {
  std::vector<cl_uint> zeros(count);
  return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(cl_uint) * count,
                    zeros.data());
}

[[noreturn]] void refuse(const Context &context, const cl::Error &error) {
  throw Error("The histogram can't be set up on " + context.device().name + ".", error);
}

}  // namespace

int Histogram::Format::channels() const {
  return mode == Mode::rgb ? 3 : mode == Mode::rgba ? 4 : 1;
}

int Histogram::Format::levels() const {
  return mode == Mode::color_8 ? 8 : mode == Mode::color_16 ? 16 : bins;
}

int Histogram::Format::counters() const {
  return is_joint(mode) ? levels() * levels() * levels() : channels() * levels();
}

const Tunable &Histogram::tunable() {
  static const Tunable all = {
      "histogram",
      [] {
        std::vector<std::string> problems;
        for (const Layout layout : {Layout::image, Layout::buffer})
          for (const Format &format : {Format{Mode::luma}, Format{Mode::rgb}, Format{Mode::rgba},
                                       Format{Mode::color_8}, Format{Mode::color_16}})
            problems.push_back(problem(format, layout));
        problems.push_back(problem({Mode::grey_8}, Layout::buffer));
        return problems;
      }(),
      {"histogram/group.cl", "histogram/item.cl"},
      {{"form", {group, item}},
       {"copies", {1, 2, 4, 8, 16, 32}},
       {"packed", {0, 1}},
       {"merge", {0, 1}},
       {"pixels", {1, 4, 8}},
       {"group", {1, 256, 512, 1024}},
       {"groups", {1, 2, 8}}},
      defaults,
      possible};
  return all;
}

std::string Histogram::problem(const Format &format, Layout layout) {
  return std::string(mode_name(format.mode)) + "-" + std::to_string(levels_of(format)) +
         (layout == Layout::image ? "-image" : "-buffer");
}

void Histogram::check(const Format &format, Layout layout) {
  if (is_joint(format.mode)) return;
  const int depth = depth_of(format), most = std::min(1 << std::clamp(depth, 1, 16), MOST_COUNTERS);
  if (depth < 1 || depth > 16)
    throw Error(Error::Kind::settings,
                "depth=" + std::to_string(depth) + " is out of range: use 1 to 16 bits.");
  if (!is_power_of_two(format.bins) || format.bins < 2 || format.bins > most)
    throw Error(Error::Kind::settings, "bins=" + std::to_string(format.bins) +
                                           " is invalid: use a power of two from 2 to " +
                                           std::to_string(most) + ", for example " +
                                           std::to_string(std::min(most, 256)) + ".");
  if (is_grey(format.mode) && layout == Layout::image)
    throw Error(Error::Kind::settings, std::string("mode=") + mode_name(format.mode) +
                                           " needs frames in buffers, not images.");
}

Histogram::Histogram(Context &context, int width, int height, const Format &format,
                     const FrameFormat &frame, int frames,
                     const std::optional<Parameters> &parameters)
    : format_(format), frame_(frame), width_(width), height_(height), frames_(frames) {
  const Layout layout = frame.layout;
  check(format, layout);
  const Parameters requested =
      parameters ? *parameters
                 : tuned_parameters(tunable(), context.device(), problem(format, layout));
  if (!can_run(context.device(), problem(format, layout), requested))
    throw Error(Error::Kind::settings,
                context.device().name +
                    " can't run this variant of the histogram: " + describe(requested) + ".");
  try {
    build(context, requested);
  } catch (const cl::Error &error) {
    refuse(context, error);
  }
}

std::string Histogram::options(const Format &format, const FrameFormat &frame) {
  const Mode mode = format.mode;
  const std::string kernel_mode = mode == Mode::luma ? "LUMA"
                                  : is_joint(mode)   ? "JOINT"
                                  : is_grey(mode)    ? "SAMPLES"
                                                     : "SEPARATE_CHANNELS";
  const char *pixel = mode == Mode::grey_8    ? " -DPIXEL=uchar"
                      : mode == Mode::grey_16 ? " -DPIXEL=ushort"
                                              : " -DPIXEL=uint -DWIDE";
  return " -DMODE=" + kernel_mode + define("VOTES", format.channels()) +
         define("LEVELS", format.levels()) +
         define("SHIFT", depth_of(format) - log2_of(format.levels())) +
         define("COUNTERS", counters(format, frame)) +
         (counts_code(format, frame) ? " -DCODE_BINS" : "") +
         (counts_illegal(format, frame) ? " -DILLEGAL" : "") +
         define("IMAGE", frame.layout == Layout::image) + pixel + frame_options(frame);
}

void Histogram::build(Context &context, const Parameters &p) {
  const int counters = Histogram::counters(format_, frame_), form = p.at("form"),
            group = p.at("group"), pixels = p.at("pixels"),
            copies = counts_illegal(format_, frame_) && form != item
                         ? copies_with_illegal(context.device(), counters, p)
                     : form == global ? 0
                                      : p.at("copies");
  std::string options = Histogram::options(format_, frame_) + define("GROUP", group) +
                        define("COPIES", copies) + define("PIXELS", pixels);
  if (form != item)
    options += define("MERGE", p.at("merge")) + define("PACKED", p.at("packed")) +
               define("WORD_STEP", std::max(copies, 1));
  const std::string name = form == item ? "item" : "group";
  const Program program = context.program("histogram/" + name + ".cl", options.substr(1));
  kernel_ = Kernel(context, program, "histogram_" + name, {size_t(group), 1});
  if (form != item) whole_runs_ = Kernel(context, program, "histogram_whole", {size_t(group), 1});
  // The maximum in either layout.
  const size_t runs = (size_t(width_) / pixels + SUB_GROUP) * (size_t(height_) + SUB_GROUP);
  run_ = pixels;
  cleared_ = frames_;
  items_ = groups_of(context.device(), p, runs) * group;
  for (cl::Buffer &result : results_) result = zeros(context.cl(), size_t(frames_) * counters);
  scratch_ = form == item ? cl::Buffer(context.cl(), CL_MEM_READ_WRITE,
                                       sizeof(cl_uint) * frames_ * items_ * copies * counters)
                          : cl::Buffer();
}

Rect Histogram::checked(const Rect &area) const {
  const Rect inside = clipped(area, width_, height_);
  if (!area.empty() && !(inside == area))
    throw Error(Error::Kind::settings,
                "roi=<" + std::to_string(area.x) + "," + std::to_string(area.y) + "," +
                    std::to_string(area.width) + "," + std::to_string(area.height) +
                    "> is not inside the frame of " + std::to_string(width_) + "×" +
                    std::to_string(height_) +
                    ". Choose x, y, width and height in px inside the frame.");
  return inside;
}

/// True if an area consists of whole runs of pixels; in a buffer, of a single row of aligned ones.
bool Histogram::is_whole(const Rect &area, int pitches) const {
  if (frame_.layout == Layout::image)
    return area.width % TILE_COLUMNS == 0 && area.height % (tile_rows * run_) == 0;
  return area.height == 1 && area.width % run_ == 0 && (area.x | pitches) % 4 == 0;
}

template <class Source>
const cl::Buffer &Histogram::launch(Queue &queue, const Source &in, int pitch, int frame_pitch,
                                    int count, const Rect &area) {
  Rect part = checked(area);
  // Rows without gaps are one long row, except for the bands of Form::item.
  if (!scratch_() && part.width == pitch) part.x = 0, part.width *= part.height, part.height = 1;
  const cl_int4 rectangle = {{part.x, part.y, part.width, part.height}};
  const Size items{items_, size_t(count)};
  const size_t after = (turn_ + 1) % results_.size();
  const cl::Buffer &out = results_[turn_], &next = results_[after];
  if (count > cleared_) queue.cl().enqueueFillBuffer(out, cl_uint(0), 0, bytes() * size_t(count));
  if (scratch_())
    kernel_(queue, items, in, pitch, frame_pitch, rectangle, out, next, scratch_);
  else
    (whole_runs_ && is_whole(part, pitch | frame_pitch) ? whole_runs_ : kernel_)(
        queue, items, in, pitch, frame_pitch, rectangle, out, next);
  turn_ = after;
  cleared_ = count;
  return out;
}

const cl::Buffer &Histogram::run(Queue &queue, const Picture &in, const Rect &area) {
  check_picture(in, width_, height_, frame_, "The histogram");
  return frame_.layout == Layout::image ? launch(queue, in.image, 0, 0, 1, area)
                                        : launch(queue, in.buffer, in.pitch, 0, 1, area);
}

const cl::Buffer &Histogram::run(Queue &queue, const cl::Buffer &in, int pitch, int frame_pitch,
                                 int count, const Rect &area) {
  if (frame_.layout != Layout::buffer || count < 1 || count > frames_ || pitch < width_)
    throw Error(Error::Kind::settings, "The histogram was set up for at most " +
                                           std::to_string(frames_) + " frames of " +
                                           std::to_string(width_) + " px in a different layout.");
  return launch(queue, in, pitch, frame_pitch, count, area);
}

}  // namespace glcl::histogram
