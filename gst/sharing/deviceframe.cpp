// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deviceframe.h"

#include <utility>
#include <vector>

#include "opencl/transfer.h"
#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.DeviceFrame");
  return name;
}

}  // namespace

DeviceFrame *DeviceFrame::find(GstGLMemory *memory) {
  return static_cast<DeviceFrame *>(
      gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), quark()));
}

DeviceFrame &DeviceFrame::of(GstGLMemory *memory) {
  DeviceFrame *frame = find(memory);
  if (!frame) {
    frame = new DeviceFrame;
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark(), frame,
                              [](gpointer data) { delete static_cast<DeviceFrame *>(data); });
  }
  return *frame;
}

/// Events of other queues' work on the picture: its write, and with `all` also every read.
std::vector<cl::Event> DeviceFrame::uses_before(const Queue &queue, bool all) const {
  std::vector<cl::Event> uses;
  if (content_.written() && writer_.get() != &queue) uses.push_back(content_.written);
  if (all)
    for (const auto &[reader, end] : content_.read)
      if (reader != queue.cl()()) uses.push_back(end);
  return uses;
}

bool DeviceFrame::suits(const Queue &queue, Layout layout) const {
  return valid_ && context_ == queue.context().cl()() && content_.picture.layout == layout;
}

bool DeviceFrame::is_valid(const Queue &queue, Layout layout) const {
  const std::lock_guard lock(mutex_);
  return suits(queue, layout);
}

bool DeviceFrame::read(Queue &queue, Layout layout, Picture &picture) {
  const std::lock_guard lock(mutex_);
  if (!suits(queue, layout)) return false;
  const std::vector<cl::Event> before = uses_before(queue, false);
  if (!before.empty()) queue.cl().enqueueBarrierWithWaitList(&before);
  picture = content_.picture;
  return true;
}

void DeviceFrame::prepare(Queue &queue, const TextureUse &use, Layout layout) {
  valid_ = device_only_ = false;
  const cl::Context &context = queue.context().cl();
  if (context_ == context() && content_.picture.layout == layout) return;
  for (const auto &[reader, end] : content_.read) wait_noexcept(end);
  content_ = {};
  content_.picture = make_picture(context, use.width(), use.height(), layout, *use.picture.format);
  context_ = context();
}

Picture DeviceFrame::write(Queue &queue, const TextureUse &use, Layout layout) {
  const std::lock_guard lock(mutex_);
  if (content_.written()) wait_noexcept(content_.written);  // its frame reported a failure
  content_.written = {};
  prepare(queue, use, layout);
  const std::vector<cl::Event> before = uses_before(queue, true);
  if (!before.empty()) queue.cl().enqueueBarrierWithWaitList(&before);
  content_.read.clear();
  return content_.picture;
}

Picture DeviceFrame::write(Queue &queue, const TextureUse &use, Layout layout,
                           std::vector<cl::Event> &after) {
  const std::lock_guard lock(mutex_);
  if (content_.written() && context_ != queue.context().cl()()) wait_noexcept(content_.written);
  prepare(queue, use, layout);
  if (content_.written()) after.push_back(content_.written);
  for (const auto &[reader, end] : content_.read) after.push_back(end);
  return content_.picture;
}

void DeviceFrame::written(Queue &queue, const cl::CommandQueue &reads,
                          std::shared_ptr<Copies> copies) {
  const std::lock_guard lock(mutex_);
  queue.cl().enqueueMarkerWithWaitList(nullptr, &content_.written);
  writer_ = queue.shared_from_this();
  content_.reads = reads;
  content_.copies = std::move(copies);
  valid_ = device_only_ = true;
  const std::lock_guard host_lock(host_mutex_);
  host_valid_ = false;
}

void DeviceFrame::uploaded(Queue &queue, const cl::Event &event) {
  const std::lock_guard lock(mutex_);
  content_.written = event;
  writer_ = queue.shared_from_this();
  valid_ = true;
}

void DeviceFrame::read_until(const Queue &queue, const cl::Event &event) {
  const std::lock_guard lock(mutex_);
  content_.read[queue.cl()()] = event;
}

void DeviceFrame::invalidate() {
  const std::lock_guard lock(mutex_);
  valid_ = device_only_ = false;
}

bool DeviceFrame::device_only() const {
  const std::lock_guard lock(mutex_);
  return device_only_;
}

void DeviceFrame::wait_until_written() const {
  std::unique_lock lock(mutex_);
  const cl::Event written = device_only_ ? content_.written : cl::Event();
  lock.unlock();
  if (written()) wait_noexcept(written);
}

void DeviceFrame::downloaded() {
  const std::lock_guard lock(mutex_);
  device_only_ = false;
}

void DeviceFrame::download(const Content &content, void *host, size_t stride) {
  wait(content.written);
  const std::vector<cl::Event> after{content.written};
  try {
    read_picture(content.reads, content.picture, host, stride, CL_TRUE, &after);
  } catch (...) {
    wait_noexcept(content.reads);  // the device may still use the memory
    throw;
  }
  ++*content.copies;
}

void DeviceFrame::download(void *host, size_t stride) {
  std::unique_lock lock(mutex_);
  const Content content = content_;
  lock.unlock();
  download(content, host, stride);
}

std::shared_ptr<const Pinned> DeviceFrame::on_host(size_t stride) {
  std::unique_lock lock(mutex_);
  if (!device_only_) return nullptr;
  const Content content = content_;
  lock.unlock();
  const std::lock_guard host_lock(host_mutex_);
  if (!host_valid_) {
    const auto context = content.reads.getInfo<CL_QUEUE_CONTEXT>();
    if (!host_ || host_context_ != context())
      host_ = std::make_shared<Pinned>(context, content.reads, stride * content.picture.height);
    host_context_ = context();
    download(content, host_->data(), stride);
    host_valid_ = true;
  }
  return host_;
}

}  // namespace glcl::sharing
