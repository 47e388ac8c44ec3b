#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# moving-objects.sh IN [OUT]: draws boxes around moving objects in a video
#
# IN is a video file or the camera /dev/video…. The result is played in a window or, with OUT, written
# to an H.264 MP4 or MKV, with the sound of the file. Also prints the begin and end of objects as lines
# of JSON.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_video "$1"
if [[ ${2:-} ]]; then
  write_video "$2"
  SINK=(gldownload ! "${ENCODE[@]}" ! "${OUT[@]}")
fi
FILTER=(glclmotion detect=true display=objects)
use_plugin
play_messages motion-begin,motion-end tojson \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}" "${SOUND[@]}"
