// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "opencl/error.h"

namespace glcl::bilateral {

namespace {

constexpr const char *weight_names[] = {"intensity", "color", "per_channel"};
constexpr int small_radius = 6;            // largest radius of the problem "radius-4"
constexpr double soft_sigma_range = 0.07;  // from here on the exponents of SOFT_COLOR stay in range

int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }
int round_down(int n, int unit) { return n < 0 ? -round_up(-n, unit) : n / unit * unit; }

/// The part of a frame up to `reach` px away from a region.
Rect around(const Rect &region, int reach, int width, int height) {
  return clipped(
      {region.x - reach, region.y - reach, region.width + 2 * reach, region.height + 2 * reach},
      width, height);
}

bool has_images(const cl::Device &device, int width, int height) {
  return device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() &&
         size_t(width) <= device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>() &&
         size_t(height) <= device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
}

/// Pixels along x of a work-item in the vector form.
int vector_lanes(const Device &device) {
  const int native = device.device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  return native >= 16 ? 16 : native >= 8 ? 8 : 4;
}

BilateralFilter::Form form_of(const Parameters &variant) {
  return static_cast<BilateralFilter::Form>(variant.at("form"));
}

size_t tile_row_bytes(size_t group_x, int radius) {
  return (group_x + 2 * radius) * sizeof(cl_float4);
}

/// Number of tile rows that fit into local memory together with the row weights.
size_t tile_rows(size_t local_memory, size_t group_x, int radius) {
  const size_t taken = (radius + 1) * sizeof(cl_float);
  return local_memory > taken ? (local_memory - taken) / tile_row_bytes(group_x, radius) : 0;
}

Size group_of(const Parameters &variant) {
  return {size_t(variant.at("group-x")), size_t(variant.at("group-y"))};
}

/// The local memory of a "fixed" variant's program, for blocks of this many pixels per work-item.
size_t block_bytes(const Parameters &variant, Size block, int radius) {
  const Size group = group_of(variant);
  const int width = static_cast<int>(group.x * block.x) + 2 * radius;
  return (round_up(width, static_cast<int>(block.x)) * (group.y * block.y + 2 * radius)) *
             sizeof(cl_float4) +
         (radius + 1) * sizeof(cl_float);
}

std::string option(const char *name, int value) {
  return std::string(" -D") + name + "=" + std::to_string(value);
}

std::string tile_options(const Parameters &variant) {
  return "-cl-mad-enable" + option("ROWS", variant.at("rows")) +
         option("UNROLL", variant.at("unroll"));
}

Parameters default_variant(const Device &device, const std::string &problem) {
  const bool vector = device.prefers_buffers();
  Parameters variant = BilateralFilter::variant(
      device, vector ? BilateralFilter::Form::vector : BilateralFilter::Form::tile);
  if (!vector && problem == "radius-10" && !variant["fixed"])
    variant["group-x"] = 16, variant["rows"] = 3;
  return variant;
}

/// The default variant of each problem, for untuned devices.
std::vector<double> usual_microseconds(const Device &device) {
  return device.is_cpu() ? std::vector<double>{18000, 83000} : std::vector<double>{68, 290};
}

bool possible_variant(const Device &device, const std::string &, const Parameters &variant) {
  const size_t items = size_t(variant.at("group-x")) * variant.at("group-y");
  if (items < 32 || items > device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>()) return false;
  const bool fixed = variant.at("fixed"), unrolls = variant.at("unroll") > 1;
  if (variant.at("columns") > 1 && !fixed) return false;
  switch (form_of(variant)) {
    case BilateralFilter::Form::tile:
      return device.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() && !device.prefers_buffers() &&
             !(fixed && unrolls);
    case BilateralFilter::Form::direct:
      return device.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() && !device.prefers_buffers() &&
             variant.at("rows") == 1 && !unrolls && !fixed;
    case BilateralFilter::Form::vector:
      return device.is_cpu() && variant.at("rows") <= 4 && !unrolls && !fixed;
  }
  return false;
}

/// Factor of a squared difference in an exponent of 2.
float gaussian_exponent(double sigma) {
  return static_cast<float>(-std::log2(std::exp(1.0)) / (2 * sigma * sigma));
}

/// Number of pixels in the window.
double neighbours(int radius) { return (2.0 * radius + 1) * (2.0 * radius + 1); }

float space_exponent(const BilateralFilter::Settings &settings) {
  return gaussian_exponent(std::max(settings.sigma_space, 1e-3));
}

}  // namespace

int BilateralFilter::radius(const Settings &settings) {
  const int requested =
      settings.radius > 0
          ? settings.radius
          : static_cast<int>(std::ceil(std::min<double>(2 * settings.sigma_space, max_radius)));
  return std::clamp(requested, 0, max_radius);
}

/// The kind of weight in the kernels' numbering.
int BilateralFilter::kind_of(const Settings &settings) const {
  const bool soft =
      !deep() && settings.weight == Weight::color && settings.sigma_range >= soft_sigma_range;
  return soft ? SOFT_COLOR : static_cast<int>(settings.weight);
}

/// Exponent factor for differences between 0 and `full_scale`. sigma_range = 0 means the limit, for
/// which a number is used that gives the least difference, 1/100 of a code, a weight below 2^-1000.
float BilateralFilter::range_exponent(const Settings &settings, double full_scale) const {
  return gaussian_exponent(std::max(settings.sigma_range, deep() ? 4e-9 : 1e-6) * full_scale);
}

/// The full scale of differences in the tile and vector forms: codes, for intensity hundredths of a
/// code.
double BilateralFilter::code_scale(Weight weight) const {
  return (deep() ? 65535 : 255) * (weight == Weight::intensity ? 100 : 1);
}

int BilateralFilter::split_column(const Settings &settings, int width) {
  return static_cast<int>(std::lround(std::clamp(settings.split, 0.0, 1.0) * width));
}

const Tunable &BilateralFilter::tunable() {
  static const Tunable tunable{"bilateral",
                               {"radius-4", "radius-10"},
                               {"bilateral/tile.cl", "bilateral/tile.clh", "bilateral/block.cl",
                                "bilateral/direct.cl", "bilateral/vector.cl"},
                               {{"form", {0, 1, 2}},
                                {"group-x", {16, 32, 64}},
                                {"group-y", {4, 8}},
                                {"rows", {1, 2, 3, 4, 6}},
                                {"columns", {1, 2}},
                                {"unroll", {1, 3}},
                                {"fixed", {0, 1}}},
                               default_variant,
                               possible_variant};
  return tunable;
}

double BilateralFilter::cost(const Settings &settings) const {
  const int r = radius(settings);
  const bool small = r <= small_radius;
  const double side = 2.0 * r + 1, measured_side = small ? 9 : 21;
  const Rect region = clipped(settings.region, width_, height_);
  const double part = double(region.width) * region.height / (double(width_) * height_);
  return microseconds_[small ? 0 : 1] * (side * side) / (measured_side * measured_side) *
         (settings.weight == Weight::per_channel ? 2 : 1) * part;
}

Parameters BilateralFilter::variant(const Device &device, Form form) {
  const bool vector = form == Form::vector, tile = form == Form::tile;
  const bool fixed = tile && device.platform_name == "NVIDIA CUDA";
  return {{"form", static_cast<int>(form)},
          {"group-x", vector || fixed ? 16 : 32},
          {"group-y", vector ? 4 : 8},
          {"rows", fixed    ? 3
                   : tile   ? 4
                   : vector ? 2
                            : 1},
          {"columns", fixed ? 2 : 1},
          {"unroll", 1},
          {"fixed", fixed}};
}

BilateralFilter::BilateralFilter(Context &context, int width, int height, const PixelFormat &pixels)
    : context_(context.shared_from_this()), width_(width), height_(height), pixels_(pixels) {
  const Device &device = context.device();
  std::vector<Parameters> variants;
  microseconds_ = usual_microseconds(device);
  for (size_t i = 0; i < microseconds_.size(); i++) {
    const std::string &problem = tunable().problems[i];
    const auto tuning = load_tuning(tunable(), device, problem);
    variants.push_back(!has_images(device.device, width, height) ? variant(device, Form::vector)
                       : tuning                                  ? tuning->parameters
                                : tunable().defaults(device, problem));
    if (tuning && tuning->microseconds > 0) microseconds_[i] = tuning->microseconds;
  }
  // All radii use one layout: that of the small radii.
  const bool vector = form_of(variants[0]) == Form::vector;
  for (Parameters &other : variants)
    if ((form_of(other) == Form::vector) != vector) other = variants[0];
  set_up(std::move(variants));
}

BilateralFilter::BilateralFilter(Context &context, int width, int height, const Parameters &variant,
                                 const PixelFormat &pixels)
    : context_(context.shared_from_this()),
      width_(width),
      height_(height),
      pixels_(pixels),
      microseconds_(usual_microseconds(context.device())) {
  const Device &device = context.device();
  if (form_of(variant) != Form::vector && !has_images(device.device, width, height))
    throw Error(Error::Kind::settings,
                device.name + " does not support images of " + std::to_string(width) + "×" +
                    std::to_string(height) +
                    " px, which this variant of the bilateral filter needs.");
  set_up({variant});
}

void BilateralFilter::set_up(std::vector<Parameters> variants) {
  layout_ = form_of(variants[0]) == Form::vector ? Layout::buffer : Layout::image;
  local_memory_ = context_->device().local_memory();
  try {
    for (const Parameters &variant : variants) kernels_.push_back(build(variant));
    if (layout_ == Layout::image) return;
    lanes_ = vector_lanes(context_->device());
    plane_pitch_ = max_radius + round_up(width_ + max_radius, lanes_);
    planes_ = cl::Buffer(context_->cl(), CL_MEM_READ_WRITE,
                         size_t(3) * plane_pitch_ * height_ * (deep() ? 2 : 1));
  } catch (const cl::Error &error) {
    throw Error("The bilateral filter can't be set up on " + context_->device().name + ".", error);
  }
}

BilateralFilter::VariantKernels BilateralFilter::build(const Parameters &variant) {
  VariantKernels kernels;
  kernels.form = form_of(variant);
  kernels.rows = variant.at("rows");
  kernels.variant = variant;
  Size group = group_of(variant);
  const char *file = "", *prefix = "";
  std::string options = tile_options(variant);
  switch (kernels.form) {
    case Form::tile:
      file = "bilateral/tile.cl";
      prefix = "bilateral_tile_";
      // Narrow the group until a tile of this radius fits into local memory.
      while (group.x > 1 && tile_rows(local_memory_, group.x, max_radius) < 1) group.x /= 2;
      break;
    case Form::direct:
      file = "bilateral/direct.cl";
      prefix = "bilateral_direct_";
      break;
    case Form::vector:
      file = "bilateral/vector.cl";
      prefix = "bilateral_vector_";
      options = "-DV=" + std::to_string(vector_lanes(context_->device())) +
                " -DROWS=" + std::to_string(kernels.rows) + " -DPAD=" + std::to_string(max_radius);
  }
  const Program program = context_->program(file, options + depth_option());
  for (int weight = 0; weight < 3; weight++)
    kernels.by_weight[weight] =
        Kernel(*context_, program, std::string(prefix) + weight_names[weight], group).in_bands();
  if (kernels.form == Form::tile)
    kernels.soft_color =
        Kernel(*context_, program, std::string(prefix) + "soft_color", group).in_bands();
  if (kernels.form == Form::vector) {
    planes_kernel_ = Kernel(*context_, program, "bilateral_planes", group);
    kernels.space = Kernel(*context_, program, "bilateral_space", group);
  }
  return kernels;
}

/// Pixels per work-item of a "fixed" variant: those of the variant, or fewer until the tile fits
/// into local memory; 0 if no tile fits. With three sums of weights, registers allow at most two
/// rows.
Size BilateralFilter::fixed_block(const Parameters &variant, Fixed fixed) const {
  const bool wide = fixed.second == static_cast<int>(Weight::per_channel);
  const size_t rows = variant.at("rows"), most = wide ? std::min<size_t>(rows, 2) : rows;
  for (Size block{size_t(variant.at("columns")), most}; block.x > 0; block.x--)
    for (block.y = most; block.y >= std::min<size_t>(most, 2); block.y--)
      if (block_bytes(variant, block, fixed.first) <= local_memory_) return block;
  return {0, 0};
}

/// The program of a tile variant for one radius and kind.
Kernel BilateralFilter::build_fixed(const Parameters &variant, Fixed fixed) const {
  const Size group = group_of(variant), block = fixed_block(variant, fixed);
  const std::string options = "-cl-mad-enable" + option("ROWS", static_cast<int>(block.y)) +
                              option("COLUMNS", static_cast<int>(block.x)) +
                              option("RADIUS", fixed.first) + option("KIND", fixed.second) +
                              option("GROUP_X", variant.at("group-x")) +
                              option("GROUP_Y", variant.at("group-y"));
  Kernel kernel(*context_, context_->program("bilateral/block.cl", options + depth_option()),
                "bilateral_block", group);
  kernel.in_bands().costs(neighbours(fixed.first));
  return kernel.group().x == group.x && kernel.group().y == group.y ? kernel : Kernel();
}

/// True if a program for this radius and kind exists: its tile must fit into local memory.
bool BilateralFilter::has_fixed(const VariantKernels &kernels, Fixed fixed) const {
  return kernels.form == Form::tile && kernels.variant.at("fixed") && fixed.first > 0 &&
         fixed_block(kernels.variant, fixed).x > 0;
}

BilateralFilter::VariantKernels &BilateralFilter::kernels_for(int radius) {
  return radius <= small_radius ? kernels_.front() : kernels_.back();
}

const Parameters &BilateralFilter::variant_for(const Settings &settings) const {
  return (radius(settings) <= small_radius ? kernels_.front() : kernels_.back()).variant;
}

void BilateralFilter::prepare(const Settings &settings) {
  const int r = radius(settings);
  const VariantKernels &kernels = kernels_for(r);
  const Fixed fixed{r, kind_of(settings)};
  if (!has_fixed(kernels, fixed)) return;
  fixed_[fixed].get([&] { return build_fixed(kernels.variant, fixed); });
}

/// The picture for the result of an iteration; not for the last one. Buffers are read (into planes)
/// before they are written, so one is enough.
Picture &BilateralFilter::between(int iteration) {
  Picture &picture = intermediate_[layout_ == Layout::buffer ? 0 : iteration % 2];
  if (!picture.width)
    picture = make_picture(context_->cl(), width_, height_, layout(), *pixels_.planes[0]);
  return picture;
}

void BilateralFilter::run(Queue &queue, const Settings &settings, const Picture &in,
                          const Picture &out) {
  for (const Picture *picture : {&in, &out})
    check_picture(*picture, width_, height_, {layout_, pixels_, {}}, "The bilateral filter");
  const int split = split_column(settings, width_);
  const int iterations = split == width_ ? 1 : std::max(settings.iterations, 1);
  const Rect region = clipped(settings.region, width_, height_);
  try {
    const Picture *from = &in;
    for (int i = 0; i < iterations; i++) {
      const int later = iterations - 1 - i;
      const Picture &to = later ? between(i) : out;
      run(queue, settings,
          {*from, in, to, later ? 0 : split,
           around(region, later * radius(settings), width_, height_)});
      from = &to;
    }
  } catch (const cl::Error &error) {
    throw Error("Running the bilateral filter failed.", error);
  }
}

void BilateralFilter::run(Queue &queue, const Settings &settings, const Iteration &now) {
  VariantKernels &kernels = kernels_for(radius(settings));
  switch (kernels.form) {
    case Form::tile:
      run_tile(queue, kernels, settings, now);
      break;
    case Form::direct:
      run_direct(queue, kernels, settings, now);
      break;
    case Form::vector:
      run_vector(queue, kernels, settings, now);
  }
}

void BilateralFilter::run_tile(Queue &queue, VariantKernels &kernels, const Settings &settings,
                               const Iteration &now) {
  const int r = radius(settings);
  const int kind = kind_of(settings);
  const float range = range_exponent(settings, code_scale(settings.weight)),
              space = space_exponent(settings);
  const Rect &region = now.region;
  if (Kernel *fixed = fixed_kernel(kernels, {r, kind})) {
    const Size block = fixed_block(kernels.variant, {r, kind});
    (*fixed)(queue,
             {(region.width + block.x - 1) / block.x, (region.height + block.y - 1) / block.y},
             now.from, now.original, now.to, int4_of(region), range, space, now.split);
    return;
  }
  Kernel &kernel = kind == SOFT_COLOR ? kernels.soft_color : kernels.by_weight[kind];
  const size_t rows = kernel.group().y * kernels.rows + 2 * r;
  const size_t chunk = std::min(rows, tile_rows(local_memory_, kernel.group().x, r));
  kernel.costs(neighbours(r));
  kernel(queue, {size_t(region.width), size_t(region.height + kernels.rows - 1) / kernels.rows},
         now.from, now.original, now.to, int4_of(region), range, space, r, now.split,
         static_cast<cl_int>(chunk), cl::Local(chunk * tile_row_bytes(kernel.group().x, r)),
         cl::Local((r + 1) * sizeof(cl_float)));
}

void BilateralFilter::run_direct(Queue &queue, VariantKernels &kernels, const Settings &settings,
                                 const Iteration &now) {
  const float range = range_exponent(
      settings, settings.weight == Weight::intensity ? code_scale(settings.weight) : 1);
  const int r = radius(settings);
  Kernel &kernel = kernels.by_weight[static_cast<int>(settings.weight)].costs(neighbours(r));
  kernel(queue, {size_t(now.region.width), size_t(now.region.height)}, now.from, now.original,
         now.to, int4_of(now.region), range, space_exponent(settings), r, now.split);
}

void BilateralFilter::run_vector(Queue &queue, VariantKernels &kernels, const Settings &settings,
                                 const Iteration &now) {
  const int r = radius(settings);
  space_.update(queue, kernels.space, {r, kernels.rows, settings.sigma_space},
                space_exponent(settings));
  const Rect &region = now.region;
  const auto chunks = [this](int from, int to) {
    return size_t(round_up(to - from, lanes_) / lanes_);
  };
  // The columns and rows that the region reads. Rows outside of the frame are its first or last.
  const int left = round_down(region.x - r, lanes_), top = std::max(region.y - r, 0);
  const Rect area{left, top, region.right() + r - left,
                  std::min(region.bottom() + r + kernels.rows - 1, height_) - top};
  planes_kernel_(queue, {chunks(left, area.right()), size_t(area.height)}, now.from, planes_,
                 plane_pitch_, width_, int4_of(area));
  Kernel &kernel = kernels.by_weight[static_cast<int>(settings.weight)].costs(neighbours(r));
  kernel(queue,
         {chunks(round_down(region.x, lanes_), region.right()),
          size_t(region.height + kernels.rows - 1) / kernels.rows},
         planes_, plane_pitch_, space_.buffer(),
         range_exponent(settings, code_scale(settings.weight)), r, now.original, now.to,
         cl_int2{{width_, height_}}, int4_of(region), now.split);
}

/// The program for one radius and kind if it is ready; otherwise starts the build.
Kernel *BilateralFilter::fixed_kernel(const VariantKernels &kernels, Fixed fixed) {
  if (!has_fixed(kernels, fixed)) return nullptr;
  try {
    Kernel *kernel = fixed_[fixed].poll(
        [this, variant = kernels.variant, fixed] { return build_fixed(variant, fixed); });
    return kernel && *kernel ? kernel : nullptr;
  } catch (const Error &) {
    return nullptr;  // use the program for all radii
  }
}

}  // namespace glcl::bilateral
