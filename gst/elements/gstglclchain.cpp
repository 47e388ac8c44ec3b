// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclchain
 * @title: glclchain
 *
 * Runs a chain of filters, ready-made, your own in OpenCL C, or .cube files, fused into few
 * kernels. Each filter is a child object (GstChildProxy) whose properties are its parameters. The
 * action signal `reload` reads all files again.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclchain filters="gauss(sigma=2) ! grey"
 * ! glimagesink
 * ]|
 * Blurs a camera picture and makes it grey.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclchain location=chain.txt watch=true
 * ! glimagesink
 * ]|
 * Reads the chain from a file, which you may edit while it plays.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclchain filters="watermark(opacity=0.6)"
 * picture=logo.png ! glimagesink
 * ]|
 * Draws a logo in the lower right corner.
 *
 * Since: 0.1
 */
#include "gstglclchain.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glclframeclock.h"
#include "base/glclstillpicture.h"
#include "base/glcltime.h"
#include "base/glclwatchedpicture.h"
#include "chain/chain.h"
#include "config.h"
#include "gstglclchainrequests.h"
#include "opencl/error.h"

GST_DEBUG_CATEGORY_STATIC(glcl_chain_debug);
#define GST_CAT_DEFAULT glcl_chain_debug

namespace {

using glcl::chain::Chain;
using glcl::chain::Child;
using glcl::chain::Description;
using glcl::chain::RequestPtr;

struct ChainProperties : glcl::chain::ChainOrigin {
  bool watch = false;
  int iterations = 1;
};

/// The request of a build: source, settings and frame format.
struct ChainWanted {
  RequestPtr request;       // null: no chain
  Description description;  // with the values at the time of the request

  bool operator==(const ChainWanted &other) const {
    return request == other.request && description == other.description;
  }
};

struct ChainState {
  glcl::Guarded<ChainProperties> settings;
  glcl::chain::ChainRequests requests;
  std::atomic<bool> running{false};      // a chain is in use
  std::atomic<bool> read_failed{false};  // the last chain that was set can't be used
  glcl::FrameClock clock;                // streaming thread

  // GL thread
  std::shared_ptr<glcl::Context> context;
  glcl::FrameFormat frame;
  glcl::EngineSwap<ChainWanted, std::unique_ptr<Chain>> engine{"The chain stays as it was."};
  glcl::WatchedPicture picture{glcl::load_colours, "picture", "The picture stays as it was."};

  /// The chain in use, or null.
  Chain *chain() const { return engine.engine() ? engine.engine()->get() : nullptr; }
  /// True if the chain in use or the wanted one reads the picture.
  bool reads_picture(const ChainWanted &wanted) const {
    return wanted.description.reads_picture() ||
           (chain() && chain()->description().reads_picture());
  }
  /// The moment of the current frame.
  glcl::chain::Moment moment() const { return {clock.seconds(), clock.number()}; }
  /// The request of the chain in use, or null.
  RequestPtr request() const { return engine.engine() ? engine.used()->request : nullptr; }
};

}  // namespace

struct _GstGLCLChain {
  GstGLCLFilter parent;
  ChainState *state;
};

static void gst_glcl_chain_child_proxy_init(gpointer iface, gpointer);

G_DEFINE_TYPE_WITH_CODE(GstGLCLChain, gst_glcl_chain, GST_TYPE_GLCL_FILTER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_CHILD_PROXY,
                                              gst_glcl_chain_child_proxy_init))
GST_ELEMENT_REGISTER_DEFINE(glclchain, "glclchain", GST_RANK_NONE, gst_glcl_chain_get_type())

namespace {

bool is_started(GstGLCLChain *self) {
  GST_OBJECT_LOCK(self);
  const bool started = std::max(GST_STATE(self), GST_STATE_NEXT(self)) > GST_STATE_READY;
  GST_OBJECT_UNLOCK(self);
  return started;
}

/// Reads the chain that the properties name. Throws glcl::Error.
void read(GstGLCLChain *self) {
  ChainState *state = self->state;
  state->read_failed = true;
  state->requests.read(GST_ELEMENT(self), [state] { return state->settings.get(); });
  state->read_failed = false;
}

/// The same, but an error is only a warning while playing. Before the element starts it is ignored,
/// and the start reports it.
void read_or_warn(GstGLCLChain *self) {
  try {
    read(self);
  } catch (const glcl::Error &) {
    if (is_started(self))
      glcl::warn(GST_ELEMENT(self), std::current_exception(), "The chain stays as it was.");
    else
      self->state->requests.replace(GST_ELEMENT(self), nullptr);
  }
}

ChainWanted wanted_now(GstGLCLChain *self) {
  ChainState *state = self->state;
  const RequestPtr request = state->requests.current();
  if (!request || request->description.items.empty()) return {request, {}};
  return {request, request->now(state->settings.get().iterations)};
}

/// Builds a chain, here or in the background. `live`: its parameters may change with each frame.
auto maker(const std::shared_ptr<glcl::Context> &context, const glcl::FrameFormat &frame,
           bool live) {
  return [context, frame, live](const ChainWanted &wanted) -> std::unique_ptr<Chain> {
    if (wanted.description.items.empty()) return nullptr;
    return std::make_unique<Chain>(*context, wanted.description, Chain::Options{live, frame, {}});
  };
}

/// Call it after a change of the engine. A request that can't be built is withdrawn.
void note(GstGLCLChain *self, glcl::EngineChange change) {
  ChainState *state = self->state;
  state->running = state->chain() != nullptr;
  if (change == glcl::EngineChange::taken && state->running)
    GST_INFO_OBJECT(self, "%s", state->chain()->describe().c_str());
  if (change != glcl::EngineChange::refused) return;
  const RequestPtr refused = state->engine.refused()->request, serves = state->request();
  if (refused != serves)  // otherwise only its values were refused
    state->requests.refuse(GST_ELEMENT(self), refused, serves);
}

/// True if the kernels in use can take the wanted values.
bool takes(const Chain &chain, const Description &wanted) {
  try {
    return chain.takes(wanted);
  } catch (const glcl::Error &) {
    return false;  // building it reports the error
  }
}

/// Applies the request: sets values, takes a chain that is ready, and starts builds. Never waits. A
/// chain that reads a picture waits for the first one.
void apply_pending(GstGLCLChain *self) {
  ChainState *state = self->state;
  const ChainWanted wanted = wanted_now(self);
  state->picture.update(GST_ELEMENT(self), state->settings.get().picture,
                        state->reads_picture(wanted));
  if (wanted.description.reads_picture() && !state->picture.current()) return;
  const bool same = state->chain() && state->request() == wanted.request;
  if (same && !state->engine.tried(wanted) && takes(*state->chain(), wanted.description)) {
    state->chain()->set(wanted.description);
    state->engine.adopt(wanted);
  }
  note(self,
       state->engine.update(GST_ELEMENT(self), wanted, maker(state->context, state->frame, same)));
}

}  // namespace

static glcl::Layout gst_glcl_chain_prepare(GstGLCLFilter *filter, glcl::Context &context, int width,
                                           int height) {
  GstGLCLChain *self = GST_GLCL_CHAIN(filter);
  ChainState *state = self->state;
  state->context = context.shared_from_this();
  glcl::FrameFormat frame =
      gst_glcl_filter_frame_format(filter, glcl::layout_for(context.device()));
  // Frames of 8 bits lose nothing when converted to RGBA, and filters on RGBA take half the time.
  if (frame.pixels->bits == 8) frame = frame.layout;
  if (glcl::frame_options(frame) != glcl::frame_options(state->frame)) state->engine.clear();
  state->frame = frame;
  const ChainWanted wanted = wanted_now(self);
  const bool begun = gst_glcl_filter_has_begun(filter);
  state->picture.prepare(GST_ELEMENT(filter), state->context, begun, state->settings.get().picture,
                         state->reads_picture(wanted));
  if (!state->engine.engine()) {
    const std::vector<Child> none;
    const auto &children = wanted.request ? wanted.request->children : none;
    const bool live = std::any_of(children.begin(), children.end(), [](const Child &child) {
      return gst_object_has_active_control_bindings(child.get());
    });
    note(self, state->engine.prepare(GST_ELEMENT(filter), begun, wanted,
                                     maker(state->context, state->frame, live)));
  }
  GST_INFO_OBJECT(filter, "frames of %d×%d px", width, height);
  return frame.layout;
}

static bool gst_glcl_chain_passes_on(GstGLCLFilter *filter) {
  ChainState *state = GST_GLCL_CHAIN(filter)->state;
  const RequestPtr requested = state->requests.current();
  return !state->running || !requested || requested->description.items.empty();
}

/// True if all filters read only rows of their own pixel in the current frame.
static bool gst_glcl_chain_takes_fields(GstGLCLFilter *filter) {
  ChainState *state = GST_GLCL_CHAIN(filter)->state;
  const RequestPtr requested = state->requests.current();
  if (!requested) return true;
  try {
    const auto stages = stages_of(requested->now(state->settings.get().iterations));
    return std::all_of(stages.begin(), stages.end(), [](const glcl::chain::Stage &stage) {
      return stage.radius_y == 0 && stage.frames == 1;
    });
  } catch (const glcl::Error &) {
    return true;  // no chain runs; the error is reported elsewhere
  }
}

static void gst_glcl_chain_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                   const glcl::Picture &in, const glcl::Picture &out, GstBuffer *,
                                   GstBuffer *) {
  GstGLCLChain *self = GST_GLCL_CHAIN(filter);
  apply_pending(self);
  if (!out) return;
  ChainState *state = self->state;
  Chain *chain = state->chain();
  const glcl::Picture *current = state->picture.current();
  const glcl::Picture picture = current ? *current : glcl::Picture();
  const auto run = [&](const glcl::Picture &from, const glcl::Picture &to) {
    chain->run(queue, from, to, state->moment(), picture);
  };
  if (!chain || (chain->description().reads_picture() && !picture))
    glcl::copy_picture(queue, in, out);
  else if (!state->frame.pixels->is_rgba())
    run(in, out);
  else
    gst_glcl_filter_run_as_rgba(filter, queue, in, out, run);
}

static void gst_glcl_chain_reset(GstGLCLFilter *filter) {
  ChainState *state = GST_GLCL_CHAIN(filter)->state;
  if (Chain *chain = state->chain()) chain->reset();
}

static void gst_glcl_chain_unprepare(GstGLCLFilter *filter) {
  ChainState *state = GST_GLCL_CHAIN(filter)->state;
  state->engine.clear();
  state->picture.clear();
  state->running = false;
  state->context.reset();
}

static void gst_glcl_chain_before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
  GstGLCLChain *self = GST_GLCL_CHAIN(trans);
  ChainState *state = self->state;
  const ChainProperties settings = state->settings.get();
  if (settings.watch && state->requests.files_changed()) read_or_warn(self);
  if (settings.watch) state->picture.watch(settings.picture);
  const GstClockTime time = glcl::stream_time(trans->segment, GST_BUFFER_PTS(buffer));
  const RequestPtr requested = state->requests.current();
  if (requested && GST_CLOCK_TIME_IS_VALID(time))
    for (const Child &child : requested->children) gst_object_sync_values(child.get(), time);
  GST_BASE_TRANSFORM_CLASS(gst_glcl_chain_parent_class)->before_transform(trans, buffer);
}

/// Counts every frame that arrives, including frames dropped because the device is slow.
static GstPadProbeReturn gst_glcl_chain_on_arrival(GstPad *, GstPadProbeInfo *info, gpointer self) {
  GST_GLCL_CHAIN(self)->state->clock.count(GST_BASE_TRANSFORM(self)->segment,
                                           GST_PAD_PROBE_INFO_BUFFER(info),
                                           GST_GL_FILTER(self)->in_info);
  return GST_PAD_PROBE_OK;
}

static gboolean gst_glcl_chain_sink_event(GstBaseTransform *trans, GstEvent *event) {
  gboolean restarts = FALSE;
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) gst_event_parse_flush_stop(event, &restarts);
  if (restarts) GST_GLCL_CHAIN(trans)->state->clock.restart();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_chain_parent_class)->sink_event(trans, event);
}

static GstStateChangeReturn gst_glcl_chain_change_state(GstElement *element,
                                                        GstStateChange transition) {
  GstGLCLChain *self = GST_GLCL_CHAIN(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->state->clock.restart();
    try {
      read(self);
    } catch (const glcl::Error &error) {
      GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS, ("%s", error.what()),
                        ("%s", error.detail().c_str()));
      return GST_STATE_CHANGE_FAILURE;
    }
  }
  const GstStateChangeReturn change =
      GST_ELEMENT_CLASS(gst_glcl_chain_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    self->state->engine.forget();
    self->state->picture.forget();
  }
  return change;
}

static GObject *gst_glcl_chain_child_by_index(GstChildProxy *proxy, guint index) {
  const RequestPtr requested = GST_GLCL_CHAIN(proxy)->state->requests.current();
  if (!requested || index >= requested->children.size()) return nullptr;
  return G_OBJECT(gst_object_ref(requested->children[index].get()));
}

static guint gst_glcl_chain_children_count(GstChildProxy *proxy) {
  const RequestPtr requested = GST_GLCL_CHAIN(proxy)->state->requests.current();
  return requested ? static_cast<guint>(requested->children.size()) : 0;
}

static void gst_glcl_chain_child_proxy_init(gpointer iface, gpointer) {
  auto *proxy = static_cast<GstChildProxyInterface *>(iface);
  proxy->get_child_by_index = gst_glcl_chain_child_by_index;
  proxy->get_children_count = gst_glcl_chain_children_count;
}

static void gst_glcl_chain_reload(GstGLCLChain *self) {
  self->state->picture.read_again();
  read_or_warn(self);
}

/// True if the chain reads a picture, and the property was emptied.
static bool reads_without_picture(GstGLCLChain *self) {
  const RequestPtr requested = self->state->requests.current();
  return requested && requested->description.reads_picture() &&
         self->state->settings.get().picture.empty();
}

/// Reads the chain again after one of its properties was set.
static void gst_glcl_chain_notify(GObject *object, GParamSpec *spec) {
  static const std::vector<std::string> texts{"filters", "location", "path"};
  GstGLCLChain *self = GST_GLCL_CHAIN(object);
  const std::string name = spec->name;
  const ChainState *state = self->state;
  const bool again = (name == "iterations" && state->requests.refused_last()) ||
                     (name == "picture" && (state->read_failed || reads_without_picture(self)));
  if (again || std::find(texts.begin(), texts.end(), name) != texts.end()) read_or_warn(self);
}

static void gst_glcl_chain_init(GstGLCLChain *self) {
  self->state = new ChainState;
  gst_pad_add_probe(GST_BASE_TRANSFORM_SINK_PAD(self), GST_PAD_PROBE_TYPE_BUFFER,
                    gst_glcl_chain_on_arrival, self, nullptr);
}

static void gst_glcl_chain_dispose(GObject *object) {
  GST_GLCL_CHAIN(object)->state->requests.clear();
  G_OBJECT_CLASS(gst_glcl_chain_parent_class)->dispose(object);
}

static void gst_glcl_chain_class_init(GstGLCLChainClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_chain_debug, "glclchain", 0, "chains of OpenCL filters");
  glcl::init_element_class<GstGLCLChain>(
      klass, {"OpenCL filter chain", "Filter/Effect/Video",
              "Runs a chain of filters, ready-made or your own, on OpenGL textures with OpenCL",
              DOCS_PAGE("glclchain")});
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->dispose = gst_glcl_chain_dispose;
  object_class->notify = gst_glcl_chain_notify;
  glcl::install_properties<GstGLCLChain>(klass)
      .text("filters", "Filters",
            "The chain: filters as NAME(PARAMETER=VALUE, …), separated by !. NAME*3 runs a filter "
            "three times. FILE.cl is your own filter, which may read time, frame and picture; "
            "FILE.cube is a table of colours. Empty: read the chain from location; without that, "
            "frames pass unchanged",
            &ChainProperties::filters)
      .text("location", "Location", "File with a chain, used if filters is empty",
            &ChainProperties::location)
      .text("path", "Path",
            "Folders with filter files NAME.cl or NAME.cube, separated by colons; searched before "
            "the plugin's own filters",
            &ChainProperties::path)
      .text(
          "picture", "Picture",
          "File with a second picture, which filters read by picture(x, y), for example watermark",
          &ChainProperties::picture)
      .flag("watch", "Watch", "Reload the chain and the picture when one of their files changes",
            &ChainProperties::watch)
      .number("iterations", "Iterations", "Number of times the chain is applied",
              &ChainProperties::iterations, 1, glcl::chain::max_stages);

  /**
   * GstGLCLChain::reload:
   *
   * Reads the chain, the filters that it names and the picture from their files again. The old
   * chain runs until the new one is built.
   */
  g_signal_new_class_handler("reload", G_OBJECT_CLASS_TYPE(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(gst_glcl_chain_reload), nullptr, nullptr, nullptr,
                             G_TYPE_NONE, 0);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = gst_glcl_chain_change_state;
  GST_BASE_TRANSFORM_CLASS(klass)->before_transform = gst_glcl_chain_before_transform;
  GST_BASE_TRANSFORM_CLASS(klass)->sink_event = gst_glcl_chain_sink_event;
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_chain_prepare;
  filter_class->passes_on = gst_glcl_chain_passes_on;
  filter_class->process = gst_glcl_chain_process;
  filter_class->takes_planes = true;
  filter_class->takes_fields = gst_glcl_chain_takes_fields;
  filter_class->reset = gst_glcl_chain_reset;
  filter_class->unprepare = gst_glcl_chain_unprepare;
}
