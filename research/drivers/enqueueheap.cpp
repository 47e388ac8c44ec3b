// SPDX-License-Identifier: LGPL-2.1-or-later
// enqueueheap [CALLS]: measures the growth of the heap and the time for single OpenCL calls, on the
// first GPU and without the plugin: commands that hand over memory or a semaphore, callbacks,
// queues, builds and contexts. NVIDIA's driver 580.159.04 prints 32 bytes for an acquire, a release
// and a wait for a semaphore, and 870 for a build of a small kernel.
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <malloc.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace {

void check(long result, const char *call) {
  if (!result) return;
  std::fprintf(stderr, "enqueueheap: %s gave %ld\n", call, result);
  std::exit(77);
}

/// A device of Vulkan that exports memory and semaphores.
struct Vulkan {
  Vulkan();
  template <class Function>
  Function of_instance(const char *name) const {
    return reinterpret_cast<Function>(get(instance, name));
  }
  template <class Function>
  Function of_device(const char *name) const {
    return of_instance<Function>(name);
  }
  int image() const;
  int semaphore() const;

  PFN_vkGetInstanceProcAddr get = nullptr;
  VkInstance instance = nullptr;
  VkPhysicalDevice physical = nullptr;
  VkDevice device = nullptr;
};

Vulkan::Vulkan() {
  void *library = dlopen("libvulkan.so.1", RTLD_NOW);
  check(!library, "dlopen");
  get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  check(of_instance<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance),
        "vkCreateInstance");
  uint32_t count = 1;
  of_instance<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &count,
                                                                            &physical);
  check(!physical, "vkEnumeratePhysicalDevices");
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char *extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                              VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  VkDeviceCreateInfo of{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  of.queueCreateInfoCount = 1;
  of.pQueueCreateInfos = &queue;
  of.enabledExtensionCount = 2;
  of.ppEnabledExtensionNames = extensions;
  check(of_instance<PFN_vkCreateDevice>("vkCreateDevice")(physical, &of, nullptr, &device),
        "vkCreateDevice");
}

/// A descriptor of the memory of an image of 64×64 px.
int Vulkan::image() const {
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.pNext = &external;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {64, 64, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  VkImage image = VK_NULL_HANDLE;
  check(of_device<PFN_vkCreateImage>("vkCreateImage")(device, &info, nullptr, &image),
        "vkCreateImage");
  VkMemoryRequirements needs;
  of_device<PFN_vkGetImageMemoryRequirements>("vkGetImageMemoryRequirements")(device, image,
                                                                              &needs);
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.image = image;
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.pNext = &dedicated;
  exported.handleTypes = external.handleTypes;
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.pNext = &exported;
  allocation.allocationSize = needs.size;
  while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1)) allocation.memoryTypeIndex++;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(of_device<PFN_vkAllocateMemory>("vkAllocateMemory")(device, &allocation, nullptr, &memory),
        "vkAllocateMemory");
  VkMemoryGetFdInfoKHR file{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  file.memory = memory;
  file.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int descriptor = -1;
  check(of_device<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR")(device, &file, &descriptor),
        "vkGetMemoryFdKHR");
  return descriptor;
}

/// A descriptor of a binary semaphore.
int Vulkan::semaphore() const {
  VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &exported;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(of_device<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device, &info, nullptr, &semaphore),
        "vkCreateSemaphore");
  VkSemaphoreGetFdInfoKHR file{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  file.semaphore = semaphore;
  file.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int descriptor = -1;
  check(of_device<PFN_vkGetSemaphoreFdKHR>("vkGetSemaphoreFdKHR")(device, &file, &descriptor),
        "vkGetSemaphoreFdKHR");
  return descriptor;
}

void measure(const char *what, int calls, const std::function<void()> &call) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < calls / 4; i++) call();
  const size_t before = mallinfo2().uordblks;
  const auto begin = Clock::now();
  for (int i = 0; i < calls; i++) call();
  const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
  std::printf("%-20s %8.1f bytes a call, %8.1f µs\n", what,
              (static_cast<double>(mallinfo2().uordblks) - static_cast<double>(before)) / calls,
              took.count() / calls);
}

/// Has an event call back, and waits for that.
void call_back(cl_command_queue queue) {
  std::atomic<bool> reached{false};
  cl_event event = nullptr;
  clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
  const auto on_end = [](cl_event, cl_int, void *data) {
    *static_cast<std::atomic<bool> *>(data) = true;
  };
  check(clSetEventCallback(event, CL_COMPLETE, on_end, &reached), "clSetEventCallback");
  clFlush(queue);
  while (!reached) std::this_thread::yield();
  clReleaseEvent(event);
}

/// Builds a kernel that no cache has.
void build(cl_context context, cl_device_id device) {
  static int number = 0;
  const std::string text =
      "kernel void fill(global int *to) { to[get_global_id(0)] = " + std::to_string(++number) +
      "; }";
  const char *source = text.c_str();
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  clReleaseKernel(clCreateKernel(program, "fill", nullptr));
  clReleaseProgram(program);
}

/// What is made and goes again, and callbacks.
void measure_objects(cl_context context, cl_command_queue queue, cl_device_id device, int calls) {
  measure("callback", calls, [&] { call_back(queue); });
  measure("queue", calls / 20, [&] {
    clReleaseCommandQueue(clCreateCommandQueueWithProperties(context, device, nullptr, nullptr));
  });
  measure("build", calls / 40, [&] { build(context, device); });
  measure("context", calls / 200, [&] {
    const cl_context own = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    const cl_command_queue in_it =
        clCreateCommandQueueWithProperties(own, device, nullptr, nullptr);
    clFinish(in_it);
    clReleaseCommandQueue(in_it);
    clReleaseContext(own);
  });
}

}  // namespace

int main(int argc, char **argv) {
  const int calls = argc > 1 ? std::atoi(argv[1]) : 4000;
  const Vulkan vulkan;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int error = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr), "clGetDeviceIDs");
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  const cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, nullptr, &error);
  check(error, "clCreateCommandQueueWithProperties");
  char version[256] = "";
  clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, nullptr);
  std::printf("driver %s\n", version);

  const auto function = [&](const char *name) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    check(!found, name);
    return found;
  };
  using Objects = clEnqueueAcquireExternalMemObjectsKHR_fn;
  using Semaphores = clEnqueueSignalSemaphoresKHR_fn;
  const auto acquire = reinterpret_cast<Objects>(function("clEnqueueAcquireExternalMemObjectsKHR"));
  const auto release = reinterpret_cast<Objects>(function("clEnqueueReleaseExternalMemObjectsKHR"));
  const auto signal = reinterpret_cast<Semaphores>(function("clEnqueueSignalSemaphoresKHR"));
  const auto wait =
      reinterpret_cast<clEnqueueWaitSemaphoresKHR_fn>(function("clEnqueueWaitSemaphoresKHR"));
  const auto make = reinterpret_cast<clCreateSemaphoreWithPropertiesKHR_fn>(
      function("clCreateSemaphoreWithPropertiesKHR"));

  const cl_mem_properties of_image[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                        static_cast<cl_mem_properties>(vulkan.image()), 0};
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc size{};
  size.image_type = CL_MEM_OBJECT_IMAGE2D;
  size.image_width = size.image_height = 64;
  const cl_mem image = clCreateImageWithProperties(context, of_image, CL_MEM_READ_WRITE, &format,
                                                   &size, nullptr, &error);
  check(error, "clCreateImageWithProperties");
  const cl_semaphore_properties_khr of_semaphore[] = {
      CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
      static_cast<cl_semaphore_properties_khr>(vulkan.semaphore()), 0};
  const cl_semaphore_khr semaphore = make(context, of_semaphore, &error);
  check(error, "clCreateSemaphoreWithPropertiesKHR");

  measure("marker", calls, [&] {
    cl_event event = nullptr;
    clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
    clReleaseEvent(event);
    clFinish(queue);
  });
  measure("user event", calls, [&] {
    const cl_event event = clCreateUserEvent(context, nullptr);
    clEnqueueBarrierWithWaitList(queue, 1, &event, nullptr);
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    clFinish(queue);
  });
  measure("acquire", calls, [&] {
    check(acquire(queue, 1, &image, 0, nullptr, nullptr), "acquire");
    clFinish(queue);
  });
  measure("release", calls, [&] {
    check(release(queue, 1, &image, 0, nullptr, nullptr), "release");
    clFinish(queue);
  });
  measure("signal and wait", calls, [&] {
    check(signal(queue, 1, &semaphore, nullptr, 0, nullptr, nullptr), "signal");
    check(wait(queue, 1, &semaphore, nullptr, 0, nullptr, nullptr), "wait");
    clFinish(queue);
  });
  measure_objects(context, queue, device, calls);
}
