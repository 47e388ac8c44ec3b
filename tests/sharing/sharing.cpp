// SPDX-License-Identifier: LGPL-2.1-or-later
// The methods of sharing on textures of a GL context, without any element.
#include <future>
#include <thread>

#include "fixture.h"
#include "sharing/allocator.h"
#include "sharing/texture.h"

#ifndef GL_PIXEL_UNPACK_BUFFER
#define GL_PIXEL_UNPACK_BUFFER 0x88EC
#endif

using glcl::Layout;
using glcl::sharing::Access;
using glcl::sharing::AcquiredScope;
using glcl::sharing::SharingMethod;
using glcl::sharing::Texture;
using glcl::sharing::TextureSharing;
using glcl::sharing::TextureUse;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using namespace test::sharing;

// OpenGL draws each frame right before OpenCL reads it, and reads it right after.
TEST(frames_drawn_by_opengl) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
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

namespace {

/// True if the host waits for OpenGL, as no extension of the device makes OpenCL wait.
bool host_waits(const Inverter &inverter) {
  return !inverter.choice.device.has_extension(
      inverter.choice.method == &SharingMethod::egl ? "cl_khr_egl_event" : "cl_khr_gl_event");
}

}  // namespace

// Drivers on the CPU may order OpenGL and OpenCL by themselves, and hide a missing wait from the
// frames above. So the waits are counted, and one is made to fail.
TEST(opengl_is_waited_for) {
  if (!direct_method()) return;
  Gl gl;
  gl.run([&] {
    Inverter inverter(gl, *direct_method());
    if (!host_waits(inverter)) return;
    GstGLFuncs *functions = gl.context()->gl_vtable;
    static decltype(functions->ClientWaitSync) wait;
    static int waits;
    static GLenum status;
    wait = functions->ClientWaitSync;
    waits = 0;
    status = GL_ALREADY_SIGNALED;
    functions->ClientWaitSync = [](GLsync sync, GLbitfield flags, GLuint64 timeout) {
      waits++;
      wait(sync, flags, timeout);
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

TEST(frames_written_by_the_host) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
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

// The driver gives the id of a texture that is gone to the next one.
TEST(reused_texture_ids) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
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
    expect(reused > 10 || inverter.choice.method == &SharingMethod::copy,
           "no id was reused: nothing is tested");
  });
}

TEST(crossing_that_fails) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture in(gl, 64, 48), out(gl, 64, 48);
    for (int i = 0; i < 10; i++) {
      const Frame frame = reference::random_frame(64, 48, i);
      in.write(frame);
      try {
        TextureUse uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
        AcquiredScope scope(*inverter.sharing, gl.context(), inverter.queue, layout, uses, 2);
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

TEST(copies_are_counted) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    const bool copies = inverter.choice.method == &SharingMethod::copy;
    Picture host(gl, 64, 48), in(gl, 64, 48), out(gl, 64, 48);
    host.write(reference::random_frame(64, 48));
    inverter.invert(host, out, layout);
    expect(inverter.sharing->copies() == (copies ? 2 : 0), what + ": to the device and back");
    in.draw(host);
    inverter.invert(in, out, layout);
    expect(inverter.sharing->copies() == (copies ? 5 : 0), what + ": read from OpenGL first");
  });
}

TEST(several_textures_in_one_crossing) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture a(gl, 64, 48), b(gl, 31, 17), a_out(gl, 64, 48), b_out(gl, 31, 17);
    for (int i = 0; i < 5; i++) {
      const Frame of_a = reference::random_frame(64, 48, i),
                  of_b = reference::random_frame(31, 17, i);
      a.write(of_a);
      b.write(of_b);
      TextureUse uses[] = {{a.memory(), Access::read},
                           {b.memory(), Access::read},
                           {b_out.memory(), Access::write},
                           {a_out.memory(), Access::write}};
      AcquiredScope scope(*inverter.sharing, gl.context(), inverter.queue, layout, uses, 4);
      inverter.enqueue(uses[0].picture, uses[3].picture);
      inverter.enqueue(uses[1].picture, uses[2].picture);
      scope.finish();
      expect_same(inverted(of_a), a_out.read(), what);
      expect_same(inverted(of_b), b_out.read(), what);
    }
  });
}

namespace {

/// The user of textures that this inverter is, with a method that works in them.
Texture::User user_of(const Inverter &inverter) {
  return {*inverter.context, dynamic_cast<TextureSharing &>(*inverter.sharing).interop()};
}

}  // namespace

// The image of a texture is made once per OpenCL context, and is the kernel's.
TEST(image_of_a_texture) {
  if (!direct_method()) return;
  Gl gl;
  gl.run([&] {
    Inverter one(gl, *direct_method()), another(gl, *direct_method());
    Picture in = Picture::handing_over(gl, 64, 48), out = Picture::handing_over(gl, 64, 48);
    Texture &texture = Texture::of(in.memory());
    expect(&texture == &Texture::of(in.memory()), "a memory has one record");
    expect(&texture != &Texture::of(out.memory()), "another memory has another");
    const cl_mem image = texture.image(user_of(one))();
    expect(image == texture.image(user_of(one))(), "one image per context");
    expect(image != texture.image(user_of(another))(), "another context has another image");

    TextureUse uses[] = {{in.memory(), Access::read}, {out.memory(), Access::write}};
    AcquiredScope scope(*one.sharing, gl.context(), one.queue, Layout::image, uses, 2);
    expect(uses[0].picture.image() == image, "the kernel gets that image");
    expect(texture.holder() == &one.queue, "the queue holds the texture");
    scope.finish();
    texture.to_gl();
    expect(!texture.holder(), "OpenGL has it back");
  });
}

// A picture that OpenGL wrote is waited for, not one between two users in OpenCL, and OpenGL gets
// it on request.
TEST(handed_on_without_opengl) {
  if (!direct_method()) return;
  for (const Layout layout : {Layout::image, Layout::buffer}) {
    Gl gl;
    gl.run([&] {
      Inverter inverter(gl, *direct_method());
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
        expect(waits == host_waits(inverter), "one wait for what OpenGL drew");
        expect(Texture::of(in.memory()).holder() == &inverter.queue, "OpenCL keeps what it read");
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

// A frame that is passed on unchanged is not released in between, and not changed.
TEST(passed_on) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    const bool copies = inverter.choice.method == &SharingMethod::copy;
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

// OpenGL, which once requested a picture, may read it later without a request, as elements in
// another branch do. OpenCL's reads in between have finished by then, as the checker verifies.
TEST(read_by_opengl_too) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    const bool copies = inverter.choice.method == &SharingMethod::copy;
    Picture host(gl, 61, 47), in = Picture::handing_over(gl, 61, 47),
                              out = Picture::handing_over(gl, 61, 47), behind(gl, 61, 47);
    for (int i = 0; i < 5; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      host.write(frame);
      if (i & 1)
        in.draw(host);
      else
        inverter.invert(host, in, layout);
      const Frame expected = i & 1 ? frame : inverted(frame);
      behind.draw(in);
      expect_same(expected, behind.read(), what + ", OpenGL asks");
      inverter.look(in, layout);
      expect(copies || !Texture::of(in.memory()).holder(), what + ": it goes back");
      behind.draw_mapped(in);
      expect_same(expected, behind.read(), what + ", behind one that looks");
      inverter.invert(in, out, layout);
      behind.draw_mapped(in);
      expect_same(expected, behind.read(), what + ", behind one that reads");
      expect_same(inverted(expected), out.read(), what + ", the output");
    }
  });
}

// Frames that OpenCL holds go from queue to queue, on threads that OpenGL knows nothing of.
TEST(held_frames_need_no_opengl) {
  for (const SharingMethod *method : usable_methods())
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      Gl gl;
      std::unique_ptr<Inverter> first, second;
      std::unique_ptr<Picture> host, in, once, twice;
      const Frame frame = reference::random_frame(61, 47);
      gl.run([&] {
        first = std::make_unique<Inverter>(gl, *method);
        second = std::make_unique<Inverter>(gl, *method, first->context);
        host = std::make_unique<Picture>(gl, 61, 47);
        for (auto *picture : {&in, &once, &twice})
          picture->reset(new Picture(Picture::handing_over(gl, 61, 47)));
        host->write(frame);
        first->invert(*host, *in, layout);
        second->invert(*in, *once, layout);
        first->invert(*once, *twice, layout);
      });
      std::promise<void> begun, done;
      std::thread opengl([&] {
        gl.run([&] {
          begun.set_value();
          done.get_future().wait();
        });
      });
      begun.get_future().wait();
      for (int i = 0; i < 10; i++) {
        second->invert(*twice, *once, layout);
        first->invert(*once, *twice, layout);
        if (i & 1) first->look(*twice, layout);
      }
      done.set_value();
      opengl.join();
      gl.run([&] {
        expect_same(inverted(frame), twice->read(), method->name);
        expect_same(frame, once->read(), method->name);
        for (auto *picture : {&host, &in, &once, &twice}) picture->reset();
        first.reset();
        second.reset();
      });
    }
}

// Elements may differ in their methods and OpenCL contexts.
TEST(several_methods_on_one_texture) {
  for (const Layout layout : {Layout::image, Layout::buffer}) {
    Gl gl;
    gl.run([&] {
      std::vector<std::unique_ptr<Inverter>> inverters;
      for (int i = 0; i < 2; i++)
        for (const SharingMethod *method : usable_methods())
          inverters.push_back(std::make_unique<Inverter>(gl, *method));
      Picture host(gl, 61, 47), in = Picture::handing_over(gl, 61, 47),
                                once = Picture::handing_over(gl, 61, 47),
                                twice = Picture::handing_over(gl, 61, 47), behind(gl, 61, 47);
      for (size_t i = 0; i < inverters.size(); i++)
        for (size_t j = 0; j < inverters.size(); j++) {
          const std::string what = std::string(inverters[i]->choice.method->name) + ", " +
                                   inverters[j]->choice.method->name;
          const Frame frame = reference::random_frame(61, 47, int(4 * i + j));
          host.write(frame);
          in.draw(host);
          inverters[i]->look(in, layout);
          inverters[i]->invert(in, once, layout);
          inverters[j]->look(in, layout);
          inverters[j]->invert(once, twice, layout);
          inverters[i]->look(twice, layout);
          inverters[i]->invert(twice, once, layout);
          behind.draw(once);
          expect_same(inverted(frame), behind.read(), what + ", drawn");
          expect_same(frame, twice.read(), what + ", read");
          expect_same(frame, in.read(), what + ", the input");
        }
    });
  }
}

// OpenCL shares with one GL context only: textures of another one of its group go back at once.
TEST(textures_of_another_gl_context) {
  for (const SharingMethod *method : usable_methods())
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      Gl gl, second(gl);
      std::unique_ptr<Inverter> inverter;
      std::unique_ptr<Picture> host, in, out;
      gl.run([&] { inverter = std::make_unique<Inverter>(gl, *method); });
      second.run([&] {
        for (auto *picture : {&host, &in, &out})
          picture->reset(new Picture(Picture::handing_over(second, 61, 47)));
      });
      for (int i = 0; i < 3; i++) {
        const Frame frame = reference::random_frame(61, 47, i);
        second.run([&] { host->write(frame); });
        inverter->invert(*host, *in, layout);
        inverter->invert(*in, *out, layout);
        second.run([&] {
          expect_same(inverted(frame), in->read(), method->name);
          expect_same(frame, out->read(), method->name);
        });
      }
      second.run([&] {
        for (auto *picture : {&host, &in, &out}) picture->reset();
      });
      gl.run([&] { inverter.reset(); });
    }
}

namespace {

/// A memory as a consumer outside the GL thread reads it.
void read_mapped(const Picture &picture, int flags) {
  GstMapInfo map;
  expect(gst_memory_map(GST_MEMORY_CAST(picture.memory()), &map,
                        static_cast<GstMapFlags>(GST_MAP_READ | flags)),
         "mapped");
  gst_memory_unmap(GST_MEMORY_CAST(picture.memory()), &map);
}

/// The GL thread does other work while `use`, on a thread of its own, needs a busy queue.
void expect_gl_is_free(Gl &gl, Inverter &inverter, const std::function<void()> &enqueue,
                       const std::function<void()> &use, const std::string &what) {
  cl::UserEvent goes_on(inverter.context->cl());
  const std::vector<cl::Event> before{goes_on};
  inverter.queue.cl().enqueueBarrierWithWaitList(&before);
  enqueue();
  auto used = std::async(std::launch::async, use);
  used.wait_for(std::chrono::milliseconds(50));  // it may wait for the device, or not
  auto free = std::async(std::launch::async, [&] { gl.run([] {}); });
  const auto status = free.wait_for(std::chrono::seconds(10));
  goes_on.setStatus(CL_COMPLETE);
  used.get();
  expect(status == std::future_status::ready, what + " waits on the GL thread");
}

}  // namespace

// A consumer of a frame of a busy device waits on its own thread, never on that of OpenGL.
TEST(a_busy_device_leaves_opengl_free) {
  for (const SharingMethod *method : usable_methods())
    for (const Layout layout : {Layout::image, Layout::buffer}) {
      Gl gl;
      std::unique_ptr<Inverter> inverter;
      std::unique_ptr<Picture> drawn, in, out;
      const Frame frame = reference::random_frame(61, 47);
      gl.run([&] {
        inverter = std::make_unique<Inverter>(gl, *method);
        Picture host(gl, 61, 47);
        host.write(frame);
        drawn = std::make_unique<Picture>(gl, 61, 47);
        drawn->draw(host);
        for (auto *picture : {&in, &out})
          picture->reset(new Picture(Picture::handing_over(gl, 61, 47)));
        inverter->invert(*drawn, *in, layout);
        inverter->invert(*in, *out, layout);
      });
      const auto invert = [&] { inverter->invert(*in, *out, layout); };
      const std::string what = method->name;
      expect_gl_is_free(
          gl, *inverter, invert, [&] { read_mapped(*out, 0); }, what + ", host");
      invert();
      expect_gl_is_free(
          gl, *inverter, invert, [&] { read_mapped(*out, GST_MAP_GL); }, what + ", OpenGL");
      // As a decoder does that takes the texture of an earlier frame from a pool.
      expect_gl_is_free(
          gl, *inverter, invert,
          [&] {
            glcl::sharing::forget(in->memory());
            invert();
          },
          what + ", a new frame in a texture in use");
      inverter->invert(*drawn, *in, layout);
      invert();
      expect_gl_is_free(
          gl, *inverter, [] {}, [&] { inverter->invert(*drawn, *in, layout); },
          what + ", an element with OpenGL's frame");
      gl.run([&] {
        expect_same(inverted(frame), in->read(), what);
        expect_same(frame, out->read(), what);
        for (auto *picture : {&drawn, &in, &out}) picture->reset();
        inverter.reset();
      });
    }
}

// Several threads look at one frame while OpenGL draws it.
TEST(looked_at_by_several_threads) {
  for (const SharingMethod *method : usable_methods()) {
    Gl gl;
    std::vector<std::unique_ptr<Inverter>> inverters;
    std::unique_ptr<Picture> host, in, behind;
    gl.run([&] {
      inverters.push_back(std::make_unique<Inverter>(gl, *method));
      for (int i = 0; i < 2; i++)
        inverters.push_back(std::make_unique<Inverter>(gl, *method, inverters.front()->context));
      host = std::make_unique<Picture>(gl, 61, 47);
      behind = std::make_unique<Picture>(gl, 61, 47);
      in.reset(new Picture(Picture::handing_over(gl, 61, 47)));
    });
    for (int i = 0; i < 10; i++) {
      const Frame frame = reference::random_frame(61, 47, i);
      gl.run([&] {
        host->write(frame);
        inverters.front()->invert(*host, *in, Layout::image);
      });
      std::vector<std::thread> threads;
      for (const auto &inverter : inverters)
        threads.emplace_back([&] {
          for (int j = 0; j < 5; j++) inverter->look(*in, Layout::image);
        });
      gl.run([&] {
        behind->draw(*in);
        expect_same(inverted(frame), behind->read(), method->name);
      });
      for (std::thread &thread : threads) thread.join();
    }
    gl.run([&] {
      for (auto *picture : {&host, &in, &behind}) picture->reset();
      inverters.clear();
    });
  }
}

namespace {

/// A pool of the method's textures, of 64×48 px.
class Pool {
 public:
  Pool(const Gl &gl, Inverter &inverter) : pool_(inverter.sharing->make_pool(gl.context(), {})) {
    GstCaps *caps =
        gst_caps_from_string("video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48");
    GstStructure *config = gst_buffer_pool_get_config(pool_);
    gst_buffer_pool_config_set_params(config, caps, 64 * 48 * 4, 1, 1);
    gst_caps_unref(caps);
    expect(gst_buffer_pool_set_config(pool_, config) && gst_buffer_pool_set_active(pool_, TRUE),
           "no pool");
  }
  ~Pool() {
    gst_buffer_pool_set_active(pool_, FALSE);
    gst_object_unref(pool_);
  }

  /// Its only buffer, for as long as it is used.
  void with(const std::function<void(GstBuffer *)> &work) {
    GstBuffer *buffer = nullptr;
    expect(gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr) == GST_FLOW_OK, "no buffer");
    work(buffer);
    gst_buffer_unref(buffer);
  }

 private:
  GstBufferPool *pool_;
};

/// As decoders and cudadownload do: a map that registers the texture, and then only flags.
void write_pixel_buffer(GstBuffer *buffer, const Frame &frame) {
  auto *memory = reinterpret_cast<GstGLMemoryPBO *>(gst_buffer_peek_memory(buffer, 0));
  GstMapInfo map;
  expect(gst_memory_map(GST_MEMORY_CAST(memory), &map,
                        static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)),
         "mapped");
  gst_memory_unmap(GST_MEMORY_CAST(memory), &map);
  const GstGLFuncs *gl = memory->mem.mem.context->gl_vtable;
  gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, memory->pbo->id);
  gl->BufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, GLsizeiptr(frame.rgba.size()), frame.rgba.data());
  gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  GST_MINI_OBJECT_FLAG_SET(memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
  GST_MINI_OBJECT_FLAG_SET(memory->pbo, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
}

}  // namespace

// The content of a buffer's last life is not taken for content of its pixel buffer.
TEST(written_by_pixel_buffer) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Pool pool(gl, inverter);
    Picture host(gl, 64, 48), out = Picture::handing_over(gl, 64, 48);
    for (int i = 0; i < 6; i++) {
      const Frame before = reference::random_frame(64, 48, 2 * i),
                  frame = reference::random_frame(64, 48, 2 * i + 1);
      host.write(before);
      pool.with([&](GstBuffer *buffer) {
        const Picture last(buffer);
        inverter.invert(host, last, layout);
        if (i % 2) inverter.look(last, layout);
      });
      pool.with([&](GstBuffer *buffer) {
        const Picture in(buffer);
        write_pixel_buffer(buffer, frame);
        if (i % 3) {
          inverter.look(in, layout);
          expect(inverter.choice.method == &SharingMethod::copy ||
                     Texture::of(in.memory()).holder() == &inverter.queue,
                 what + ": OpenCL keeps what a decoder wrote");
        }
        inverter.invert(in, out, layout);
        expect_same(inverted(frame), out.read(), what + ", frame " + std::to_string(i));
        expect_same(frame, in.read(), what + ", the input");
      });
    }
  });
}

// A transfer of a texture to its pixel buffer while OpenCL has it leaves a flag for an older frame.
TEST(transferred_between) {
  for_each_method([](const Gl &gl, Inverter &inverter, Layout layout, std::string what) {
    Picture host(gl, 64, 48), out = Picture::handing_over(gl, 64, 48);
    for (int i = 0; i < 6; i++) {
      const Frame frame = reference::random_frame(64, 48, i);
      host.write(frame);
      inverter.invert(host, out, layout);
      if (i % 3 == 2)
        expect_same(inverted(frame), out.read(), what + ", frame " + std::to_string(i));
      else
        GST_MINI_OBJECT_FLAG_UNSET(out.memory(), GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    }
  });
}
