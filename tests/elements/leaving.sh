#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# leaving.sh PROGRAM: applications that exit while kernels are compiled or frames are processed do not crash
set -euo pipefail
program=$1
pipeline='videotestsrc is-live=true ! glupload ! glcolorconvert ! glclchain filters=sobel ! glclbilateral ! glclhistogram ! fakesink'
failed=0

# exit_during NAME [fork] COMMAND...: runs the program, and lets it exit after COMMAND has ended;
# COMMAND reads the output of the program
exit_during() {
  local name=$1 status=0 forks=()
  shift
  [[ $1 != fork ]] || { forks=(fork) && shift; }
  coproc child { exec "$program" "$pipeline" "${forks[@]}"; }
  # shellcheck disable=SC2154
  local pid=$child_PID to=${child[1]} from=${child[0]}
  "$@" <&"$from"
  echo >&"$to"
  wait "$pid" || status=$?
  echo "$name: exit status $status"
  ((status == 0)) || failed=1
}

GLCL_TEST_BUILD=0 exit_during 'a context' timeout 60 grep -q -m1 creating
for build in 1 2 3 4; do
  GLCL_TEST_BUILD=$build exit_during "build $build" timeout 60 grep -q -m1 building
done
GLCL_TEST_BUILD=2 exit_during 'build 2 of a fork' fork timeout 60 grep -q -m1 building
for seconds in 0.02 0.1 0.3 1; do
  GLCL_TEST_BUILD=-1 exit_during "after $seconds s" sleep "$seconds"
done
exit "$failed"
