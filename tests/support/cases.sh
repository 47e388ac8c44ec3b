#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cases.sh PROGRAM: cases of PROGRAM (casesample.cpp) share a process, except those that are alone; after a
# failure no other case of the process runs
set -euo pipefail
program=$1
unset CK_FORK GST_CHECKS

# run STATUS CASES: runs these cases, which has to end with this exit status
run() {
  local status=0
  output=$(GST_CHECKS=$2 "$program" 2>&1) || status=$?
  ((status == $1)) || fail "exit status $status, not $1"
}
fail() {
  printf '%s\n' "$1:" "$output"
  exit 1
}
has() { grep -q "$1" <<<"$output" || fail "no $1"; }
has_not() { ! grep -q "$1" <<<"$output" || fail "there is $1"; }
# process NAME: the process that ran the case
process() { sed -n "s/^$1 in \([0-9]*\) of.*/\1/p" <<<"$output"; }

run 0 first,second,alone,leaving
[[ $(process first) == "$(process second)" ]] || fail 'two processes'
for name in alone leaving; do
  has "^$name in"
  [[ $(process "$name") != "$(process first)" ]] || fail "$name is not alone"
done
(($(process teardown | wc -l) == 3)) || fail 'not one teardown a case'

run 1 ''
has 'fails:0: the reason'
has '^second in'
has '^alone in'
has_not '^last in'

export CK_FORK=yes
run 1 ''
has 'fails:0: the reason'
has '^last in'
[[ $(process first) != "$(process second)" ]] || fail 'one process'
