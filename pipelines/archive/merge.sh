#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# merge.sh OUT [HERE]: joins the parts of all files of an archive whose parts are complete, and lists the others in
# OUT/.archive/failed. HERE is the folder of this script where Slurm runs a copy of it.
set -euo pipefail
here=${2:-$(dirname "$0")}
. "$here/common.sh"
arguments 1 2 "$@"
open_archive "$1"
number=$(find "$archive/tasks" -type f | wc -l)
: >"$archive/failed.new"
done=0 last=-1 parts=() reason=''

# Finishes the file whose parts are complete.
finish() {
  ((last >= 0)) || return 0
  if [[ -z $reason ]]; then
    if reason=$("$analyze" --join --resume --out "$out" -- "${parts[@]}" 2>&1); then
      done=$((done + 1))
      return
    fi
    reason=${reason:-it could not be joined}
  fi
  printf '%q: %s\n' "$last_file" "${reason//[[:cntrl:]]/?}" >>"$archive/failed.new"
}

for ((i = 0; i < number; i++)); do
  read_task "$i"
  if ((of_file != last)); then
    finish
    parts=() reason='' last=$of_file last_file=$file
  fi
  if is_whole; then
    parts+=("$part")
  elif [[ -z $reason ]]; then
    reason="$(tail -n 1 "$archive/failures/$i" 2>/dev/null || echo 'it was not analysed') (from $from to $to, started $(($(count "$archive/starts/$i" -c) + 0)) times)"
  fi
done
finish
mv "$archive/failed.new" "$archive/failed"
echo "$done files are complete, $(wc -l <"$archive/failed") are not"
[[ ! -s $archive/failed ]]
