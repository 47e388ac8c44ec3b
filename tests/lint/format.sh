#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# format.sh [--fix]: every source in C and C++ is as clang-format 14 writes it (.clang-format); with --fix makes it so
#
# Kernels (.cl, .clh) are not looked at. Other versions of clang-format write some lines otherwise, so they skip.
set -euo pipefail
. "$(dirname "$0")/files.sh"
tool=$(command -v clang-format-14 || command -v clang-format) || needs_tool clang-format
[[ $("$tool" --version) == *' 14.'* ]] || {
  echo "SKIP: $("$tool" --version) is not version 14"
  exit 77
}
sources_like '*.c' '*.cpp' '*.h'
echo "${#files[@]} files"
if [[ ${1:-} == --fix ]]; then
  "$tool" -i "${files[@]}"
else
  "$tool" --dry-run -Werror "${files[@]}"
fi
