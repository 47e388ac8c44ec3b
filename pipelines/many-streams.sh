#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# many-streams.sh IN [STREAMS [DEVICE,...]]: plays a video file STREAMS times (default 4) in parallel as live streams through all
# analysers, and prints for each its frames/s, its dropped frames and the latency that the elements add. Streams use the given
# devices (P:D as glcl-info prints it) in turn; without any, device=auto chooses.
#
# All streams run in one process, at the frame rate of the file. The exit status is 1 if a stream drops frames. GLCL_ANALYSERS
# lists other elements; GST_PLUGIN_FEATURE_RANK=nvh264dec:MAX decodes an H.264 file with NVDEC.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 3 "$@"

open_file "$1"
streams=${2:-4}
IFS=, read -ra devices <<<"${3:-auto}"
[[ $streams =~ ^[1-9][0-9]{0,2}$ ]] || wrong "STREAMS must be 1 to 999, not $streams"
read -ra analysers <<<"${GLCL_ANALYSERS:-glclhistogram glclmotion glopenclflow glclklt}"
FILTER=("${analysers[0]}")
use_plugin
for element in "${analysers[@]}"; do
  gst-inspect-1.0 "$element" >/dev/null 2>&1 || die "no element $element"
done

pipeline=()
for ((i = 1; i <= streams; i++)); do
  pipeline+=("${SOURCE[@]}" ! "${DECODE[@]}" ! queue max-size-buffers=4 ! glupload "name=upload-$i" ! "${UPLOAD[@]:2}")
  for element in "${analysers[@]}"; do
    pipeline+=(! "$element" "name=$element-$i" "device=${devices[(i - 1) % ${#devices[@]}]}")
  done
  # Frames that are late by more than one or two frames count as lost.
  pipeline+=(! fakesink "name=end-$i" sync=true qos=true max-lateness=60000000)
done

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
GST_DEBUG=glclfilter:4 GST_DEBUG_FILE=$log/elements GST_DEBUG_NO_COLOR=1 play -m "${pipeline[@]}" >"$log/messages"
# Each message of an element has its number of dropped frames so far; each element of a stream drops its own frames. At its end an
# element reports frames, frames/s, and the mean and the longest latency in ms.
{
  sed -n 's/.*from element "\([^"]*\)" (qos).*dropped=(guint64)\([0-9]*\).*/dropped \1 \2/p' "$log/messages"
  sed -n 's/.*:<\([^>]*\)> done: [0-9]* frames, \([0-9.]*\) frames.*, latency \([0-9.]*\) ms, longest \([0-9.]*\).*/done \1 \2 \3 \4/p' "$log/elements"
} | awk -v streams="$streams" '
  { number = $2; sub(/.*-/, "", number) }
  $1 == "dropped" { dropped[number] += $3 - last[$2]; last[$2] = $3 }
  $1 == "done" {
    if (!(number in rate) || $3 < rate[number]) rate[number] = $3
    latency[number] += $4; longest[number] += $5
  }
  END {
    for (i = 1; i <= streams; i++) {
      late += dropped[i] > 0
      printf "stream %d: %.1f frames/s, %d dropped, latency %.1f ms, at most %.1f\n", i, rate[i], dropped[i], latency[i], longest[i]
    }
    print streams - late " of " streams " streams keep up"
    exit late > 0
  }'
