// SPDX-License-Identifier: LGPL-2.1-or-later
#include "field.h"

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace reference::opticalflow {

Field download(glcl::Queue &queue, const glcl::opticalflow::FlowField &field) {
  Field result{field.width, field.height, {}, {}};
  result.confidence.resize(size_t(field.width) * field.height);
  result.vectors.resize(2 * result.confidence.size());
  queue.cl().enqueueReadBuffer(field.vectors, CL_TRUE, 0, result.vectors.size() * sizeof(float),
                               result.vectors.data());
  queue.cl().enqueueReadBuffer(field.confidence, CL_TRUE, 0,
                               result.confidence.size() * sizeof(float), result.confidence.data());
  return result;
}

Field load_flo(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char tag[4] = {};
  int32_t size[2] = {};
  file.read(tag, 4).read(reinterpret_cast<char *>(size), 8);
  if (!file || std::string(tag, 4) != "PIEH" || size[0] < 1 || size[1] < 1)
    throw std::runtime_error(path + " is no .flo file");
  Field field{size[0], size[1], {}, {}};
  field.vectors.resize(2 * size_t(size[0]) * size[1]);
  file.read(reinterpret_cast<char *>(field.vectors.data()), field.vectors.size() * sizeof(float));
  if (!file) throw std::runtime_error(path + " is cut short");
  return field;
}

double end_point_error(const Field &field, const Field &truth) {
  double sum = 0;
  size_t known = 0;
  for (size_t i = 0; i < truth.vectors.size(); i += 2) {
    const float x = truth.vectors[i], y = truth.vectors[i + 1];
    if (!(std::abs(x) < 1e9f && std::abs(y) < 1e9f)) continue;
    sum += std::hypot(field.vectors[i] - x, field.vectors[i + 1] - y);
    known++;
  }
  return known ? sum / known : 0;
}

}  // namespace reference::opticalflow
