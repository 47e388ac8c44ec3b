// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCL's copy of a frame with sharing method `copy`, and how other users get it.
#include <thread>

#include "fixture.h"
#include "sharing/deviceframe.h"
#include "sharing/texture.h"

using glcl::Layout;
using glcl::sharing::Access;
using glcl::sharing::AcquiredScope;
using glcl::sharing::DeviceFrame;
using glcl::sharing::SharingMethod;
using glcl::sharing::Texture;
using glcl::sharing::TextureUse;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using namespace test::sharing;

namespace {

/// Runs a check on the GL thread for sharing method `copy` and each layout.
void for_copies(const std::function<void(const Gl &, Inverter &, Layout)> &check) {
  for (const Layout layout : {Layout::image, Layout::buffer}) {
    Gl gl;
    gl.run([&] {
      Inverter inverter(gl, SharingMethod::copy);
      check(gl, inverter, layout);
    });
  }
}

}  // namespace

// With sharing method `copy` the frame stays in OpenCL's memory until somebody wants it.
TEST(kept_by_opencl) {
  for_copies([](const Gl &gl, Inverter &inverter, Layout layout) {
    Picture host(gl, 61, 47), once = Picture::handing_over(gl, 61, 47),
                              twice = Picture::handing_over(gl, 61, 47), behind(gl, 61, 47);
    uint64_t copies = 0;
    const auto expect_copies = [&](uint64_t more, const std::string &what) {
      expect(inverter.sharing->copies() - copies == more, what);
      copies = inverter.sharing->copies();
    };
    for (int i = 0; i < 5; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      host.write(frame);
      inverter.invert(host, once, layout);
      expect_copies(1, "to the device");
      expect(DeviceFrame::of(once.memory()).device_only(), "nobody else has it");
      inverter.invert(once, twice, layout);
      inverter.invert(twice, once, layout);
      expect_copies(0, "from OpenCL to OpenCL");
      expect_same(frame, twice.read(), "read on the host");
      expect(DeviceFrame::of(twice.memory()).device_only(), "the host got it from OpenCL");
      expect_same(frame, twice.read(), "again");
      copies = inverter.sharing->copies();
      behind.draw(once);
      expect_copies(1, "out for OpenGL");
      expect(!DeviceFrame::of(once.memory()).device_only(), "which has it then");
      expect_same(inverted(frame), behind.read(), "drawn by OpenGL");
      inverter.invert(once, twice, layout);
      expect_copies(0, "OpenCL still has it");
      expect_same(inverted(frame), once.read(), "on the host");
      expect_same(frame, twice.read(), "and behind");
      copies = inverter.sharing->copies();
    }
  });
}

// A write to such a memory elsewhere is noticed.
TEST(kept_by_opencl_and_written) {
  for_copies([](const Gl &gl, Inverter &inverter, Layout layout) {
    Picture host(gl, 61, 47), other(gl, 61, 47), kept = Picture::handing_over(gl, 61, 47),
                                                 out = Picture::handing_over(gl, 61, 47);
    for (int i = 0; i < 8; i++) {
      const Frame frame = reference::random_frame(61, 47, 2 * i),
                  later = reference::random_frame(61, 47, 2 * i + 1);
      host.write(frame);
      inverter.invert(host, kept, layout);
      if (i & 1) inverter.invert(kept, out, layout);
      other.write(later);
      if (i & 2)
        kept.draw(other);
      else
        kept.write(later);
      if (i & 4) expect_same(later, kept.read(), "what was written");
      inverter.invert(kept, out, layout);
      expect_same(inverted(later), out.read(), "what was written is read");
    }
    // A part of it: the rest is OpenCL's content.
    const Frame frame = reference::random_frame(61, 47);
    host.write(frame);
    inverter.invert(host, kept, layout);
    GstMapInfo map;
    expect(gst_memory_map(GST_MEMORY_CAST(kept.memory()), &map, GST_MAP_READWRITE), "no map");
    Frame expected = inverted(frame);
    expect(std::equal(expected.rgba.begin(), expected.rgba.end(), map.data), "all is there");
    map.data[5] = expected.rgba[5] ^= 255;
    gst_memory_unmap(GST_MEMORY_CAST(kept.memory()), &map);
    inverter.invert(kept, out, layout);
    expect_same(inverted(expected), out.read(), "one byte more");
  });
}

// A reader on the host waits for no OpenGL: its thread is busy here.
TEST(read_without_opengl) {
  for_copies([](const Gl &gl, Inverter &inverter, Layout layout) {
    Picture host(gl, 61, 47), out = Picture::handing_over(gl, 61, 47);
    for (int i = 0; i < 5; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      host.write(frame);
      inverter.invert(host, out, layout);
      Frame first(61, 47), second(61, 47);
      std::thread a([&] { first = out.read(); }), b([&] { second = out.read(); });
      a.join();
      b.join();
      expect_same(inverted(frame), first, "one thread");
      expect_same(inverted(frame), second, "another");
    }
  });
}

// Two queues of one context, and two contexts: each gets what the other wrote.
TEST(kept_for_another_queue) {
  for_copies([](const Gl &gl, Inverter &inverter, Layout layout) {
    Inverter stranger(gl, SharingMethod::copy);
    const auto queue = std::make_shared<glcl::Queue>(inverter.context, true);
    const auto invert_there = [&](const Picture &in, const Picture &out) {
      TextureUse uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
      AcquiredScope scope(*inverter.sharing, gl.context(), *queue, layout, uses, 2);
      inverter.kernels[layout](*queue, {size_t(in.memory()->info.width), 47}, uses[0].picture,
                               uses[1].picture, 61, 47, 1.0f);
      scope.finish();
    };
    Picture host(gl, 61, 47), a = Picture::handing_over(gl, 61, 47),
                              b = Picture::handing_over(gl, 61, 47),
                              c = Picture::handing_over(gl, 61, 47);
    for (int i = 0; i < 10; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      host.write(frame);
      inverter.invert(host, a, layout);
      invert_there(a, b);
      inverter.invert(b, a, layout);
      stranger.invert(a, c, layout == Layout::image ? Layout::buffer : Layout::image);
      expect(DeviceFrame::of(a.memory()).device_only(), "the first keeps it");
      expect_same(frame, c.read(), "in another context");
      inverter.invert(c, b, layout);
      expect_same(inverted(frame), b.read(), "and back");
      expect_same(inverted(frame), a.read(), "the first");
    }
  });
}

// A copy of such a memory is of the plain kind and has OpenCL's content.
TEST(copies_of_memory) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture host(gl, 61, 47), out = Picture::handing_over(gl, 61, 47);
    const Frame frame = reference::random_frame(61, 47);
    host.write(frame);
    inverter.invert(host, out, layout);
    GstMemory *copy = gst_memory_copy(GST_MEMORY_CAST(out.memory()), 0, -1);
    expect(copy && !glcl::sharing::hands_over(GST_GL_MEMORY_CAST(copy)), "a plain texture");
    GstMapInfo map;
    expect(gst_memory_map(copy, &map, GST_MAP_READ), "the copy can't be mapped");
    Frame copied(61, 47);
    std::copy_n(map.data, copied.rgba.size(), copied.rgba.begin());
    gst_memory_unmap(copy, &map);
    gst_memory_unref(copy);
    expect_same(inverted(frame), copied, what + ", the copy");
  });
}
