#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# thesis.sh IN: the pipeline of Lanes, Image and video processing using graphics hardware (2010), on an
# MP4 or QuickTime file. Its colorspace is videoconvert today; its two queues give demuxing, decoding and
# filtering a thread each. The properties are its spatial (2, so a 9x9 window) and intensity (0.25) deviations.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

open_file "$1"
use_plugin
gst-launch-1.0 -f -q "${SOURCE[@]}" ! qtdemux name=demux demux.video_0 ! queue ! decodebin ! \
  videoconvert ! video/x-raw,format=RGBA ! queue ! glupload ! "${FILTER[0]}" sigma-space=2 sigma-range=0.25 ! "${SINK[@]}"
