#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# task.sh OUT LIST HERE [NUMBER]: does the task that the line NUMBER of LIST names, from 0 on; else that of Slurm's array
#
# Complete results are left alone. What fails goes back to Slurm's queue, up to three times; then it is for merge.sh to list.
. "$3/common.sh"
archive=$1/.archive
task=$(sed -n "$((${4:-${SLURM_ARRAY_TASK_ID:-0}} + 1))p" "$2")
[[ -n $task ]] || die "there is no such task in $2"
if is_whole "$task" || is_given_up "$task"; then exit 0; fi
printf . >>"$archive/starts/$task"
read_task "$task"
mapfile -d '' -t options <"$archive/options"
[[ $to == end ]] || options+=(--to "$to")
status=0
"$analyze" "${options[@]}" --part --from "$from" --resume --out "$archive/parts/$task" -- "$file" >"$archive/log/task-$task" || status=$?
cat "$archive/log/task-$task"
((status)) || exit 0
sed -n 's/.*"event":"failed".*"reason":"\(.*\)"}$/\1/p' "$archive/log/task-$task" >"$archive/log/reason-$task"
[[ -s $archive/log/reason-$task ]] || echo "exit status $status" >"$archive/log/reason-$task"
cat "$archive/log/reason-$task" >>"$archive/failures/$task"
if [[ ${SLURM_JOB_ID:-} ]] && ! is_given_up "$task"; then
  scontrol requeue "$SLURM_JOB_ID" && sleep 60
fi
exit 1
