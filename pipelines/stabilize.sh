#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stabilize.sh IN [OUT]: removes camera shake from a video
#
# IN is a video file or the camera /dev/video…. The result is played in a window or, with OUT, written
# to an H.264 MP4 or MKV, with the sound of the file. Frames of a file are
# moved by what comes later; those of a camera come without delay.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_video "$1"
FILTER=(glclklt stabilize=true post-messages=false)
[[ ! -f $opened ]] || FILTER+=(look-ahead=20)
if [[ ${2:-} ]]; then
  write_video "$2"
  SINK=(gldownload ! "${ENCODE[@]}" ! "${OUT[@]}")
fi
use_plugin
play -q -e "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}" "${SOUND[@]}"
