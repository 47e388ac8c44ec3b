// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of pixels on the host, by several threads.
#include "fixture.h"
#include "sharing/rowcopier.h"

using test::expect;

// Rows of any stride, many copies at a time; the padding between rows stays.
TEST(rows_copied) {
  glcl::sharing::RowCopier copier;
  for (const auto &[bytes, count] : {std::pair{1, 1}, {4, 3}, {7680, 1080}, {3000000, 3}})
    for (const int gap : {0, 12}) {
      const size_t step = bytes + gap;
      std::vector<char> from(step * count), to(step * count, 'x');
      for (size_t i = 0; i < from.size(); i++) from[i] = static_cast<char>(i * 7 + i / 251);
      const int half = count / 2;
      copier.begin({to.data(), step, from.data(), step, size_t(bytes), half});
      copier.begin({to.data() + half * step, step, from.data() + half * step, step, size_t(bytes),
                    count - half});
      copier.finish();
      for (int y = 0; y < count; y++) {
        expect(std::equal(&to[y * step], &to[y * step] + bytes, &from[y * step]), "a row");
        expect(std::all_of(&to[y * step] + bytes, &to[y * step] + step,
                           [](char c) { return c == 'x'; }),
               "behind a row");
      }
    }
}
