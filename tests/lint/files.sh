# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Functions for the checks of this folder. Sourcing it changes to the root of the sources.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

# needs_tool NAME: skips if the program is missing
needs_tool() {
  command -v "$1" >/dev/null && return
  echo "SKIP: $1 is not installed"
  exit 77
}

# sources_like PATTERN...: sets `files` to the matching files of the sources, without files that git
# ignores
files=()
sources_like() {
  local names=() pattern file
  while read -r file; do
    [[ ! -f $file ]] || files+=("$file")
  done < <(git ls-files -co --exclude-standard -- "$@" 2>/dev/null | sort -u)
  ((!${#files[@]})) || return 0
  # This is not a git checkout.
  for pattern in "$@"; do names+=(-o -path "./$pattern"); done
  mapfile -t files < <(find . -path './build*' -prune -o -type f \( "${names[@]:1}" \) -print)
  ((${#files[@]})) || { echo "no files like $*"; exit 1; }
}
