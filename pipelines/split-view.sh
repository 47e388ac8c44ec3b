#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# split-view.sh IN: plays a video file, or the camera /dev/video…, in a window; the left half is the input, the right half is
# filtered
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

open_video "$1"
use_plugin
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" split=0.5 ! "${SINK[@]}"
