#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shots.sh IN: prints where each shot of a video file, or of the camera /dev/video…, begins, one per line: frame, time in s, kind
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

FILTER=(glclhistogram shot-detection=true post-messages=false)
open_video "$1"
use_plugin
play -m "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink sync=false |
  sed -un 's/.*shot, .* stream-time=(guint64)\([0-9]*\),.* frame=(guint64)\([0-9]*\), kind=(string)\([a-z-]*\),.*/\2 \1 \3/p' |
  awk '{ printf "%6d  %9.3f  %s\n", $1, $2 / 1e9, $3 }'
