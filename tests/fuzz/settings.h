// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "soak/random.h"

/// Sets one property of the element, whichever, to a limit or to anything between; reads one that
/// can't be set. `area`: of the frames, px; where that is large, what makes a frame costly stays
/// small. `playing`: whether the stream runs already. Gives what was set.
std::string set_random(GstElement *element, Random &random, int area, bool playing);
