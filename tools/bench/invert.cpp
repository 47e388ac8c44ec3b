// SPDX-License-Identifier: LGPL-2.1-or-later
#include "reference/invert/invert.h"
#include "opencl/kernel.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

Run invert_run(Context &context, const Scene &scene) {
  const reference::Frame frame = scene.frame();
  const Layout layout = layout_for(context.device());
  Queue upload_queue(context.shared_from_this());
  const Picture in = reference::upload(upload_queue, frame, layout);
  const Picture out = make_picture(context.cl(), frame.width, frame.height, layout);
  const auto kernel = std::make_shared<Kernel>(
      context, context.program("invert/invert.cl", frame_options(layout)), "invert", Size{16, 16});
  Run run;
  run.enqueue = [=](Queue &queue) {
    (*kernel)(queue, {size_t(in.width), size_t(in.height)}, in, out, in.width, in.height, 1.0f);
  };
  run.compare = [=](Queue &queue) {
    run.enqueue(queue);
    return compare_levels(reference::download(queue, out), reference::invert(frame, 1), 0);
  };
  run.least.bytes = 8.0 * frame.width * frame.height;
  return run;
}

const Registration registration("glclinvert", [](Subject &subject) {
  subject.tasks.push_back(
      {"invert", nullptr, "", [](Context &context, const Parameters &, const Scene &scene) {
         return invert_run(context, scene);
       }});
});

}  // namespace

}  // namespace glcl::bench
