// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of elements: chains that the test feeds, pipelines with their own sources,
// their messages and pixels.
//
// Every case runs in its own process and fails if GStreamer objects stay alive.
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gl/gl.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cases.h"
#include "reference/frames.h"

namespace test {

/// The time after which a pipeline counts as hanging. Busy machines compile kernels for minutes.
constexpr GstClockTime patience = 240 * GST_SECOND;

using reference::Frame;

/// A library that a test loads into other programs. Fails if it is not built.
std::string built_library(const std::string &path);

/// True if OpenCL shares textures with OpenGL: the program runs through gl-driver.sh.
bool shares_textures();
/// True if frames are copied to the device and back.
bool copies_frames();
/// True if this run skips checks that depend little on sharing: on shared textures, unless
/// GLCL_TEST_ALL is set, as in the nightly lane.
bool is_short();
/// Number of repetitions: `all`, or a fifth of it in a short run.
int repeats(int all);
/// The method that sharing=auto must choose: "gl", "copy", or "external" if the device supports it.
const char *expected_method();

struct Message {
  GstMessageType type;
  GQuark domain;
  int code;
  std::string source, text, debug;

  bool is(GQuark of_domain, int of_code) const { return domain == of_domain && code == of_code; }
  /// True if the text or the debug text contains the words.
  bool names(const std::string &words) const;
};

/// All messages posted on a bus, in order.
class Messages {
 public:
  explicit Messages(GstBus *bus) : bus_(GST_BUS(gst_object_ref(bus))) {}
  ~Messages();
  Messages(const Messages &) = delete;

  /// The next message of these types; null after the timeout. Transfer full. Earlier messages are
  /// dropped, but errors() and warnings() keep errors and warnings.
  GstMessage *next(int types, GstClockTime timeout);
  /// The structure of the next element message of this name (null: of any). Transfer full.
  GstStructure *structure(const char *name = nullptr, GstClockTime timeout = 0);
  std::vector<Message> errors() { return of(GST_MESSAGE_ERROR); }
  std::vector<Message> warnings() { return of(GST_MESSAGE_WARNING); }
  /// How many HAVE_CONTEXT or NEED_CONTEXT messages named this type of context.
  int contexts(GstMessageType have_or_need, const std::string &type);

 private:
  std::vector<Message> of(GstMessageType type);
  void keep(GstMessage *message);
  void drain();

  GstBus *bus_;
  std::vector<Message> kept_;
  std::vector<std::pair<GstMessageType, std::string>> contexts_;
};

/// Elements in a GstHarness: the test pushes raw RGBA frames and pulls the output.
class Chain {
 public:
  /// `elements` between glupload ! glcolorconvert and gldownload.
  explicit Chain(const std::string &elements) : Chain(upload + elements + download, 0) {}
  /// A chain without upload and download.
  static std::unique_ptr<Chain> plain(const std::string &elements) {
    return std::unique_ptr<Chain>(new Chain(elements, 0));
  }
  ~Chain();
  Chain(const Chain &) = delete;

  /// The first element made by this factory, or with this name. Borrowed.
  GstElement *operator[](const std::string &factory_or_name) const;

  /// Pushes the frame with the next timestamp; caps follow its size and `framerate`.
  GstFlowReturn push(const Frame &frame);
  GstFlowReturn push(GstBuffer *buffer, int width, int height);
  /// A buffer of the frame with the next timestamp.
  GstBuffer *buffer_of(const Frame &frame);
  /// The next output frame; fails the test if no frame arrives.
  Frame pull();
  GstBuffer *pull_buffer();
  Frame filter(const Frame &frame);
  /// Makes the elements report the results of all frames so far.
  void drain();

  GstHarness *harness() const { return harness_; }
  GstElement *bin() const { return harness_->element; }

  Messages &messages() { return *messages_; }
  int framerate = 25;

  static const std::string upload, download;

 private:
  Chain(const std::string &elements, int);

  GstHarness *harness_;
  std::unique_ptr<Messages> messages_;
  int width_ = 0, height_ = 0, caps_framerate_ = 0;
  guint64 pushed_ = 0;
};

/// During its lifetime, all pipelines share one OpenCL context if frames are copied, and with it
/// all built programs. PoCL parses a program again for each build.
class SharedPrograms {
 public:
  SharedPrograms();

 private:
  std::unique_ptr<Chain> chain_;
};

/// A pipeline with its own sources.
class Pipeline {
 public:
  explicit Pipeline(const std::string &description);
  ~Pipeline();
  Pipeline(const Pipeline &) = delete;

  GstElement *operator[](const std::string &factory_or_name) const;
  GstElement *bin() const { return bin_; }

  /// Keeps the RGBA frames that reach the fakesink of this name.
  const std::vector<Frame> &collect(const std::string &sink);

  GstStateChangeReturn set(GstState state) { return gst_element_set_state(bin_, state); }
  /// Sets the state and waits for it; false if it can't be reached.
  bool reach(GstState state);
  /// Plays until EOS or an error, then stops at PAUSED or below; true at EOS. Fails the test after
  /// a minute.
  bool run();

  Messages &messages() { return *messages_; }

 private:
  GstElement *bin_;
  std::unique_ptr<Messages> messages_;
  std::map<std::string, std::vector<Frame>> collected_;
};

/// The frame with every colour inverted: the output of glclinvert.
Frame inverted(const Frame &frame);

/// True if no channel of any pixel differs by more than a tolerance.
bool near(const Frame &expected, const Frame &got, int tolerance);
/// Fail the test if pixels differ (by more than a tolerance in any channel).
void expect_same(const Frame &expected, const Frame &got, const std::string &what);
void expect_near(const Frame &expected, const Frame &got, int tolerance, const std::string &what);
void expect(bool condition, const std::string &what);
/// Expects exactly one message of this domain and code, which contains all of these words.
void expect_one(const std::vector<Message> &messages, GQuark domain, int code,
                const std::vector<std::string> &words);
void expect_none(const std::vector<Message> &messages);

/// Fields of `stats`.
guint64 stat(GstElement *element, const std::string &field);
std::string stat_text(GstElement *element, const std::string &field);
std::string enum_property(GstElement *element, const std::string &property);

/// The live GStreamer objects, one per line; empty if there are no objects.
std::string live_objects();
/// Waits at most 5 s until the threads of GL contexts have ended. Threads of OpenCL drivers may
/// have the same name, because they inherit the name of the thread that started them. They wait for
/// a futex, but GL threads wait for events. So it waits until for 0.2 s the number of these threads
/// is constant and all wait for a futex. Call it before live_objects(): the leaks tracer references
/// all objects, even one that another thread is just freeing.
void wait_for_gl_threads();

/// For programs with their own elements on the base classes: prevents loading the plugin …
void hide_plugin();
/// … and registers an element.
void register_element(const char *name, GType type);

}  // namespace test
