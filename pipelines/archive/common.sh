# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by the scripts of the archive. An archive's folder OUT holds
#   FILE/           the results of a file, as glcl-analyze names them
#   .archive/       everything else; only its owner may write there
#   .archive/failed       one line per file without results: its name, quoted for bash, and the reason
#   .archive/tasks/N      task N: file, begin, end and the number of its file, each followed by a NUL
#   .archive/parts/N/     its results
#   .archive/failures/N   one line per failure
#   .archive/starts/N     one byte per start
#   .archive/elements     the elements that glcl-analyze runs
#   .archive/rules.json   zones and lines, if there are any
#   .archive/log/         output of the tasks
. "$here/../setup.sh"
most_failures=3 # of a task, until it counts as failed
most_starts=8   # of a task without a result, until it counts as the reason why nodes are lost
analyze=${GLCL_ANALYZE:-glcl-analyze}

# open_archive OUT: sets out and archive. It refuses a folder that others can write, because its files may be links or may change.
open_archive() {
  out=$1 archive=$1/.archive
  [[ -d $archive ]] || die "$out is not an archive made by submit.sh"
  [[ -O $archive && -n $(find "$archive" -maxdepth 0 -type d ! -perm /022) ]] ||
    die "$archive is a link, belongs to another user, or is writable for others"
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
