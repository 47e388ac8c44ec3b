#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# many-streams.sh IN [STREAMS [DEVICE,...]]: plays a video file STREAMS times at once, 4 unless told, as live streams through
# all analysers, and tells what each drops. Devices, as glcl-info prints them, take the streams in turn; without any each chooses.
#
# Each stream is a process of its own, at the pace of the file. The exit status is 1 where a stream drops frames.
# GLCL_ANALYSERS names other elements. Where nvh264dec or vah264dec decode, an H.264 file stays on the GPU.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 3 "$@"

open_file "$1"
streams=${2:-4}
IFS=, read -ra devices <<<"${3:-auto}"
[[ $streams =~ ^[1-9][0-9]{0,2}$ ]] || wrong "STREAMS is 1 to 999, and not $streams"
read -ra analysers <<<"${GLCL_ANALYSERS:-glclhistogram glclmotion glopenclflow glclklt}"
FILTER=("${analysers[0]}")
use_plugin
for element in "${analysers[@]}"; do
  gst-inspect-1.0 "$element" >/dev/null 2>&1 || die "no element $element"
done
# The first finds what is wrong with the file, and has kernels compiled.
play -q "${SOURCE[@]}" ! "${DECODE[@]}" ! "${UPLOAD[@]}" ! "${FILTER[@]}" ! fakesink num-buffers=5

logs=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$logs"' EXIT
for ((i = 0; i < streams; i++)); do
  pipeline=("${SOURCE[@]}" ! "${DECODE[@]}" ! queue max-size-buffers=4 ! "${UPLOAD[@]}")
  device=${devices[i % ${#devices[@]}]}
  for element in "${analysers[@]}"; do
    pipeline+=(! "$element" "device=$device")
  done
  # What is later than the time of a frame or two counts as lost.
  gst-launch-1.0 -m "${pipeline[@]}" ! fakesink name=end sync=true qos=true max-lateness=60000000 >"$logs/$i" 2>&1 &
  echo $! "$device" >"$logs/$i.process"
done

late=0
for ((i = 0; i < streams; i++)); do
  read -r process device <"$logs/$i.process"
  if ! wait "$process"; then
    grep '^ERROR' "$logs/$i" >&2 || true
    die "stream $((i + 1)) on $device failed"
  fi
  # An element tells all that it dropped with each message; elements in a row drop frames of their own.
  dropped=$(sed -n 's/.*from element "\([^"]*\)" (qos).*dropped=(guint64)\([0-9]*\).*/\1 \2/p' "$logs/$i" |
    awk '{ last[$1] = $2 } END { for (element in last) sum += last[element]; print sum + 0 }')
  echo "stream $((i + 1)) on $device: $dropped dropped"
  ((!dropped)) || late=$((late + 1))
done
echo "$((streams - late)) of $streams streams keep up"
((!late))
