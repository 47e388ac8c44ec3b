// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "random.h"

/// Does one thing to the element, whichever: sets one property of it or of a child of it to a limit
/// or to anything between, reads one that can't be set, or emits an action signal. `area`: of the
/// frames, px; where that is large, what makes a frame costly stays small. `playing`: whether the
/// stream runs already. Gives what was done.
std::string random_action(GstElement *element, Random &random, int area, bool playing);
