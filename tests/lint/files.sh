# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Sourced by the checks of this folder. It goes to the root of the sources.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

# needs_tool NAME: skips without it
needs_tool() {
  command -v "$1" >/dev/null && return
  echo "SKIP: no $1 here"
  exit 77
}

# sources_like PATTERN...: sets `files` to the files of the sources of these names, those that git ignores left out
files=()
sources_like() {
  local names=() pattern file
  while read -r file; do
    [[ ! -f $file ]] || files+=("$file")
  done < <(git ls-files -co --exclude-standard -- "$@" 2>/dev/null | sort -u)
  ((!${#files[@]})) || return 0
  # no checkout of git
  for pattern in "$@"; do names+=(-o -path "./$pattern"); done
  mapfile -t files < <(find . -path './build*' -prune -o -type f \( "${names[@]:1}" \) -print)
  ((${#files[@]})) || { echo "no files like $*"; exit 1; }
}
