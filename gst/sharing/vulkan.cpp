// SPDX-License-Identifier: LGPL-2.1-or-later
// Vulkan allocates and exports the memory; the other APIs can only import it. OpenGL imports it by
// GL_EXT_memory_object_fd, OpenCL by cl_khr_external_memory_opaque_fd. Each importer gets and owns
// its own file descriptor.
#include "config.h"
#include "exporter.h"
#include "opencl/error.h"

#if !HAVE_EXTERNAL

namespace glcl::sharing {

std::shared_ptr<Exporter> vulkan_exporter(GstGLContext *, const Device &) {
  throw Error(Error::Kind::not_found, "this build is without Vulkan (-Dexternal=enabled)");
}

}  // namespace glcl::sharing

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

#include "descriptors.h"
#include "functions.h"

// Constants of GL_EXT_memory_object_fd.
#ifndef GL_HANDLE_TYPE_OPAQUE_FD_EXT
#define GL_HANDLE_TYPE_OPAQUE_FD_EXT 0x9586
#define GL_DEDICATED_MEMORY_OBJECT_EXT 0x9581
#define GL_DEVICE_UUID_EXT 0x9597
#endif

namespace glcl::sharing {

namespace {

using Uuid = std::array<unsigned char, 16>;

struct GlFunctions {
  void (*CreateMemoryObjectsEXT)(GLsizei, GLuint *);
  void (*DeleteMemoryObjectsEXT)(GLsizei, const GLuint *);
  void (*MemoryObjectParameterivEXT)(GLuint, GLenum, const GLint *);
  void (*ImportMemoryFdEXT)(GLuint, guint64, GLenum, GLint);
  void (*TexStorageMem2DEXT)(GLenum, GLsizei, GLenum, GLsizei, GLsizei, GLuint, guint64);

  explicit GlFunctions(GstGLContext *context) {
    load(context, CreateMemoryObjectsEXT, "glCreateMemoryObjectsEXT");
    load(context, DeleteMemoryObjectsEXT, "glDeleteMemoryObjectsEXT");
    load(context, MemoryObjectParameterivEXT, "glMemoryObjectParameterivEXT");
    load(context, ImportMemoryFdEXT, "glImportMemoryFdEXT");
    load(context, TexStorageMem2DEXT, "glTexStorageMem2DEXT");
  }
};

Uuid uuid_of(GstGLContext *context) {
  void (*get_bytes)(GLenum, GLuint, GLubyte *);
  load(context, get_bytes, "glGetUnsignedBytei_vEXT");
  Uuid uuid{};
  get_bytes(GL_DEVICE_UUID_EXT, 0, uuid.data());
  return uuid;
}

[[noreturn]] void fail(const char *call, int result) {
  throw Error(Error::Kind::failed, "Can't allocate memory for sharing=external. Use sharing=copy.",
              std::string(call) + " returned " + std::to_string(result));
}

void check(VkResult result, const char *call) {
  if (result != VK_SUCCESS) fail(call, result);
}

/// The Vulkan loader, opened when the method is first tried.
PFN_vkGetInstanceProcAddr vulkan() {
  static const auto get = [] {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(
                         dlsym(library, "vkGetInstanceProcAddr"))
                   : nullptr;
  }();
  return get;
}

/// A Vulkan device that only allocates memory.
class VulkanExporter : public Exporter, public std::enable_shared_from_this<VulkanExporter> {
 public:
  /// Throws if Vulkan does not know the device.
  explicit VulkanExporter(const Uuid &uuid);

  const char *form() const override { return "memory of Vulkan"; }
  std::unique_ptr<ExportedTexture> make(GstGLContext *context, const PlaneFormat &plane, int width,
                                        int height) override;

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

VulkanExporter::VulkanExporter(const Uuid &uuid) {
  if (!vulkan())
    throw Error(Error::Kind::not_found, "the Vulkan loader is missing (package libvulkan1)");
  make_instance();
  find_device(uuid);
  make_device();
}

void VulkanExporter::make_instance() {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(of_instance<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_),
        "vkCreateInstance");
}

void VulkanExporter::find_device(const Uuid &uuid) {
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
  if (!physical_)
    throw Error(Error::Kind::not_found, "Vulkan does not list the device that runs OpenGL");
  of_instance<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(
      physical_, &memory_);
}

void VulkanExporter::make_device() {
  // The queue is never used, but without one NVIDIA's driver crashes in vkAllocateMemory.
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char *extension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  check(of_instance<PFN_vkCreateDevice>("vkCreateDevice")(physical_, &info, nullptr, &device_),
        "vkCreateDevice");
  get_device_ = of_instance<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
}

uint32_t VulkanExporter::local_memory(uint32_t types) const {
  for (uint32_t i = 0; i < memory_.memoryTypeCount; i++)
    if (types & (1u << i) &&
        memory_.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
      return i;
  fail("no device-local memory: vkGetImageMemoryRequirements", static_cast<int>(types));
}

/// An image of the device's memory, optimally tiled.
struct Storage {
  Storage(const VulkanExporter &exporter, const PlaneFormat &plane, int width, int height);
  ~Storage();
  int descriptor() const;

  const VulkanExporter &exporter;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
};

Storage::Storage(const VulkanExporter &exporter, const PlaneFormat &plane, int width, int height)
    : exporter(exporter) {
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.pNext = &external;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = static_cast<VkFormat>(plane.vulkan);
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

Storage::~Storage() {
  exporter.of_device<PFN_vkDestroyImage>("vkDestroyImage")(exporter.device(), image, nullptr);
  exporter.of_device<PFN_vkFreeMemory>("vkFreeMemory")(exporter.device(), memory, nullptr);
}

int Storage::descriptor() const {
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(exporter.of_device<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR")(exporter.device(), &info, &fd),
        "vkGetMemoryFdKHR");
  return fd;
}

class VulkanTexture : public ExportedTexture {
 public:
  VulkanTexture(std::shared_ptr<VulkanExporter> exporter, GstGLContext *context,
                const PlaneFormat &plane, int width, int height);
  ~VulkanTexture() override;
  Handle handle() const override {
    return {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, storage_.descriptor(), 0};
  }

 private:
  std::shared_ptr<VulkanExporter> exporter_;
  GlFunctions gl_;
  Storage storage_;
  guint memory_object_ = 0;
};

VulkanTexture::VulkanTexture(std::shared_ptr<VulkanExporter> exporter, GstGLContext *context,
                             const PlaneFormat &plane, int width, int height)
    : ExportedTexture(plane, width, height),
      exporter_(std::move(exporter)),
      gl_(context),
      storage_(*exporter_, plane, width, height) {
  const GstGLFuncs *gl = context->gl_vtable;
  clear_errors(context);
  const GLint dedicated = GL_TRUE;
  gl_.CreateMemoryObjectsEXT(1, &memory_object_);
  gl_.MemoryObjectParameterivEXT(memory_object_, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  const int descriptor = storage_.descriptor();
  gl_.ImportMemoryFdEXT(memory_object_, storage_.size, GL_HANDLE_TYPE_OPAQUE_FD_EXT, descriptor);
  if (const GLenum error = gl->GetError()) {
    close(descriptor);  // OpenGL owns it only after a successful import
    gl_.DeleteMemoryObjectsEXT(1, &memory_object_);
    fail("glImportMemoryFdEXT", static_cast<int>(error));
  }
  gl->GenTextures(1, &texture_);
  gl->BindTexture(GL_TEXTURE_2D, texture_);
  gl_.TexStorageMem2DEXT(GL_TEXTURE_2D, 1, plane.gl, width, height, memory_object_, 0);
  set_parameters(context);
  gl->BindTexture(GL_TEXTURE_2D, 0);
  const GLenum error = gl->GetError();
  if (error == GL_NO_ERROR) return;
  gl->DeleteTextures(1, &texture_);
  gl_.DeleteMemoryObjectsEXT(1, &memory_object_);
  fail("the import into OpenGL", static_cast<int>(error));
}

VulkanTexture::~VulkanTexture() { gl_.DeleteMemoryObjectsEXT(1, &memory_object_); }

std::unique_ptr<ExportedTexture> VulkanExporter::make(GstGLContext *context,
                                                      const PlaneFormat &plane, int width,
                                                      int height) {
  return std::make_unique<VulkanTexture>(shared_from_this(), context, plane, width, height);
}

/// The exporter of a device, shared by all GL contexts that use it.
std::shared_ptr<Exporter> exporter_by(const Uuid &uuid) {
  static std::mutex mutex;
  // Never destroyed: destroying a Vulkan instance makes NVIDIA's driver detach the GL context from
  // the thread.
  static auto *exporters = new std::map<Uuid, std::shared_ptr<Exporter> >;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Exporter> &exporter = (*exporters)[uuid];
  if (!exporter) exporter = std::make_shared<VulkanExporter>(uuid);
  return exporter;
}

}  // namespace

std::shared_ptr<Exporter> vulkan_exporter(GstGLContext *gl_context, const Device &device) {
  const auto refuse = [](const std::string &reason) {
    throw Error(Error::Kind::not_found, reason);
  };
  if (!device.has_extension("cl_khr_external_memory_opaque_fd"))
    refuse("the OpenCL driver of " + device.name +
           " does not offer cl_khr_external_memory_opaque_fd");
  if (!gst_gl_context_check_feature(gl_context, "GL_EXT_memory_object_fd"))
    refuse("the OpenGL driver does not offer GL_EXT_memory_object_fd");
  const Uuid of_gl = uuid_of(gl_context);
  Uuid of_device{};
  if (clGetDeviceInfo(device.device(), CL_DEVICE_UUID_KHR, of_device.size(), of_device.data(),
                      nullptr) != CL_SUCCESS ||
      of_device != of_gl)
    refuse("OpenGL runs on a different device than " + device.name);
  return exporter_by(of_gl);
}

}  // namespace glcl::sharing

#endif
