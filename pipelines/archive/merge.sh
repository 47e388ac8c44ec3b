#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# merge.sh OUT [HERE]: joins the parts of all files of an archive whose parts are complete, and lists the others in OUT/failed
. "${2:-$(dirname "$0")}/common.sh"
out=$1 archive=$1/.archive
[[ -d $archive ]] || die "$out is no archive"
number=$(find "$archive/tasks" -type f | wc -l)
: >"$archive/failed"
done=0 last=-1 parts=() reason=''

# Ends the file whose parts are known.
finish() {
  ((last >= 0)) || return 0
  if [[ -z $reason ]] && ! reason=$("$analyze" --join --resume --out "$out" -- "${parts[@]}" 2>&1); then
    reason=${reason:-it could not be joined}
  fi
  if [[ -z $reason ]]; then
    done=$((done + 1))
  else
    printf '%q: %s\n' "$last_file" "$reason" >>"$archive/failed"
  fi
}

for ((i = 0; i < number; i++)); do
  read_task "$i"
  if ((of_file != last)); then
    finish
    parts=() reason='' last=$of_file last_file=$file
  fi
  if is_whole "$i"; then
    mapfile -d '' -t -O "${#parts[@]}" parts < <(part_of "$i")
  elif [[ -z $reason ]]; then
    reason="$(tail -n 1 "$archive/failures/$i" 2>/dev/null || echo 'it has not been done') (from $from to $to, begun $(($(count "$archive/starts/$i" -c) + 0)) times)"
  fi
done
finish
mv "$archive/failed" "$out/failed"
echo "$done files are complete, $(wc -l <"$out/failed") are not"
[[ ! -s $out/failed ]]
