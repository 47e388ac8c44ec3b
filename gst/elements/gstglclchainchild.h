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

/// Gives the child what a new text of the chain says where that differs from the earlier text; all
/// else stays as it was set. False, and nothing is done, where its filter is declared otherwise.
bool renew_child(const Child &child, const Item &item);

Values child_values(const Child &child);

}  // namespace glcl::chain
