// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions of the preloaded layer for a program that runs several pipelines. The program finds the
// functions by their names, without linking.
#pragma once

extern "C" {

/// Takes a plan as GLCL_FAULT has it, with all counts at 0; null for none. Each call is counted.
void glcl_layer_plan(const char *plan);
/// The calls of each function since then, in the order of the names.
void glcl_layer_counts(void (*each)(const char *function, long calls, void *data), void *data);
/// The calls that were made to fail since then: "FUNCTION ERROR" per line; valid until the next
/// call.
const char *glcl_layer_injected();
/// Live OpenCL objects: those created by functions whose name begins like this, or all for null.
long glcl_layer_objects(const char *creator);
/// Violations of the contract so far.
int glcl_layer_violations();
}
