#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# submit.sh LIST OUT [SBATCH OPTIONS...]: analyses all files of a list with Slurm, into a folder shared by all nodes
#
# LIST has one file name per line, or names that end with NULs; it may be a pipe such as <(find …). Files longer than GLCL_PART
# seconds (600) are split into parts. With objects or tracks, which look back further than the overlap of parts, this happens only
# if GLCL_PART is set. Every part is a task of an array job; a later job runs merge.sh to join them. Complete results in OUT are
# kept, so the same command continues an interrupted run. Pass placement options to sbatch: --gres=gpu:1, --partition=…,
# --cpus-per-task=…. GLCL_ELEMENTS selects the elements, like glcl-analyze --elements; GLCL_RULES is a file with zones and lines,
# like --rules, which needs objects. GLCL_ANALYZE is the path of glcl-analyze.
# Prints the job numbers.
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
flock -n "$lock" || die "another submit.sh is running in $out"
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
if [[ ${GLCL_RULES:-} ]]; then
  [[ -r $GLCL_RULES ]] || wrong "cannot read $GLCL_RULES"
  [[ ,$elements, == *,objects,* ]] || elements+=,objects
fi
[[ ! -e $archive/elements || $(<"$archive/elements") == "$elements" ]] || die "$out holds results of other elements"
if [[ -e $archive/elements ]]; then
  cmp -s -- "${GLCL_RULES:-/dev/null}" "$([[ -e $archive/rules.json ]] && echo "$archive/rules.json" || echo /dev/null)" ||
    die "$out holds results of other rules"
elif rm -f "$archive/rules.json" && [[ ${GLCL_RULES:-} ]]; then
  cp -- "$GLCL_RULES" "$archive/rules.json"
fi
echo "$elements" >"$archive/elements"

length=${GLCL_PART:-600}
[[ ${GLCL_PART:-} || ! $elements =~ objects|tracks ]] || length=''
# The number of a task depends only on its file and part, so the same list has the same tasks.
declare -A known=()
waiting=() number=0
if [[ -e $archive/files ]]; then
  while IFS= read -r -d '' file; do known[$file]=1; done <"$archive/files"
  number=$(find "$archive/tasks" -type f | wc -l)
fi
# The file at which an earlier run was stopped.
while ((number)) && read_task $((number - 1)) && ((of_file >= ${#known[@]})); do
  number=$((number - 1))
  rm "$archive/tasks/$number"
done
for file in "${files[@]}"; do
  [[ -n $file ]] || continue
  file=$(realpath -ms -- "$file" && echo x)
  file=${file%$'\n'x}
  [[ -z ${known[$file]:-} ]] || continue
  # An unreadable file fails in its task, which reports the reason.
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
echo "${#known[@]} files in $number parts, ${#waiting[@]} of them pending" >&2

# Slurm limits the index and the length of an array, so each array has a list of its tasks.
most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
[[ $most =~ ^[1-9][0-9]*$ && $most != 1 ]] || die 'Slurm does not report MaxArraySize, the maximum length of an array'
log=${archive//%/%%}/log # Slurm replaces %, so it is doubled
jobs=()
for ((first = 0; first < ${#waiting[@]}; first += most - 1)); do
  batch=("${waiting[@]:first:most-1}")
  list=$(mktemp "$archive/list-XXXXXX")
  printf '%s\n' "${batch[@]}" >"$list"
  jobs+=("$(sbatch --parsable --requeue --job-name=glcl-analyze --array="0-$((${#batch[@]} - 1))" --open-mode=append \
    --output="$log/%A_%a" "${@:3}" "$here/task.sh" "$out" "$list" "$here")")
done
after=()
((${#jobs[@]} == 0)) || after=(--dependency="afterany:$(IFS=:; echo "${jobs[*]}")")
jobs+=("$(sbatch --parsable --requeue --job-name=glcl-merge --output="$log/merge" "${after[@]}" "${@:3}" --gres=none \
  "$here/merge.sh" "$out" "$here")")
printf '%s\n' "${jobs[@]}"
