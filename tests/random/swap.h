// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>

/// Puts a fresh element of the kind and name of `old`, which goes to NULL, into its place while no
/// frame passes; `set_up` gets it before it is linked. Null where no frame comes to be held, and
/// with a `fault` where it can't be linked. Transfer full; `old` stays the caller's.
GstElement *swapped(GstBin *pipeline, GstElement *old,
                    const std::function<void(GstElement *)> &set_up, std::string &fault);
