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
play -m "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink sync=false |
  sed -un '/glclhough, timestamp=/ { s/\\//g; p }' | awk '{
    match($0, /timestamp=\(guint64\)[0-9]+/)
    time = substr($0, RSTART + 19, RLENGTH - 19)
    while (match($0, /"object, [^;]*;/)) {
      object = substr($0, RSTART, RLENGTH)
      $0 = substr($0, RSTART + RLENGTH)
      line = time
      while (match(object, /\(double\)[-+.0-9e]+/)) {
        line = line sprintf(" %.2f", substr(object, RSTART + 8, RLENGTH - 8))
        object = substr(object, RSTART + RLENGTH)
      }
      print line
    }
  }'
