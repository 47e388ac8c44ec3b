// SPDX-License-Identifier: LGPL-2.1-or-later
#include "chain.h"

#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "chain/chain.h"
#include "chain/cube.h"
#include "costmodel.h"
#include "pipeline.h"
#include "reference/chain/chain.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using chain::Chain;
using chain::Description;

struct Example {
  const char *name, *filters;
  int edge = 0;  ///< points along an edge of a 3D table that runs first; 0: no table
  bool reads_picture = false;
};

/// The first chain only copies; the second is that of Lanes (2010): 9×9.
constexpr Example examples[] = {{"copy", "invert(strength=0)"},
                                {"gauss 9×9, grey", "gauss(sigma=2, radius=4) ! grey"},
                                {"gauss 13×13, grey", "gauss(sigma=2) ! grey"},
                                {"three point filters", "saturation ! gamma ! invert"},
                                {"three light ones", "grey ! threshold(level=0.4) ! invert"},
                                {"edges", "median ! grey ! sobel ! threshold(level=0.2)"},
                                {"box 3×3 five times", "box*5"},
                                {"trails", "unsharp ! motionblur ! lut"},
                                {"3D table 33×33×33", "", 33},
                                {"3D table 33×33×33, gauss 9×9", "gauss(sigma=2, radius=4)", 33},
                                {"picture over the frame", "overlay(opacity=0.6)", 0, true},
                                {"watermark", "watermark", 0, true}};

/// A 3D table that swaps red and blue.
chain::Item table(int edge) {
  auto cube = std::make_shared<chain::Cube>();
  cube->lattice.size = edge;
  const auto last = static_cast<float>(edge - 1);
  for (int b = 0; b < edge; b++)
    for (int g = 0; g < edge; g++)
      for (int r = 0; r < edge; r++)
        for (const int value : {b, g, r, 0})
          cube->lattice.points.push_back(static_cast<float>(value) / last);
  const auto filter = chain::cube_filter(cube);
  return {filter, filter->name, filter->initial(), 1};
}

Description description_of(const Example &example) {
  Description wanted = chain::parse_chain(example.filters, "bench", {});
  if (example.edge) wanted.items.insert(wanted.items.begin(), table(example.edge));
  return wanted;
}

/// The picture for chains that read one, half as wide and high as the frame.
reference::Frame picture_for(const Scene &scene) {
  return reference::gradient_frame(std::max(scene.width / 2, 1), std::max(scene.height / 2, 1));
}

using Expected = std::function<reference::Frame(Queue &, const reference::Frame &)>;

Expected by_reference(const Description &wanted, const Scene &scene) {
  const reference::Frame picture = picture_for(scene);
  return [=](Queue &, const reference::Frame &frame) {
    return reference::chain(frame, wanted, picture);
  };
}

Run chain_run(Context &context, const std::shared_ptr<Chain> &chain, const Expected &expected,
              const Scene &scene) {
  Queue upload_queue(context.shared_from_this());
  const Layout layout = chain->layout();
  const reference::Frame frame = scene.frame();
  const Picture in = reference::upload(upload_queue, frame, layout);
  const Picture out = make_picture(context.cl(), frame.width, frame.height, layout);
  const Picture picture = chain->description().reads_picture()
                              ? reference::upload(upload_queue, picture_for(scene), Layout::buffer)
                              : Picture();
  Run run;
  run.enqueue = [=](Queue &queue) { chain->run(queue, in, out, {}, picture); };
  run.compare = [=](Queue &queue) {
    chain->reset();
    chain->run(queue, in, out, {}, picture);
    return compare_levels(reference::download(queue, out), expected(queue, frame), 1);
  };
  run.least.bytes = 8.0 * frame.width * frame.height;
  return run;
}

Parameters unfused_variant(Context &context) {
  Parameters variant = Chain::tunable().defaults(context.device(), "");
  variant["plan"] = Chain::plan_unfused;
  return variant;
}

Task task(const Example &example, bool fused) {
  const std::string name = example.name + std::string(fused ? "" : ", a launch for each filter");
  return {name, nullptr, "", [=](Context &context, const Parameters &, const Scene &scene) {
            const Description wanted = description_of(example);
            Chain::Options options;
            if (!fused) options.variant = unfused_variant(context);
            return chain_run(context, std::make_shared<Chain>(context, wanted, options),
                             by_reference(wanted, scene), scene);
          }};
}

/// A fragment shader for glshader, in quotes for gst-launch-1.0; `body` sets the colour from c(dx,
/// dy).
std::string shader(const std::string &body) {
  return "glshader fragment=\"\\\"#version 100\n#ifdef GL_ES\nprecision mediump float;\n#endif\n"
         "varying vec2 v_texcoord; uniform sampler2D tex; uniform float width, height; "
         "vec4 c(float x, float y) { return texture2D(tex, v_texcoord + vec2(x / width, y / "
         "height)); "
         "} void main() { " +
         body + " }\\\"\"";
}

/// The same work by GStreamer's own elements: ms in addition to a pipeline that only draws.
Peer peer(const std::string &name, const std::string &task, const std::string &elements) {
  return {
      name, task, [elements](const Scene &scene, double) {
        const std::string size =
            "video/x-raw(memory:GLMemory),format=RGBA,width=" + std::to_string(scene.width) +
            ",height=" + std::to_string(scene.height) + ",framerate=60/1";
        constexpr int frames = 300;
        gst_init(nullptr, nullptr);
        const auto alone = Pipeline{"", "", "gltestsrc", size}.frame_cost(frames);
        const auto with = Pipeline{"", "", "gltestsrc", size + " ! " + elements}.frame_cost(frames);
        return alone && with ? with->wall - alone->wall : 0.0;
      }};
}

/// Measures the costs of a device. If plans chosen by them are not faster than plans by the default
/// costs, the defaults stay.
Tuning measured_costs(const std::shared_ptr<Context> &context, double seconds) {
  const std::vector<TimedPlan> plans = time_plans(context, seconds);
  const chain::CostModel costs = fitted_cost_model(plans);
  const double usual = time_of_choices(plans, chain::default_costs(context->device()));
  const double measured = time_of_choices(plans, costs);
  if (measured >= usual)
    return {chain::cost_tunable().defaults(context->device(), chain::cost_problem), usual, usual};
  const auto tenths = [](double cost) {
    return static_cast<int>(std::lround(std::min(10 * cost, double(chain::most_tenths))));
  };
  return {{{"picture", tenths(costs.picture)},
           {"read", tenths(costs.read)},
           {"local", tenths(costs.local)}},
          measured,
          usual};
}

const Registration registration("glclchain", [](Subject &subject) {
  subject.device_costs.push_back(
      {"costs of plans", &chain::cost_tunable(), chain::cost_problem, measured_costs});
  for (const Example &example : examples)
    for (const bool fused : {true, false}) subject.tasks.push_back(task(example, fused));

  const std::string weight = "float w = exp(-float(i * i) / 8.0); s += w * ";
  const std::string gauss =
      shader("vec4 s = vec4(0.0); float n = 0.0; for (int i = -4; i <= 4; i++) { " + weight +
             "c(float(i), 0.0); n += w; } gl_FragColor = s / n;") +
      " ! " +
      shader("vec4 s = vec4(0.0); float n = 0.0; for (int i = -4; i <= 4; i++) { " + weight +
             "c(0.0, float(i)); n += w; } gl_FragColor = s / n;");
  const std::string grey = shader(
      "vec4 p = c(0.0, 0.0); float l = dot(p.rgb, vec3(0.299, 0.587, 0.114)); "
      "gl_FragColor = vec4(l, l, l, p.a);");
  subject.peers.push_back(peer("3 × glshader", "gauss 9×9, grey", gauss + " ! " + grey));
  subject.peers.push_back(peer("gleffects blur, glcolorbalance", "gauss 9×9, grey",
                               "gleffects effect=blur ! glcolorbalance saturation=0"));
  subject.peers.push_back(peer("glcolorbalance, gleffects xpro, glcolorbalance",
                               "three point filters",
                               "glcolorbalance saturation=1.5 ! gleffects effect=xpro ! "
                               "glcolorbalance contrast=0.5"));
  subject.peers.push_back(peer("gleffects sobel", "edges", "gleffects effect=sobel"));
  for (const Example &example : examples)
    if (!example.edge && !example.reads_picture)
      subject.peers.push_back(peer("glclchain in a pipeline", example.name,
                                   "glclchain filters=\"" + std::string(example.filters) + "\""));
});

/// True if the scalar reference supports all filters of the chain.
bool all_known(const Description &wanted) {
  const auto names = chain::library();
  return std::all_of(wanted.items.begin(), wanted.items.end(), [&](const chain::Item &item) {
    return std::find(names.begin(), names.end(), item.filter->name) != names.end() &&
           item.filter->source == chain::library_filter(item.filter->name)->source;
  });
}

}  // namespace

Task chain_task(const std::string &path) {
  const Description wanted = chain::load_chain(path, {});
  const bool known = all_known(wanted);
  struct Last {
    Parameters variant;
    std::shared_ptr<Chain> chain, unfused;
  };
  // A chain takes frames of any size: it is built once for all scenes of a variant.
  const auto last = std::make_shared<Last>();
  return {path, &Chain::tunable(), Chain::problem(wanted),
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            if (!last->unfused)
              last->unfused = std::make_shared<Chain>(
                  context, wanted, Chain::Options{false, {}, unfused_variant(context)});
            if (!last->chain || last->variant != variant)
              last->chain =
                  std::make_shared<Chain>(context, wanted, Chain::Options{false, {}, variant});
            last->variant = variant;
            const auto unfused = last->unfused;
            const Expected one_by_one = [unfused, scene](Queue &queue,
                                                         const reference::Frame &frame) {
              const Picture picture = reference::upload(queue, picture_for(scene), Layout::buffer);
              const Picture in = reference::upload(queue, frame, unfused->layout());
              const Picture out = reference::upload(queue, frame, unfused->layout());
              unfused->reset();
              unfused->run(queue, in, out, {}, picture);
              return reference::download(queue, out);
            };
            return chain_run(context, last->chain, known ? by_reference(wanted, scene) : one_by_one,
                             scene);
          }};
}

}  // namespace glcl::bench
