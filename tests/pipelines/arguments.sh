#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# arguments.sh: every script that a user may run has -h, --help and --version, and recipes of pipelines/ report wrong arguments
#
# It tries no argument, too many arguments, wrong files and a wrong filter, in a Turkish locale if it can
# be built.
set -euo pipefail
. "$GLCL_SOURCE/pipelines/setup.sh"
. "$GLCL_SOURCE/tests/pipelines/locales.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset GLCL_HEADLESS
headless_environment "$work/run"
export GLCL_DEMO_FOLDER=$work/demo
echo text >text.mp4
head -c 20000 /dev/zero >zero.mp4
mkdir folder.mp4
gst-launch-1.0 -f -q audiotestsrc num-buffers=20 ! wavenc ! filesink location=sound.wav
gst-launch-1.0 -f -q videotestsrc num-buffers=5 ! jpegenc ! qtmux ! filesink location=clip.mp4
head -c 2000 clip.mp4 >cut.mp4

make_locale tr_TR || true

# expect STATUS PATTERN ARGUMENTS...: the recipe in $script exits with the status and prints the
# pattern. If the status is not 0, it prints only that line.
expect() {
  local wanted=$1 pattern=$2 status=0
  shift 2
  in_locale tr_TR timeout 60 "$script" "$@" >output 2>errors </dev/null || status=$?
  ((wanted)) || mv output errors
  grep -q "$pattern" errors && ((status == wanted && ($(wc -l <errors) == 1 || !wanted))) && return
  cat errors
  die "${script##*/} $*: exit status $status, not $wanted, or not one line with $pattern"
}

count=0
for script in "$source_root"/pipelines/*.sh; do
  [[ -x $script ]] || continue
  ((++count))
  name=${script##*/}
  first=$(sed -n 3p "$script")
  echo "$first"
  expect 0 "^$name .*" --help
  expect 0 "^$name [0-9][0-9.]*$" --version
  expect 2 "^usage: $name" 1 2 3 4
  more=()
  case $first in
    *" $name IN TEMPLATE"* | *" $name IN FILTER"*)
      expect 2 "^$name: no such file: missing.png$" clip.mp4 missing.png
      more=(clip.mp4)
      ;;
    *" $name IN OUT"*)
      expect 2 "^$name: cannot write missing/out.mp4: " clip.mp4 missing/out.mp4
      expect 2 "^$name: cannot write \./clip.mp4: it is the input$" clip.mp4 ./clip.mp4
      more=(out.mp4)
      ;;
    *" $name IN COMMAND"*) more=(true) ;;
    *" $name IN"[:\ ]* | *" $name [FILE "*) ;;
    *" $name [DEVICE]"*)
      expect 2 "^$name: no camera at /dev/video99$" /dev/video99
      continue
      ;;
    *) die "$name: this test does not know its arguments" ;;
  esac
  [[ $name == demo.sh ]] || expect 2 "^usage: $name" # the demo needs no argument
  ! grep -q '^open_video ' "$script" || expect 2 "^$name: no camera at /dev/video99$" /dev/video99 "${more[@]}"
  expect 2 "^$name: no such file: missing.mp4$" missing.mp4 "${more[@]}"
  expect 2 "^$name: not a readable file: folder.mp4$" folder.mp4 "${more[@]}"
  [[ $name != decode.sh ]] || expect 2 '^decode.sh: clip.mp4 contains no H.264 video; ' clip.mp4
  # shellcheck disable=SC2016
  if [[ $name != decode.sh ]] && grep -q '"${FILTER\[@\]}"' "$script" && ! grep -q '^FILTER=' "$script"; then
    GLCL_FILTER='glclbilateral sigmaspace=3' expect 1 "^$name: .* GLCL_FILTER='glclbilateral sigmaspace=3': no property \"sigmaspace\" in element \"glclbilateral\"$" \
      clip.mp4 "${more[@]}"
    GLCL_FILTER='glclbilateral !' expect 1 "^$name: GStreamer does not understand GLCL_FILTER='glclbilateral !': " clip.mp4 "${more[@]}"
  fi
  for file in text.mp4 zero.mp4 sound.wav cut.mp4; do
    expect 2 "^$name: .*$file" "$file" "${more[@]}"
  done
done
((count > 10)) || die "only $count recipes"

# All scripts of users, those in Python without the modules that they need. Tests and the scripts of Debian and git take no options.
count=0
elsewhere=$work/elsewhere
mkdir "$elsewhere"
for module in gi matplotlib numpy cv2; do
  echo "raise ImportError('none here')" >"$elsewhere/$module.py"
done
cd "$source_root"
while IFS= read -r script; do
  [[ $(head -c 2 "$script") == '#!' ]] || continue
  ((++count))
  name=${script##*/}
  # A script without these options must not run here.
  grep -qE '^arguments |--version' "$script" || grep -qE '^(import common|from program import arguments)' "$script" || die "$script has no --version"
  words=("$source_root/$script")
  [[ $name != *.py ]] || words=("$python" "${words[@]}")
  for option in -h --help; do
    PYTHONPATH=$elsewhere "${words[@]}" $option >"$work/output" 2>"$work/errors" </dev/null || die "$name $option: exit status $?: $(<"$work/errors")"
    grep -qE "^(usage: )?$name( |:|\$)" <(head -n 1 "$work/output") || die "$name $option prints $(<"$work/output")"
  done
  [[ $name != *.py ]] || "$python" -c 'import gi' 2>/dev/null || continue
  "${words[@]}" --version >"$work/output" 2>"$work/errors" </dev/null || die "$name --version: exit status $?: $(<"$work/errors")"
  grep -qE "^$name [0-9][0-9.]*\$" "$work/output" || die "$name --version prints $(<"$work/output")"
done < <(find docs examples packaging pipelines research tools tests/run.sh tests/gl-driver/build.sh -type f -perm -u+x ! -path research/bench.sh)
((count > 30)) || die "only $count scripts"
