// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of the thesis find what the full search finds.
#include "forms.h"

#include "tests/kernels/motion/motion.h"

using glcl::research::SearchForms;
using Form = SearchForms::Form;

namespace {

constexpr int forms = static_cast<int>(Form::unaligned) + 1;

std::vector<Key> run(Bench &bench, Form form, const Pair &pair, const SearchWindow &window,
                     int lambda) {
  SearchForms engine(*bench.context, form);
  const motion::LumaPlane current = upload(bench, pair.current);
  const motion::LumaPlane reference = upload(bench, pair.reference);
  const size_t count = size_t((current.width + 15) / 16) * ((current.height + 15) / 16);
  const cl::Buffer keys = key_buffer(bench, count);
  engine.run(*bench.queue, current, reference, window, lambda, keys);
  return download(bench, keys, count);
}

void check(Bench &bench, Form form, const Pair &pair, const SearchWindow &window, int lambda) {
  check_keys(
      run(bench, form, pair, window, lambda),
      reference::full_search(pair.current, pair.reference, SearchForms::block, window, lambda),
      pair.name + " " + std::to_string(pair.current.width) + "×" +
          std::to_string(pair.current.height) + ", window " + std::to_string(window.x.count) + "×" +
          std::to_string(window.y.count));
}

}  // namespace

TEST_EACH(test_content, 0, forms) {
  Bench bench;
  for (const Pair &pair : pairs(97, 53))
    for (int lambda : {0, 3})
      check(bench, static_cast<Form>(__i__), pair, SearchWindow::of_window(25, 16), lambda);
}

TEST_EACH(test_sizes, 0, forms) {
  Bench bench;
  for (const auto &[width, height] : {std::pair{1, 1}, {16, 16}, {17, 33}, {1040, 9}, {7680, 3}})
    check(bench, static_cast<Form>(__i__), pairs(width, height)[0], {{-2, 3}, {-1, 2}}, 0);
}

TEST_EACH(test_windows, 0, forms) {
  Bench bench;
  const Pair pair = moved(reference::natural_frame(75, 40), 7, -6, "natural");
  for (int side : {25, 31, 35, 36, 40, 47})
    check(bench, static_cast<Form>(__i__), pair, SearchWindow::of_window(side, 16), 0);
  check(bench, static_cast<Form>(__i__), pair, {{-128, 2}, {127, 2}}, 0);
  check(bench, static_cast<Form>(__i__), pair, {{90, 3}, {-128, 1}}, 0);
}

// A window of more candidates than a group may have items is an error that tells the largest.
TEST(test_limit) {
  Bench bench;
  const auto most = bench.context->device().device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const int side = static_cast<int>(std::sqrt(double(most))) + 15;
  const Pair pair = pairs(16, 16)[0];
  for (Form form : {Form::reference_naive, Form::reference_local}) try {
      run(bench, form, pair, SearchWindow::of_window(side + 1, 16), 0);
      fail("a window of %d px was taken", side + 1);
    } catch (const glcl::Error &error) {
      fail_unless(error.kind() == glcl::Error::Kind::settings);
      fail_unless(std::string(error.what()).find(std::to_string(side) + " px") !=
                  std::string::npos);
    }
}
