// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl_icd.h>

namespace glcl_layer {

/// With GLCL_APART=1: devices say that their memory is not the host's, so that sharing=copy brings
/// frames as it does to a GPU of its own memory.
void tell_of_own_memory(cl_icd_dispatch &driver);

}  // namespace glcl_layer
