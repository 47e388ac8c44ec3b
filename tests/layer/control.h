// SPDX-License-Identifier: LGPL-2.1-or-later
// What the layer, where it is preloaded, lets a program do that runs several pipelines. The program
// finds the functions by their names: nothing is linked.
#pragma once

extern "C" {

/// Takes a plan as GLCL_FAULT has it, with all counts at 0; null for none. Each call is counted.
void glcl_layer_plan(const char *plan);
/// The calls of each function since then, in the order of the names.
void glcl_layer_counts(void (*each)(const char *function, long calls, void *data), void *data);
/// What was made to fail since then: "FUNCTION ERROR" a line; valid until the next call.
const char *glcl_layer_injected();
/// OpenCL objects that live; of those that a function whose name begins so has made, null for all.
long glcl_layer_objects(const char *creator);
/// Violations of the contract so far.
int glcl_layer_violations();
}
