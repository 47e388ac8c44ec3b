#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# own-filter.sh IN FILTER.cl: plays a video file, or the camera /dev/video…, in a window through your own filter, which you may
# edit while it plays
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 2 2 "$@"

open_file "$2"
open_video "$1"
path=$(realpath -- "$2")
mark="'"
[[ $path != *"'"* ]] || mark='"'
[[ $path != *"'"* || $path != *'"'* ]] || wrong "glclchain takes no name with both kinds of quotation marks: $path"
quote " $mark$path$mark"
FILTER=(glclchain "filters=$QUOTED" watch=true)
use_plugin
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! "${SINK[@]}"
