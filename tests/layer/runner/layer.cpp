// SPDX-License-Identifier: LGPL-2.1-or-later
#include "layer.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace runner {

namespace {

template <class Function>
void find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  if (function) return;
  std::fprintf(stderr, "runner: LD_PRELOAD and OPENCL_LAYERS must name the layer\n");
  std::exit(2);
}

}  // namespace

Layer::Layer() {
  find(plan, "glcl_layer_plan");
  find(counts, "glcl_layer_counts");
  find(injected, "glcl_layer_injected");
  find(objects, "glcl_layer_objects");
  find(violations, "glcl_layer_violations");
}

const Layer &layer() {
  static const Layer the;
  return the;
}

Counts counts() {
  Counts all;
  layer().counts([](const char *function, long calls,
                    void *data) { (*static_cast<Counts *>(data))[function] = calls; },
                 &all);
  return all;
}

}  // namespace runner
