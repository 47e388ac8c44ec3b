#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# glcl-events.sh: checks the output and the exit status of glcl-events
set -euo pipefail
events=$GLCL_BUILD/tools/glcl-events
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

die() {
  echo "glcl-events.sh: $*" >&2
  cat output errors >&2
  exit 1
}

# expect STATUS [WORDS...]: glcl-events exits with the status; its output goes to the files output and
# errors
expect() {
  local wanted=$1 status=0
  shift
  echo "glcl-events $*"
  timeout 60 "$events" "$@" >output 2>errors || status=$?
  ((status == wanted)) || die "exit status $status, expected $wanted"
}

frames='videotestsrc pattern=black num-buffers=4 ! video/x-raw,width=64,height=32 ! glupload ! glcolorconvert !'
read -ra source <<<"$frames"

expect 0 "${source[@]}" glclhistogram name=h mode=rgb interval=0 ! glclmotion interval=0 ! fakesink
python3 - <<'PYTHON' || die 'the messages are wrong'
import json

lines = [json.loads(line) for line in open('output', encoding='utf-8')]
histograms = [line for line in lines if line['message'] == 'glclhistogram']
assert [line['timestamp'] for line in histograms] == [0, 33333333, 66666666, 100000000]
for line in histograms:
    assert line['element'] == 'h' and line['mode'] == 'rgb' and line['pixels'] == 2048
    assert [sum(counts) for counts in line['counts']] == [2048] * 3 and len(line['mean']) == 3
motion = [line for line in lines if line['message'] == 'glclmotion']
assert len(motion) == 3 and all(line['psnr'] is None for line in motion)  # the PSNR of equal frames is infinite
PYTHON

expect 0 --message glclmotion "${source[@]}" glclhistogram interval=0 ! glclmotion interval=0 ! fakesink
[[ $(grep -c . output) == 3 ]] || die 'not three messages'

expect 0 --all "${source[@]}" glclhistogram interval=0 ! fakesink name=end
python3 - <<'PYTHON' || die 'messages are missing'
import json

lines = [json.loads(line) for line in open('output', encoding='utf-8')]
names = [line['message'] for line in lines]
assert names.count('glclhistogram') == 4 and names[-1] == 'eos' and {'stream-start', 'stream-status'} <= set(names), names
assert any(line['element'] == 'end' and line['message'] == 'state-changed' and line['new-state'] == 'paused' for line in lines), lines
PYTHON
expect 1 --message error filesrc location=missing ! fakesink
grep -q '^{"message":"error","element":"filesrc0",.*missing' output || die 'no error as JSON'
[[ $(grep -c . output) == 1 ]] || die 'more than the error'

expect 1 "${source[@]}" glclhistogram device=none-such ! fakesink
grep -q 'none-such' errors || die 'does not print the error'
[[ ! -s output ]] || die 'writes an error to standard output'

expect 2
expect 2 --nonsense fakesrc ! fakesink
grep -q 'unknown option --nonsense; the options are --all' errors || die 'does not name the options'
expect 2 --message
grep -q -- '--message needs' errors || die 'does not name the missing value'
expect 2 nosuchelement
grep -q nosuchelement errors || die 'does not name the element'
expect 0 --version
grep -qx 'glcl-events [0-9.]*' output || die 'has no version'
expect 0 --help
grep -q Usage output || die 'has no help'

# It ends well on an interrupt, and stops if its output is closed.
rm output
"$events" videotestsrc is-live=true ! glupload ! glcolorconvert ! glclhistogram ! fakesink >output 2>errors &
for ((i = 0; i < 300; i++)); do
  [[ ! -s output ]] || break
  sleep 0.1
done
kill -INT $!
wait $! || die "exit status $? after an interrupt"
[[ -s output ]] || die 'no message of a live pipeline'
status=0
timeout 60 "$events" videotestsrc ! glupload ! glcolorconvert ! glclhistogram interval=0 ! fakesink 2>errors | head -n 1 >output ||
  status=$?
((status == 1)) || die "exit status $status if output is closed"
! grep 'standard output' errors || die 'prints an error if output is closed'
for words in --help --version 'videotestsrc num-buffers=1 ! glupload ! glcolorconvert ! glclhistogram ! fakesink' \
  '--message eos videotestsrc num-buffers=1 ! fakesink'; do
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$events" $words >/dev/full 2>errors || status=$?
  ((status == 1)) || die "exit status $status of glcl-events $words on a full disk"
  grep -q "standard output can't be written" errors || die 'does not say that the disk is full'
done

# Escape codes in names are not printed.
expect 1 filesrc location=$'no-such\e[31m\u009b31m' ! fakesink
grep -qF 'no-such?[31m' errors || die 'does not name the file'
! grep -q $'\e\\|\u009b' output errors || die 'prints escape codes of a name'
