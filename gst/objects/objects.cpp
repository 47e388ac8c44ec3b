// SPDX-License-Identifier: LGPL-2.1-or-later
#include "objects.h"

#include <algorithm>

#include "opencl/error.h"

namespace glcl::objects {

namespace {

BackgroundModel::Bounds bounds_of(double sensitivity) {
  const auto s = static_cast<float>(sensitivity);
  return {8 - 7 * s, 0.5f - 0.5f * s};
}

}  // namespace

double Objects::least_area(const Settings &settings, int width, int height) {
  return settings.min_area ? settings.min_area : double(width) * height / 1500;
}

Objects::Objects(Context &context, int width, int height, const FrameFormat &format, int in_flight)
    : size_{{width, height}},
      frame_(camera::frame_geometry(width, height)),
      vectors_(context, width, height),
      align_(context, frame_),
      overlay_(context, frame_),
      background_(context, frame_),
      shadows_(context, frame_, format, in_flight),
      groups_(context, width, height, frame_),
      regions_(context, frame_),
      scene_(context, frame_) {
  try {
    camera::CameraState none{};
    state_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, &none);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for object detection on " + context.device().name + ".",
                error);
  }
}

Objects::VectorCamera::VectorCamera(Context &context, int width, int height)
    : vectors(context, width, height),
      ransac(context),
      settings(camera::Ransac::defaults(context.device())) {
  settings.width = float(width), settings.height = float(height);
  settings.directed = true;
}

void Objects::VectorCamera::run(Queue &queue, cl_uint seed, bool translation,
                                const motion::BlockMotion &motion, const cl::Buffer &state) {
  settings.seed = seed;
  settings.translation = translation;
  vectors.run(queue, motion);
  ransac.run(queue, settings, vectors.list(), vectors.count(), state);
}

void Objects::set_zones(Queue &queue, const std::shared_ptr<const std::vector<float>> &zones) {
  if (zones == zones_) return;
  zones_ = zones;
  std::vector<BackgroundModel::Bounds> bounds;
  for (size_t i = 0; zones && i < zones->size(); i++)
    bounds.push_back((*zones)[i] < 0 ? BackgroundModel::Bounds{-1, -1} : bounds_of((*zones)[i]));
  background_.set_bounds(queue, bounds);
}

void Objects::next(Queue &queue, const Settings &settings, const motion::BlockMotion &motion,
                   bool first) {
  using camera::Compensation;
  number_ = first ? 0 : number_ + 1;
  align_.shrink(queue, motion.current());
  if (!first && settings.compensation != Compensation::none)
    vectors_.run(queue, settings.seed * 2654435761u + number_,
                 settings.compensation == Compensation::translation, motion, state_);
  align_.run(queue, settings.compensation, first, background_.levels(), background_.history(),
             foreground(), state_);
  overlay_.run(queue, align_.small(), state_, motion.noise(), first, background_.marks());
  set_zones(queue, settings.zones);
  background_.run(queue, bounds_of(settings.sensitivity), align_.small(), state_, align_.rows(),
                  motion.noise(), regions_.list());
  // Tracked objects may be smaller than new ones.
  const double least =
      least_area(settings, size_.s[0], size_.s[1]) / (2 * frame_.reduction * frame_.reduction);
  if (settings.shadows)
    shadows_.run(queue, align_.small(), state_, background_, !separates_shadows_);
  separates_shadows_ = settings.shadows;
  groups_.run(queue, motion, state_, foreground(),
              first || settings.compensation == Compensation::none);
  regions_.run(queue, static_cast<int>(std::clamp(least, 1.0, 1e9)), foreground(), align_.small(),
               groups_, state_, background_.deviation(),
               settings.shadows ? &shadows_.changes() : nullptr);
  if (settings.scene)
    scene_.run(queue,
               {{motion.current(), motion.reference()},
                align_.small(),
                settings.colours ? &shadows_.sampled() : nullptr,
                first ? nullptr : &motion.noise()},
               regions_.list());
}

}  // namespace glcl::objects
