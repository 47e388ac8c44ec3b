#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# camera-preview.sh [DEVICE]: shows a camera (default /dev/video0), filtered live, in a window
#
# Frames that arrive while the filter is busy are dropped, so the picture stays current. Without a camera at /dev/video0 it uses a
# moving test picture; without a display it filters the frames but does not show them.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 0 1 "$@"

if [[ $# == 1 || -c /dev/video0 || ${GLCL_HEADLESS:-} ]]; then
  open_camera "${1:-/dev/video0}"
else
  echo 'camera-preview.sh: no camera at /dev/video0, using ten seconds of a test picture' >&2
  SOURCE=(videotestsrc pattern=ball is-live=true num-buffers=300 ! 'video/x-raw,width=640,height=480,framerate=30/1')
  opened='the test picture'
fi
use_plugin
play -q "${SOURCE[@]}" ! queue max-size-buffers=1 leaky=downstream ! videoconvert ! \
  "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
