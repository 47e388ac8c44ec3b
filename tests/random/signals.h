// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls of applications to elements from any thread.
#pragma once

#include <gst/gst.h>

#include <string>

#include "random.h"

/// Emits one of the element's action signals with any arguments; which, where it has some.
std::string emit_random(GstElement *element, Random &random);

/// Asks what a sync handler asks: position, duration, state, statistics, caps.
void query_element(GstElement *element);
