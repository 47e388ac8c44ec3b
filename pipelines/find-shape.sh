#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# find-shape.sh IN TEMPLATE: finds the picture TEMPLATE in a video
#
# IN is a video file or the camera /dev/video…. Prints one line per match: time in ns, x and y in px,
# rotation in degrees counter-clockwise, scale, score.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 2 2 "$@"

open_file "$2"
open_video "$1"
quote "$2"
FILTER=(glclhough template="$QUOTED" interval=0)
use_plugin
# shellcheck disable=SC2016
play_messages glclhough '
  def hundredths: . * 100 | round / 100;
  .timestamp as $time | .objects[] | [$time, ([.x, .y, .angle, .scale, .score][] | hundredths)] | map(tostring) | join(" ")' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink sync=false
