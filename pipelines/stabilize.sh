#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# stabilize.sh IN [OUT]: plays a video file, or the camera /dev/video…, in a window with the camera shake removed; with OUT,
# writes it into an H.264 MP4, or MKV, instead, with the sound of the file
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
