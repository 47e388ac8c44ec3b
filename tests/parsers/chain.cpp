// SPDX-License-Identifier: LGPL-2.1-or-later
// A chain's text, and after a line of --- a filter's: an accepted text has stages within the
// limits, otherwise an error names a line.
#include "chain/plan.h"

#include <cctype>

#include "opencl/error.h"
#include "parser.h"

namespace {

using glcl::chain::Description;

void within_limits(const Description &chain) {
  for (const glcl::chain::Stage &stage : glcl::chain::stages_of(chain))
    check(stage.radius_x <= glcl::chain::max_radius && stage.radius_y <= glcl::chain::max_radius &&
              stage.frames <= glcl::chain::max_frames,
          "a stage is beyond the limits");
}

std::string lower_case(std::string text) {
  for (char &character : text)
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  return text;
}

template <class Read>
void read(const Read &read) {
  try {
    read();
  } catch (const glcl::Error &error) {
    check(error.kind() == glcl::Error::Kind::settings, error.text());
    check(std::string(error.what()).find(':') != std::string::npos, error.text());
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text = text_of(data, size), mark = "\n---\n";
  const size_t end = text.find(mark);
  // No file of this machine is to be read.
  const std::string chain = text.substr(0, end);
  if (chain.find('/') == std::string::npos && chain.find(".cl") == std::string::npos &&
      lower_case(chain).find(".cube") == std::string::npos)
    read([&] { within_limits(glcl::chain::parse_chain(chain, "filters", {})); });
  if (end == std::string::npos) return 0;
  read([&] {
    const auto filter = glcl::chain::parse_filter(text.substr(end + mark.size()), "own.cl");
    within_limits({{{filter, "own", filter->initial(), 1}}, 1, {}});
  });
  return 0;
}
