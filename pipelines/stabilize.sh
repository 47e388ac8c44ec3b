#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stabilize.sh IN [OUT]: removes camera shake from a video
#
# IN is a video file or the camera /dev/video…. The result is played in a window or, with OUT, written
# to an H.264 MP4 or MKV, with the sound of the file.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_video "$1"
FILTER=(glclklt stabilize=true post-messages=false)
if [[ ${2:-} ]]; then
  write_video "$2"
  SINK=(gldownload ! "${ENCODE[@]}" ! "${OUT[@]}")
fi
use_plugin
play -q -e "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}" "${SOUND[@]}"
