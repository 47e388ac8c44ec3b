#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# histogram.sh IN: plays a video file, or the camera /dev/video…, in a window with the histograms of R, G and B drawn over it
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

FILTER=(glclhistogram mode=rgb display=overlay)
open_video "$1"
use_plugin
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
