#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# motion-vectors.sh IN OUT: draws block motion vectors into a video
#
# IN is a video file or the camera /dev/video…; OUT is an H.264 MP4 or MKV, with the sound of the file.
# Also prints the PSNR of each frame predicted from the previous one.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 2 2 "$@"

open_video "$1"
FILTER=(glclmotion partitions=true subpel=quarter lambda=20 interval=0 display=vectors)
write_video "$2"
use_plugin
play_messages glclmotion '"\(.timestamp) ns: \(.psnr) dB"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! gldownload ! "${ENCODE[@]}" ! "${OUT[@]}" "${SOUND[@]}"
