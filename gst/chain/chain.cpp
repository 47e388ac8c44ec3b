// SPDX-License-Identifier: LGPL-2.1-or-later
#include "chain.h"

#include <algorithm>

#include "build.h"
#include "opencl/error.h"

namespace glcl::chain {

namespace {

constexpr size_t most_plans = 6;

/// The format between the rows and the columns of a convolution. Frames never have it, so it has no
/// OpenGL or Vulkan name.
const PlaneFormat exact_format = {CL_RGBA, CL_FLOAT, 0, 0, "", 0, 16};

/// Widens the shape for planes: a work-item that stores planes owns whole blocks of pixels that
/// share a chroma sample.
WorkgroupShape shape_for(WorkgroupShape shape, const FrameFormat &frame) {
  shape.deep = !frame.pixels->is_rgba();
  shape.columns = 1 << frame.pixels->chroma_shift;
  shape.rows = std::max(shape.rows / shape.columns, shape.columns);
  return shape;
}

WorkgroupShape shape_of(const Parameters &variant) {
  return {variant.at("group-x"), variant.at("group-y"), variant.at("rows")};
}

/// Pixels of a picture per pixel of a frame.
cl_float2 scale_of(const Picture &picture, const Picture &frame) {
  return {{static_cast<float>(picture.width) / static_cast<float>(frame.width),
           static_cast<float>(picture.height) / static_cast<float>(frame.height)}};
}

/// A time as the sum of two floats: the nearest float, and the rest.
cl_float2 in_two_floats(double time) {
  const auto nearest = static_cast<float>(time);
  return {{nearest, static_cast<float>(time - double(nearest))}};
}

/// Copies a picture of any layout to a buffer.
void copy_input(Queue &queue, const Picture &from, const Picture &to) {
  if (from.layout == Layout::buffer) return copy_picture(queue, from, to);
  queue.cl().enqueueCopyImageToBuffer(from.image, to.buffer, {0, 0, 0},
                                      {size_t(from.width), size_t(from.height), 1}, 0);
}

/// Build options; divisions and roots are correctly rounded if the device supports that, so results
/// agree.
std::string options_of(const Device &device, const FrameFormat &frame) {
  const bool exact =
      device.device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  return frame_options(frame) + device.options() +
         std::string(exact ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

std::string name_of(const Description &description, const Stage &stage) {
  const std::string half = stage.kind == Stage::Kind::rows      ? " rows"
                           : stage.kind == Stage::Kind::columns ? " columns"
                                                                : "";
  return description.items[stage.item].filter->name + half;
}

Parameters default_variant(const Device &device, const std::string &) {
  if (device.is_cpu()) return {{"group-x", 64}, {"group-y", 8}, {"rows", 1}, {"plan", 0}};
  return {{"group-x", 16}, {"group-y", 8}, {"rows", 4}, {"plan", 0}};
}

bool possible_variant(const Device &device, const std::string &, const Parameters &variant) {
  const WorkgroupShape shape = shape_of(variant);
  const size_t items = size_t(shape.x) * shape.y;
  return items >= 32 && items <= device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() &&
         shape.height() <= 64;
}

}  // namespace

const Tunable &Chain::tunable() {
  static const Tunable tunable{"chain",
                               {},
                               {"chain/chain.clh"},
                               {{"group-x", {16, 32, 64}},
                                {"group-y", {4, 8}},
                                {"rows", {1, 2, 4}},
                                {"plan", {0, 1, 2, 3, 4, 5}}},
                               default_variant,
                               possible_variant};
  return tunable;
}

std::string Chain::problem(const Description &description) {
  std::string text;
  for (const Stage &stage : stages_of(description)) {
    const int radius = std::max(stage.radius_x, stage.radius_y);
    text += (text.empty() ? "" : " ! ") + name_of(description, stage) +
            (radius ? " " + std::to_string(radius) : "");
  }
  return text + " #" + description.checksum();
}

Chain::Chain(Context &context, const Description &description, const Options &options)
    : context_(context.shared_from_this()),
      description_(description),
      frame_(options.frame.value_or(layout_for(context.device()))),
      live_(options.live),
      stages_(stages_of(description)) {
  if (stages_.empty()) throw Error(Error::Kind::settings, "The chain is empty.");
  std::optional<Parameters> variant = options.variant;
  if (!variant)
    if (const auto tuning = load_tuning(tunable(), context.device(), problem(description)))
      variant = tuning->parameters;
  const Parameters usual = tunable().defaults(context.device(), {});
  build(context, shape_for(shape_of(variant.value_or(usual)), frame_),
        variant ? std::optional(variant->at("plan")) : std::nullopt, !options.variant);
  maps_.set_cubes(context.cl(), cubes_of(description));
  set(description);
}

void Chain::build(Context &context, WorkgroupShape shape, std::optional<int> plan, bool shrink) {
  const cl::Device &device = context.device().device;
  const auto sides = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  const size_t limit = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  for (;;) {
    const bool fits = size_t(shape.x) * shape.y <= limit && size_t(shape.x) <= sides[0] &&
                      size_t(shape.y) <= sides[1];
    if (fits && try_build(context, shape, plan)) return;
    if (!shrink || shape.width() * shape.height() == shape.columns * shape.columns)
      throw Error(Error::Kind::settings, "The chain needs more work-group resources than " +
                                             context.device().name + " has. Use smaller radii.");
    int &longer = shape.rows > shape.columns ? shape.rows : shape.x >= shape.y ? shape.x : shape.y;
    longer /= 2;
  }
}

/// Returns false if the device can't run groups of this shape.
bool Chain::try_build(Context &context, const WorkgroupShape &shape, std::optional<int> plan) {
  if (plan == plan_unfused) {
    plan_ = unfused(stages_);
  } else {
    const CostModel costs = plan ? default_costs(context.device()) : tuned_costs(context.device());
    const std::vector<Plan> plans = plans_for(stages_, shape, costs, most_plans);
    const auto wanted = size_t(plan.value_or(0));
    if (wanted >= plans.size()) return false;
    plan_ = plans[wanted];
  }
  shape_ = shape;
  std::vector<Pass> passes = passes_of(stages_, plan_);
  if (shape.deep)
    for (Pass &pass : passes) pass.maps.clear();  // of 256 levels
  const std::string text = generate(description_, stages_, passes, {frame_, shape, live_});
  const cl::Program program = compile(context, text, options_of(context.device(), frame_));
  passes_.clear();
  for (size_t p = 0; p < passes.size(); p++) {
    const std::string name = "glcl_pass_" + std::to_string(p);
    const cl::Kernel probe(program, name.c_str());
    const size_t items = size_t(shape.x) * shape.y;
    if (probe.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(context.device().device) < items &&
        !context.device().is_cpu())
      return false;
    PassState kept;
    kept.kernel = Kernel(context, program, name, {size_t(shape.x), size_t(shape.y)});
    kept.kernel.in_bands();
    kept.frames = stages_[passes[p].first].frames;
    kept.exact = stages_[passes[p].last].exact;
    kept.moves = reads_moment(description_, stages_, passes[p]);
    kept.shows = reads_picture(description_, stages_, passes[p]);
    passes_.push_back(std::move(kept));
  }
  keep_ = {};
  if (keeps_input(stages_, frame_)) keep_ = Kernel(context, program, "glcl_keep", Size{16, 8});
  maps_.set_program(context, program, maps_of(passes));
  width_ = height_ = 0;
  return true;
}

std::string Chain::describe() const {
  std::string text = std::to_string(passes_.size()) +
                     (passes_.size() == 1 ? " kernel" : " kernels") + ", groups of " +
                     std::to_string(shape_.x) + "×" + std::to_string(shape_.y) + ", " +
                     std::to_string(shape_.rows) + (shape_.rows == 1 ? " row:" : " rows:");
  for (size_t i = 0; i < stages_.size(); i++) {
    text += i == 0 ? "" : plan_.inputs[i].cut ? " |" : " !";
    text += (plan_.inputs[i].tile ? " [tile] " : " ") + name_of(description_, stages_[i]);
  }
  return text;
}

bool Chain::takes(const Description &wanted) const {
  if (wanted.items.size() != description_.items.size() ||
      wanted.iterations != description_.iterations)
    return false;
  if (wanted == description_) return true;
  for (size_t i = 0; i < wanted.items.size(); i++) {
    const Item &now = description_.items[i], &then = wanted.items[i];
    if (now.filter != then.filter || now.times != then.times ||
        !(now.values.lists == then.values.lists))
      return false;
  }
  if (!live_) return false;
  const std::vector<Stage> stages = stages_of(wanted);
  const auto alike = [](const Stage &a, const Stage &b) {
    return a.item == b.item && a.kind == b.kind && a.radius_x == b.radius_x &&
           a.radius_y == b.radius_y;
  };
  return stages.size() == stages_.size() &&
         std::equal(stages.begin(), stages.end(), stages_.begin(), alike) &&
         values_of(wanted).size() == values_of(description_).size();
}

void Chain::set(const Description &wanted) {
  if (!takes(wanted))
    throw Error(Error::Kind::settings, "The chain must be rebuilt for these values.");
  const std::vector<float> values = values_of(wanted);
  description_ = wanted;
  maps_.set_values(context_->cl(), values);
}

/// The picture that a pass writes; not for the last pass.
Picture &Chain::after(size_t pass) { return intermediate_[passes_[pass].exact][pass % 2]; }

void Chain::allocate(int width, int height) {
  if (width == width_ && height == height_) return;
  const PlaneFormat &rounded = shape_.deep ? PlaneFormat::rgba16 : PlaneFormat::rgba8;
  const auto make = [&](bool exact) {
    return make_picture(context_->cl(), width, height, frame_.layout,
                        exact ? exact_format : rounded);
  };
  for (size_t p = 0; p < passes_.size(); p++) {
    PassState &pass = passes_[p];
    pass.at = pass.known = 0;
    pass.ring.clear();
    if (pass.frames > 1 || (p == 0 && keep_))
      for (int n = 0; n < pass.frames; n++)
        pass.ring.push_back(make_picture(context_->cl(), width, height, Layout::buffer, rounded));
  }
  for (auto &kind : intermediate_)
    for (Picture &picture : kind) picture = {};
  for (size_t p = 0; p + 1 < passes_.size(); p++)
    if (Picture &picture = after(p); !picture) picture = make(passes_[p].exact);
  width_ = width;
  height_ = height;
}

void Chain::run(Queue &queue, const Picture &in, const Picture &out, const Moment &moment,
                const Picture &picture) {
  if (!picture) description_.check_without_picture();
  check_picture(in, in.width, in.height, frame_, "The chain");
  check_picture(out, in.width, in.height, frame_, "The chain");
  allocate(in.width, in.height);
  const Size items{size_t((in.width + shape_.columns - 1) / shape_.columns),
                   size_t((in.height + shape_.rows - 1) / shape_.rows)};
  maps_.update(queue);
  for (size_t p = 0; p < passes_.size(); p++) {
    PassState &pass = passes_[p];
    const Picture &from = p == 0 ? in : after(p - 1);
    const Picture &to = p + 1 < passes_.size() ? after(p) : out;
    const size_t size = pass.ring.size();
    const bool keeps = p == 0 && keep_;
    if (keeps)
      keep_(queue, {size_t(in.width), size_t(in.height)}, from, pass.ring[pass.at], in.width,
            in.height);
    else if (size)
      copy_input(queue, from, pass.ring[pass.at]);
    std::vector<Picture> inputs{keeps && frame_.layout == Layout::image ? pass.ring[pass.at]
                                                                        : from};
    for (size_t n = 1; n < size; n++)
      inputs.push_back(pass.ring[(pass.at + size - std::min(n, pass.known)) % size]);
    const auto launch = [&](const auto &...more) {
      pass.kernel(queue, items, inputs, to, in.width, in.height, maps_.values(), maps_.values(),
                  maps_.cubes(), maps_.maps(), more...);
    };
    const auto launch_with_picture = [&](const auto &...more) {
      if (pass.shows)
        launch(more..., picture, cl_int2{{picture.width, picture.height}}, scale_of(picture, in));
      else
        launch(more...);
    };
    if (pass.moves)
      launch_with_picture(in_two_floats(moment.time), moment.frame);
    else
      launch_with_picture();
    if (!size) continue;
    pass.at = (pass.at + 1) % size;
    pass.known = std::min(pass.known + 1, size - 1);
  }
}

void Chain::reset() {
  for (PassState &pass : passes_) pass.known = 0;
}

}  // namespace glcl::chain
