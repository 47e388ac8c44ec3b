#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016
# archive.sh: the scripts of pipelines/archive handle unusual names, lists and folders
#
# Programs that only record their arguments replace those of Slurm and glcl-analyze; slurm.sh runs the
# real ones.
set -euo pipefail
scripts=$GLCL_SOURCE/pipelines/archive
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
export PATH=$work/bin:$PATH GLCL_ANALYZE=$work/bin/analyze GLCL_PART='' GLCL_ELEMENTS='' GLCL_RULES=''

die() {
  echo "archive.sh: $*" >&2
  cat output errors >&2
  exit 1
}
# expect STATUS COMMAND...: the command exits with the status; its output goes to the files output and
# errors
expect() {
  local wanted=$1 status=0
  shift
  timeout 100 "$@" >output 2>errors </dev/null || status=$?
  ((status == wanted)) || die "exit status $status of $*, expected $wanted"
  [[ ! -e hacked ]] || die "$* runs a command from its input"
}
says() { grep -qF -- "$1" "${2:-errors}" || die "does not say: $1"; }
# run_tasks OUT: runs every task of the last submit.sh
run_tasks() {
  local number
  for number in $(seq 0 $(($(wc -l <"$last_list") - 1))); do
    expect 0 "$scripts/task.sh" "$1" "$last_list" "$scripts" "$number"
  done
}

cat >bin/scontrol <<'PROGRAM'
#!/usr/bin/env bash
echo 'MaxArraySize            = 1001'
PROGRAM
cat >bin/sbatch <<'PROGRAM'
#!/usr/bin/env bash
printf '%s\n' "$@" >>"${0%/bin/*}/batches"
for word; do [[ $word != */list-* ]] || echo "$word" >"${0%/bin/*}/last-list"; done
echo 7
PROGRAM
cat >bin/analyze <<'PROGRAM'
#!/usr/bin/env bash
echo 'a warning' >&2
echo "$*" >"${0%/bin/*}/arguments"
out=''
while [[ $1 != -- ]]; do
  case $1 in
    --split) printf '0 5\n5 end\n'; exit ;;
    --out) out=$2; shift ;;
  esac
  shift
done
shift
[[ $1 != *broken* ]] || { printf '{"event":"failed","reason":"it is \e[31mbroken"}\n'; exit 1; }
mkdir -p "$out/${1##*/}"
echo >>"$out/${1##*/}/parts"
PROGRAM
chmod +x bin/*

# Rules are copied, so that all parts have the same, and need objects.
echo clip.mp4 >list
echo '{ "zones": [] }' >'my rules.json'
GLCL_RULES='my rules.json' expect 0 "$scripts/submit.sh" list ruled
last_list=$(<last-list)
run_tasks ruled
says "--elements=shots,histogram,motion,objects " arguments
says "--rules ruled/.archive/rules.json " arguments
cmp 'my rules.json' ruled/.archive/rules.json
GLCL_RULES='my rules.json' expect 0 "$scripts/submit.sh" list ruled
GLCL_ELEMENTS=shots,histogram,motion,objects expect 1 "$scripts/submit.sh" list ruled
says 'ruled holds results of other rules'
echo '{ "lines": [] }' >other.json
GLCL_RULES=other.json expect 1 "$scripts/submit.sh" list ruled
says 'ruled holds results of other rules'
GLCL_RULES=missing.json expect 2 "$scripts/submit.sh" list unruled
says 'cannot read missing.json'
rm batches

# These names have a meaning for shells, terminals or the archive itself.
names=(failed .glcl-0123456789ab '$(touch hacked)' '`touch hacked`' ';touch hacked;' "a'b\"c" $'two\nlines' $'\e[31mred' -n '*' 'a b ')
printf '%s\0' "${names[@]}" >list
odd='out $(touch hacked) %A'
expect 0 "$scripts/submit.sh" <(cat list) "$odd" --gres=gpu:1
says "${#names[@]} files in $((2 * ${#names[@]})) parts, $((2 * ${#names[@]})) of them pending"
says '--gres=gpu:1' batches
says "--output=$work/${odd//%/%%}/.archive/log/merge" batches
last_list=$(<last-list)
run_tasks "$odd"
expect 0 "$scripts/merge.sh" "$odd"
says "${#names[@]} files are complete, 0 are not" output
for name in "${names[@]}"; do
  [[ $(wc -l <"$odd/$name/parts") == 1 ]] || die "no results of $name"
done
expect 0 "$scripts/submit.sh" list "$odd"
says ' 0 of them pending'

# The list of failed files contains no escape codes, and the next run tries these files again.
printf '%s\n' good $'broken\e[31m' >list
expect 0 "$scripts/submit.sh" list out
last_list=$(<last-list)
for number in 0 1; do expect 0 "$scripts/task.sh" out "$last_list" "$scripts" $number; done
for ((i = 0; i < 3; i++)); do expect 1 "$scripts/task.sh" out "$last_list" "$scripts" 2; done
expect 0 "$scripts/task.sh" out "$last_list" "$scripts" 2
expect 1 "$scripts/merge.sh" out
says '1 files are complete, 1 are not' output
says 'it is ?[31mbroken (from 0 to 5, started 3 times)' out/.archive/failed
! grep -q $'\e' out/.archive/failed || die 'the list contains an escape code of a name'
expect 0 "$scripts/submit.sh" <(cat list) out
says ' 2 of them pending'
[[ ! -e out/.archive/failed ]] || die 'the list of the previous run remains'

# More tasks were started than fit into a command line.
(cd out/.archive/starts && seq -f "$(printf '1%.0s' {1..100})%06g" 1 30000 | xargs touch)
expect 0 "$scripts/submit.sh" list out
[[ -z $(ls out/.archive/starts) ]] || die 'submit.sh keeps the numbers of starts'

# An interrupted submit.sh has left a task of the file that it was splitting.
printf '%s\0' "$work/third" 0 5 2 >out/.archive/tasks/4
echo third >>list
expect 0 "$scripts/submit.sh" list out
says '3 files in 6 parts'

# Lists that are empty or missing.
: >empty
expect 2 "$scripts/submit.sh" empty out
says 'empty names no file'
printf '\n\n' >empty
expect 2 "$scripts/submit.sh" empty out
expect 2 "$scripts/submit.sh" missing out
says 'cannot read missing'
expect 2 "$scripts/submit.sh" $'\e[31m' out
! grep -q $'\e' errors || die 'an error contains an escape code of a name'

# Contents of an archive are never run as commands, and folders that others can write are refused.
for what in 'a[$(touch hacked)]' 'x+1' ''; do
  printf '%s\0' "$work/good" 0 5 "$what" >out/.archive/tasks/0
  expect 1 "$scripts/merge.sh" out
  says 'tasks/0 is damaged'
done
printf '%s\0' "$work/good" 0 5 0 >out/.archive/tasks/0
echo 'a[$(touch hacked)]' >wrong-list
expect 1 "$scripts/task.sh" out wrong-list "$scripts" 0
expect 2 "$scripts/task.sh" out "$last_list" "$scripts" 'a[$(touch hacked)]'
SLURM_ARRAY_TASK_ID='a[$(touch hacked)]' expect 2 "$scripts/task.sh" out "$last_list" "$scripts"
mkdir victim linked
ln -s ../victim linked/.archive
expect 1 "$scripts/submit.sh" list linked
says 'is a link'
[[ -z $(ls -A victim) ]] || die 'submit.sh follows a link'
chmod g+w out/.archive
for script in "submit.sh list" merge.sh "task.sh"; do
  read -ra words <<<"$script"
  more=()
  [[ $script != task.sh ]] || more=("$last_list" "$scripts" 0)
  expect 1 "$scripts/${words[0]}" "${words[@]:1}" out "${more[@]}"
  says 'is writable for others'
done

for script in submit merge task; do
  expect 0 "$scripts/$script.sh" --help
  says "$script.sh " output
  expect 0 "$scripts/$script.sh" --version
  grep -qE "^$script.sh [0-9.]+$" output || die 'has no version'
  expect 2 "$scripts/$script.sh"
  says "usage: $script.sh"
done
