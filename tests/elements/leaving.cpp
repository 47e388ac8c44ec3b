// SPDX-License-Identifier: LGPL-2.1-or-later
// leaving PIPELINE: plays it and returns from main at the first line of standard input.
#include <gst/gst.h>

#include <iostream>
#include <string>

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  GstElement *pipeline = gst_parse_launch(argv[1], nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::string line;
  std::getline(std::cin, line);
  return 0;
}
