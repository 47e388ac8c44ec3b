// SPDX-License-Identifier: LGPL-2.1-or-later
// glcl-info: what OpenGL and OpenCL offer here and how they can work together. Everything is
// gathered into a Report first; print_text and to_json only show it.
#include <fcntl.h>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config.h"
#include "opencl/error.h"
#include "sharing/exporter.h"
#include "sharing/sharing.h"
#include "table.h"

namespace {

using Json = nlohmann::ordered_json;

constexpr char usage[] =
    "Usage: glcl-info [--json]\n"
    "Lists the OpenGL contexts that GStreamer makes here, the OpenCL devices, which way of "
    "sharing\n"
    "textures (gl, external, copy) each pair of them can use and, where not, why not.\n"
    "\n"
    "  --json  the same as JSON\n"
    "  --help  this text\n"
    "\n"
    "The exit status is 0 when a device and an OpenGL context are there, so that the elements can\n"
    "run, 1 when not, 2 for a wrong option. With GST_DEBUG set, for instance to 2, what GStreamer "
    "and\n"
    "the drivers say meanwhile is shown on standard error.\n";

constexpr std::pair<const char *, const char *> headless_variables[] = {
    {"GST_GL_PLATFORM", "egl"}, {"GST_GL_WINDOW", "egl-device"}};

// ---- what is known -----------------------------------------------------------------------------

struct DeviceInfo {
  std::string id;  ///< "P:D"
  std::string name, vendor, driver, version, type;
  unsigned compute_units = 0;
  uint64_t memory = 0, max_allocation = 0;  ///< bytes
  bool images = false;
  uint64_t max_image_width = 0, max_image_height = 0;  ///< pixels
};

struct PlatformInfo {
  size_t index;
  std::string name, vendor, version;
  std::string hint;  ///< what to do where it has no device
  std::vector<DeviceInfo> devices;
};

/// A GL context and a device: why each way can't be used, in the order of all_ways; empty: it can.
struct Pair {
  std::string device;
  std::vector<std::string> reasons;
  std::string form;  ///< of exported memory, where that can be used
};

/// What an element takes with sharing=auto device=auto.
struct Automatic {
  std::string device, name, way;
  std::string fallback_reason;
  std::string error;  ///< instead of all that, where nothing can be taken
};

struct ContextInfo {
  std::string api, version, vendor, renderer, platform, display;
  bool is_default = false;  ///< the one that GStreamer makes when nobody asks for an API
  std::vector<Pair> pairs;
  Automatic automatic;
};

struct MissingApi {
  std::string api, reason;
};

struct Report {
  std::vector<ContextInfo> contexts;
  std::vector<MissingApi> missing;
  bool needs_variables = false;  ///< no context without headless_variables
  std::string gl_error;          ///< why there is no context in the environment as it is
  std::string headless_error;    ///< why there is none with headless_variables either
  std::vector<PlatformInfo> platforms;
  std::vector<std::string> remedies;

  bool has_device() const {
    return std::any_of(platforms.begin(), platforms.end(),
                       [](const PlatformInfo &p) { return !p.devices.empty(); });
  }
  bool usable() const { return has_device() && !contexts.empty(); }
};

// ---- gathering: OpenGL -------------------------------------------------------------------------

/// Drivers' words in one line, without the blanks that some pad them with.
std::string tidy(const char *text) {
  std::istringstream words(text ? text : "");
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string tidy(const std::string &text) { return tidy(text.c_str()); }

std::string taken(gchar *text) {
  std::string copy = text ? text : "";
  g_free(text);
  return copy;
}

/// The contexts and their displays. A display ends EGL for the whole process when it goes, so all
/// of them, also those that gave no context, stay until the contexts are gone.
class GlContexts {
 public:
  GlContexts() = default;
  GlContexts(const GlContexts &) = delete;
  GlContexts &operator=(const GlContexts &) = delete;
  ~GlContexts() {
    for (GstGLContext *context : contexts_) gst_object_unref(context);
    for (GstGLDisplay *display : displays_) gst_object_unref(display);
  }

  /// Makes a context of these APIs; null and the reason in `error` where that fails.
  GstGLContext *make(GstGLAPI apis, std::string &error) {
    GstGLDisplay *display = gst_gl_display_new();
    if (display) displays_.push_back(display);
    // Without any window system GStreamer gives a dummy of this type, on which 1.22 crashes.
    if (!display || gst_gl_display_get_handle_type(display) == GST_GL_DISPLAY_TYPE_ANY) {
      error = "GStreamer finds no Wayland, X11, GBM or EGL display";
      return nullptr;
    }
    gst_gl_display_filter_gl_api(display, apis);
    GstGLContext *context = gst_gl_context_new(display);
    GError *failure = nullptr;
    if (context && gst_gl_context_create(context, nullptr, &failure)) {
      contexts_.push_back(context);
      return context;
    }
    error = failure ? tidy(failure->message) : "GStreamer supports no OpenGL on this display";
    g_clear_error(&failure);
    gst_clear_object(&context);
    return nullptr;
  }

  const std::vector<GstGLContext *> &all() const { return contexts_; }

 private:
  std::vector<GstGLDisplay *> displays_;
  std::vector<GstGLContext *> contexts_;
};

template <typename Work>
void on_gl_thread(GstGLContext *context, Work work) {
  gst_gl_context_thread_add(
      context, [](GstGLContext *, gpointer data) { (*static_cast<Work *>(data))(); }, &work);
}

std::string display_name(GstGLDisplay *display) {
  auto *types = static_cast<GFlagsClass *>(g_type_class_ref(GST_TYPE_GL_DISPLAY_TYPE));
  const GFlagsValue *type = g_flags_get_first_value(types, gst_gl_display_get_handle_type(display));
  const std::string name = type ? type->value_nick : "unknown";
  g_type_class_unref(types);
  return name;
}

ContextInfo describe(GstGLContext *context) {
  ContextInfo info;
  info.api = taken(gst_gl_api_to_string(gst_gl_context_get_gl_api(context)));
  info.platform = taken(gst_gl_platform_to_string(gst_gl_context_get_gl_platform(context)));
  info.display = display_name(context->display);
  on_gl_thread(context, [&] {
    const auto text = [&](GLenum name) {
      return tidy(reinterpret_cast<const char *>(context->gl_vtable->GetString(name)));
    };
    info.version = text(GL_VERSION);
    info.vendor = text(GL_VENDOR);
    info.renderer = text(GL_RENDERER);
  });
  return info;
}

/// The context that GStreamer makes by itself, in the environment as it is or, where there is none,
/// with headless_variables.
GstGLContext *make_default_context(GlContexts &gl, Report &report) {
  if (GstGLContext *context = gl.make(GST_GL_API_ANY, report.gl_error)) return context;
  for (const auto &[name, value] : headless_variables) g_setenv(name, value, TRUE);
  GstGLContext *context = gl.make(GST_GL_API_ANY, report.headless_error);
  report.needs_variables = context;
  return context;
}

void gather_contexts(GlContexts &gl, Report &report) {
  GstGLContext *first = make_default_context(gl, report);
  if (!first) return;
  report.contexts.push_back(describe(first));
  report.contexts.back().is_default = true;
  for (GstGLAPI api : {GST_GL_API_OPENGL3, GST_GL_API_OPENGL, GST_GL_API_GLES2}) {
    if (gst_gl_context_get_gl_api(first) & api) continue;
    std::string reason;
    if (GstGLContext *context = gl.make(api, reason))
      report.contexts.push_back(describe(context));
    else
      report.missing.push_back({taken(gst_gl_api_to_string(api)), reason});
  }
}

// ---- gathering: OpenCL -------------------------------------------------------------------------

std::string type_name(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "GPU";
  if (type & CL_DEVICE_TYPE_CPU) return "CPU";
  return type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator" : "other";
}

DeviceInfo describe(const glcl::Device &known) {
  DeviceInfo info;
  info.id = known.id();
  info.name = tidy(known.name);
  info.type = type_name(known.type);
  try {
    const cl::Device &device = known.device;
    info.vendor = tidy(device.getInfo<CL_DEVICE_VENDOR>());
    info.driver = tidy(device.getInfo<CL_DRIVER_VERSION>());
    info.version = tidy(device.getInfo<CL_DEVICE_VERSION>());
    info.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    info.memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    info.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    info.images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>();
    if (!info.images) return info;
    info.max_image_width = device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
    info.max_image_height = device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  } catch (const cl::Error &) {
    // the rest stays empty
  }
  return info;
}

std::string hint_for_empty(const std::string &platform) {
  if (platform == "Portable Computing Language")
    return "PoCL offers no device where it can't write its cache: set POCL_CACHE_DIR to a folder "
           "of yours";
  if (platform == "rusticl")
    return "rusticl offers devices only of the drivers named in RUSTICL_ENABLE, for instance "
           "RUSTICL_ENABLE=radeonsi,iris,llvmpipe";
  return "is the device there, and may this user open it?";
}

void gather_platforms(const std::vector<glcl::Device> &devices, Report &report) {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error &) {
    return;  // the loader reports "no platform" as an error
  }
  for (size_t index = 0; index < platforms.size(); index++) {
    const cl::Platform &platform = platforms[index];
    PlatformInfo info{index, {}, {}, {}, {}, {}};
    try {
      info.name = tidy(platform.getInfo<CL_PLATFORM_NAME>());
      info.vendor = tidy(platform.getInfo<CL_PLATFORM_VENDOR>());
      info.version = tidy(platform.getInfo<CL_PLATFORM_VERSION>());
    } catch (const cl::Error &) {
      // the rest stays empty
    }
    for (const glcl::Device &device : devices)
      if (static_cast<size_t>(device.platform_index) == index)
        info.devices.push_back(describe(device));
    if (info.devices.empty()) info.hint = hint_for_empty(info.name);
    report.platforms.push_back(std::move(info));
  }
}

// ---- gathering: both together ------------------------------------------------------------------

Pair try_pair(GstGLContext *context, const glcl::Device &device) {
  Pair pair{device.id(), {}, {}};
  for (glcl::Way way : glcl::all_ways) {
    pair.reasons.push_back(obstacle(way, context, device));
    if (way == glcl::Way::external && pair.reasons.back().empty())
      pair.form = glcl::exporter_of(context, device)->form();
  }
  return pair;
}

Automatic choose_automatically(GstGLContext *context) {
  try {
    const glcl::Choice choice =
        glcl::choose(context, "auto", {std::begin(glcl::all_ways), std::end(glcl::all_ways)});
    return {choice.device.id(),
            tidy(choice.device.name),
            glcl::way_name(choice.way),
            tidy(choice.fallback_reason),
            {}};
  } catch (const std::exception &error) {
    return {{}, {}, {}, {}, error.what()};
  }
}

void gather_pairs(const GlContexts &gl, const std::vector<glcl::Device> &devices, Report &report) {
  for (size_t i = 0; i < gl.all().size(); i++) {
    GstGLContext *context = gl.all()[i];
    ContextInfo &info = report.contexts[i];
    on_gl_thread(context, [&] {
      for (const glcl::Device &device : devices) info.pairs.push_back(try_pair(context, device));
      info.automatic = choose_automatically(context);
    });
  }
}

std::string headless_text() {
  std::string text;
  for (const auto &[name, value] : headless_variables)
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  return text;
}

void add_remedies(Report &report) {
  if (!report.has_device()) {
    std::string text =
        "No OpenCL device: install the OpenCL driver of the GPU, or the package pocl-opencl-icd to "
        "compute on the CPU.";
    if (const char *vendors = std::getenv("OCL_ICD_VENDORS"))
      text +=
          std::string(" OCL_ICD_VENDORS is set: drivers are looked for in ") + vendors + " only.";
    report.remedies.push_back(text);
  }
  if (report.needs_variables)
    report.remedies.push_back("GStreamer gets no OpenGL context in the environment as it is (" +
                              report.gl_error + "). The contexts listed need " + headless_text() +
                              ": set these variables to run the elements without a display.");
  else if (report.contexts.empty())
    report.remedies.push_back(
        "No OpenGL context, neither in the environment as it is (" + report.gl_error +
        ") nor with " + headless_text() + ", which is what works without a display (" +
        report.headless_error +
        "): install the OpenGL driver of the GPU, or the packages libegl1 and libgl1-mesa-dri to "
        "draw on the CPU.");
}

Report gather() {
  Report report;
  GlContexts gl;
  gather_contexts(gl, report);  // first: it may set variables, and OpenCL drivers start threads
  const std::vector<glcl::Device> devices = glcl::devices();
  gather_platforms(devices, report);
  gather_pairs(gl, devices, report);
  add_remedies(report);
  return report;
}

std::string gstreamer_version() {
  guint major, minor, micro, nano;
  gst_version(&major, &minor, &micro, &nano);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(micro);
}

// ---- showing: text -----------------------------------------------------------------------------

using glcl::line_width;
using glcl::Table;
using glcl::wrap;

void print_paragraph(const std::string &text, size_t line, size_t margin = 2) {
  for (const std::string &part : wrap(text, line - margin))
    std::cout << std::string(margin, ' ') << part << '\n';
}

std::string gibibytes(uint64_t bytes) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << static_cast<double>(bytes) / (1 << 30) << " GiB";
  return text.str();
}

void print_contexts(const Report &report, size_t line) {
  std::cout << "OpenGL contexts\n";
  if (report.contexts.empty()) std::cout << "  none\n";
  if (report.needs_variables) std::cout << "  with " << headless_text() << '\n';
  Table table({"API", "version", "vendor", "renderer", "platform", "display"});
  for (const ContextInfo &c : report.contexts)
    table.add({c.api + (c.is_default ? " (default)" : ""), c.version, c.vendor, c.renderer,
               c.platform, c.display});
  if (!report.contexts.empty()) table.print(line);
  for (const MissingApi &missing : report.missing)
    print_paragraph("no " + missing.api + ": " + missing.reason, line);
}

void print_devices(const Report &report, size_t line) {
  std::cout << "\nOpenCL devices\n";
  if (report.platforms.empty()) std::cout << "  none, and no platform\n";
  Table table({"P:D", "name", "type", "vendor", "driver", "OpenCL", "units", "memory", "images"});
  for (const PlatformInfo &platform : report.platforms)
    for (const DeviceInfo &d : platform.devices) {
      std::istringstream version(d.version);  // "OpenCL 3.0 what the vendor adds"
      std::string opencl, number;
      version >> opencl >> number;
      table.add({d.id, d.name, d.type, d.vendor, d.driver, number, std::to_string(d.compute_units),
                 gibibytes(d.memory),
                 d.images
                     ? std::to_string(d.max_image_width) + "x" + std::to_string(d.max_image_height)
                     : "none"});
    }
  if (report.has_device()) table.print(line);
  for (const PlatformInfo &p : report.platforms)
    print_paragraph("platform " + std::to_string(p.index) + ": " + p.name + ", " + p.vendor + ", " +
                        p.version + (p.devices.empty() ? "; without devices: " + p.hint : ""),
                    line);
}

bool same(const std::vector<Pair> &a, const std::vector<Pair> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Pair &p, const Pair &q) {
    return p.device == q.device && p.reasons == q.reasons && p.form == q.form;
  });
}

/// Contexts that differ in nothing here make one entry.
void print_pairs(const Report &report, size_t line) {
  std::cout << "\nWays of sharing textures\n";
  Table table({"context", "P:D", "way", "usable", "why not"});
  std::vector<bool> shown(report.contexts.size());
  for (size_t i = 0; i < report.contexts.size(); i++) {
    if (shown[i]) continue;
    std::string names;
    for (size_t j = i; j < report.contexts.size(); j++) {
      if (shown[j] || !same(report.contexts[i].pairs, report.contexts[j].pairs)) continue;
      shown[j] = true;
      names += (names.empty() ? "" : ", ") + report.contexts[j].api;
    }
    for (const Pair &pair : report.contexts[i].pairs)
      for (size_t w = 0; w < pair.reasons.size(); w++) {
        const bool of_a_form = glcl::all_ways[w] == glcl::Way::external && !pair.form.empty();
        table.add({w ? "" : names, w ? "" : pair.device, glcl::way_name(glcl::all_ways[w]),
                   of_a_form                 ? "yes, " + pair.form
                   : pair.reasons[w].empty() ? "yes"
                                             : "no",
                   pair.reasons[w]});
      }
  }
  table.print(line);
}

void print_automatic(const Report &report, size_t line) {
  std::cout << "\nWhat sharing=auto device=auto takes\n";
  Table table({"context", "way", "P:D", "name"});
  for (const ContextInfo &c : report.contexts)
    table.add({c.api, c.automatic.way, c.automatic.device,
               c.automatic.error.empty() ? c.automatic.name : c.automatic.error});
  table.print(line);
}

void print_text(const Report &report) {
  const size_t line = line_width();
  std::cout << "glcl-info " PACKAGE_VERSION ", GStreamer " << gstreamer_version() << "\n\n";
  print_contexts(report, line);
  print_devices(report, line);
  if (report.usable()) {
    print_pairs(report, line);
    print_automatic(report, line);
  }
  for (const std::string &remedy : report.remedies) {
    std::cout << '\n';
    print_paragraph(remedy, line, 0);
  }
}

// ---- showing: JSON -----------------------------------------------------------------------------

Json to_json(const DeviceInfo &d) {
  return {{"id", d.id},
          {"name", d.name},
          {"vendor", d.vendor},
          {"driver", d.driver},
          {"version", d.version},
          {"type", d.type},
          {"compute-units", d.compute_units},
          {"memory", d.memory},
          {"max-allocation", d.max_allocation},
          {"images", d.images},
          {"max-image-width", d.max_image_width},
          {"max-image-height", d.max_image_height}};
}

Json to_json(const PlatformInfo &p) {
  Json devices = Json::array();
  for (const DeviceInfo &device : p.devices) devices.push_back(to_json(device));
  Json json = {{"index", p.index},
               {"name", p.name},
               {"vendor", p.vendor},
               {"version", p.version},
               {"devices", devices}};
  if (!p.hint.empty()) json["hint"] = p.hint;
  return json;
}

Json to_json(const Pair &pair) {
  Json json = {{"device", pair.device}};
  Json reasons = Json::object();
  for (size_t w = 0; w < pair.reasons.size(); w++) {
    const char *way = glcl::way_name(glcl::all_ways[w]);
    json[way] = pair.reasons[w].empty();
    if (!pair.reasons[w].empty()) reasons[way] = pair.reasons[w];
  }
  json["reasons"] = reasons;
  if (!pair.form.empty()) json["external-form"] = pair.form;
  return json;
}

Json to_json(const Automatic &a) {
  if (!a.error.empty()) return {{"error", a.error}};
  Json json = {{"device", a.device}, {"name", a.name}, {"sharing", a.way}};
  if (!a.fallback_reason.empty()) json["fallback-reason"] = a.fallback_reason;
  return json;
}

Json to_json(const ContextInfo &c) {
  Json pairs = Json::array();
  for (const Pair &pair : c.pairs) pairs.push_back(to_json(pair));
  return {{"api", c.api},         {"default", c.is_default}, {"version", c.version},
          {"vendor", c.vendor},   {"renderer", c.renderer},  {"platform", c.platform},
          {"display", c.display}, {"sharing", pairs},        {"auto", to_json(c.automatic)}};
}

Json to_json(const Report &report) {
  Json json = {{"version", PACKAGE_VERSION},    {"gstreamer", gstreamer_version()},
               {"usable", report.usable()},     {"contexts", Json::array()},
               {"missing-apis", Json::array()}, {"needs-environment", Json::object()},
               {"platforms", Json::array()},    {"remedies", report.remedies}};
  for (const ContextInfo &context : report.contexts) json["contexts"].push_back(to_json(context));
  for (const MissingApi &missing : report.missing)
    json["missing-apis"].push_back({{"api", missing.api}, {"reason", missing.reason}});
  if (report.needs_variables)
    for (const auto &[name, value] : headless_variables) json["needs-environment"][name] = value;
  for (const PlatformInfo &platform : report.platforms)
    json["platforms"].push_back(to_json(platform));
  return json;
}

void print_json(const Report &report) {
  std::cout << to_json(report).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// ---- the program -------------------------------------------------------------------------------

/// Keeps what libraries and drivers write out of the report: what goes wrong is expected here and
/// told in it. With GST_DEBUG set all of it goes to standard error.
class Quiet {
 public:
  Quiet() : out_(dup(STDOUT_FILENO)), err_(dup(STDERR_FILENO)) {
    if (!g_getenv("GST_DEBUG")) {
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(nowhere, STDERR_FILENO);
      close(nowhere);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~Quiet() {
    std::fflush(stdout);
    dup2(out_, STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    close(out_);
    close(err_);
  }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;

 private:
  const int out_, err_;
};

int show(bool json) {
  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);  // no plugin is needed
  Report report;
  {
    const Quiet quiet;
    gst_init(nullptr, nullptr);
    report = gather();
  }
  json ? print_json(report) : print_text(report);
  return report.usable() ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  bool json = false;
  for (int i = 1; i < argc; i++) {
    if (!std::strcmp(argv[i], "--help")) {
      std::cout << usage;
      return 0;
    }
    if (std::strcmp(argv[i], "--json")) {
      std::cerr << "glcl-info: unknown option " << argv[i] << "\n\n" << usage;
      return 2;
    }
    json = true;
  }
  try {
    return show(json);
  } catch (const std::exception &error) {
    std::cerr << "glcl-info: " << error.what() << '\n';
    return 1;
  }
}
