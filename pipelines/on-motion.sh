#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# on-motion.sh IN COMMAND: runs a command of bash whenever an object begins to move in a video
#
# IN is a video file or the camera /dev/video…. The variables ID, X, Y, WIDTH and HEIGHT hold the number
# of the object and its box in px.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 2 2 "$@"

open_video "$1"
FILTER=(glclmotion detect=true)
use_plugin
export ID X Y WIDTH HEIGHT
play_messages motion-begin '"\(.id) \(.x) \(.y) \(.width) \(.height)"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink sync=false |
  while read -r ID X Y WIDTH HEIGHT; do
    bash -c "$2" </dev/null || echo "${0##*/}: the command ended with exit status $?" >&2
  done
