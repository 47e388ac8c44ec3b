// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelinetables.h"

#include <gst/gst.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../table.h"
#include "decode.h"
#include "opencl/error.h"
#include "parallel.h"
#include "pipeline.h"
#include "progress.h"
#include "text.h"

namespace glcl::bench {

using Json = nlohmann::ordered_json;

namespace {

/// The elements to build pipelines of. Throws if an element is missing.
std::vector<std::string> elements_of_pipelines(const Options &options) {
  std::vector<std::string> elements =
      options.elements.empty() ? std::vector<std::string>{"glclinvert"} : options.elements;
  for (const std::string &element : elements) {
    const std::string name = element.substr(0, element.find(' '));
    GstElementFactory *factory = gst_element_factory_find(name.c_str());
    if (!factory)
      throw Error(Error::Kind::settings,
                  "no element " + name + "; set GST_PLUGIN_PATH_1_0 to the folders of its plugin.");
    gst_object_unref(factory);
  }
  return elements;
}

/// Throws if --decode names no file or no decoder is available.
void require_decodable(const Options &options) {
  if (options.decode.empty()) return;
  if (!std::ifstream(options.decode))
    throw Error(Error::Kind::settings, "--decode " + options.decode + ": no such file.");
  if (decoders().empty())
    throw Error(Error::Kind::not_found,
                "GStreamer has no decoder for H.264: nvh264dec and vah264dec come with "
                "gstreamer1.0-plugins-bad and a GPU's driver, avdec_h264 with gstreamer1.0-libav.");
}

}  // namespace

void print_decoding(const Options &options, size_t line) {
  constexpr int in_a_row = 4;
  require_decodable(options);
  Json json = Json::array();
  bool any = false;
  for (const std::string &element : elements_of_pipelines(options)) {
    glcl::Table table({"decoder", "behind it", "sharing", "frames", "ms/frame", "to alone",
                       "dropped", "latency ms, mean (longest)"});
    for (const std::string &decoder : decoders()) {
      std::vector<Decoding> rows{{decoder, "", "", 0}};
      for (const std::string &method : options.methods)
        rows.push_back({decoder, element, method, in_a_row});
      double alone = 0;
      for (const Decoding &row : rows) {
        std::string failure, dropped, latency;
        const auto result = row.run(options.decode, &failure);
        const std::string behind =
            row.count ? std::to_string(row.count) + " × " + element : "nothing";
        if (!result) {
          table.add({decoder, behind, row.method, "-", "-", "-", "-", failure});
          continue;
        }
        any = true;
        if (!row.count) alone = result->cost;
        Json elements = Json::array();
        for (const Decoding::Element &one : result->in_time) {
          dropped += (dropped.empty() ? "" : ", ") + std::to_string(one.dropped);
          latency += (latency.empty() ? "" : ", ") + number(one.latency, 2) + " (" +
                     number(one.longest, 1) + ")";
          elements.push_back({{"frames", one.frames},
                              {"dropped", one.dropped},
                              {"latency-ms", one.latency},
                              {"latency-max-ms", one.longest}});
        }
        table.add({decoder, behind, row.method, std::to_string(result->frames),
                   number(result->cost, 3), alone > 0 ? number(result->cost / alone, 2) : "-",
                   dropped, latency});
        json.push_back({{"decoder", decoder},
                        {"element", row.count ? element : ""},
                        {"count", row.count},
                        {"sharing", row.method},
                        {"frames", result->frames},
                        {"ms", result->cost},
                        {"in-time", elements}});
      }
    }
    table.print(line);
  }
  if (!options.json.empty()) open_file(options.json) << Json{{"decoding", json}}.dump(2) << '\n';
  if (!any)
    throw Error(Error::Kind::failed, "No decoder could play " + options.decode + ".",
                "it must contain H.264 video");
}

void print_pipelines(const Options &options, size_t line) {
  Json json = Json::array();
  for (const std::string &element : elements_of_pipelines(options)) {
    for (const auto &size : options.sizes) {
      const std::vector<Pipeline> list =
          pipelines(element, options.methods, size.first, size.second);
      // A row per pipeline and a column per sharing method; the first column is for pipelines
      // without gst-glcl elements.
      std::vector<std::string> methods{""};
      methods.insert(methods.end(), options.methods.begin(), options.methods.end());
      std::vector<std::vector<std::string>> rows;
      Progress progress(list.size());
      for (const Pipeline &pipeline : list) {
        progress.step(pipeline.name + " " + pipeline.method);
        const auto cost = pipeline.frame_cost(options.frames);
        auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const auto &one) { return one[0] == pipeline.name; });
        if (row == rows.end()) {
          rows.emplace_back(1 + methods.size())[0] = pipeline.name;
          row = rows.end() - 1;
        }
        (*row)[1 + (std::find(methods.begin(), methods.end(), pipeline.method) - methods.begin())] =
            cost ? number(cost->wall, 3) + " (" + number(cost->processor, 2) + ")" : "-";
        json.push_back({{"pipeline", pipeline.name},
                        {"sharing", pipeline.method},
                        {"width", size.first},
                        {"height", size.second},
                        {"ms", cost ? Json(cost->wall) : Json()},
                        {"processor-ms", cost ? Json(cost->processor) : Json()}});
      }
      std::vector<std::string> titles{"ms/frame (of processors), " + size_name(size) + " RGBA"};
      titles.insert(titles.end(), methods.begin(), methods.end());
      glcl::Table table(titles);
      for (const auto &row : rows) table.add(row);
      table.print(line);
    }
  }
  if (!options.json.empty()) open_file(options.json) << Json{{"pipelines", json}}.dump(2) << '\n';
}

namespace {

constexpr const char *four_analysers =
    "glclhistogram mode=luma ! glclmotion ! glopenclflow display=none ! glclklt";

constexpr double shortest_live = 5;  // s; a percentile needs some frames

/// The row, with the sharing method set on each of its elements.
std::string with_sharing(const std::string &row, const std::string &method) {
  std::string all;
  for (size_t at = 0; at < row.size();) {
    const size_t end = std::min(row.find(" ! ", at), row.size());
    const std::string element = row.substr(at, end - at);
    const bool ours = element.rfind("glcl", 0) == 0 || element.rfind("glopencl", 0) == 0;
    all += (all.empty() ? "" : " ! ") + element + (ours ? " sharing=" + method : "");
    at = end + 3;
  }
  return all;
}

/// Streams of the file, or of pictures that OpenGL draws.
ParallelStreams streams_of(const Options &options, std::pair<int, int> size) {
  ParallelStreams streams;
  if (!options.decode.empty()) {
    gchar *quoted = g_strescape(options.decode.c_str(), nullptr);
    const std::string decoder = decoders().front();
    // If glupload follows it, nvh264dec does not decode into the elements' own textures.
    const std::string upload = decoder == "nvh264dec" ? "" : " ! glupload";
    streams.source = streams.live_source = "filesrc location=\"" + std::string(quoted) +
                                           "\" ! parsebin ! " + decoder +
                                           " ! queue max-size-buffers=4" + upload;
    g_free(quoted);
    return streams;
  }
  const std::string drawn = " ! video/x-raw(memory:GLMemory),width=" + std::to_string(size.first) +
                            ",height=" + std::to_string(size.second) +
                            ",framerate=30/1 ! queue max-size-buffers=4";
  streams.source = "gltestsrc" + drawn;
  streams.live_source = "gltestsrc is-live=true" + drawn;
  return streams;
}

}  // namespace

void print_parallel(const Options &options, size_t line) {
  require_decodable(options);
  if (options.elements.empty()) {
    Options analysers = options;
    analysers.elements = {"", four_analysers};
    return print_parallel(analysers, line);
  }
  Json json = Json::array();
  glcl::Table table({"elements", "sharing", "streams", "frames/s", "processor ms/frame",
                     "live: dropped", "latency ms, median", "99 %"});
  for (const std::string &row : options.elements)
    for (const std::string &method : row.empty() ? std::vector<std::string>{""} : options.methods)
      for (const int count : options.parallel) {
        ParallelStreams streams = streams_of(options, options.sizes.front());
        streams.row = with_sharing(row, method);
        streams.count = count;
        const auto fast = streams.play_fast(options.frames);
        const auto live = streams.play_live(std::max(options.seconds, shortest_live));
        const auto latency = [&](size_t percent) {
          return live.latencies.empty()
                     ? "-"
                     : number(live.latencies[(live.latencies.size() - 1) * percent / 100], 2);
        };
        table.add({row.empty() ? "none" : row, method, std::to_string(count),
                   number(fast.frames_per_second, 0), number(fast.processor_ms, 2),
                   std::to_string(live.dropped), latency(50), latency(99)});
        json.push_back({{"elements", row},
                        {"sharing", method},
                        {"streams", count},
                        {"frames-per-second", fast.frames_per_second},
                        {"processor-ms", fast.processor_ms},
                        {"dropped", live.dropped},
                        {"latencies-ms", live.latencies}});
      }
  table.print(line);
  if (!options.json.empty()) open_file(options.json) << Json{{"parallel", json}}.dump(2) << '\n';
}

}  // namespace glcl::bench
