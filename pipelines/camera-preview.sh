#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# camera-preview.sh [DEVICE]: a camera, /dev/video0 unless told, filtered live in a window
# A frame that comes while the filter is busy is dropped, so the picture stays current.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 0 1 "$@"

open_camera "${1:-/dev/video0}"
use_plugin
gst-launch-1.0 -f -q "${SOURCE[@]}" ! queue max-size-buffers=1 leaky=downstream ! videoconvert ! \
  "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
