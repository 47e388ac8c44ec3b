// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <exception>
#include <optional>
#include <utility>

#include "glclerrorreporter.h"
#include "opencl/asynctask.h"
#include "opencl/lazy.h"
#include "opencl/program.h"
#include "opencl/stop.h"

namespace glcl {

/// The change of an element's engine: another one was taken or could not be built.
enum class EngineChange { none, taken, refused };

/// The engine of an element, replaced while frames are processed. `Wanted` holds the settings of an
/// engine, and has ==. If they change, a new engine is built in the background and replaces the old
/// one between two frames:
///
///   EngineSwap<Method, Engine> engine{"The method stays unchanged."};
///   engine.prepare(element, begun, settings.method, make);  // in prepare
///   engine.update(element, settings.method, make);          // in process
///
/// `make (const Wanted &)` returns an engine. It must own everything it uses, because it runs in
/// the background.
///
/// If the new engine can't be built, the old one stays and one warning is posted. The same settings
/// are not tried again until others were wanted. One thread at a time.
template <class Wanted, class Engine>
class EngineSwap {
 public:
  using Change = EngineChange;

  /// `consequence` is the sentence that ends the warnings.
  explicit EngineSwap(const char *consequence) : consequence_(consequence) {}

  /// Builds an engine at once; an engine that was being built is dropped. After a failure the
  /// engine in use stays, or the last one is built again, if frames have `begun`. Otherwise it
  /// throws.
  template <class Make>
  Change prepare(GstElement *element, bool begun, const Wanted &wanted, const Make &make) {
    cancel();
    try {
      use(wanted, make(wanted));
      return Change::taken;
    } catch (const Stopped &) {
      throw;
    } catch (...) {
      if (!begun || !used_) throw;
      if (!engine_) use(*used_, make(*used_));
      return refuse(element, wanted, std::current_exception());
    }
  }

  /// Call between two frames: takes the new engine if it is ready, and starts to build the wanted
  /// one. Never waits.
  template <class Make>
  Change update(GstElement *element, const Wanted &wanted, const Make &make) {
    Change change = Change::none;
    if (refused_ && !(*refused_ == wanted)) refused_.reset();
    if (std::optional<Built> built = task_.take()) change = accept(element, wanted, *built);
    if (!tried(wanted) && !task_.is_running())
      task_.start([wanted, make] { return build(wanted, make); });
    return change;
  }

  /// The engine in use, or null.
  Engine *engine() { return engine_ ? &*engine_ : nullptr; }
  const Engine *engine() const { return engine_ ? &*engine_ : nullptr; }
  /// The settings of the engine in use, or else of the last one.
  const std::optional<Wanted> &used() const { return used_; }
  /// The settings that last failed to build.
  const std::optional<Wanted> &refused() const { return refused_; }
  /// True if an engine for these settings is in use or could not be built.
  bool tried(const Wanted &wanted) const {
    return (engine_ && *used_ == wanted) || (refused_ && *refused_ == wanted);
  }

  /// The engine in use now has these settings.
  void adopt(const Wanted &wanted) { used_ = wanted; }
  /// Drops an engine that is being built, and forgets failures. Waits for the thread.
  void cancel() {
    task_ = {};
    refused_.reset();
  }
  /// Like cancel(), and frees the engine.
  void clear() {
    cancel();
    engine_.reset();
  }
  /// Like clear(), and forgets the settings of the last engine.
  void forget() {
    clear();
    used_.reset();
  }

 private:
  /// Result of a build: an engine, a failure, or neither if the compiler was stopped.
  struct Built {
    Wanted wanted;
    std::optional<Engine> engine;
    std::exception_ptr failure;
  };

  template <class Make>
  static Built build(const Wanted &wanted, const Make &make) {
    Built built{wanted, {}, nullptr};
    try {
      const ProgramRecorder programs;
      std::optional<Engine> engine(make(wanted));
      programs.build();
      built.engine = std::move(engine);
    } catch (const Stopped &) {
    } catch (...) {
      built.failure = std::current_exception();
    }
    return built;
  }

  /// The new engine is used unless the settings of the old one are wanted again.
  Change accept(GstElement *element, const Wanted &wanted, Built &built) {
    if (engine_ && *used_ == wanted) return Change::none;
    if (built.failure) return refuse(element, built.wanted, built.failure);
    if (!built.engine) return Change::none;
    use(built.wanted, std::move(*built.engine));
    return Change::taken;
  }

  void use(const Wanted &wanted, Engine engine) {
    engine_ = std::move(engine);
    used_ = wanted;
    refused_.reset();
  }

  Change refuse(GstElement *element, const Wanted &wanted, const std::exception_ptr &failure) {
    refused_ = wanted;
    warn(element, failure, consequence_);
    return Change::refused;
  }

  const char *consequence_;
  std::optional<Wanted> used_, refused_;
  std::optional<Engine> engine_;
  AsyncTask<Built> task_;
};

/// Returns an optional engine once it is built in the background, with `wait` at once. If it can't
/// be built, posts one warning, which ends with `consequence`, and returns null.
template <class Engine, class Make>
Engine *optional_engine(GstElement *element, Lazy<Engine> &engine, const Make &make,
                        const char *consequence, bool wait = false) {
  guard_optional(element, consequence, [&] {
    if (wait)
      engine.get(make);
    else
      engine.poll(make);
  });
  return engine.value();
}

}  // namespace glcl
