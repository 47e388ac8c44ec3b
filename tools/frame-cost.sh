#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# frame-cost.sh [FRAMES [WIDTH HEIGHT]]: what a frame costs in whole pipelines, by way of sharing, in ms. The time of a long
# run less that of a short one, over the frames between, so that starting up does not count. RUN names a program
# to start gst-launch-1.0 with.
set -euo pipefail
frames=${1:-1000} width=${2:-1920} height=${3:-1080}

seconds() {
  # shellcheck disable=SC2086
  timeout 120 ${RUN:-} gst-launch-1.0 $1 num-buffers="$2" ! "$3,width=$width,height=$height,framerate=60/1" ! $4 fakesink sync=false 2>/dev/null |
    awk -F'[ :]' '/^Execution ended/ {print $4 * 3600 + $5 * 60 + $6}' || true  # a way that can't be had
}

row() {
  local short long
  short=$(seconds "$2" 100 "$3" "$4") long=$(seconds "$2" $((frames + 100)) "$3" "$4")
  awk -v name="$1" -v a="${short:-0}" -v b="${long:-0}" -v n="$frames" \
    'BEGIN { if (a && b) printf "%-44s %8.3f\n", name, (b - a) * 1000 / n; else printf "%-44s %8s\n", name, "-" }'
}

texture='video/x-raw(memory:GLMemory),format=RGBA' raw='video/x-raw,format=RGBA'
printf '%-44s %8s\n' "$width×$height RGBA" 'ms/frame'
row 'gltestsrc' gltestsrc "$texture" ''
for way in gl external copy; do
  row "gltestsrc ! 1 × glclinvert, $way" gltestsrc "$texture" "glclinvert sharing=$way !"
  row "gltestsrc ! 2 × glclinvert, $way" gltestsrc "$texture" "glclinvert sharing=$way ! glclinvert sharing=$way !"
  row "gltestsrc ! 4 × glclinvert, $way" gltestsrc "$texture" \
    "glclinvert sharing=$way ! glclinvert sharing=$way ! glclinvert sharing=$way ! glclinvert sharing=$way !"
done
row 'raw ! glupload' 'videotestsrc pattern=black' "$raw" 'glupload !'
for way in gl external copy; do
  row "raw ! glupload ! glclinvert, $way" 'videotestsrc pattern=black' "$raw" "glupload ! glclinvert sharing=$way !"
done
