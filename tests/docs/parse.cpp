// SPDX-License-Identifier: LGPL-2.1-or-later
// parse: makes pipelines as gst-launch-1.0 does, without running them. Reads their words, a word in
// a line and an empty line behind each pipeline; answers each with a line: "good", "missing
// ELEMENTS", none of which is ours, or what is wrong.
#include <gst/gst.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

std::string answer(const std::vector<std::string> &words) {
  std::vector<const gchar *> arguments;
  for (const std::string &word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  GstParseContext *context = gst_parse_context_new();
  GError *error = nullptr;
  GstElement *pipeline =
      gst_parse_launchv_full(arguments.data(), context, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  std::string text = error ? error->message : "good", missing;
  gchar **names = gst_parse_context_get_missing_elements(context);
  bool ours = false;
  for (gchar **name = names; name && *name; name++) {
    ours |= g_str_has_prefix(*name, "glcl") || g_str_equal(*name, "glopenclflow");
    missing += std::string(" ") + *name;
  }
  g_strfreev(names);
  if (!missing.empty() && !ours) text = "missing" + missing;
  g_clear_error(&error);
  gst_parse_context_free(context);
  if (pipeline) gst_object_unref(pipeline);
  return text;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  std::vector<std::string> words;
  for (std::string line; std::getline(std::cin, line);)
    if (!line.empty()) {
      words.push_back(line);
    } else {
      std::cout << answer(words) << std::endl;
      words.clear();
    }
}
