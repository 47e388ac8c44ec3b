#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# commits.sh: the hook .githooks/commit-msg accepts good messages and refuses others, also if git calls it
set -euo pipefail
cd "$(dirname "$0")/../.."
hook=$PWD/.githooks/commit-msg
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0 count=0

# expect STATUS MESSAGE [WORDS]: for the message, the hook exits with the status and prints the words
expect() {
  local status=0
  printf '%b' "$2" >"$work/message"
  "$hook" "$work/message" 2>"$work/error" || status=$?
  ((++count))
  ((status == $1)) && [[ ! ${3:-} || $(<"$work/error") == *"$3"* ]] && return
  ((++faults))
  echo "status $status, not $1, or not \"${3:-}\": $2: $(<"$work/error")"
}
long=$(printf 'x%.0s' {1..72})
expect 0 'bilateral: weights are exact'
expect 0 'tests/lint: a hook looks at messages\n\nWhy: they were too long.\n# a comment of git\n'
expect 0 '# a comment of git\nsharing, base: frames keep their owner\n'
expect 0 "docs: ${long:6}"
expect 0 "docs: ${long:7}×"
expect 0 "Revert \"$long\""
expect 1 "docs: ${long:5}" 'has 73 characters, more than 72'
expect 1 'Weights are exact' 'not "room: what it does"'
expect 1 'bilateral:weights are exact' 'not "room: what it does"'
expect 1 'bilateral: weights are exact.' 'full stop'
expect 1 'bilateral: weights are exact\nnow' 'not empty'
expect 1 '' 'not "room'

if command -v git >/dev/null; then
  git init -q "$work/tree"
  commit() { git -C "$work/tree" -c core.hooksPath="$PWD/.githooks" -c user.name=me -c user.email=me commit -q --allow-empty "$@" 2>"$work/error"; }
  commit -m 'docs: a page more' || { ((++faults)); echo "git does not commit: $(<"$work/error")"; }
  if commit -m "docs: a page more $long"; then
    ((++faults))
    echo 'git accepts a message that the hook refuses'
  fi
fi
echo "$count messages, $faults faults"
((!faults))
