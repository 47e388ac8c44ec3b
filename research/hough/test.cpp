// SPDX-License-Identifier: LGPL-2.1-or-later
// The form that the thesis begins with counts the pairings that the others do.
#include <random>

#include "base.h"
#include "hough/canny.h"
#include "reference/hough/pairings.h"
#include "tests/kernels/engine.h"

using glcl::hough::Canny;

GST_START_TEST(test_base) {
  Bench bench;
  std::mt19937 random(1);
  for (const int directions : {1, 2, 90})
    for (const auto &[width, height] : {std::pair{1, 1}, {61, 37}, {300, 3}}) {
      std::vector<uint16_t> map(size_t(width) * height);
      for (uint16_t &value : map)
        if (random() % 3 == 0)
          value = uint16_t(Canny::strong | random() % 100 << 7 |
                           (random() % directions * 90 / directions + 1));
      const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              2 * map.size(), map.data());
      glcl::research::BasePairings engine(*bench.context, width, height, 500, 1000);
      engine.run(*bench.queue, buffer);
      const reference::Pairings expected(map, width, 500, 0);
      std::vector<uint32_t> space(expected.space.size());
      uint32_t count = 0;
      bench.queue->cl().enqueueReadBuffer(engine.count(), CL_TRUE, 0, 4, &count);
      bench.queue->cl().enqueueReadBuffer(engine.space(), CL_TRUE, 0, 4 * space.size(),
                                          space.data());
      fail_unless(space == expected.space && count == expected.pairs.size(), "%u of %zu", count,
                  expected.pairs.size());
    }
}
GST_END_TEST;

static Suite *hough_suite() {
  Suite *suite = suite_create("hough");
  TCase *tests = tcase_create("hough");
  tcase_add_test(tests, test_base);
  suite_add_tcase(suite, tests);
  return suite;
}

GST_CHECK_MAIN(hough)
