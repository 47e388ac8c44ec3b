// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion/search.h"

#include "forms.h"
#include "tools/bench/search.h"

namespace glcl::research {

namespace {

using namespace bench;
using motion::Search;
using Form = SearchForms::Form;

constexpr int lambda = 0;  // the least difference alone counts, as in the thesis

Step step(const char *name, Form form, const SearchWindow &window) {
  return {name, [=](Context &context, const Scene &scene) {
            return search_run(context, std::make_shared<SearchForms>(context, form),
                              SearchForms::block, window, scene, lambda);
          }};
}

/// The forms and ours at one of the thesis's windows.
Ablation ablation(int side) {
  const SearchWindow window = SearchWindow::of_window(side, SearchForms::block);
  return {"full search, blocks of 16 px, W=" + std::to_string(side),
          {step("reference, naive", Form::reference_naive, window),
           step("reference, local memory", Form::reference_local, window),
           step("collaborative, naive", Form::collaborative_naive, window),
           step("collaborative, local memory", Form::collaborative_local, window),
           step("collaborative, one launch", Form::collaborative_single, window),
           step("unaligned rows", Form::unaligned, window),
           {"several candidates per item",
            [=](Context &context, const Scene &scene) {
              return search_run(context, std::make_shared<Search>(context, SearchForms::block),
                                SearchForms::block, window, scene, lambda);
            }}},
          {}};
}

const Registration registration("glclmotion", [](Subject &subject) {
  for (int side : {31, 47}) subject.ablations.push_back(ablation(side));
});

}  // namespace

}  // namespace glcl::research
