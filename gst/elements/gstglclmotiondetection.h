// SPDX-License-Identifier: LGPL-2.1-or-later
// Reports the objects of glclmotion: messages, metas and a property.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/glclpicturefile.h"
#include "base/glclproperties.h"
#include "base/gstglclanalyzer.h"
#include "gstglclmotionrules.h"
#include "motion/motion.h"
#include "objects/renderer.h"
#include "objects/tracker.h"
#include "opencl/lazy.h"

namespace glcl::motion {

/// Detects objects and reports them. Held by a shared_ptr: results that arrive after its end are
/// dropped. Results may arrive on another thread while frames are enqueued.
class ObjectDetection : public std::enable_shared_from_this<ObjectDetection> {
 public:
  /// The values of the property camera-compensation.
  enum class Camera { automatic, none, translation, first_order_flow };
  struct Settings : RuleProperties {
    bool detect = false;
    Camera camera = Camera::automatic;  ///< automatic: if objects or the rules need it
    double sensitivity = 0.5;
    int min_area = 0;  ///< px², 0: 1/1500 of the frame
    int min_frames = 2;
    double gap = 0.5;                          ///< s
    double max_speed = 0;                      ///< px per frame, see Tracker::Settings
    double max_duration = 0, left_after = 10;  ///< s
    bool learn_scenery = false;
    bool shadows = true;  ///< separate shadows from objects
    int seed = 0;
    std::string mask_path;                    ///< path of `mask`, empty for a mask from a sample
    std::shared_ptr<const HostPicture> mask;  ///< picture of levels; null: detect everywhere
    /// The state of motion-detected.
    std::shared_ptr<std::atomic<bool>> detected = std::make_shared<std::atomic<bool>>(false);

    camera::Compensation compensation() const;
    /// True if the settings need the engine.
    bool runs() const {
      return detect || on_upstream() || compensation() != camera::Compensation::none;
    }
    /// True if events of the camera are wanted and rules apply.
    bool watches() const { return watch().any() && (rules_on == On::own ? detect : on_upstream()); }
    /// True if frames need their colours.
    bool needs_colours() const { return (detect && shadows) || (watches() && watch().ir_switch); }
  };

  /// `element` gets the results and lives longer. If the settings need the engine, it is built
  /// here. Otherwise it is built in the background, and next() waits for it. Throws Error::failed
  /// if the device refuses kernels or memory.
  ObjectDetection(GstGLCLAnalyzer *element, Context &context, int width, int height,
                  const FrameFormat &format, const Settings &settings);
  /// Ends all objects, without messages.
  ~ObjectDetection();
  /// Sets another pixel format or colorimetry for the next frames. Objects continue.
  void set_format(const FrameFormat &format);

  /// Enqueues the copy of a frame's colours; `queue` no longer needs the frame afterwards.
  /// `results`: the queue of next() for it.
  void sample_colours(Queue &queue, Queue &results, const Settings &settings, const Picture &in);
  /// Enqueues the detection in the last frame of a search, and the download for messages. `moved`:
  /// it follows another one.
  void next(Queue &queue, const Settings &settings, const BlockMotion &motion, bool moved,
            const RuleFrame &frame);
  /// Rows and columns of mask().
  cl_int2 mask_size() { return objects().frame().size; }
  /// Enqueues the mask of the last frame: objects::Objects::mask().
  void mask(Queue &queue, const cl::Buffer &out, size_t offset) {
    objects().mask(queue, out, offset);
  }
  /// Attaches the objects to a frame, at the positions predicted from the previous frame, and adds
  /// them to its result as the field `objects`.
  void attach(GstBuffer *to, GstStructure *result) const;
  /// The objects at these positions, and the camera motion and `zones`, the zones and lines, of the
  /// last frame whose results arrived.
  objects::ObjectView view(bool zones) const;
  /// Adds the camera fields of the last frame whose results arrived. Call it on the thread on which
  /// results arrive. `vectors_fit`: false if the vectors of the frame say nothing about the camera.
  void add_camera(GstStructure *structure, bool vectors_fit) const;
  /// Ends all objects. Call it when no results are pending and no frame follows.
  void end();

 private:
  using ObjectsPointer = std::unique_ptr<objects::Objects>;
  /// The frames before the next one.
  struct Previous {
    bool seen = false;  // the last one was seen
    GstClockTime sampled =
        GST_CLOCK_TIME_NONE;  // running time of the last sample of the background
    int frames = 0;           // since then
  };
  /// The objects and camera motion for metas and drawings, of the last frame whose results arrived.
  struct LatestResult {
    std::vector<objects::Object> predicted;
    std::map<uint64_t, GstClockTime> first_seen;  ///< timestamp of the first frame of each object
    GstClockTime last = GST_CLOCK_TIME_NONE;
    camera::SimilarityMotion step{};  ///< if it is reliable
    std::vector<rules::RuleOutline> outlines;
    std::optional<ObjectsOnGround> on_ground;
    std::shared_ptr<const std::vector<float>> sensitivities;  ///< objects::Objects::Settings::zones
    double seconds = 0.04;                                    ///< since the frame before
  };

  ObjectsPointer build() const;
  static objects::Objects::Settings settings_of(const Settings &settings);
  static objects::Tracker::Settings tracking_of(const Settings &settings);
  objects::Objects &objects() {
    return *objects_.get([this] { return build(); });
  }
  void take(const Settings &settings, const objects::RegionList &result,
            const camera::FrameGeometry &geometry, RuleFrame frame);
  void sample(Queue &queue, const Settings &settings, const FrameTimes &times);
  void post(const char *name, const FrameTimes &times, const objects::Object &object) const;
  void post_state(const objects::Object &object, const FrameTimes &times) const;
  void report(const objects::Tracker::Report &report, const FrameTimes &times);
  void set_detected(bool detected);

  GstGLCLAnalyzer *element_;
  objects::FrameSize size_;
  FrameFormat format_;
  std::shared_ptr<Context> context_;
  Lazy<ObjectsPointer> objects_;
  std::shared_ptr<const HostPicture> mask_;
  Previous previous_;
  Guarded<LatestResult> latest_;

  // Used only when results arrive:
  objects::Tracker tracker_;
  MotionRules rules_;
  FrameTimes last_times_{GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
                         GST_CLOCK_TIME_NONE};
  std::optional<camera::CameraState>
      camera_;      // of the last frame; unset with camera-compensation=none
  int active_ = 0;  // number of objects
  std::map<uint64_t, GstClockTime> first_seen_;
  std::shared_ptr<std::atomic<bool>> detected_;
};

}  // namespace glcl::motion
