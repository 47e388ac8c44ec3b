#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# peers.sh [ROUNDS]: times glclscope beside FFmpeg's waveform and vectorscope on the same frames
#
# 250 frames of 1280×720 in NV12 lie in a file, so nothing is decoded. Both draw each scope by turns, ROUNDS (3) times, of 256 px
# height, glclscope over the frames and FFmpeg in place of them. A row has the median time of a run in seconds; the first row only
# reads the frames. GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
arguments 0 1 "$@"
rounds=${1:-3}
for tool in ffmpeg gst-launch-1.0; do command -v "$tool" >/dev/null || die "$tool is missing"; done
FILTER=(glclscope)
export GLCL_HEADLESS=1
display='' use_plugin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gst-launch-1.0 -q videotestsrc pattern=zone-plate kx2=20 ky2=20 kt=1 num-buffers=250 ! \
  video/x-raw,format=NV12,width=1280,height=720 ! filesink location="$work/frames"

# ours DISPLAY WIDTH, theirs FILTER: draws a scope over all frames
ours() {
  gst-launch-1.0 -q filesrc location="$work/frames" blocksize=1382400 ! \
    rawvideoparse format=nv12 width=1280 height=720 framerate=250/1 ! glupload ! \
    glclscope display="$1" x=0 y=0 width="$2" height=0.3556 post-messages=false ! fakesink >/dev/null
}
theirs() {
  ffmpeg -v error -f rawvideo -pix_fmt nv12 -s 1280x720 -i "$work/frames" -vf "$1" -f null -
}
# seconds COMMAND...: prints the time of the command
seconds() {
  local begin=$EPOCHREALTIME
  "$@"
  awk "BEGIN { printf \"%.2f\n\", $EPOCHREALTIME - $begin }"
}
# row NAME WIDTH FILTER
row() {
  local round
  rm -f "$work/ours" "$work/theirs"
  for ((round = 0; round < rounds; round++)); do
    seconds ours "$1" "$2" >>"$work/ours"
    seconds theirs "$3" >>"$work/theirs"
  done
  printf '%-12s %9s %9s\n' "$1" "$(median "$work/ours")" "$(median "$work/theirs")"
}
median() {
  sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
ours waveform+vectorscope 1 # compiles the kernels
printf '%-12s %9s %9s\n' scope glclscope FFmpeg
row none 1 null
row waveform 1 waveform=mode=column:mirror=0
row vectorscope 0.2 vectorscope=mode=color3
