#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# format.sh [--fix]: checks the format of sources in C, C++ and OpenCL C with clang-format 14; --fix corrects it
#
# It skips with other versions of clang-format, which format some lines differently.
set -euo pipefail
. "$(dirname "$0")/files.sh"
tool=$(command -v clang-format-14 || command -v clang-format) || needs_tool clang-format
[[ $("$tool" --version) == *' 14.'* ]] || {
  echo "SKIP: $("$tool" --version) is not version 14"
  exit 77
}
sources_like '*.c' '*.cpp' '*.h' '*.cl' '*.clh'
echo "${#files[@]} files"
if [[ ${1:-} == --fix ]]; then
  "$tool" -i "${files[@]}"
else
  "$tool" --dry-run -Werror "${files[@]}"
fi
