// SPDX-License-Identifier: LGPL-2.1-or-later
// glcl-events: runs a pipeline and writes its messages as lines of JSON.
#include <glib-unix.h>
#include <gst/gst.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "command.h"
#include "events/json.h"
#include "printable.h"

namespace {

constexpr char usage[] =
    "Usage: glcl-events [--all] [--message NAME]... PIPELINE\n"
    "Runs a pipeline, written as for gst-launch-1.0, and prints every message of its elements to\n"
    "standard output as a line of JSON: `message` is its name, `element` is its sender, followed "
    "by\n"
    "its fields. Times are in ns; unknown values are null.\n"
    "\n"
    "  --all           also print the messages of GStreamer itself by type name, e.g. "
    "state-changed\n"
    "  --message NAME  print only messages of this name, e.g. shot or eos; may be repeated\n"
    "  --help          print this text\n"
    "  --version       print the version\n"
    "\n"
    "Warnings and errors go to standard error. An interrupt ends the stream; a second one quits "
    "at\n"
    "once. The exit status is 0 at the end of the stream, 1 after an error, 2 for a wrong command\n"
    "line.\n"
    "\n"
    "  glcl-events filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! \\\n"
    "    glclhistogram shot-detection=true post-messages=false ! fakesink\n";

struct Run {
  std::vector<std::string> names;
  GstElement *pipeline = nullptr;
  GMainLoop *loop = nullptr;
  bool all = false, interrupted = false;
  int status = 0;

  bool wanted(GstMessage *message) const {
    const std::string name = glcl::events::name_of(message);
    for (const std::string &one : names)
      if (one == name) return true;
    return names.empty() && (all || GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT);
  }
  void end(int with) {
    status = with;
    g_main_loop_quit(loop);
  }
};

void write(const Run &run, GstMessage *message) {
  if (!run.wanted(message)) return;
  using Json = nlohmann::ordered_json;
  // Texts of other elements may be invalid UTF-8.
  std::cout << glcl::escape_controls(glcl::events::json_of(message).dump(
                   -1, ' ', false, Json::error_handler_t::replace))
            << std::endl;
}

/// Prints a warning or an error, followed by its debug text.
void print_log_message(GstMessage *message, const char *what,
                       decltype(gst_message_parse_error) *parse) {
  GError *error = nullptr;
  gchar *debug = nullptr;
  parse(message, &error, &debug);
  std::cerr << "glcl-events: " << what << GST_MESSAGE_SRC_NAME(message) << ": "
            << glcl::printable(error->message) << '\n';
  if (debug) std::cerr << glcl::printable(debug, "\n") << '\n';
  g_clear_error(&error);
  g_free(debug);
}

gboolean on_message(GstBus *, GstMessage *message, gpointer data) {
  Run &run = *static_cast<Run *>(data);
  write(run, message);
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_EOS:
      run.end(run.status);
      break;
    case GST_MESSAGE_ERROR:
      print_log_message(message, "", gst_message_parse_error);
      run.end(1);
      break;
    case GST_MESSAGE_WARNING:
      print_log_message(message, "warning: ", gst_message_parse_warning);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency(GST_BIN(run.pipeline));
      break;
    case GST_MESSAGE_CLOCK_LOST:
      gst_element_set_state(run.pipeline, GST_STATE_PAUSED);
      gst_element_set_state(run.pipeline, GST_STATE_PLAYING);
      break;
    default:
      break;
  }
  if (!std::cout) run.end(1);  // the reader closed the pipe
  return G_SOURCE_CONTINUE;
}

gboolean on_interrupt(gpointer data) {
  Run &run = *static_cast<Run *>(data);
  if (run.interrupted || !gst_element_send_event(run.pipeline, gst_event_new_eos())) run.end(1);
  run.interrupted = true;
  return G_SOURCE_CONTINUE;
}

/// Creates the pipeline; null, with the reason on standard error, if it is invalid.
GstElement *parse(const std::vector<const gchar *> &words) {
  GError *error = nullptr;
  GstElement *parsed = gst_parse_launchv_full(const_cast<const gchar **>(words.data()), nullptr,
                                              GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!parsed)
    std::cerr << "glcl-events: invalid pipeline: " << glcl::printable(error ? error->message : "?")
              << '\n';
  g_clear_error(&error);
  if (!parsed || GST_IS_PIPELINE(parsed)) return parsed;
  GstElement *pipeline = gst_pipeline_new(nullptr);
  gst_bin_add(GST_BIN(pipeline), parsed);
  return pipeline;
}

int run_command(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (glcl::prints_version("glcl-events", argc, argv)) return 0;
  Run run;
  std::vector<const gchar *> words;
  for (int i = 1; i < argc; i++) {
    if (words.empty() && (!std::strcmp(argv[i], "--help") || !std::strcmp(argv[i], "-h"))) {
      std::cout << usage;
      return 0;
    }
    if (words.empty() && !std::strcmp(argv[i], "--all"))
      run.all = true;
    else if (words.empty() && !std::strcmp(argv[i], "--message") && i + 1 < argc)
      run.names.emplace_back(argv[++i]);
    else if (words.empty() && argv[i][0] == '-') {
      const bool known = !std::strcmp(argv[i], "--message");
      std::cerr
          << "glcl-events: "
          << (known ? "--message needs the NAME of a message"
                    : "unknown option " + std::string(argv[i]))
          << "; the options are --all, --message NAME, --help and --version, before the pipeline\n";
      return 2;
    } else
      words.push_back(argv[i]);
  }
  if (words.empty()) {
    std::cerr << "glcl-events: no pipeline given\n" << usage;
    return 2;
  }
  words.push_back(nullptr);
  run.pipeline = parse(words);
  if (!run.pipeline) return 2;

  std::signal(SIGPIPE, SIG_IGN);
  run.loop = g_main_loop_new(nullptr, FALSE);
  GstBus *bus = gst_element_get_bus(run.pipeline);
  const guint watch = gst_bus_add_watch(bus, on_message, &run);
  const guint interrupt = g_unix_signal_add(SIGINT, on_interrupt, &run);
  const guint terminate = g_unix_signal_add(SIGTERM, on_interrupt, &run);
  // Ignore the result: a failure is posted on the bus.
  gst_element_set_state(run.pipeline, GST_STATE_PLAYING);
  g_main_loop_run(run.loop);
  gst_element_set_state(run.pipeline, GST_STATE_NULL);
  for (const guint source : {watch, interrupt, terminate}) g_source_remove(source);
  gst_object_unref(bus);
  gst_object_unref(run.pipeline);
  g_main_loop_unref(run.loop);
  return run.status;
}

}  // namespace

int main(int argc, char **argv) {
  return glcl::exit_status("glcl-events", run_command(argc, argv));
}
