#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# submit.sh LIST OUT [SBATCH OPTIONS...]: has Slurm analyse all files of a list, into a folder that all nodes see
#
# LIST names a file a line, or, where it holds NULs, a file before each NUL; it may be a pipe, as <(find …). Files longer than
# GLCL_PART seconds (600) are divided; with objects or tracks, whose memory is longer than the overlap of parts, only if GLCL_PART
# is set. Every part is a task of an array; merge.sh, a job behind it, joins them. Complete results in OUT are kept, so the same
# command goes on with what is left. Options for sbatch say where: --gres=gpu:1, --partition=…, --cpus-per-task=…. GLCL_ELEMENTS
# chooses what is analysed, as glcl-analyze --elements; GLCL_ANALYZE names that program. Prints the jobs' numbers.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
arguments 2 999 "$@"
[[ -r $1 ]] || wrong "cannot read $1"
mkdir -p "$2"
out=$(realpath -- "$2")
[[ -e $out/.archive || -L $out/.archive ]] || mkdir -m 755 "$out/.archive"
open_archive "$out"
exec {lock}>"$archive/lock"
flock -n "$lock" || die "another submit.sh is at work in $out"
mkdir -p "$archive"/{tasks,parts,log}
cat <"$1" >"$archive/list.new"
if (($(tr -dc '\0' <"$archive/list.new" | wc -c))); then
  mapfile -d '' -t files <"$archive/list.new"
else
  mapfile -t files <"$archive/list.new"
fi
rm "$archive/list.new"
[[ $(IFS=; echo "${files[*]}") ]] || wrong "$1 names no file"
elements=${GLCL_ELEMENTS:-shots,histogram,motion}
[[ ! -e $archive/elements || $(<"$archive/elements") == "$elements" ]] || die "$out holds results of other elements"
echo "$elements" >"$archive/elements"

length=${GLCL_PART:-600}
[[ ${GLCL_PART:-} || ! $elements =~ objects|tracks ]] || length=''
# A task's number is that of its file and of its part: the same list gives the same tasks.
declare -A known=()
waiting=() number=0
if [[ -e $archive/files ]]; then
  while IFS= read -r -d '' file; do known[$file]=1; done <"$archive/files"
  number=$(find "$archive/tasks" -type f | wc -l)
fi
# Of a file at which an earlier run was stopped.
while ((number)) && read_task $((number - 1)) && ((of_file >= ${#known[@]})); do
  number=$((number - 1))
  rm "$archive/tasks/$number"
done
for file in "${files[@]}"; do
  [[ -n $file ]] || continue
  file=$(realpath -ms -- "$file" && echo x)
  file=${file%$'\n'x}
  [[ -z ${known[$file]:-} ]] || continue
  # What can't be read fails in its task, which tells why.
  parts='0 end'
  [[ -z $length ]] || parts=$(timeout 120 "$analyze" --split "$length" -- "$file" 2>/dev/null </dev/null || echo '0 end')
  while read -r from to; do
    printf '%s\0' "$file" "$from" "$to" "${#known[@]}" >"$archive/tasks/$number"
    number=$((number + 1))
  done <<<"$parts"
  printf '%s\0' "$file" >>"$archive/files"
  known[$file]=1
done
rm -rf "$archive"/failures "$archive"/starts "$archive"/failed # to be tried anew
mkdir "$archive"/failures "$archive"/starts
for ((i = 0; i < number; i++)); do
  read_task "$i"
  is_whole || waiting+=("$i")
done
echo "${#known[@]} files in $number parts, ${#waiting[@]} of them to be done" >&2

# Slurm's arrays have a largest index and a largest length: the tasks that wait are named by a list of each array.
most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
[[ $most =~ ^[1-9][0-9]*$ && $most != 1 ]] || die 'Slurm does not say how long an array may be'
log=${archive//%/%%}/log # of a % Slurm makes the number of a job
jobs=()
for ((first = 0; first < ${#waiting[@]}; first += most - 1)); do
  batch=("${waiting[@]:first:most-1}")
  list=$(mktemp "$archive/list-XXXXXX")
  printf '%s\n' "${batch[@]}" >"$list"
  jobs+=("$(sbatch --parsable --requeue --job-name=glcl-analyze --array="0-$((${#batch[@]} - 1))" --open-mode=append \
    --output="$log/%A_%a" "${@:3}" "$here/task.sh" "$out" "$list" "$here")")
done
behind=()
((${#jobs[@]} == 0)) || behind=(--dependency="afterany:$(IFS=:; echo "${jobs[*]}")")
jobs+=("$(sbatch --parsable --requeue --job-name=glcl-merge --output="$log/merge" "${behind[@]}" "${@:3}" --gres=none \
  "$here/merge.sh" "$out" "$here")")
printf '%s\n' "${jobs[@]}"
