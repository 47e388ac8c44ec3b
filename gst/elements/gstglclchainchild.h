// SPDX-License-Identifier: LGPL-2.1-or-later
// The children of a glclchain: an object for each filter, with its parameters as properties.
#pragma once

#include <gst/gst.h>

#include <memory>

#include "chain/description.h"

namespace glcl::chain {

/// A reference to a child. Dropping the last one unparents the child.
using Child = std::shared_ptr<GstObject>;

/// Creates a child with the name and values of the item. Its type has the parameters of the
/// filter's declaration while children of this type exist.
Child make_child(const Item &item, GstElement *parent);

/// Sets the parameters of the child that a new text of the chain changes; all others keep their
/// values. Returns false and changes nothing if its filter has other parameters now.
bool renew_child(const Child &child, const Item &item);

Values child_values(const Child &child);

}  // namespace glcl::chain
