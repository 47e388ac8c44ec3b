// SPDX-License-Identifier: LGPL-2.1-or-later
// The children of a glclchain: an object for each filter, with its parameters as properties.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "chain/description.h"

namespace glcl::chain {

/// A reference to a child; the last one takes it from its parent.
using Child = std::shared_ptr<GstObject>;

/// An object named and valued as the item. Its type is that of the filter's declaration as long as
/// there are children of it.
Child make_child(const Item &item, GstElement *parent);

/// Sets the parameters of the child that a new text of the chain changes; all others keep their
/// values. Returns false and changes nothing if its filter has other parameters now.
bool renew_child(const Child &child, const Item &item);

Values child_values(const Child &child);

}  // namespace glcl::chain
