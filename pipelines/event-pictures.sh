#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# event-pictures.sh IN [FOLDER [MOST]]: writes a picture of each object that begins to move in a video
#
# IN is a video file or the camera /dev/video…. FOLDER (default .) gets event-00000.jpg and so on; existing pictures of these names
# are replaced. Only the last MOST pictures are kept, by default all. A line for each object has its time and its box, and a line for
# each picture its time and its name. Objects that begin in the same frame share a picture.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 3 "$@"

open_video "$1"
folder=${2:-.}
most=${3:-0}
write_files "$folder" event-%05d.jpg
[[ $# -lt 3 || $most =~ ^[1-9][0-9]{0,8}$ ]] || wrong "MOST is the largest number of pictures to keep, 1 or more, not $most"
FILTER=(glclmotion detect=true)
use_plugin
# shellcheck disable=SC2016
play_messages motion-begin,GstMultiFileSink '
  def right(width): (" " * width + tostring)[-width:];
  (."stream-time" / 1e6 | round) as $ms | ("00" + ($ms % 1000 | tostring))[-3:] as $thousandths |
  "\("\($ms / 1000 | floor).\($thousandths)" | right(9))  \(.filename // "object \(.id), \(.width)×\(.height) px at (\(.x), \(.y))")"' \
  "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! gldownload ! videoconvert ! jpegenc quality=90 ! \
  glclgate open-on=objects ! multifilesink post-messages=true max-files="$most" "location=$QUOTED" sync=false
