# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by the scripts of the archive. An archive's folder OUT holds
#   FILE/           the results of a file, as glcl-analyze names them
#   .archive/       all else; nobody but its owner may write there
#   .archive/failed       a line for each file without results: its name, quoted as bash does, and why
#   .archive/tasks/N      what task N is: file, begin, end and the number of its file, each with a NUL behind it
#   .archive/parts/N/     its results
#   .archive/failures/N   a line for each time that it failed
#   .archive/starts/N     a byte for each time that it began
#   .archive/elements     what glcl-analyze looks for
#   .archive/log/         what tasks write
. "$here/../setup.sh"
most_failures=3 # of a task, after which it is listed
most_starts=8   # by lost nodes, after which it is taken for what loses them
analyze=${GLCL_ANALYZE:-glcl-analyze}

# open_archive OUT: sets out and archive. What others can write may hold links, and files that are not what they were.
open_archive() {
  out=$1 archive=$1/.archive
  [[ -d $archive ]] || die "$out is no archive"
  [[ -O $archive && -n $(find "$archive" -maxdepth 0 -type d ! -perm /022) ]] ||
    die "$archive is a link, belongs to another user, or others can write there"
}

# read_task N: sets file, from, to, of_file, and part, the folder of its results
read_task() {
  local fields
  mapfile -d '' -t fields <"$archive/tasks/$1"
  [[ ${#fields[@]} == 4 && ${fields[1]} =~ ^[0-9.]+$ && ${fields[2]} =~ ^([0-9.]+|end)$ && ${fields[3]} =~ ^[0-9]+$ ]] ||
    die "$archive/tasks/$1 is damaged"
  file=${fields[0]} from=${fields[1]} to=${fields[2]} of_file=$((10#${fields[3]}))
  part=$archive/parts/$1/${file##*/}
}

is_whole() { [[ -d $part ]]; }
count() { [[ ! -e $1 ]] || wc "$2" <"$1"; }
is_given_up() {
  (($(count "$archive/failures/$1" -l)+0 >= most_failures || $(count "$archive/starts/$1" -c)+0 >= most_starts))
}
