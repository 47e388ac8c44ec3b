// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "random.h"

/// Has a call of OpenCL fail from now on, with the preloaded layer: of any function that was called
/// before, each as likely as another, the first calls and also all from one on. Nothing fails where
/// no `random` is given, nor the first time. Ends the program where there is no such layer. Gives
/// how many calls have failed so far.
uint64_t plan_faults(Random *random);
