// SPDX-License-Identifier: LGPL-2.1-or-later
// Impossible setups end with one error that gives the reason: missing drivers, kernels that don't
// build, caps that would need a conversion.
#include <glib/gstdio.h>

#include "pipeline.h"

using test::expect;
using test::expect_one;
using test::Frame;
using test::Pipeline;

namespace {

/// A folder with one kernel file, which replaces the kernels of the plugin.
class Kernels {
 public:
  Kernels(const std::string &path, const std::string &text) {
    gchar *folder = g_dir_make_tmp("glcl-kernels-XXXXXX", nullptr);
    folder_ = folder;
    g_free(folder);
    file_ = folder_ + "/" + path;
    inner_ = file_.substr(0, file_.rfind('/'));
    g_mkdir(inner_.c_str(), 0700);
    expect(g_file_set_contents(file_.c_str(), text.c_str(), -1, nullptr), "can't write " + file_);
    g_setenv("G_RESOURCE_OVERLAYS", ("/org/gst-glcl/kernels=" + folder_).c_str(), TRUE);
  }
  ~Kernels() {
    g_remove(file_.c_str());
    g_rmdir(inner_.c_str());
    g_rmdir(folder_.c_str());
  }

 private:
  std::string folder_, inner_, file_;
};

/// Expects an error with the reason why there is no device, and no other reason.
void check_missing_driver(const std::vector<std::string> &words, const std::string &never) {
  for (const char *name : {"glclinvert", "glclbilateral"}) {
    Pipeline pipeline(std::string("videotestsrc num-buffers=3 ! glupload ! glcolorconvert ! ") +
                      name + " ! fakesink");
    expect(pipeline.reach(GST_STATE_READY), "READY needs no OpenCL");
    expect(!pipeline.reach(GST_STATE_PAUSED), "PAUSED does");
    const auto errors = pipeline.messages().errors();
    expect_one(errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, words);
    for (const test::Message &error : errors) expect(!error.names(never), error.text);
  }
}

/// Expects that the pipeline is refused when linked or, at the latest, when negotiated.
void check_not_negotiated(const std::string &description) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_launch(description.c_str(), &error);
  if (bin) gst_object_unref(bin);
  if (error) {
    g_error_free(error);
    return;
  }
  Pipeline pipeline(description);
  expect(!pipeline.run(), description + " plays");
  const auto errors = pipeline.messages().errors();
  expect(!errors.empty(), "an error says so");
  for (const test::Message &error : errors)
    expect(error.source.rfind("glclinvert", 0) != 0,
           description + " fails at the first frame: " + error.text);
}

/// The properties of an element that are read before PAUSED.
std::vector<GParamSpec *> early_properties(GstElement *element) {
  std::vector<GParamSpec *> properties;
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  for (guint i = 0; i < count; i++)
    if ((all[i]->flags & GST_PARAM_MUTABLE_READY) && (all[i]->flags & G_PARAM_WRITABLE))
      properties.push_back(all[i]);
  g_free(all);
  return properties;
}

std::string value_of(GstElement *element, const GParamSpec *spec) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), spec->name, &value);
  gchar *contents = g_strdup_value_contents(&value);
  const std::string text = contents;
  g_free(contents);
  g_value_unset(&value);
  return text;
}

}  // namespace

TEST_ALONE(no_platform) {
  g_setenv("OCL_ICD_VENDORS", "/nonexistent", TRUE);
  check_missing_driver({"No OpenCL device", "pocl-opencl-icd", "OCL_ICD_VENDORS=/nonexistent"},
                       "POCL_CACHE_DIR");
}

TEST(no_loader) {
  const std::string command =
      "env LD_AUDIT=" + test::built_library(g_getenv("GLCL_WITHOUT_LOADER")) +
      " gst-launch-1.0 gltestsrc num-buffers=3 ! glclinvert ! fakesink";
  gchar *errors = nullptr;
  gint status = 0;
  expect(g_spawn_command_line_sync(command.c_str(), nullptr, &errors, &status, nullptr),
         "gst-launch-1.0 can't be run");
  const std::string text = errors;
  g_free(errors);
  expect(status != 0, "the pipeline plays");
  for (const char *word : {"No OpenCL device", "libOpenCL.so.1", "ocl-icd-libopencl1"})
    expect(text.find(word) != std::string::npos, std::string(word) + " is not in " + text);
}

TEST_ALONE(platform_without_devices) {
  if (!test::shares_textures()) return;  // Mesa offers one only on request
  g_unsetenv("RUSTICL_ENABLE");
  check_missing_driver({"No OpenCL device", "RUSTICL_ENABLE", "llvmpipe"}, "pocl-opencl-icd");
}

TEST_ALONE(cache_that_cannot_be_written) {
  if (test::shares_textures()) return;  // not PoCL
  g_setenv("POCL_CACHE_DIR", "/proc/nowhere", TRUE);
  check_missing_driver({"No OpenCL device", "PoCL", "cache /proc/nowhere", "set POCL_CACHE_DIR"},
                       "pocl-opencl-icd");
}

// PoCL still lists its device.
TEST_ALONE(cache_that_is_there_and_cannot_be_written) {
  if (test::shares_textures()) return;  // not PoCL
  g_setenv("POCL_CACHE_DIR", "/sys", TRUE);
  check_missing_driver({"No OpenCL device", "cache /sys", "set POCL_CACHE_DIR"}, "Please report");
}

// The first device, which the element treats as a GPU, has no images.
TEST_ALONE(device_that_is_passed_over) {
  if (test::shares_textures()) return;  // not PoCL
  const std::string layer = test::built_library(std::string(g_getenv("GLCL_BUILD")) +
                                                "/tests/layer/devices/libdevice-layer.so");
  g_setenv("OPENCL_LAYERS", layer.c_str(), TRUE);
  g_setenv("POCL_DEVICES", "basic pthread", TRUE);
  g_setenv("GLCL_TEST_LACKS", "images", TRUE);
  Pipeline pipeline("gltestsrc num-buffers=3 ! glclinvert sharing=copy ! fakesink");
  expect(pipeline.run(), "the pipeline does not play");
  expect_one(pipeline.messages().warnings(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
             {"device=auto takes 0:1 pthread", "0:0 basic", "it does not support images"});
}

TEST_ALONE(inspection_without_platform) {
  g_setenv("OCL_ICD_VENDORS", "/nonexistent", TRUE);
  gchar *folder = g_dir_make_tmp("glcl-registry-XXXXXX", nullptr);
  gchar *registry = g_build_filename(folder, "registry.bin", nullptr);
  g_setenv("GST_REGISTRY_1_0", registry, TRUE);
  for (const char *name : {"glclinvert", "glclbilateral", "glcl"}) {
    const std::string command = std::string("gst-inspect-1.0 ") + name;
    gchar *output = nullptr;
    gint status = -1;
    expect(g_spawn_command_line_sync(command.c_str(), &output, nullptr, &status, nullptr),
           "gst-inspect-1.0 can't be run");
    expect(status == 0 && std::string(output).find(name) != std::string::npos,
           command + ": " + output);
    g_free(output);
  }
  g_remove(registry);
  g_rmdir(folder);
  g_free(registry);
  g_free(folder);
}

TEST_ALONE(kernel_that_does_not_build) {
  const Kernels kernels("invert/invert.cl",
                        "__kernel void invert(int a) { a = undeclared_name; }\n");
  Pipeline pipeline(
      "videotestsrc num-buffers=3 ! glupload ! glcolorconvert ! glclinvert ! fakesink");
  expect(!pipeline.run(), "the pipeline plays");
  const auto errors = pipeline.messages().errors();
  expect_one(errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, {"invert/invert.cl"});
  for (const test::Message &error : errors)
    if (error.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED))
      expect(error.debug.find("undeclared_name") != std::string::npos,
             "the debug text has the build log: " + error.debug);
}

TEST_ALONE(kernel_that_is_missing) {
  const Kernels kernels("invert/invert.cl", "__kernel void another_kernel(int a) {}\n");
  Pipeline pipeline(
      "videotestsrc num-buffers=3 ! glupload ! glcolorconvert ! glclinvert ! fakesink");
  expect(!pipeline.run(), "the pipeline plays");
  expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
             {"kernel invert"});
}

TEST_ALONE(kernel_that_includes_itself) {
  const Kernels kernels("invert/invert.cl", "#include \"invert/invert.cl\"\n");
  Pipeline pipeline(
      "videotestsrc num-buffers=3 ! glupload ! glcolorconvert ! glclinvert ! fakesink");
  expect(!pipeline.run(), "the pipeline plays");
  expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
             {"invert/invert.cl -> invert/invert.cl"});
}

// A frame that is larger or smaller than its caps: GStreamer passes such frames when caps change
// during a restart. No element may write past the frame, and the stream continues without it.
TEST(frame_of_another_size) {
  struct First {
    GstBuffer *buffer = nullptr;
    int seen = 0;
  };
  const Frame sizes[] = {reference::natural_frame(64, 48), reference::natural_frame(5, 3)};
  for (const char *name : {"glclinvert", "glclbilateral", "glclhistogram", "glclklt display=tracks",
                           "glclmotion display=residual", "glclscope", "glopenclflow"})
    for (int first : {0, 1}) {
      test::Chain chain(name);
      First kept;
      GstElement *element = chain[std::string(name).substr(0, std::string(name).find(' '))];
      GstPad *pad = gst_element_get_static_pad(element, "sink");
      gst_pad_add_probe(
          pad, GST_PAD_PROBE_TYPE_BUFFER,
          [](GstPad *, GstPadProbeInfo *info, gpointer data) {
            auto *first = static_cast<First *>(data);
            if (first->seen++ == 0) first->buffer = gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info));
            if (first->seen != 2 && first->seen != 3) return GST_PAD_PROBE_OK;
            gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
            info->data = gst_buffer_ref(first->buffer);
            return GST_PAD_PROBE_OK;
          },
          &kept, nullptr);
      gst_object_unref(pad);
      const Frame &right = sizes[1 - first];
      chain.filter(sizes[first]);
      for (int wrong = 0; wrong < 2; wrong++)
        expect(chain.push(right) == GST_FLOW_OK, std::string(name) + " ends the stream");
      expect(chain.filter(right).width == right.width, std::string(name) + " goes on");
      expect(test::stat(element, "dropped") == 2, std::string(name) + " counts what it drops");
      expect(chain.messages().errors().empty(), std::string(name) + " posts an error");
      expect_one(chain.messages().warnings(), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                 {"64×48", "5×3"});
      gst_buffer_unref(kept.buffer);
    }
}

// A property that is read before PAUSED keeps its value afterwards, with a warning; frames
// continue.
TEST(properties_that_come_too_late) {
  const struct {
    const char *element;
    size_t count;
  } cases[] = {{"glclinvert", 2}, {"glclbilateral", 2}, {"glclhistogram", 3}, {"glclklt", 4},
               {"glclmotion", 4}, {"glclscope", 3},     {"glopenclflow", 5}};
  for (const auto &[name, count] : cases) {
    Pipeline pipeline(
        std::string("videotestsrc is-live=true ! video/x-raw,format=RGBA,width=32,height=24 ! "
                    "glupload ! glcolorconvert ! ") +
        name + " sharing=copy name=tried ! fakesink");
    GstElement *element = pipeline["tried"];
    const std::vector<GParamSpec *> properties = early_properties(element);
    fail_unless(properties.size() == count, "%s has %zu", name, properties.size());
    const auto set = [&](const GParamSpec *spec) {
      const bool choice = G_IS_PARAM_SPEC_ENUM(spec);
      if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
        g_object_set(element, spec->name, TRUE, nullptr);
        return spec->name + std::string("=true");
      }
      if (choice)
        g_object_set(element, spec->name, 0, nullptr);
      else
        g_object_set(element, spec->name, "no such %d", nullptr);
      return choice ? std::string(spec->name) + "=" : spec->name + std::string("=no such %d");
    };
    for (const GstState state : {GST_STATE_PLAYING, GST_STATE_PAUSED}) {
      const char *state_name = gst_element_state_get_name(state);
      expect(pipeline.reach(state), std::string(name) + " does not reach " + state_name);
      for (const GParamSpec *spec : properties) {
        const size_t warned = pipeline.messages().warnings().size();
        const std::string before = value_of(element, spec), setting = set(spec);
        const auto warnings = pipeline.messages().warnings();
        expect(warnings.size() == warned + 1 && warnings.back().source == "tried" &&
                   warnings.back().is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS) &&
                   warnings.back().names(setting) && warnings.back().names(state_name),
               std::string(name) + " does not report " + setting);
        expect(value_of(element, spec) == before, setting + " is taken");
      }
    }
    test::expect_none(pipeline.messages().errors());
    expect(pipeline.reach(GST_STATE_READY), "READY can't be reached");
    const size_t warned = pipeline.messages().warnings().size();
    for (const GParamSpec *spec : properties) {
      const std::string before = value_of(element, spec), setting = set(spec);
      expect(value_of(element, spec) != before, setting + " is not taken in READY");
    }
    expect(pipeline.messages().warnings().size() == warned, "nor is there a warning in READY");
  }
}

TEST(system_memory) {
  for (const char *description :
       {"videotestsrc num-buffers=3 ! glclinvert ! fakesink",
        "videotestsrc num-buffers=3 ! identity ! glclinvert ! fakesink",
        "videotestsrc num-buffers=3 ! glupload ! glclinvert ! video/x-raw ! fakesink",
        "videotestsrc num-buffers=3 ! glupload ! glclinvert ! identity ! video/x-raw ! fakesink"})
    check_not_negotiated(description);
}

TEST(other_caps_behind) {
  const std::string frames =
      "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=64,height=48,framerate=25/1 ! "
      "glupload ! glclinvert ! video/x-raw(memory:GLMemory),";
  check_not_negotiated(frames + "width=32,height=24 ! fakesink");
  check_not_negotiated(frames + "width=64,height=47 ! fakesink");
  check_not_negotiated(frames + "framerate=50/1 ! fakesink");
  check_not_negotiated(
      "videotestsrc num-buffers=3 ! video/x-raw,format=AYUV ! glupload ! glclinvert ! fakesink");
  Pipeline same(frames + "width=64,height=48 ! fakesink");
  expect(same.run(), "the same caps do negotiate");
}
