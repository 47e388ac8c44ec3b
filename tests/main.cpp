// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

int main(int argc, char **argv) { return test::run_cases(argc, argv); }
