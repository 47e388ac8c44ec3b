#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scopes.sh IN [SCOPES [MODE]]: plays a video file, or the camera /dev/video…, in a window with scopes drawn over it
#
# SCOPES: waveform, parade, vectorscope or histogram, and marks in the picture: zebra, false-color, peaking or gamut. Several are
# joined by + (waveform+vectorscope). MODE: luma, rgb or ycbcr.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 3 "$@"

FILTER=(glclscope display="${2:-waveform+vectorscope}" mode="${3:-luma}")
open_video "$1"
use_plugin
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
