#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# threads.sh IN: plays an MP4 or QuickTime file filtered, with separate threads for demuxing, decoding and filtering
#
# After Lanes, Image and video processing using graphics hardware (2010), with its standard deviations of 2 px (a 9x9 window) and
# 0.25; GLCL_FILTER selects another filter.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 1 "$@"

open_file "$1"
[[ ${GLCL_FILTER:-} ]] || FILTER=(glclbilateral sigma-space=2 sigma-range=0.25)
use_plugin
play -q "${SOURCE[@]}" ! qtdemux name=demux demux.video_0 ! queue ! decodebin ! \
  "${UPRIGHT[@]}" ! video/x-raw,format=RGBA ! queue ! glupload ! "${FILTER[@]}" ! "${SINK[@]}"
