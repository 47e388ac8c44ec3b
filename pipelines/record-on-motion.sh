#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# record-on-motion.sh IN [FOLDER]: writes a clip of each motion in a video, from two seconds before it to two after it
#
# IN is a video file or the camera /dev/video…. FOLDER (default .) gets motion-00000.ts and so on; existing clips of these names are
# replaced. Every frame is encoded, and the gate holds the encoded frames of the last seconds. The clips are without sound.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_video "$1"
folder=${2:-.}
write_files "$folder" motion-%05d.ts
FILTER=(glclmotion detect=true)
use_plugin
[[ ! -f $1 ]] || probed=$(probe_size "${SOURCE[@]}" ! "${DECODE[@]}")
# shellcheck disable=SC2086
choose_encoder $probed
# A key frame each second: a clip begins at one. The gate marks the first frame of each clip as a discontinuity.
ENCODE=("${ENCODE[@]::${#ENCODE[@]}-5}") # without ! h264parse ! mp4mux name=mux
case $encoder in
  openh264enc) ENCODE+=(gop-size=25) ;;
  x264enc | vah264enc) ENCODE+=(key-int-max=25) ;;
esac
play "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! gldownload ! "${ENCODE[@]}" ! h264parse config-interval=-1 ! \
  mpegtsmux ! glclgate pre=2 post=2 ! multifilesink next-file=discont "location=$QUOTED" sync=false
