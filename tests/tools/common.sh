# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# common.sh: functions for the tests of the tools
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_DATA_HOME=$work/data

die() {
  echo "${0##*/}: $*" >&2
  cat output errors >&2
  exit 1
}

# expect STATUS TOOL [OPTIONS...]: the tool exits with the status; its output goes to the files output
# and errors
expect() {
  local wanted=$1 tool=$2 status=0
  shift 2
  echo "$tool $*"
  timeout 200 "$GLCL_BUILD/tools/$tool" "$@" >output 2>errors || status=$?
  ((status == wanted)) || die "exit status $status, expected $wanted"
}

says() { tr -s ' \n' '  ' <"${2:-output}" | grep -qF -- "$1" || die "does not say: $1"; }
is_json() { python3 -m json.tool "$1" >/dev/null || die "$1 is not JSON"; }
