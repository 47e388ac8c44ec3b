// SPDX-License-Identifier: LGPL-2.1-or-later
// The ways of sharing on textures of a GL context, without any element.
#include "sharing/sharing.h"

#include <CL/cl_ext.h>
#include <gst/gl/gstglfuncs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "elements/pipeline.h"
#include "opencl/error.h"
#include "opencl/kernel.h"
#include "sharing/descriptors.h"
#include "sharing/deviceframe.h"
#include "sharing/dmabuf.h"
#include "sharing/memory.h"
#include "sharing/texture.h"

using glcl::Layout;
using glcl::sharing::Access;
using glcl::sharing::Choice;
using glcl::sharing::choose;
using glcl::sharing::Crossing;
using glcl::sharing::DeviceFrame;
using glcl::sharing::probe;
using glcl::sharing::SemaphoreNumber;
using glcl::sharing::Texture;
using glcl::sharing::Use;
using glcl::sharing::Way;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;

namespace {

/// A GL context of the test's own.
class Gl {
 public:
  Gl() : display_(gst_gl_display_new()) {
    expect(gst_gl_display_create_context(display_, nullptr, &context_, nullptr), "no GL context");
  }
  ~Gl() {
    gst_object_unref(context_);
    gst_object_unref(display_);
  }
  Gl(const Gl &) = delete;

  GstGLContext *context() const { return context_; }

  /// Runs work on the GL thread; what it throws comes out here.
  void run(std::function<void()> work) {
    std::pair<std::function<void()>, std::exception_ptr> job{std::move(work), nullptr};
    gst_gl_context_thread_add(
        context_,
        [](GstGLContext *, gpointer data) {
          auto *job = static_cast<std::pair<std::function<void()>, std::exception_ptr> *>(data);
          try {
            job->first();
          } catch (...) {
            job->second = std::current_exception();
          }
        },
        &job);
    if (job.second) std::rethrow_exception(job.second);
  }

 private:
  GstGLDisplay *display_;
  GstGLContext *context_ = nullptr;
};

/// A texture with its host copy. On the GL thread only.
class Picture {
 public:
  Picture(const Gl &gl, int width, int height) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, width, height);
    auto *allocator =
        GST_GL_BASE_MEMORY_ALLOCATOR(gst_gl_memory_allocator_get_default(gl.context()));
    GstGLVideoAllocationParams *params = gst_gl_video_allocation_params_new(
        gl.context(), nullptr, &info, 0, nullptr, GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA8);
    memory_ = GST_GL_MEMORY_CAST(
        gst_gl_base_memory_alloc(allocator, reinterpret_cast<GstGLAllocationParams *>(params)));
    gst_gl_allocation_params_free(reinterpret_cast<GstGLAllocationParams *>(params));
    gst_object_unref(allocator);
    expect(memory_, "no texture");
  }
  /// Of memory that hands itself over, as the elements' own is.
  static Picture handing_over(const Gl &gl, int width, int height) {
    GstBuffer *buffer =
        glcl::sharing::allocate(gl.context(), nullptr, glcl::PixelFormat::rgba, width, height);
    GstMemory *memory = gst_buffer_get_memory(buffer, 0);
    gst_buffer_unref(buffer);
    return Picture(GST_GL_MEMORY_CAST(memory));
  }
  ~Picture() { gst_memory_unref(GST_MEMORY_CAST(memory_)); }
  Picture(const Picture &) = delete;

  GstGLMemory *memory() const { return memory_; }

  /// Writes the frame as an element in host memory does.
  void write(const Frame &frame) {
    GstMapInfo map = this->map(GST_MAP_WRITE);
    expect(map.size == frame.rgba.size(), "rows have gaps");
    std::copy(frame.rgba.begin(), frame.rgba.end(), map.data);
    unmap(map);
  }

  /// Has OpenGL draw another picture here so many times, and does not wait for it.
  void draw(const Picture &other, int times = 1) {
    const GstGLFuncs *gl = memory_->mem.context->gl_vtable;
    GstMapInfo source = other.map(GST_MAP_READ | GST_MAP_GL);
    GstMapInfo target = map(GST_MAP_WRITE | GST_MAP_GL);
    const GLenum targets[] = {GL_READ_FRAMEBUFFER, GL_DRAW_FRAMEBUFFER};
    GLuint framebuffers[2];
    gl->GenFramebuffers(2, framebuffers);
    for (int i = 0; i < 2; i++) {
      gl->BindFramebuffer(targets[i], framebuffers[i]);
      gl->FramebufferTexture2D(targets[i], GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               (i == 0 ? other : *this).memory_->tex_id, 0);
    }
    const int width = gst_gl_memory_get_texture_width(memory_);
    const int height = gst_gl_memory_get_texture_height(memory_);
    for (int i = 0; i < times; i++)
      gl->BlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(2, framebuffers);
    unmap(target);
    other.unmap(source);
  }

  Frame read() const {
    Frame frame(gst_gl_memory_get_texture_width(memory_),
                gst_gl_memory_get_texture_height(memory_));
    GstMapInfo map = this->map(GST_MAP_READ);
    std::copy_n(map.data, frame.rgba.size(), frame.rgba.begin());
    unmap(map);
    return frame;
  }

 private:
  explicit Picture(GstGLMemory *memory) : memory_(memory) {}

  GstMapInfo map(int flags) const {
    GstMapInfo map;
    expect(gst_memory_map(GST_MEMORY_CAST(memory_), &map, static_cast<GstMapFlags>(flags)),
           "the texture can't be mapped");
    return map;
  }
  void unmap(GstMapInfo &map) const { gst_memory_unmap(GST_MEMORY_CAST(memory_), &map); }

  GstGLMemory *memory_;
};

/// A way with all that it needs to invert pictures.
struct Inverter {
  Inverter(const Gl &gl, const Way &way)
      : choice(choose(gl.context(), "auto", {&way})),
        context(std::make_shared<glcl::Context>(choice.device, choice.factory.properties)),
        queue_owner(std::make_shared<glcl::Queue>(context)),
        queue(*queue_owner),
        sharing(choice.factory.make()) {
    for (const Layout layout : {Layout::image, Layout::buffer})
      kernels[layout] =
          glcl::Kernel(*context, context->program("invert/invert.cl", glcl::frame_options(layout)),
                       "invert", {8, 8});
  }

  void enqueue(const glcl::Picture &in, const glcl::Picture &out) {
    kernels[in.layout](queue, {size_t(in.width), size_t(in.height)}, in, out, in.width, in.height,
                       1.0f);
  }

  /// The frame goes on as it came.
  void look(const Picture &in, Layout layout) {
    Use use(in.memory(), Access::pass_on);
    Crossing crossing(*sharing, queue, layout, &use, 1);
    crossing.finish();
  }

  void invert(const Picture &in, const Picture &out, Layout layout) {
    Use uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
    Crossing crossing(*sharing, queue, layout, uses, 2);
    enqueue(uses[0].picture, uses[1].picture);
    crossing.finish();
  }

  Choice choice;
  std::shared_ptr<glcl::Context> context;
  std::shared_ptr<glcl::Queue> queue_owner;
  glcl::Queue &queue;
  std::unique_ptr<glcl::sharing::Sharing> sharing;
  std::map<Layout, glcl::Kernel> kernels;
};

std::vector<const Way *> usable_ways() {
  return test::shares_textures() ? std::vector{&Way::gl, &Way::copy} : std::vector{&Way::copy};
}

/// Runs a check on the GL thread for each way that can be had and each layout.
void for_each_way(const std::function<void(const Gl &, Inverter &, Layout, std::string)> &check) {
  for (const Way *way : usable_ways())
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      Gl gl;
      gl.run([&] {
        Inverter inverter(gl, *way);
        check(gl, inverter, layout,
              std::string(way->name) + (layout == Layout::image ? ", image" : ", buffer"));
      });
    }
}

glcl::Error error_of(Gl &gl, const std::function<void()> &work) {
  try {
    gl.run(work);
  } catch (const glcl::Error &error) {
    return error;
  }
  fail("no glcl::Error was thrown");
  return glcl::Error(glcl::Error::Kind::failed, "");
}

}  // namespace

// OpenGL draws each frame right before OpenCL reads it, and reads it right after.
GST_START_TEST(frames_drawn_by_opengl) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    constexpr int width = 1024, height = 768;
    Picture before(gl, width, height), host(gl, width, height), in(gl, width, height),
        out(gl, width, height), behind(gl, width, height);
    before.write(reference::flat_frame(width, height));
    for (int i = 0; i < 10; i++) {
      const Frame frame = reference::random_frame(width, height, i);
      host.write(frame);
      in.draw(before, 30);
      in.draw(host);
      inverter.invert(in, out, layout);
      behind.draw(out);
      expect_same(inverted(frame), behind.read(), what + ", frame " + std::to_string(i));
    }
  });
}
GST_END_TEST

// Drivers on the CPU may order OpenGL and OpenCL by themselves, and hide a missing wait from the
// frames above. So the waits are counted, and one is made to fail.
GST_START_TEST(opengl_is_waited_for) {
  if (!test::shares_textures()) return;
  Gl gl;
  gl.run([&] {
    Inverter inverter(gl, Way::gl);
    if (inverter.choice.device.has_extension("cl_khr_gl_event")) return;
    GstGLFuncs *functions = gl.context()->gl_vtable;
    static int waits;
    static GLenum status;
    waits = 0;
    status = GL_ALREADY_SIGNALED;
    functions->ClientWaitSync = [](GLsync, GLbitfield, GLuint64) {
      waits++;
      return status;
    };
    Picture host(gl, 64, 48), in(gl, 64, 48), out(gl, 64, 48);
    const Frame frame = reference::random_frame(64, 48);
    host.write(frame);
    for (int i = 1; i <= 3; i++) {
      in.draw(host);
      inverter.invert(in, out, Layout::image);
      expect(waits == i, "one wait for the textures of a frame");
    }

    status = GL_TIMEOUT_EXPIRED;
    std::string message;
    try {
      inverter.invert(in, out, Layout::image);
    } catch (const glcl::Error &error) {
      message = error.what();
    }
    expect(message.find("OpenGL did not finish") != std::string::npos, "no error: " + message);
    status = GL_CONDITION_SATISFIED;
    inverter.invert(in, out, Layout::image);
    expect_same(inverted(frame), out.read(), "after the error");
  });
}
GST_END_TEST

GST_START_TEST(frames_written_by_the_host) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {61, 47}, {640, 3}}) {
      Picture in(gl, width, height), out(gl, width, height);
      for (int i = 0; i < 5; i++) {
        const Frame frame = reference::random_frame(width, height, i);
        in.write(frame);
        inverter.invert(in, out, layout);
        expect_same(inverted(frame), out.read(), what);
        expect_same(frame, in.read(), what + ", the input");
      }
    }
  });
}
GST_END_TEST

// The driver gives the id of a texture that is gone to the next one.
GST_START_TEST(reused_texture_ids) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture host(gl, 64, 48), out(gl, 64, 48);
    guint last = 0;
    int reused = 0;
    for (int i = 0; i < 20; i++) {
      const Frame frame = reference::random_frame(64, 48, i);
      Picture in(gl, 64, 48);
      reused += in.memory()->tex_id == last;
      last = in.memory()->tex_id;
      host.write(frame);
      in.draw(host);
      inverter.invert(in, out, layout);
      expect_same(inverted(frame), out.read(), what);
    }
    expect(reused > 10 || inverter.choice.way == &Way::copy, "no id was reused: nothing is tested");
  });
}
GST_END_TEST

GST_START_TEST(crossing_that_fails) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture in(gl, 64, 48), out(gl, 64, 48);
    for (int i = 0; i < 10; i++) {
      const Frame frame = reference::random_frame(64, 48, i);
      in.write(frame);
      try {
        Use uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
        Crossing crossing(*inverter.sharing, inverter.queue, layout, uses, 2);
        throw std::runtime_error("no kernel");
      } catch (const std::runtime_error &) {
      }
      for (const Picture *picture : {&in, &out})
        expect(!Texture::of(picture->memory()).holder(), what + ": the textures are OpenGL's");
      inverter.invert(in, out, layout);
      expect_same(inverted(frame), out.read(), what);
    }
  });
}
GST_END_TEST

GST_START_TEST(copies_are_counted) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    const bool copies = inverter.choice.way == &Way::copy;
    Picture host(gl, 64, 48), in(gl, 64, 48), out(gl, 64, 48);
    host.write(reference::random_frame(64, 48));
    inverter.invert(host, out, layout);
    expect(inverter.sharing->copies() == (copies ? 2 : 0), what + ": to the device and back");
    in.draw(host);
    inverter.invert(in, out, layout);
    expect(inverter.sharing->copies() == (copies ? 5 : 0), what + ": read from OpenGL first");
  });
}
GST_END_TEST

GST_START_TEST(several_textures_in_one_crossing) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture a(gl, 64, 48), b(gl, 31, 17), a_out(gl, 64, 48), b_out(gl, 31, 17);
    for (int i = 0; i < 5; i++) {
      const Frame of_a = reference::random_frame(64, 48, i),
                  of_b = reference::random_frame(31, 17, i);
      a.write(of_a);
      b.write(of_b);
      Use uses[] = {{a.memory(), Access::read},
                    {b.memory(), Access::read},
                    {b_out.memory(), Access::write},
                    {a_out.memory(), Access::write}};
      Crossing crossing(*inverter.sharing, inverter.queue, layout, uses, 4);
      inverter.enqueue(uses[0].picture, uses[3].picture);
      inverter.enqueue(uses[1].picture, uses[2].picture);
      crossing.finish();
      expect_same(inverted(of_a), a_out.read(), what);
      expect_same(inverted(of_b), b_out.read(), what);
    }
  });
}
GST_END_TEST

// The image of a texture is made once per OpenCL context, and is the kernel's on the gl way.
GST_START_TEST(image_of_a_texture) {
  if (!test::shares_textures()) return;
  Gl gl;
  gl.run([&] {
    Inverter one(gl, Way::gl), another(gl, Way::gl);
    Picture in(gl, 64, 48), out(gl, 64, 48);
    Texture &texture = Texture::of(in.memory());
    expect(&texture == &Texture::of(in.memory()), "a memory has one record");
    expect(&texture != &Texture::of(out.memory()), "another memory has another");
    const cl_mem image = texture.image(one.context)();
    expect(image == texture.image(one.context)(), "one image per context");
    expect(image != texture.image(another.context)(), "another context has another image");

    Use uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
    Crossing crossing(*one.sharing, one.queue, Layout::image, uses, 2);
    expect(uses[0].picture.image() == image, "the kernel gets that image");
    expect(texture.holder() == &one.queue, "the queue holds the texture");
    crossing.finish();
    expect(!texture.holder(), "OpenGL has it back");
  });
}
GST_END_TEST

// OpenGL is waited for when it wrote a picture, not between two of OpenCL, and gets what it asks
// for.
GST_START_TEST(handed_on_without_opengl) {
  if (!test::shares_textures()) return;
  for (const Layout layout : {Layout::image, Layout::buffer}) {
    Gl gl;
    gl.run([&] {
      Inverter inverter(gl, Way::gl);
      GstGLFuncs *functions = gl.context()->gl_vtable;
      static decltype(functions->ClientWaitSync) wait;
      static int waits;
      wait = functions->ClientWaitSync;
      waits = 0;
      functions->ClientWaitSync = [](GLsync sync, GLbitfield flags, GLuint64 timeout) {
        waits++;
        return wait(sync, flags, timeout);
      };
      Picture host(gl, 61, 47), in = Picture::handing_over(gl, 61, 47),
                                once = Picture::handing_over(gl, 61, 47),
                                twice = Picture::handing_over(gl, 61, 47), behind(gl, 61, 47);
      for (int i = 0; i < 5; i++) {
        const Frame frame = reference::random_frame(61, 47, i);
        host.write(frame);
        in.draw(host);
        waits = 0;
        inverter.invert(in, once, layout);
        expect(waits == 1, "one wait for what OpenGL drew");
        expect(!Texture::of(in.memory()).holder(), "what OpenGL wrote stays its own");
        expect(Texture::of(once.memory()).holder() == &inverter.queue, "OpenCL keeps it");
        inverter.invert(once, twice, layout);
        waits = 0;
        inverter.invert(twice, once, layout);
        inverter.invert(once, twice, layout);
        expect(waits == 0, "no wait between two of OpenCL");

        expect_same(frame, twice.read(), "read by the host");
        expect(!Texture::of(twice.memory()).holder(), "the host has it");
        behind.draw(once);
        expect_same(inverted(frame), behind.read(), "drawn by OpenGL");
      }
    });
  }
}
GST_END_TEST

// What goes on as it came is not given back in between, and not changed.
GST_START_TEST(passed_on) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    const bool copies = inverter.choice.way == &Way::copy;
    Picture host(gl, 61, 47), in = Picture::handing_over(gl, 61, 47),
                              out = Picture::handing_over(gl, 61, 47), behind(gl, 61, 47);
    for (int i = 0; i < 5; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      host.write(frame);
      in.draw(host);
      const auto before = inverter.sharing->copies();
      inverter.look(in, layout);
      expect(copies || Texture::of(in.memory()).holder() == &inverter.queue, what + ": it stays");
      inverter.look(in, layout);
      inverter.invert(in, out, layout);
      expect(inverter.sharing->copies() - before == (copies ? 2 : 0), what + ": it crosses once");
      behind.draw(in);
      expect_same(frame, behind.read(), what + ", drawn by OpenGL");
      expect_same(inverted(frame), out.read(), what + ", the output");
      inverter.look(host, layout);
      expect(!Texture::of(host.memory()).holder(), what + ": a foreign one goes back");
    }
  });
}
GST_END_TEST

namespace {

/// Runs a check on the GL thread for the way `copy` and each layout.
void for_copies(const std::function<void(const Gl &, Inverter &, Layout)> &check) {
  for (const Layout layout : {Layout::image, Layout::buffer}) {
    Gl gl;
    gl.run([&] {
      Inverter inverter(gl, Way::copy);
      check(gl, inverter, layout);
    });
  }
}

}  // namespace

// On the way `copy` the frame stays in OpenCL's memory until somebody wants it.
GST_START_TEST(kept_by_opencl) {
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
      expect(DeviceFrame::of(once.memory()).alone(), "nobody else has it");
      inverter.invert(once, twice, layout);
      inverter.invert(twice, once, layout);
      expect_copies(0, "from OpenCL to OpenCL");
      expect_same(frame, twice.read(), "read on the host");
      expect(DeviceFrame::of(twice.memory()).alone(), "the host got it from OpenCL");
      expect_same(frame, twice.read(), "again");
      copies = inverter.sharing->copies();
      behind.draw(once);
      expect_copies(1, "out for OpenGL");
      expect(!DeviceFrame::of(once.memory()).alone(), "which has it then");
      expect_same(inverted(frame), behind.read(), "drawn by OpenGL");
      inverter.invert(once, twice, layout);
      expect_copies(0, "OpenCL still has it");
      expect_same(inverted(frame), once.read(), "on the host");
      expect_same(frame, twice.read(), "and behind");
      copies = inverter.sharing->copies();
    }
  });
}
GST_END_TEST

// Whoever writes such a memory elsewhere is seen.
GST_START_TEST(kept_by_opencl_and_written) {
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
    // A part of it: the rest is what OpenCL wrote.
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
GST_END_TEST

// A reader on the host waits for no OpenGL: its thread is busy here.
GST_START_TEST(read_without_opengl) {
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
GST_END_TEST

// Two queues of one context, and two contexts: each gets what the other wrote.
GST_START_TEST(kept_for_another_queue) {
  for_copies([](const Gl &gl, Inverter &inverter, Layout layout) {
    Inverter stranger(gl, Way::copy);
    const auto queue = std::make_shared<glcl::Queue>(inverter.context, true);
    const auto invert_there = [&](const Picture &in, const Picture &out) {
      Use uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
      Crossing crossing(*inverter.sharing, *queue, layout, uses, 2);
      inverter.kernels[layout](*queue, {size_t(in.memory()->info.width), 47}, uses[0].picture,
                               uses[1].picture, 61, 47, 1.0f);
      crossing.finish();
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
      expect(DeviceFrame::of(a.memory()).alone(), "the first keeps it");
      expect_same(frame, c.read(), "in another context");
      inverter.invert(c, b, layout);
      expect_same(inverted(frame), b.read(), "and back");
      expect_same(inverted(frame), a.read(), "the first");
    }
  });
}
GST_END_TEST

// A copy of such a memory is of the plain kind and holds what OpenCL wrote.
GST_START_TEST(copies_of_memory) {
  for_each_way([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
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
GST_END_TEST

// The half of the dma-buf form that llvmpipe can do: the memory it exports is the texture's own.
GST_START_TEST(exported_dma_buf) {
  Gl gl;
  gl.run([&] {
    if (!glcl::sharing::exports_dma_bufs(gl.context())) return;
    constexpr int width = 64, height = 47;
    const auto texture = glcl::sharing::export_texture(
        gl.context(), glcl::PixelFormat::rgba.planes[0], width, height);
    const guint id = texture->texture();
    const GstGLFuncs *functions = gl.context()->gl_vtable;
    for (int i = 0; i < 3; i++) {
      const Frame frame = reference::random_frame(width, height, i);
      functions->BindTexture(GL_TEXTURE_2D, id);
      functions->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE,
                               frame.rgba.data());
      functions->Finish();
      const glcl::sharing::ExportedTexture::Handle handle = texture->handle();
      expect(handle.type == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, "a dma-buf");
      expect(handle.pitch >= width * 4, "rows lie one behind the other");
      void *memory =
          mmap(nullptr, handle.pitch * height, PROT_READ, MAP_SHARED, handle.descriptor, 0);
      close(handle.descriptor);
      expect(memory != MAP_FAILED, "the memory can be mapped");
      Frame seen(width, height);
      for (int y = 0; y < height; y++)
        std::copy_n(static_cast<const uint8_t *>(memory) + y * handle.pitch, width * 4,
                    seen.rgba.begin() + y * width * 4);
      munmap(memory, handle.pitch * height);
      expect_same(frame, seen, "seen in the dma-buf");
    }
    functions->BindTexture(GL_TEXTURE_2D, 0);
    functions->DeleteTextures(1, &id);
  });
}
GST_END_TEST

// A driver closes a semaphore's descriptor in its import. The number is the same for all, nobody
// else gets it in between, and what somebody else opened there stays open.
GST_START_TEST(number_of_semaphores) {
  const auto file = [](int number) {
    struct stat status = {};
    return fstat(number, &status) == 0 ? status.st_ino : 0;
  };
  const auto some_file = [] { return memfd_create("semaphore", MFD_CLOEXEC); };
  const std::lock_guard lock(glcl::sharing::imports());
  int number = -1;
  for (int i = 0; i < 3; i++) {
    const int descriptor = some_file();
    const ino_t wanted = file(descriptor);
    {
      const SemaphoreNumber semaphore(descriptor);
      expect(file(semaphore.number()) == wanted, "it is the semaphore's");
      expect(i == 0 || semaphore.number() == number, "one number for all");
      expect(semaphore.number() != descriptor && !file(descriptor), "nothing else is left open");
      number = semaphore.number();
      close(number);
    }
    expect(file(number) && file(number) != wanted, "the number is kept");
  }

  const int other = some_file();
  {
    const SemaphoreNumber semaphore(some_file());
    dup2(other, number);
  }
  expect(file(number) == file(other), "somebody else's file stays open");
  {
    SemaphoreNumber semaphore(some_file());
    expect(semaphore.number() != number, "another number from then on");
    semaphore.refused();
    expect(!file(semaphore.number()), "a descriptor that was refused is closed");
  }
  close(number);
  close(other);
}
GST_END_TEST

// The table's numbers are those of GStreamer's own tables.
GST_START_TEST(formats) {
  for (const glcl::PixelFormat *format : glcl::PixelFormat::all) {
    GstVideoInfo info;
    const std::string name = format->name;
    gst_video_info_set_format(&info, gst_video_format_from_string(format->name), 64, 48);
    expect(&glcl::sharing::format_of(info) == format, name + " is found by its name");
    expect(int(GST_VIDEO_INFO_N_PLANES(&info)) == format->plane_count, name + ": planes");
    for (int i = 0; i < format->plane_count; i++) {
      const glcl::PlaneFormat &plane = format->planes[i];
      GstGLFormat base;
      guint type;
      gst_gl_format_type_from_sized_gl_format(static_cast<GstGLFormat>(plane.gl), &base, &type);
      expect(base == plane.gl_base, name + ": OpenGL's formats");
      expect(gst_gl_format_type_n_bytes(base, type) == plane.bytes, name + ": bytes of a pixel");
    }
  }
  expect(!glcl::PixelFormat::find("NV12"), "NV12 is not in the table");
}
GST_END_TEST

GST_START_TEST(choice) {
  Gl gl;
  gl.run([&] {
    const std::vector<const Way *> all(std::begin(Way::all), std::end(Way::all));
    const Choice choice = choose(gl.context(), "auto", all);
    expect(std::string(choice.way->name) == test::expected_way(), "the best way");
    expect(choice.factory.properties.empty() == (choice.way == &Way::copy),
           "properties of the GL context");
    expect(choice.fallback_reason.empty() == (choice.way == &Way::gl), "why gl can't be had");
    expect(choice.way == &Way::gl ||
               choice.fallback_reason.find("cl_khr_gl_sharing") != std::string::npos,
           "the reason names the extension: " + choice.fallback_reason);
    expect(probe(Way::copy, gl.context(), choice.device).obstacle.empty(), "copy always works");
    expect(choose(gl.context(), "auto", {&Way::copy}).fallback_reason.empty(),
           "copy by name is no fallback");
  });
}
GST_END_TEST

GST_START_TEST(way_that_cannot_be_had) {
  Gl gl;
  std::vector ways{&Way::external};
  if (!test::shares_textures()) ways.push_back(&Way::gl);
  for (const Way *way : ways) {
    const std::string name = std::string("sharing=") + way->name;
    const glcl::Error error = error_of(gl, [&] { choose(gl.context(), "auto", {way}); });
    expect(error.kind() == glcl::Error::Kind::not_found, name + " is not found");
    for (const std::string &word : {name, std::string("sharing=auto"), std::string("sharing=copy")})
      expect(std::string(error.what()).find(word) != std::string::npos,
             word + " is not in: " + error.what());
  }
}
GST_END_TEST

// What is missing stays missing, but a failure may pass.
GST_START_TEST(asked_again_after_a_failure) {
  static int asked;
  static glcl::Error::Kind kind;
  asked = 0;
  const Way way{"test", "Fails at first", [](GstGLContext *, const glcl::Device &) {
                  if (++asked == 1) throw glcl::Error(kind, "not now");
                  return glcl::sharing::Factory{};
                }};
  for (const auto &[first, again] : {std::pair{glcl::Error::Kind::failed, true},
                                     std::pair{glcl::Error::Kind::not_found, false}}) {
    Gl gl;
    asked = 0;
    kind = first;
    gl.run([&, again = again] {
      const glcl::Device device = glcl::devices().front();
      expect(probe(way, gl.context(), device).obstacle == "not now", "the reason");
      expect(probe(way, gl.context(), device).obstacle.empty() == again, "asked again");
      probe(way, gl.context(), device);
      expect(asked == (again ? 2 : 1), "once known, it is not asked");
    });
  }
}
GST_END_TEST

GST_START_TEST(frame_larger_than_images) {
  Gl gl;
  Choice choice;
  gl.run([&] { choice = choose(gl.context(), "auto", {&Way::copy}); });
  const auto widest = static_cast<int>(choice.device.device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>());
  if (widest >= 16384) return;  // OpenGL's widest here
  const std::string width = std::to_string(widest + 1);
  const glcl::Error error = error_of(gl, [&] {
    Inverter inverter(gl, Way::copy);
    Picture in(gl, widest + 1, 2), out(gl, widest + 1, 2);
    inverter.invert(in, out, Layout::image);
  });
  expect(error.kind() == glcl::Error::Kind::settings &&
             std::string(error.what()).find(width) != std::string::npos,
         std::string("the error names the size: ") + error.what());
  gl.run([&] {
    Inverter inverter(gl, Way::copy);
    Picture in(gl, widest + 1, 2), out(gl, widest + 1, 2);
    const Frame frame = reference::random_frame(widest + 1, 2);
    in.write(frame);
    inverter.invert(in, out, Layout::buffer);
    expect_same(inverted(frame), out.read(), "buffers have no such limit");
  });
}
GST_END_TEST

static Suite *sharing_suite() {
  Suite *suite = suite_create("sharing");
  TCase *tcase = test::add_tcase(suite, "sharing");
  tcase_add_test(tcase, frames_drawn_by_opengl);
  tcase_add_test(tcase, opengl_is_waited_for);
  tcase_add_test(tcase, frames_written_by_the_host);
  tcase_add_test(tcase, reused_texture_ids);
  tcase_add_test(tcase, crossing_that_fails);
  tcase_add_test(tcase, copies_are_counted);
  tcase_add_test(tcase, several_textures_in_one_crossing);
  tcase_add_test(tcase, image_of_a_texture);
  tcase_add_test(tcase, handed_on_without_opengl);
  tcase_add_test(tcase, passed_on);
  tcase_add_test(tcase, kept_by_opencl);
  tcase_add_test(tcase, kept_by_opencl_and_written);
  tcase_add_test(tcase, read_without_opengl);
  tcase_add_test(tcase, kept_for_another_queue);
  tcase_add_test(tcase, copies_of_memory);
  tcase_add_test(tcase, exported_dma_buf);
  tcase_add_test(tcase, number_of_semaphores);
  tcase_add_test(tcase, formats);
  tcase_add_test(tcase, choice);
  tcase_add_test(tcase, way_that_cannot_be_had);
  tcase_add_test(tcase, asked_again_after_a_failure);
  tcase_add_test(tcase, frame_larger_than_images);
  return suite;
}

int main(int argc, char **argv) { return test::run(argc, argv, sharing_suite, "sharing"); }
