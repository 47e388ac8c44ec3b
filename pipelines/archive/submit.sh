#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# submit.sh LIST OUT [SBATCH OPTIONS...]: has Slurm analyse all files of a list, into a folder that all nodes see
#
# LIST names a file a line, or, where it holds NULs, a file before each NUL. Files longer than GLCL_PART seconds (600) are
# divided; with objects or tracks, whose memory is longer than the overlap of parts, only if GLCL_PART is set. Every part is a
# task of an array; merge.sh, a job behind it, joins them. Complete results in OUT are kept, so the same command goes on with
# what is left. Options for sbatch say where: --gres=gpu:1, --partition=…, --cpus-per-task=…. GLCL_ELEMENTS chooses what is
# analysed, as glcl-analyze --elements; GLCL_ANALYZE names that program. Prints the jobs' numbers.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
esac
if (($# < 2)); then
  echo 'usage: submit.sh LIST OUT [SBATCH OPTIONS...]' >&2
  exit 2
fi
[[ -r $1 ]] || die "cannot read $1"
mkdir -p "$2"
out=$(cd "$2" && pwd) archive=$out/.archive
mkdir -p "$archive"/{tasks,parts,failures,starts,log}
if [[ $(tr -d '\0' <"$1" | wc -c) != $(wc -c <"$1") ]]; then
  mapfile -d '' -t files <"$1"
else
  mapfile -t files <"$1"
fi
printf '%s\0' --elements "${GLCL_ELEMENTS:-shots,histogram,motion}" >"$archive/options.new"
if [[ -e $archive/options ]] && ! cmp -s "$archive/options" "$archive/options.new"; then
  die "$out holds results of other elements"
fi
mv "$archive/options.new" "$archive/options"

length=${GLCL_PART:-600}
[[ ${GLCL_PART:-} || ! ${GLCL_ELEMENTS:-} =~ objects|tracks ]] || length=''
# A task's number is that of its file and of its part: the same list gives the same tasks.
declare -A known
waiting=() number=0 of_file=0
if [[ -e $archive/files ]]; then
  while IFS= read -r -d '' file; do known[$file]=1; done <"$archive/files"
  number=$(find "$archive/tasks" -type f | wc -l)
  of_file=${#known[@]}
fi
for file in "${files[@]}"; do
  [[ -n $file ]] || continue
  file=$(realpath -ms -- "$file" && echo x)
  file=${file%$'\n'x}
  [[ -z ${known[$file]:-} ]] || continue
  known[$file]=1
  # What can't be read fails in its task, which tells why.
  parts='0 end'
  [[ -z $length ]] || parts=$(timeout 120 "$analyze" --split "$length" -- "$file" 2>/dev/null || echo '0 end')
  while read -r from to; do
    printf '%s\0' "$file" "$from" "$to" "$of_file" >"$archive/tasks/$number"
    number=$((number + 1))
  done <<<"$parts"
  printf '%s\0' "$file" >>"$archive/files"
  of_file=$((of_file + 1))
done
rm -f "$archive"/failures/* "$archive"/starts/* # to be tried anew
for ((i = 0; i < number; i++)); do
  is_whole "$i" || waiting+=("$i")
done
echo "$of_file files in $number parts, ${#waiting[@]} of them to be done" >&2

# Slurm's arrays have a largest index and a largest length: the tasks that wait are named by a list of each array.
most=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
jobs=()
for ((first = 0; first < ${#waiting[@]}; first += most - 1)); do
  batch=("${waiting[@]:first:most-1}")
  list=$(mktemp "$archive/list-XXXXXX")
  printf '%s\n' "${batch[@]}" >"$list"
  jobs+=("$(sbatch --parsable --requeue --job-name=glcl-analyze --array="0-$((${#batch[@]} - 1))" --open-mode=append \
    --output="$archive/log/%A_%a" "${@:3}" "$here/task.sh" "$out" "$list" "$here")")
done
behind=()
((${#jobs[@]} == 0)) || behind=(--dependency="afterany:$(IFS=:; echo "${jobs[*]}")")
jobs+=("$(sbatch --parsable --requeue --job-name=glcl-merge --output="$archive/log/merge" "${behind[@]}" "${@:3}" --gres=none \
  "$here/merge.sh" "$out" "$here")")
printf '%s\n' "${jobs[@]}"
