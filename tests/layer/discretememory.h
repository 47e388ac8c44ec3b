// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl_icd.h>

namespace glcl_layer {

/// With GLCL_DISCRETE_MEMORY=1: devices report that their memory is not the host's, so that
/// sharing=copy uploads frames as it does to a discrete GPU.
void report_discrete_memory(cl_icd_dispatch &driver);

}  // namespace glcl_layer
