// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory is allocated by Vulkan, which alone can export it, and imported by OpenGL
// (GL_EXT_memory_object_fd) and OpenCL (cl_khr_external_memory_opaque_fd). Each importer gets a
// file descriptor of its own and owns it.
#include "exporter.h"

#include "config.h"
#include "opencl/error.h"

#if !HAVE_EXTERNAL

namespace glcl {

struct ExportedTexture::Storage {};

ExportedTexture::ExportedTexture(std::shared_ptr<Exporter>, GstGLContext *, int, int) {
  throw Error(Error::Kind::not_found, external_obstacle(nullptr, {}));
}
ExportedTexture::~ExportedTexture() = default;
cl::Image2D ExportedTexture::import(const Context &) const { return {}; }

std::string external_obstacle(GstGLContext *, const Device &) {
  return "this build is without Vulkan (-Dexternal=enabled)";
}
std::shared_ptr<Exporter> exporter_of(GstGLContext *) { return nullptr; }
TextureCopier::TextureCopier(GstGLContext *context) : context_(context) {}
TextureCopier::~TextureCopier() = default;
void TextureCopier::copy(guint, guint, int, int) {}

}  // namespace glcl

#else

#define VK_NO_PROTOTYPES
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <gst/gl/gstglfuncs.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

// OpenGL beyond GstGLFuncs, by the numbers of GL_EXT_memory_object_fd and OpenGL 4.3.
#ifndef GL_HANDLE_TYPE_OPAQUE_FD_EXT
#define GL_HANDLE_TYPE_OPAQUE_FD_EXT 0x9586
#define GL_DEDICATED_MEMORY_OBJECT_EXT 0x9581
#define GL_DEVICE_UUID_EXT 0x9597
#endif
#ifndef GL_COMPUTE_SHADER
#define GL_COMPUTE_SHADER 0x91B9
#endif
#ifndef GL_SHADER_IMAGE_ACCESS_BARRIER_BIT
#define GL_SHADER_IMAGE_ACCESS_BARRIER_BIT 0x20
#endif
#define GLCL_ALL_BARRIER_BITS 0xFFFFFFFF
#define GLCL_WRITE_ONLY 0x88B9

namespace glcl {

namespace {

using Uuid = std::array<unsigned char, 16>;

struct GlFunctions {
  void (*CreateMemoryObjectsEXT)(GLsizei, GLuint *);
  void (*DeleteMemoryObjectsEXT)(GLsizei, const GLuint *);
  void (*MemoryObjectParameterivEXT)(GLuint, GLenum, const GLint *);
  void (*ImportMemoryFdEXT)(GLuint, guint64, GLenum, GLint);
  void (*TexStorageMem2DEXT)(GLenum, GLsizei, GLenum, GLsizei, GLsizei, GLuint, guint64);
  void (*GetUnsignedBytei_vEXT)(GLenum, GLuint, GLubyte *);
  void (*BindImageTexture)(GLuint, GLuint, GLint, GLboolean, GLint, GLenum, GLenum);
  void (*DispatchCompute)(GLuint, GLuint, GLuint);
  void (*MemoryBarrier)(guint);

  explicit GlFunctions(GstGLContext *context) {
    const auto get = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)> >(
          gst_gl_context_get_proc_address(context, name));
    };
    get(CreateMemoryObjectsEXT, "glCreateMemoryObjectsEXT");
    get(DeleteMemoryObjectsEXT, "glDeleteMemoryObjectsEXT");
    get(MemoryObjectParameterivEXT, "glMemoryObjectParameterivEXT");
    get(ImportMemoryFdEXT, "glImportMemoryFdEXT");
    get(TexStorageMem2DEXT, "glTexStorageMem2DEXT");
    get(GetUnsignedBytei_vEXT, "glGetUnsignedBytei_vEXT");
    get(BindImageTexture, "glBindImageTexture");
    get(DispatchCompute, "glDispatchCompute");
    get(MemoryBarrier, "glMemoryBarrier");
  }
};

void clear_errors(const GstGLFuncs *gl) {
  while (gl->GetError() != GL_NO_ERROR) {
  }
}

Uuid uuid_of(GstGLContext *context) {
  Uuid uuid{};
  GlFunctions(context).GetUnsignedBytei_vEXT(GL_DEVICE_UUID_EXT, 0, uuid.data());
  return uuid;
}

[[noreturn]] void fail(const char *call, int result) {
  throw Error(Error::Kind::failed, "Memory for sharing=external could not be allocated.",
              std::string(call) + " gave " + std::to_string(result));
}

void check(VkResult result, const char *call) {
  if (result != VK_SUCCESS) fail(call, result);
}

/// The Vulkan loader, opened when the way is first tried.
PFN_vkGetInstanceProcAddr vulkan() {
  static const auto get = [] {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(
                         dlsym(library, "vkGetInstanceProcAddr"))
                   : nullptr;
  }();
  return get;
}

}  // namespace

/// A Vulkan device that does nothing but allocate.
class Exporter {
 public:
  /// Throws where Vulkan does not know the device.
  explicit Exporter(const Uuid &uuid);

  template <class Function>
  Function of_device(const char *name) const {
    return reinterpret_cast<Function>(get_device_(device_, name));
  }
  VkDevice device() const { return device_; }
  uint32_t local_memory(uint32_t types) const;

 private:
  template <class Function>
  Function of_instance(const char *name) const {
    return reinterpret_cast<Function>(vulkan()(instance_, name));
  }
  void make_instance();
  void find_device(const Uuid &uuid);
  void make_device();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  PFN_vkGetDeviceProcAddr get_device_ = nullptr;
  VkPhysicalDeviceMemoryProperties memory_{};
};

Exporter::Exporter(const Uuid &uuid) {
  if (!vulkan())
    throw Error(Error::Kind::not_found, "the Vulkan loader is missing (package libvulkan1)");
  make_instance();
  find_device(uuid);
  make_device();
}

void Exporter::make_instance() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(of_instance<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_),
        "vkCreateInstance");
}

void Exporter::find_device(const Uuid &uuid) {
  uint32_t count = 0;
  const auto enumerate = of_instance<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  check(enumerate(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  check(enumerate(instance_, &count, all.data()), "vkEnumeratePhysicalDevices");
  const auto properties_of =
      of_instance<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2");
  for (VkPhysicalDevice candidate : all) {
    VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    properties.pNext = &id;
    properties_of(candidate, &properties);
    if (std::memcmp(id.deviceUUID, uuid.data(), uuid.size()) == 0) physical_ = candidate;
  }
  if (!physical_) throw Error(Error::Kind::not_found, "Vulkan does not know the device that draws");
  of_instance<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(
      physical_, &memory_);
}

void Exporter::make_device() {
  // The queue is never used, but without one NVIDIA's driver crashes in vkAllocateMemory.
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char *extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = extensions;
  check(of_instance<PFN_vkCreateDevice>("vkCreateDevice")(physical_, &info, nullptr, &device_),
        "vkCreateDevice");
  get_device_ = of_instance<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
}

uint32_t Exporter::local_memory(uint32_t types) const {
  for (uint32_t i = 0; i < memory_.memoryTypeCount; i++)
    if (types & (1u << i) &&
        memory_.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
      return i;
  fail("no device-local memory: vkGetImageMemoryRequirements", static_cast<int>(types));
}

/// An image of the device's memory, optimally tiled.
struct ExportedTexture::Storage {
  Storage(const Exporter &exporter, int width, int height);
  ~Storage();
  int descriptor() const;

  const Exporter &exporter;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
};

ExportedTexture::Storage::Storage(const Exporter &exporter, int width, int height)
    : exporter(exporter) {
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.pNext = &external;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  check(exporter.of_device<PFN_vkCreateImage>("vkCreateImage")(exporter.device(), &info, nullptr,
                                                               &image),
        "vkCreateImage");

  VkMemoryRequirements requirements;
  exporter.of_device<PFN_vkGetImageMemoryRequirements>("vkGetImageMemoryRequirements")(
      exporter.device(), image, &requirements);
  size = requirements.size;
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.image = image;
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.pNext = &dedicated;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.pNext = &exported;
  allocation.allocationSize = size;
  allocation.memoryTypeIndex = exporter.local_memory(requirements.memoryTypeBits);
  check(exporter.of_device<PFN_vkAllocateMemory>("vkAllocateMemory")(exporter.device(), &allocation,
                                                                     nullptr, &memory),
        "vkAllocateMemory");
  check(exporter.of_device<PFN_vkBindImageMemory>("vkBindImageMemory")(exporter.device(), image,
                                                                       memory, 0),
        "vkBindImageMemory");
}

ExportedTexture::Storage::~Storage() {
  exporter.of_device<PFN_vkDestroyImage>("vkDestroyImage")(exporter.device(), image, nullptr);
  exporter.of_device<PFN_vkFreeMemory>("vkFreeMemory")(exporter.device(), memory, nullptr);
}

int ExportedTexture::Storage::descriptor() const {
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(exporter.of_device<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR")(exporter.device(), &info, &fd),
        "vkGetMemoryFdKHR");
  return fd;
}

ExportedTexture::ExportedTexture(std::shared_ptr<Exporter> exporter, GstGLContext *context,
                                 int width, int height)
    : exporter_(std::move(exporter)),
      context_(context),
      width_(width),
      height_(height),
      storage_(std::make_unique<Storage>(*exporter_, width, height)) {
  const GstGLFuncs *gl = context->gl_vtable;
  const GlFunctions more(context);
  clear_errors(gl);
  const GLint dedicated = GL_TRUE;
  more.CreateMemoryObjectsEXT(1, &memory_object_);
  more.MemoryObjectParameterivEXT(memory_object_, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  more.ImportMemoryFdEXT(memory_object_, storage_->size, GL_HANDLE_TYPE_OPAQUE_FD_EXT,
                         storage_->descriptor());
  gl->GenTextures(1, &texture_);
  gl->BindTexture(GL_TEXTURE_2D, texture_);
  more.TexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8, width, height, memory_object_, 0);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  const GLenum error = gl->GetError();
  if (error == GL_NO_ERROR) return;
  gl->DeleteTextures(1, &texture_);
  more.DeleteMemoryObjectsEXT(1, &memory_object_);
  fail("the import into OpenGL", static_cast<int>(error));
}

ExportedTexture::~ExportedTexture() {
  GlFunctions(context_).DeleteMemoryObjectsEXT(1, &memory_object_);
}

cl::Image2D ExportedTexture::import(const Context &context) const {
  using Create = cl_mem (*)(cl_context, const cl_bitfield *, cl_mem_flags, const cl_image_format *,
                            const cl_image_desc *, void *, cl_int *);
  // OpenCL 3.0, which the loader may be too old for.
  const auto create = reinterpret_cast<Create>(dlsym(RTLD_DEFAULT, "clCreateImageWithProperties"));
  const int fd = storage_->descriptor();
  const cl_bitfield properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                    static_cast<cl_bitfield>(fd), 0};
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width_;
  description.image_height = height_;
  cl_int status = CL_INVALID_OPERATION;
  const cl_mem image = create ? create(context.cl()(), properties, CL_MEM_READ_WRITE, &format,
                                       &description, nullptr, &status)
                              : nullptr;
  if (status != CL_SUCCESS) {
    close(fd);
    throw Error(Error::Kind::failed,
                "OpenCL can't import the memory of a texture on " + context.device().name +
                    ". sharing=copy works without it.",
                "clCreateImageWithProperties: " + error_name(status));
  }
  return cl::Image2D(image);
}

std::string external_obstacle(GstGLContext *gl_context, const Device &device) {
  if (!device.has_extension("cl_khr_external_memory_opaque_fd"))
    return "the OpenCL driver of " + device.name +
           " does not offer cl_khr_external_memory_opaque_fd";
  if (!gst_gl_context_check_feature(gl_context, "GL_EXT_memory_object_fd"))
    return "the OpenGL driver does not offer GL_EXT_memory_object_fd";
  if (!dlsym(RTLD_DEFAULT, "clCreateImageWithProperties"))
    return "the OpenCL loader is older than OpenCL 3.0";
  Uuid of_device{};
  if (clGetDeviceInfo(device.device(), CL_DEVICE_UUID_KHR, of_device.size(), of_device.data(),
                      nullptr) != CL_SUCCESS ||
      of_device != uuid_of(gl_context))
    return "OpenGL runs on another device than " + device.name;
  try {
    exporter_of(gl_context);
  } catch (const Error &error) {
    return std::string(error.what()) + (error.detail().empty() ? "" : " (" + error.detail() + ")");
  }
  return {};
}

std::shared_ptr<Exporter> exporter_of(GstGLContext *gl_context) {
  static std::mutex mutex;
  // Never destroyed: with its Vulkan instance NVIDIA's driver takes the GL context away from the
  // thread.
  static auto *exporters = new std::map<Uuid, std::shared_ptr<Exporter> >;
  const Uuid uuid = uuid_of(gl_context);
  const std::lock_guard lock(mutex);
  std::shared_ptr<Exporter> &exporter = (*exporters)[uuid];
  if (!exporter) exporter = std::make_shared<Exporter>(uuid);
  return exporter;
}

TextureCopier::TextureCopier(GstGLContext *context)
    : context_(context), shader_(gst_gl_shader_new(context)) {
  static const char source[] = R"(
layout(local_size_x = 16, local_size_y = 16) in;
layout(rgba8, binding = 0) writeonly uniform highp image2D to;
uniform highp sampler2D from;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, imageSize(to)))) imageStore(to, at, texelFetch(from, at, 0));
}
)";
  const bool es = gst_gl_context_get_gl_api(context) & GST_GL_API_GLES2;
  const std::string text = std::string(es ? "#version 310 es\n" : "#version 430\n") + source;
  const gchar *strings[] = {text.c_str()};
  GstGLSLStage *stage = gst_glsl_stage_new_with_strings(
      context, GL_COMPUTE_SHADER, GST_GLSL_VERSION_NONE, GST_GLSL_PROFILE_NONE, 1, strings);
  GError *error = nullptr;
  if (gst_glsl_stage_compile(stage, &error) && gst_gl_shader_attach(shader_, stage) &&
      gst_gl_shader_link(shader_, &error))
    return;
  const std::string reason = error ? error->message : "";
  g_clear_error(&error);
  gst_clear_object(&shader_);
  throw Error(Error::Kind::failed, "The shader that copies textures does not build.", reason);
}

TextureCopier::~TextureCopier() { gst_clear_object(&shader_); }

void TextureCopier::copy(guint from, guint to, int width, int height) {
  const GstGLFuncs *gl = context_->gl_vtable;
  const GlFunctions more(context_);
  gst_gl_shader_use(shader_);
  gst_gl_shader_set_uniform_1i(shader_, "from", 0);
  gl->ActiveTexture(GL_TEXTURE0);
  gl->BindTexture(GL_TEXTURE_2D, from);
  more.BindImageTexture(0, to, 0, GL_FALSE, 0, GLCL_WRITE_ONLY, GL_RGBA8);
  more.DispatchCompute((width + 15) / 16, (height + 15) / 16, 1);
  more.MemoryBarrier(GLCL_ALL_BARRIER_BITS);
  more.BindImageTexture(0, 0, 0, GL_FALSE, 0, GLCL_WRITE_ONLY, GL_RGBA8);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  gst_gl_context_clear_shader(context_);
}

}  // namespace glcl

#endif
