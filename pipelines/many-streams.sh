#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# many-streams.sh IN [STREAMS [DEVICE,...]]: plays a video file STREAMS times (default 4) in parallel as live streams through all
# analysers, and prints the dropped frames of each. Streams use the given devices (P:D as glcl-info prints it) in turn; without
# any, device=auto chooses.
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

log=$(mktemp)
trap 'rm -f "$log"' EXIT
play -m "${pipeline[@]}" >"$log"
# Each message of an element has its number of dropped frames so far; each element of a stream drops its own frames.
sed -n 's/.*from element "\([^"]*\)" (qos).*dropped=(guint64)\([0-9]*\).*/\1 \2/p' "$log" | awk -v streams="$streams" '
  { last[$1] = $2 }
  END {
    for (element in last) { number = element; sub(/.*-/, "", number); dropped[number] += last[element] }
    for (i = 1; i <= streams; i++) {
      late += dropped[i] > 0
      print "stream " i ": " dropped[i] + 0 " dropped"
    }
    print streams - late " of " streams " streams keep up"
    exit late > 0
  }'
