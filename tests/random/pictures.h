// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include "random.h"

/// A picture in memory of any size and many formats, its strides given by the numbers alone; one of
/// twenty lacks its buffer, its caps, some of its bytes, or has caps that are no single picture's.
GstSample *random_sample(Random &random);
