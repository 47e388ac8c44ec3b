// SPDX-License-Identifier: LGPL-2.1-or-later
// EventWindows covers the times around events, in whatever order they come, and stays small.
#include "gate/eventwindows.h"

#include <string>

#include "tests/support/cases.h"

using glcl::gate::EventWindows;
using glcl::gate::Margins;

TEST(times) {
  EventWindows windows;
  const Margins margins{20, 30};
  fail_unless(!windows.covers(0, margins), "nothing is covered without events");
  windows.begin("a", 100);
  windows.begin("a", 500);
  fail_unless(!windows.covers(79, margins) && windows.covers(80, margins),
              "from 20 before the begin");
  fail_unless(windows.covers(1000000, margins), "to the end");
  windows.end("b", 90);
  windows.end("a", 200);
  windows.end("a", 900);
  fail_unless(windows.covers(230, margins) && !windows.covers(231, margins), "to 30 after the end");
  windows.begin("a", 300);
  fail_unless(windows.covers(230, margins) && !windows.covers(250, margins), "both events count");
  fail_unless(windows.covers(280, margins) && windows.covers(5000, margins), "the second is open");
  windows.forget_before(231, margins);
  fail_unless(windows.count() == 1 && !windows.covers(230, margins), "the first is forgotten");
  windows.end("a", 250);
  fail_unless(windows.covers(330, margins) && !windows.covers(331, margins),
              "an end is not before its begin");
  windows.moment(400);
  fail_unless(windows.covers(380, margins) && windows.covers(430, margins) &&
                  !windows.covers(379, margins) && !windows.covers(431, margins),
              "a moment");
  windows.clear();
  fail_unless(!windows.count() && !windows.covers(400, margins), "none");
}

TEST(many_events) {
  EventWindows ended, open;
  for (uint64_t i = 0; i < 10 * EventWindows::most; i++) {
    ended.moment(100 * i);
    open.begin(std::to_string(i), 100 * i);
    fail_unless(ended.covers(100 * i, {}) && ended.covers(0, {}), "all events stay covered");
  }
  fail_unless(ended.count() == EventWindows::most && open.count() == EventWindows::most,
              "few are kept");
  fail_unless(!ended.covers(100 * (10 * EventWindows::most - 1) - 50, {}), "the last are exact");
  fail_unless(open.covers(0, {}), "the first begin counts");
}
