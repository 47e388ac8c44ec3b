#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# invert.sh IN: plays a video file, or the camera /dev/video…, in a window with its colours inverted
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

FILTER=(glclinvert)
open_video "$1"
use_plugin
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
