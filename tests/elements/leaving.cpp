// SPDX-License-Identifier: LGPL-2.1-or-later
// leaving PIPELINE [fork]: plays the pipeline and returns from main at the first line of standard
// input. With `fork` a child process does this after its parent has loaded the plugin, and the
// parent returns the child's exit status.
#include <gst/gl/gl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>

namespace {

/// Starts OpenGL before the pipeline: GstGL 1.22 crashes in a process that ends while a GL context
/// is being created.
void begin_opengl(GstElement *pipeline) {
  GstGLDisplay *display = gst_gl_display_new();
  GstGLContext *gl_context = nullptr;
  if (!gst_gl_display_create_context(display, nullptr, &gl_context, nullptr)) return;
  GST_OBJECT_LOCK(display);
  gst_gl_display_add_context(display, gl_context);
  GST_OBJECT_UNLOCK(display);
  GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_element_set_context(pipeline, context);
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (argc > 2) {
    gst_object_unref(gst_element_factory_make("glclchain", nullptr));
    if (const pid_t child = fork()) {
      int status = 1;
      waitpid(child, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
  GstElement *pipeline = gst_parse_launch(argv[1], nullptr);
  begin_opengl(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::string line;
  std::getline(std::cin, line);
  return 0;
}
