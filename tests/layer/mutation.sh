#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mutation.sh SOURCE BUILD [N]: breaks the plugin with each entry of mutants.list, or each Nth, and asserts
# that checker.sh fails. An entry without a mutation, which has to pass, is always tried.
#
# Each time it compiles one changed source, and links its object before the archive that has the
# original. The sources have the same path in each run, so ccache knows the objects of unchanged ones.
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
source=$1 build=$2 every=${3:-1}
use_driver gl || exit
export GLCL_STOP_AT_FIRST=1

# compile_command FILE: prints the command that compiled the file, one word per line, without input and
# output
compile_command() {
  python3 - "$build/compile_commands.json" "$1" <<'PYTHON'
import json, os, shlex, sys
for entry in json.load(open(sys.argv[1])):
    path = os.path.realpath(os.path.join(entry['directory'], entry['file']))
    if path == os.path.realpath(sys.argv[2]):
        words = shlex.split(entry['command'])
        for option in ('-o', '-MF', '-MQ'):
            at = words.index(option)
            del words[at:at + 2]
        print('\n'.join(w for w in words if w not in ('-c', '-MD', entry['file'])))
        break
PYTHON
}

# link_command: prints the command that linked the plugin, one word per line
link_command() {
  ninja -C "$build" -t commands gst/libgstglcl.so | tail -1 |
    python3 -c 'import shlex, sys; print("\n".join(shlex.split(sys.stdin.read())))'
}
mapfile -t link < <(link_command)

# build_mutant FILE MUTANT.cpp PLUGIN.so: builds the plugin with MUTANT.cpp in place of FILE; the latter
# two are relative to the build folder
build_mutant() {
  local compile words=() word
  mapfile -t compile < <(compile_command "$1")
  (
    cd "$build" || exit
    "${compile[@]}" -Wno-error -O0 -g0 -iquote "$(dirname "$1")" -c "$2" -o "${2%.cpp}.o" || exit
    for word in "${link[@]}"; do
      [ "$word" = gst/libgstglcl.so ] && word=$3
      [ "$word" = -Wl,--start-group ] && words+=("${2%.cpp}.o")
      words+=("$word")
    done
    "${words[@]}"
  )
}

mutants=0 number=0
folder=tests/layer/mutant
trap 'rm -rf "$scratch" "${build:?}/$folder"' EXIT
while IFS='|' read -r name file first script; do
  number=$((number + 1))
  ((number % every == 0)) || [ -z "$script" ] || continue
  mutants=$((mutants + 1))
  rm -rf "${build:?}/$folder"
  mkdir -p "$build/$folder/plugin"
  mutant=$folder/$(basename "$file")
  sed -zE "$script" "$source/gst/$file" >"$build/$mutant"
  if [ -n "$script" ] && cmp -s "$build/$mutant" "$source/gst/$file"; then
    fail "$name: the mutation does not apply to $file"
    continue
  fi
  if ! build_mutant "$source/gst/$file" "$mutant" "$folder/plugin/libgstglcl.so" 2>"$scratch/build"; then
    fail "$name: does not build: $(grep -m1 error "$scratch/build")"
    continue
  fi
  method=gl only=
  [[ $name == *:* ]] && method=${name%%:*}
  [ -n "$script" ] || only=one # the test checker (gl) runs all pipelines
  GLCL_ONLY=$only GLCL_FIRST=$first GST_PLUGIN_PATH_1_0=$build/$folder/plugin "$here/checker.sh" "$method" >"$scratch/log.txt"
  status=$?
  if [ -z "$script" ]; then
    if [ $status = 0 ]; then echo "ok: $name passes"; else fail "$name: $(grep FAIL: "$scratch/log.txt")"; fi
  elif grep -q 'FAIL: .*glcl-checker:' "$scratch/log.txt"; then
    echo "ok: $name: noticed: $(grep -m1 -o 'FAIL: .*' "$scratch/log.txt" | cut -c7-)"
  else
    fail "$name: not noticed (status $status): $(grep -m1 FAIL: "$scratch/log.txt")"
  fi
done < <(grep -v '^#' "$here/mutants.list")

[ $mutants != 0 ] || fail 'there are no mutants'
[ $failures = 0 ]
