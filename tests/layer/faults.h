// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes OpenCL calls fail, as the environment variable GLCL_FAULT says, or a program by the
// functions of control.h:
//
//   FUNCTION:N[:ERROR]   the Nth call of the function fails
//   FUNCTION:N+[:ERROR]  and every later one; FUNCTION may end in * (counted together), ERROR is a
//                        name or a number, else one that is likely of the function
//   random:SEED:ONE_IN   every call fails with the probability 1 / ONE_IN: which calls of a
//   function
//                        do follows from the seed alone
//   count                none fails; the calls per function are printed at exit
#pragma once

#include <CL/cl.h>

namespace glcl_layer {

/// The error that this call of the function is to fail with, or CL_SUCCESS. The failing call does
/// not reach the driver.
cl_int injected(const char *function);

void print_counts();

}  // namespace glcl_layer
