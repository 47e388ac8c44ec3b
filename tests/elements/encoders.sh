#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# encoders.sh: NVIDIA's elements take our elements' frames from the pixel buffers of their textures, without a map. Compares,
# byte for byte, what they make of those with what they make of frames that gldownload has read. Needs a GPU, so CI has no
# part in it; GST_PLUGIN_PATH_1_0 names the folder of the plugin. Exits 77 where there is no nvcodec.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
compared=0 failures=0

has() { gst-inspect-1.0 "$1" >/dev/null 2>&1; }
has glclinvert || { echo 'FAIL: no glclinvert in GST_PLUGIN_PATH_1_0'; exit 1; }
has cudaupload || { echo 'SKIP: no cudaupload'; exit 77; }

# make FILE SIZE PIPELINE: 40 frames of noise through the pipeline into the file.
make() {
  local file=$folder/$1 size=$2
  read -ra behind <<<"$3"
  timeout 120 gst-launch-1.0 -q videotestsrc num-buffers=40 pattern=snow ! "video/x-raw,format=RGBA,$size" ! glupload ! \
    glcolorconvert ! "${behind[@]}" ! filesink location="$file" >"$folder/log" 2>&1 && [ -s "$file" ] && return
  echo "FAIL: $3: $(grep -m1 -i error "$folder/log" || tail -1 "$folder/log")"
  return 1
}

# same NAME SIZE REFERENCE PIPELINE: both pipelines make the same bytes.
same() {
  compared=$((compared + 1))
  if make reference "$2" "$3" && make taken "$2" "$4" && cmp "$folder/reference" "$folder/taken"; then
    echo "ok: $1, $2: $4"
  else
    echo "FAIL: $1, $2: $4"
    failures=$((failures + 1))
  fi
}

for size in width=640,height=360 width=1920,height=1080; do
  for sharing in auto copy; do
    for ours in "glclinvert sharing=$sharing" "glclinvert sharing=$sharing ! queue ! glclhistogram display=none sharing=$sharing"; do
      same cudaupload "$size" "$ours ! gldownload ! video/x-raw,format=RGBA" \
        "$ours ! cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload ! video/x-raw,format=RGBA"
      for encoder in nvh264enc nvh265enc; do
        has "$encoder" || continue
        same "$encoder" "$size" "$ours ! gldownload ! video/x-raw,format=RGBA ! $encoder" \
          "$ours ! video/x-raw(memory:GLMemory) ! $encoder"
        same "cudaupload ! $encoder" "$size" "$ours ! gldownload ! video/x-raw,format=RGBA ! $encoder" \
          "$ours ! cudaupload ! video/x-raw(memory:CUDAMemory) ! $encoder"
      done
    done
  done
done
# The other way: what cudadownload writes into pixel buffers of ours.
same cudadownload width=640,height=360 "glclinvert ! gldownload ! video/x-raw,format=RGBA" \
  "gldownload ! video/x-raw,format=RGBA ! cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload ! video/x-raw(memory:GLMemory) ! glclinvert ! gldownload ! video/x-raw,format=RGBA"
echo "$compared comparisons, $failures failures"
[ $failures = 0 ] && [ $compared -gt 4 ]
