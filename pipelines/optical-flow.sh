#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# optical-flow.sh IN: plays a video with arrows of its motion
#
# IN is a video file or the camera /dev/video…. Also prints the mean motion of the picture ten times per
# second.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

open_video "$1"
FILTER=(glopenclflow display=arrows legend=true)
use_plugin
play_messages glopenclflow '"\(.timestamp) ns: mean (\(."mean-x"), \(."mean-y")) px, \(.moving) moving"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
