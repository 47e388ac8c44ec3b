#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# encoders.sh: NVIDIA's elements get the same frames from textures as from gldownload
#
# These elements read frames of gst-glcl elements from the pixel buffers of textures, without mapping
# them. The test compares their output, byte for byte, with their output for downloaded frames. It needs
# an NVIDIA GPU, so CI does not run it. GST_PLUGIN_PATH_1_0 is the folder of the plugin. Exits with 77
# if the plugin nvcodec is missing.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
compared=0 failures=0

has() { gst-inspect-1.0 "$1" >/dev/null 2>&1; }
has glclinvert || { echo 'FAIL: no glclinvert in GST_PLUGIN_PATH_1_0'; exit 1; }
has cudaupload || { echo 'SKIP: GStreamer has no element cudaupload'; exit 77; }

# run_pipeline FILE SIZE PIPELINE: writes 40 frames of noise through the pipeline to the file
run_pipeline() {
  local file=$folder/$1 size=$2
  read -ra elements <<<"$3"
  timeout 120 gst-launch-1.0 -q videotestsrc num-buffers=40 pattern=snow ! "video/x-raw,format=RGBA,$size" ! glupload ! \
    glcolorconvert ! "${elements[@]}" ! filesink location="$file" >"$folder/log" 2>&1 && [ -s "$file" ] && return
  echo "FAIL: $3: $(grep -m1 -i error "$folder/log" || tail -1 "$folder/log")"
  return 1
}

# expect_same NAME SIZE REFERENCE PIPELINE: both pipelines write the same bytes
expect_same() {
  compared=$((compared + 1))
  if run_pipeline reference "$2" "$3" && run_pipeline output "$2" "$4" && cmp "$folder/reference" "$folder/output"; then
    echo "ok: $1, $2: $4"
  else
    echo "FAIL: $1, $2: $4"
    failures=$((failures + 1))
  fi
}

for size in width=640,height=360 width=1920,height=1080; do
  for sharing in auto copy; do
    for ours in "glclinvert sharing=$sharing" "glclinvert sharing=$sharing ! queue ! glclhistogram display=none sharing=$sharing"; do
      expect_same cudaupload "$size" "$ours ! gldownload ! video/x-raw,format=RGBA" \
        "$ours ! cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload ! video/x-raw,format=RGBA"
      for encoder in nvh264enc nvh265enc; do
        has "$encoder" || continue
        expect_same "$encoder" "$size" "$ours ! gldownload ! video/x-raw,format=RGBA ! $encoder" \
          "$ours ! video/x-raw(memory:GLMemory) ! $encoder"
        expect_same "cudaupload ! $encoder" "$size" "$ours ! gldownload ! video/x-raw,format=RGBA ! $encoder" \
          "$ours ! cudaupload ! video/x-raw(memory:CUDAMemory) ! $encoder"
      done
    done
  done
done
# The other direction: cudadownload writes into pixel buffers of gst-glcl textures.
expect_same cudadownload width=640,height=360 "glclinvert ! gldownload ! video/x-raw,format=RGBA" \
  "gldownload ! video/x-raw,format=RGBA ! cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload ! video/x-raw(memory:GLMemory) ! glclinvert ! gldownload ! video/x-raw,format=RGBA"
echo "$compared comparisons, $failures failures"
[ $failures = 0 ] && [ $compared -gt 4 ]
