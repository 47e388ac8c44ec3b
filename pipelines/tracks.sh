#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tracks.sh IN [OUT]: plays a video with tracked points and their paths
#
# IN is a video file or the camera /dev/video…. Also prints the number of points ten times per second.
# With OUT, NAME.csv or NAME.json, it writes all points to that file.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_video "$1"
FILTER=(glclklt display=tracks trail=25)
if [[ ${2:-} ]]; then
  quote "$2"
  FILTER+=("dump-location=$QUOTED")
fi
use_plugin
play_messages glclklt '"\(.timestamp) ns: \(.tracked) followed, \(.lost) lost, \(.new) new, cut \(.cut)"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
