# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by the scripts of the archive. An archive's folder OUT holds
#   FILE/           the results of a file, as glcl-analyze names them
#   failed          a line for each file without results: its name, quoted as bash does, and why
#   .archive/tasks/N      what task N is: file, begin, end and the number of its file, each with a NUL behind it
#   .archive/parts/N/     its results
#   .archive/failures/N   a line for each time that it failed
#   .archive/starts/N     a byte for each time that it began
#   .archive/options      the options of glcl-analyze, with NULs
#   .archive/log/         what tasks write
set -euo pipefail
most_failures=3 # of a task, after which it is listed
most_starts=8   # by lost nodes, after which it is taken for what loses them

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# usage SCRIPT: prints the comment at its top
usage() { sed -n '1d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$1"; }

analyze=${GLCL_ANALYZE:-glcl-analyze}

# read_task N: sets file, from, to and of_file
read_task() {
  local fields
  mapfile -d '' -t fields <"$archive/tasks/$1"
  file=${fields[0]} from=${fields[1]} to=${fields[2]} of_file=${fields[3]}
}

# part_of N: prints the folder of its results, and a NUL; nothing where they are not complete
part_of() { find "$archive/parts/$1" -mindepth 1 -maxdepth 1 -type d ! -name '.glcl-*' -print0 2>/dev/null || true; }
is_whole() { [[ -n $(part_of "$1" | tr '\0' x) ]]; }
count() { [[ ! -e $1 ]] || wc "$2" <"$1"; }
is_given_up() {
  (($(count "$archive/failures/$1" -l)+0 >= most_failures || $(count "$archive/starts/$1" -c)+0 >= most_starts))
}
