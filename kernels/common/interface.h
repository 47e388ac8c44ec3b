// SPDX-License-Identifier: LGPL-2.1-or-later
// Every folder's interface.h is OpenCL C and C++ at once: the constants and structs that kernels
// and host share. INTERFACE(room) begins it and INTERFACE_END ends it: in C++ it is in namespace
// glcl::room. Structs hold numbers and OpenCL's vectors of 2 and 4, without pointers, bool and
// size_t. The test `interface` compares their layout on the device with that in C++.
#ifndef COMMON_INTERFACE_H
#define COMMON_INTERFACE_H

#ifdef __cplusplus
#include <opencl/cl.h>

namespace glcl::device_types {

using uchar = cl_uchar;
using ushort = cl_ushort;
using uint = cl_uint;
using ulong = cl_ulong;
using uchar2 = cl_uchar2;
using uchar4 = cl_uchar4;
using short2 = cl_short2;
using short4 = cl_short4;
using int2 = cl_int2;
using int4 = cl_int4;
using uint2 = cl_uint2;
using uint4 = cl_uint4;
using float2 = cl_float2;
using float4 = cl_float4;

}  // namespace glcl::device_types

#define INTERFACE(room)  \
  namespace glcl::room { \
  using namespace device_types;
#define INTERFACE_END }
/// An integer.
#define CONSTANT(name, value) constexpr int name = value
#else
#define INTERFACE(room)
#define INTERFACE_END
#define CONSTANT(name, value) enum { name = value }
#endif

#endif
