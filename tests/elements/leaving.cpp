// SPDX-License-Identifier: LGPL-2.1-or-later
// leaving PIPELINE [fork]: plays it and returns from main at the first line of standard input. With
// fork a child does so, once its parent has loaded the plugin, and gives the child's exit status.
#include <gst/gst.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>

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
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::string line;
  std::getline(std::cin, line);
  return 0;
}
