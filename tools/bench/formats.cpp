// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the analyzers on frames in each pixel format.
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../table.h"
#include "analyzers.h"
#include "measure.h"
#include "mode.h"
#include "reference/conversion/conversion.h"
#include "reference/transfer.h"
#include "subject.h"
#include "text.h"

namespace glcl::bench {

namespace {

using Bytes = std::vector<char>;
using Pictures = std::array<Picture, 2>;

/// The frame in another format, rounded to the nearest values.
reference::PlanarFrame convert(const reference::Frame &frame, const PixelFormat &format) {
  reference::PlanarFrame planes(format, frame.width, frame.height);
  const reference::Colours colours(frame);
  for (int plane = 0; plane < format.plane_count; plane++) {
    auto &[width, height, channels, values] = planes.planes[plane];
    size_t next = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        for (const double value : reference::values_at(colours, format, {}, plane, x, y)) {
          const int code = static_cast<int>(value + 0.5) << format.padding;
          if (format.bits < 16) {
            values[next++] = static_cast<uint16_t>(code);
          } else {
            values[next++] = static_cast<uint16_t>(code & 255);
            values[next++] = static_cast<uint16_t>(code >> 8);
          }
        }
  }
  return planes;
}

/// The first two frames of a scene.
Pictures pictures(Queue &queue, const Scene &scene, const PixelFormat &format, Layout layout) {
  Pictures pictures;
  for (int i = 0; i < 2; i++) {
    const reference::Frame frame = scene.frame(i);
    pictures[i] = format.is_rgba() ? reference::upload(queue, frame, layout)
                                   : reference::upload(queue, convert(frame, format), layout);
  }
  return pictures;
}

/// The result of a small scene.
Bytes result(const std::shared_ptr<Context> &context, const AnalyzerWork &work,
             const FrameFormat &format) {
  const Scene scene{Content::natural, 219, 117};
  Queue queue(context);
  const Pictures frames = pictures(queue, scene, *format.pixels, format.layout);
  const Analyzer analyzer = work.make(*context, scene.width, scene.height, format);
  for (const Picture &frame : frames) analyzer.run(queue, frame);
  return analyzer.result(queue);
}

/// A format, and whether its luma has the values of NV12.
struct Row {
  const PixelFormat *format;
  bool same_luma;
};

/// The formats of the table that the device has.
std::vector<Row> rows(const Context &context, Layout layout) {
  std::vector<Row> rows;
  for (const char *name : {"RGBA", "NV12", "I420", "GRAY8", "P010_10LE", "GRAY16_LE"})
    if (const PixelFormat *format = PixelFormat::find(name);
        format && (layout == Layout::buffer || supports_images(context.cl(), *format)))
      rows.push_back({format, format->has_luma() && format->bits == 8});
  return rows;
}

bool print_formats(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  const auto sizes =
      request.sizes.empty() ? std::vector<std::pair<int, int>>{{1920, 1080}} : request.sizes;
  const Layout layout = layout_for(context->device());
  const std::vector<Row> list = rows(*context, layout);
  std::cout << context->device().name << ", driver " << context->device().driver << '\n';
  Table table({"work", "format", "frame", "kernels µs", "wall µs", "result"});
  bool good = true;
  for (const auto &[width, height] : sizes) {
    Queue queue(context);
    std::vector<Pictures> uploaded;
    for (const Row &row : list)
      uploaded.push_back(pictures(queue, {Content::natural, width, height}, *row.format, layout));
    for (const AnalyzerWork &work : analyzer_works()) {
      std::optional<Bytes> of_nv12;
      for (size_t i = 0; i < list.size(); i++) {
        const auto &[pixels, same_luma] = list[i];
        const FrameFormat format(layout, *pixels, {});
        const Pictures &frames = uploaded[i];
        const Analyzer analyzer = work.make(*context, width, height, format);
        Run run;
        run.enqueue = [&, next = 0](Queue &queue) mutable {
          analyzer.run(queue, frames[next]);
          next = 1 - next;
        };
        const Times times = measure(context, run, request.seconds);
        std::string agreement = "other precision";
        if (same_luma) {
          const Bytes got = result(context, work, format);
          if (!of_nv12) of_nv12 = got;
          const bool equal = got == *of_nv12;
          agreement = equal ? "as NV12" : "WRONG: not as NV12";
          good = good && equal;
        }
        table.add({work.name, pixels->name, size_name({width, height}), number(times.events),
                   number(times.wall), agreement});
      }
    }
  }
  table.print();
  return good;
}

const Mode mode("formats", "Time the analyzers on frames in each pixel format", print_formats);

}  // namespace

}  // namespace glcl::bench
