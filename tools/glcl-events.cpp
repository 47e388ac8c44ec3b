// SPDX-License-Identifier: LGPL-2.1-or-later
// glcl-events: runs a pipeline and writes its messages as lines of JSON.
#include <glib-unix.h>
#include <gst/gst.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "command.h"
#include "events/frametime.h"
#include "events/json.h"
#include "events/onvif.h"
#include "events/rules.h"
#include "printable.h"

namespace {

constexpr char usage[] =
    "Usage: glcl-events [OPTIONS] PIPELINE\n"
    "Runs a pipeline, written as for gst-launch-1.0, and prints every message of its elements to\n"
    "standard output as a line of JSON: `message` is its name, `element` is its sender, followed "
    "by\n"
    "its fields. Times are in ns; unknown values are null.\n"
    "\n"
    "  --all           also print the messages of GStreamer itself by type name, e.g. "
    "state-changed\n"
    "  --message NAME  print only messages of this name, e.g. shot or eos; may be repeated\n"
    "  --rules         print only the events of rules of glclmotion, with the time of day\n"
    "  --mqtt-topic=T  print the events of rules as lines `TOPIC JSON`. The topic is T, the event\n"
    "                  and its zone or line: T/zone-enter/door\n"
    "  --onvif         print objects, zones and lines as metadata of ONVIF, one XML document a "
    "line\n"
    "  --utc           add `utc`, the time of day of the frame, to each message\n"
    "  --start=TIME    the time of day at which the video begins, e.g. 2024-05-01T12:00:00Z\n"
    "                  (default: that of the pipeline's clock); for the four options above\n"
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

namespace events = glcl::events;

struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> names;    ///< of the wanted messages; none: all
  std::vector<const gchar *> words;  ///< of the pipeline
  std::string topic;                 ///< of MQTT; empty: none
  std::optional<gint64> start;       ///< time of day of running time 0, µs since 1970
  bool all = false, rules = false, onvif = false, utc = false, help = false;
  /// True if lines need facts about the frame.
  bool needs_facts() const { return rules || onvif || utc; }
};

struct Run {
  Options options;
  GstElement *pipeline = nullptr;
  std::unique_ptr<events::FrameFactsFinder> facts;
  GMainLoop *loop = nullptr;
  bool interrupted = false;
  int status = 0;

  bool wanted(GstMessage *message) const {
    const std::string name = events::name_of(message);
    const std::vector<std::string> &names = options.names;
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) return false;
    const bool of_element = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT;
    if (options.rules) return of_element && events::is_of_rules(name);
    if (options.onvif) return of_element && events::is_of_onvif(name);
    return options.all || of_element || !names.empty();
  }
  void end(int with) {
    status = with;
    g_main_loop_quit(loop);
  }
};

GQuark facts_quark() { return g_quark_from_static_string("glcl-events-facts"); }

/// Adds the facts about the frame to a message. Call it on the thread that posts it.
GstBusSyncReply add_facts(GstBus *, GstMessage *message, gpointer data) {
  const Run &run = *static_cast<const Run *>(data);
  if (run.facts && run.wanted(message))
    gst_mini_object_set_qdata(
        GST_MINI_OBJECT_CAST(message), facts_quark(),
        new events::FrameFacts(run.facts->facts_of(message)),
        [](gpointer facts) { delete static_cast<events::FrameFacts *>(facts); });
  return GST_BUS_PASS;
}

/// A wanted message as a line.
std::string line_of(const Options &options, GstMessage *message) {
  const auto *facts = static_cast<const events::FrameFacts *>(
      gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(message), facts_quark()));
  if (options.onvif) return events::onvif_document(message, *facts);
  using Json = nlohmann::ordered_json;
  Json json = options.rules ? events::rule_json(message, *facts) : events::json_of(message);
  if (options.utc) json["utc"] = events::utc_text(facts->utc);
  // Texts of other elements may be invalid UTF-8.
  const std::string line =
      glcl::escape_controls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  return options.topic.empty() ? line : events::topic_of(options.topic, message) + ' ' + line;
}

void write(const Run &run, GstMessage *message) {
  // Elements such as progressreport print too, in other threads.
  if (run.wanted(message)) std::cout << line_of(run.options, message) + "\n" << std::flush;
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

/// The value of an option OPTION VALUE or OPTION=VALUE at word `i`, which becomes its last word.
/// Null if another word is there.
const char *value_of(const char *option, const char *needed, int argc, char **argv, int &i) {
  const size_t length = std::strlen(option);
  if (std::strncmp(argv[i], option, length) != 0) return nullptr;
  if (argv[i][length] == '=') return argv[i] + length + 1;
  if (argv[i][length]) return nullptr;
  if (i + 1 >= argc) throw WrongUsage(std::string(option) + " needs " + needed);
  return argv[++i];
}

void set_topic(Options &options, const std::string &topic) {
  const std::string fault = events::topic_fault(topic);
  if (!fault.empty())
    throw WrongUsage("--mqtt-topic=" + topic + " " + fault +
                     "; give levels that / separates, such as cameras/door");
  options.topic = topic;
  options.rules = true;
}

/// Reads an option at word `i`. False if it is unknown.
bool read_option(Options &options, int argc, char **argv, int &i) {
  const std::string word = argv[i];
  if (word == "--help" || word == "-h")
    options.help = true;
  else if (word == "--all")
    options.all = true;
  else if (word == "--rules")
    options.rules = true;
  else if (word == "--onvif")
    options.onvif = true;
  else if (word == "--utc")
    options.utc = true;
  else if (const char *name = value_of("--message", "the NAME of a message", argc, argv, i))
    options.names.emplace_back(name);
  else if (const char *topic = value_of("--mqtt-topic", "a topic", argc, argv, i))
    set_topic(options, topic);
  else if (const char *start = value_of("--start", "a time", argc, argv, i)) {
    options.start = events::utc_of(start);
    if (!options.start)
      throw WrongUsage(std::string("--start=") + start +
                       " is no time; give one such as 2024-05-01T12:00:00Z");
  } else
    return false;
  return true;
}

Options options_of(int argc, char **argv) {
  Options options;
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && !options.help; i++)
    if (!read_option(options, argc, argv, i))
      throw WrongUsage(std::string("unknown option ") + argv[i]);
  if (options.help) return options;
  if (options.all + options.rules + options.onvif > 1)
    throw WrongUsage("--all, --onvif, and --rules or --mqtt-topic exclude each other; keep one");
  if (options.onvif && options.utc)
    throw WrongUsage("--onvif has the time of day already; leave out --utc");
  if (options.start && !options.needs_facts())
    throw WrongUsage("--start needs --utc, --rules, --mqtt-topic or --onvif");
  for (; i < argc; i++) options.words.push_back(argv[i]);
  if (options.words.empty()) throw WrongUsage("no pipeline given");
  options.words.push_back(nullptr);
  return options;
}

int run_pipeline(Run &run) {
  std::signal(SIGPIPE, SIG_IGN);
  run.loop = g_main_loop_new(nullptr, FALSE);
  if (run.options.needs_facts())
    run.facts = std::make_unique<events::FrameFactsFinder>(run.pipeline, run.options.start);
  GstBus *bus = gst_element_get_bus(run.pipeline);
  gst_bus_set_sync_handler(bus, add_facts, &run, nullptr);
  const guint watch = gst_bus_add_watch(bus, on_message, &run);
  const guint interrupt = g_unix_signal_add(SIGINT, on_interrupt, &run);
  const guint terminate = g_unix_signal_add(SIGTERM, on_interrupt, &run);
  // Ignore the result: a failure is posted on the bus.
  gst_element_set_state(run.pipeline, GST_STATE_PLAYING);
  g_main_loop_run(run.loop);
  gst_element_set_state(run.pipeline, GST_STATE_NULL);
  for (const guint source : {watch, interrupt, terminate}) g_source_remove(source);
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_object_unref(bus);
  gst_object_unref(run.pipeline);
  g_main_loop_unref(run.loop);
  return run.status;
}

int run_command(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (glcl::prints_version("glcl-events", argc, argv)) return 0;
  Run run;
  try {
    run.options = options_of(argc, argv);
  } catch (const WrongUsage &error) {
    std::cerr << "glcl-events: " << glcl::printable(error.what())
              << "; the options are --all, --message NAME, --rules, --mqtt-topic=T, --onvif, "
                 "--utc, --start=TIME, --help and --version, before the pipeline\n";
    return 2;
  }
  if (run.options.help) {
    std::cout << usage;
    return 0;
  }
  run.pipeline = parse(run.options.words);
  return run.pipeline ? run_pipeline(run) : 2;
}

}  // namespace

int main(int argc, char **argv) {
  return glcl::exit_status("glcl-events", run_command(argc, argv));
}
