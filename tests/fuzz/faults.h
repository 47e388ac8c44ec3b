// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "soak/random.h"

/// Has a call of OpenCL fail in most of the runs, by the preloaded layer: of any function that runs
/// before this one called, each as likely as another, the first calls and also all from one on.
/// Ends the program where there is no such layer. Gives how many calls have failed so far.
uint64_t plan_faults(Random &random);
