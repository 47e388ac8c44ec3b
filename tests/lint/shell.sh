#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shell.sh: checks all shell scripts with shellcheck (.shellcheckrc)
set -euo pipefail
. "$(dirname "$0")/files.sh"
needs_tool shellcheck
sources_like '*.sh' .ci/run .githooks/commit-msg tools/new-element
echo "${#files[@]} scripts"
shellcheck "${files[@]}"
