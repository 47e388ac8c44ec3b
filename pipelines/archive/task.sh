#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# task.sh OUT LIST HERE [NUMBER]: runs the task in line NUMBER of LIST, counted from 0; the default is the index in Slurm's array
#
# HERE is the folder of this script where Slurm runs a copy of it. Complete results stay untouched. A failed task returns to
# Slurm's queue up to three times; then merge.sh lists it.
set -euo pipefail
here=${3:-$(dirname "$0")}
. "$here/common.sh"
arguments 3 4 "$@"
open_archive "$1"
line=${4:-${SLURM_ARRAY_TASK_ID:-0}}
[[ $line =~ ^[0-9]+$ ]] || wrong "NUMBER is the number of a line, not $line"
task=$(sed -n "$((10#$line + 1))p" "$2")
[[ $task =~ ^[0-9]+$ ]] || die "$2 has no such task"
read_task "$task"
if is_whole || is_given_up "$task"; then exit 0; fi
printf . >>"$archive/starts/$task"
elements=$(<"$archive/elements")
options=(--elements="$elements" --part --from "$from" --resume --out "$archive/parts/$task")
[[ ! -e $archive/rules.json ]] || options+=(--rules "$archive/rules.json")
[[ $to == end ]] || options+=(--to "$to")
status=0
"$analyze" "${options[@]}" -- "$file" >"$archive/log/task-$task" || status=$?
cat "$archive/log/task-$task"
((status)) || exit 0
sed -n 's/.*"event":"failed".*"reason":"\(.*\)"}$/\1/p' "$archive/log/task-$task" >"$archive/log/reason-$task"
[[ -s $archive/log/reason-$task ]] || echo "exit status $status" >"$archive/log/reason-$task"
cat "$archive/log/reason-$task" >>"$archive/failures/$task"
if [[ ${SLURM_JOB_ID:-} ]] && ! is_given_up "$task"; then
  scontrol requeue "$SLURM_JOB_ID" && sleep 60
fi
exit 1
