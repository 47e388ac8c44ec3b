#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shots.sh IN: prints where each shot of a video file, or of the camera /dev/video…, begins, one per line: frame, time in s, kind
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

FILTER=(glclhistogram shot-detection=true post-messages=false)
open_video "$1"
use_plugin
# shellcheck disable=SC2016
play_messages shot '
  def right(width): (" " * width + tostring)[-width:];
  (."stream-time" / 1e6 | round) as $ms | ("00" + ($ms % 1000 | tostring))[-3:] as $thousandths |
  "\(.frame | right(6))  \("\($ms / 1000 | floor).\($thousandths)" | right(9))  \(.kind)"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink sync=false
