#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench.sh: checks what glcl-bench and glcl-tune print, write and refuse, but no times
set -euo pipefail
# shellcheck source=tests/tools/common.sh
. "${0%/*}/common.sh"

expect 0 glcl-bench glclbilateral --chosen --kernels --size 65x33,40x24 --content random,flat --seconds 0.001 --json out.json --csv out.csv
says 'color, radius 4'
says '65×33 random'
says 'exp2'
is_json out.json
(($(grep -c glclbilateral out.csv) == $(grep -c '"work"' out.json))) || die 'CSV and JSON differ'
for tool in bench tune; do
  expect 0 "glcl-$tool" --version
  grep -qx "glcl-$tool [0-9.]*" output || die 'has no version'
  if "$GLCL_BUILD/tools/glcl-$tool" --version >/dev/full 2>errors; then die 'does not notice a full disk'; fi
done
expect 0 glcl-bench glclinvert --chosen --size 40x24,32x16 --seconds 0.001 --costs costs.json
is_json costs.json
expect 0 glcl-bench --costs=costs.json --chosen glclinvert --size 40x24 --seconds 0.001
is_json costs.json
(($(grep -c '"size":"40x24"' costs.json) == 1)) || die 'an earlier time was not replaced'
(($(grep -c '"size":"32x16"' costs.json) == 1)) || die 'the time of another size was lost'
grep -q '"command": "glcl-bench --chosen glclinvert --size 40x24 --seconds 0.001"' costs.json || die 'the command is missing'
echo '{"device": 1}' >other.json
expect 2 glcl-bench glclinvert --chosen --size 32x16 --seconds 0.001 --costs other.json
says 'other.json is not a file of costs' errors
expect 0 glcl-bench glclbilateral --sweep --chosen --size 33x17 --seconds 0.001 --csv sweep.csv
(($(wc -l <sweep.csv) > 10)) || die 'the sweep is short'
expect 0 glcl-bench glclhistogram --ablation --only 'all kernels' --kernels --size 48x32 --seconds 0.001 --json ablation.json
says 'counted and passed on'
is_json ablation.json
expect 0 glcl-bench glclmotion glopenclflow --chosen --only 16 --size 48x32 --seconds 0.001
says '16×16, range 16'
! grep -q WRONG output || die 'a result is wrong'
expect 0 glcl-bench --pipeline --size 64x48 --frames 5 --json pipeline.json
says 'gltestsrc ! 4 × glclinvert'
is_json pipeline.json
expect 0 glcl-bench --pipeline 'glclhistogram display=none' --sharing copy --size 64x48 --frames 5
says 'gltestsrc ! 2 × glclhistogram display=none ! gldownload'
! grep -q external output || die 'it measures a sharing method that was not selected'
expect 2 glcl-bench --pipeline --sharing cpoy
says 'choose from gl, external, egl and copy' errors
expect 0 glcl-bench --pipeline --parallel 1,2 'glclhistogram ! glclinvert' --sharing copy --size 64x48 --frames 20 --json parallel.json
says 'glclhistogram ! glclinvert copy 2 '
is_json parallel.json
grep -q '"latencies-ms"' parallel.json || die 'latencies are missing'
expect 2 glcl-bench --pipeline --parallel 1,none
says 'numbers of streams from 1 to 1000' errors
expect 2 glcl-bench --parallel 1
says 'needs --pipeline' errors
if gst-inspect-1.0 --exists openh264enc && gst-inspect-1.0 --exists avdec_h264; then
  gst-launch-1.0 -q videotestsrc num-buffers=20 ! video/x-raw,width=64,height=48,framerate=50/1 ! openh264enc ! h264parse ! mp4mux ! \
    filesink location=clip.mp4
  expect 0 glcl-bench --pipeline --decode clip.mp4 --sharing copy --json decode.json
  says 'avdec_h264 4 × glclinvert copy 20'
  is_json decode.json
  grep -q '"dropped"' decode.json || die 'dropped frames are not reported'
  # The clip of 0.4 s is too short for the measurement.
  expect 2 glcl-bench --pipeline --parallel 1 --decode clip.mp4 --sharing copy --frames 10 glclinvert
  says 'streams ended too early' errors
fi
expect 2 glcl-bench --pipeline --decode missing.mp4
says 'no such file' errors

expect 0 glcl-bench --formats --size 65x33 --seconds 0.001
says 'glclhistogram mode=luma GRAY16_LE'
says 'glclhough, edges I420'
! grep -q WRONG output || die 'a result depends on the format'
expect 0 glcl-bench --host --size 64x48 --seconds 0.001
says 'glopenclflow display=none'
says 'the four in a row'

expect 0 glcl-bench --start glclinvert --size 64x48 --json start.json
says 'glclinvert'
is_json start.json
expect 2 glcl-bench --start 'glclinvert device=nowhere' --size 64x48
says 'matches no OpenCL device' errors

expect 0 glcl-bench device --only 'to local memory' --json device.json
says 'async_work_group_copy'
is_json device.json
expect 0 glcl-bench device --only frame
says 'pinned memory'
! grep -q CL_ output || die 'a line failed'

expect 0 glcl-bench --devices 0:0 --size 48x32 --seconds 0.01
says 'rows of candidates'
! grep -q WRONG output || die 'a search shared by devices has other results'
expect 2 glcl-bench --devices nowhere
says 'matches no OpenCL device' errors

expect 2 glcl-bench glclnothing
says '"glclnothing" is unknown; choose from glclbilateral' errors
expect 2 glcl-bench --size 12
says '--size 12: write WIDTHxHEIGHT' errors
expect 2 glcl-bench --content noise
says 'choose from random, natural and flat' errors
expect 2 glcl-bench --seconds 0
says '--seconds 0' errors
expect 2 glcl-bench --frames -3
says '--frames -3' errors
expect 2 glcl-bench glclinvert --only nothing
says '--only "nothing": no work has this text in its name; choose from ' errors
expect 2 glcl-bench --nonsense
says '--nonsense. Run glcl-bench --help for' errors
expect 2 glcl-bench --device nowhere
says 'matches no OpenCL device' errors

expect 0 glcl-tune --show
says default
expect 0 glcl-tune --reset
says 'no saved tuning'
mkdir -p data/glcl && echo nonsense >data/glcl/tuning.json
expect 0 glcl-tune --show
says 'is ignored: it is not a tuning file' errors
expect 0 glcl-tune --reset
says removed
expect 2 glcl-tune glclnothing
expect 2 glcl-tune --chain missing.txt
says "missing.txt can't be read: there is no such file" errors
echo 'gauss ! nosuch' >chain.txt
expect 2 glcl-tune --chain chain.txt
says 'chain.txt:1: there is no filter nosuch' errors
echo 'gauss ! grey' >chain.txt
expect 0 glcl-tune --show --chain chain.txt
says default
