// SPDX-License-Identifier: LGPL-2.1-or-later
// CLHPP with the settings of this project: OpenCL 1.2, errors thrown as cl::Error.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
