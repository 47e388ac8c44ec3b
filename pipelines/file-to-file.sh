#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# file-to-file.sh IN OUT: filters a video file into an H.264 MP4, or MKV, with its sound
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 2 2 "$@"

open_file "$1"
write_video "$2"
use_plugin
play -q -e "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! gldownload ! \
  "${ENCODE[@]}" ! "${OUT[@]}" "${SOUND[@]}"
