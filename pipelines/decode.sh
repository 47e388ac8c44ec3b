#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# decode.sh IN [OUT]: plays an H.264 file in a window, or writes it filtered and with its sound to OUT, with frames on the GPU
#
# NVDEC (nvh264dec) and VA-API (vah264dec) decode into OpenGL textures, and NVENC (nvh264enc) encodes from there. Without them
# frames go through host memory, to VA-API (vah264enc), x264enc or openh264enc, and the script prints a note. At the end it prints
# the frames, dropped frames and latency of each element. GLCL_DECODERS and GLCL_ENCODERS list other elements, in order of
# preference.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

open_file "$1"
GLCL_ENCODERS=${GLCL_ENCODERS:-nvh264enc vah264enc x264enc openh264enc}
[[ -z ${2:-} ]] || write_video "$2"
use_plugin
if ! tags=$(timeout 20 gst-launch-1.0 -f -t "${SOURCE[@]}" ! parsebin ! video/x-h264 ! fakesink num-buffers=1 2>/dev/null </dev/null); then
  run_launch timeout 20 gst-launch-1.0 -f -q "${SOURCE[@]}" ! "${DECODE[@]}" ! fakesink num-buffers=1  # reports a file without video
  wrong "$1 contains no H.264 video; file-to-file.sh accepts every format that GStreamer decodes"
fi
# The elements accept the format of the decoder. glvideoflip accepts only RGBA, so only pictures that a
# tag turns are converted.
UPRIGHT=()
if [[ $tags == *'image orientation:'* && $tags != *'image orientation: rotate-0'* ]]; then
  UPRIGHT=(glcolorconvert ! glvideoflip video-direction=auto !)
fi
read -ra decoders <<<"${GLCL_DECODERS:-nvh264dec vah264dec avdec_h264 openh264dec}"
decoder=$(first_of "${decoders[@]}")
case $decoder in
  nvh264dec | vah264dec) echo "$decoder decodes on the GPU" ;;
  '') die 'GStreamer has no decoder for H.264: nvh264dec and vah264dec are in gstreamer1.0-plugins-bad and need a GPU, avdec_h264 is in gstreamer1.0-libav' ;;
  *) echo "no nvh264dec (NVDEC) or vah264dec (VA-API) found: $decoder decodes on the CPU and frames are uploaded" ;;
esac
if [[ ${2:-} ]]; then
  if [[ $encoder == nvh264enc ]]; then
    echo "$encoder encodes on the GPU"
    END=("${EVEN[@]}" nvh264enc ! "${ENCODE[@]: -4}" ! "${OUT[@]}" "${SOUND[@]}")
  else
    echo "no nvh264enc (NVENC) found: frames are downloaded and $encoder encodes"
    END=(gldownload ! "${ENCODE[@]}" ! "${OUT[@]}" "${SOUND[@]}")
  fi
else
  END=("${SINK[@]}")
fi

# Without glupload, nvh264dec decodes directly into the textures of the elements, if OpenGL runs on its
# GPU.
UPLOADED=(glupload !)
if [[ $decoder == nvh264dec ]] &&
  timeout 20 gst-launch-1.0 -q "${SOURCE[@]}" ! parsebin ! "$decoder" ! 'video/x-raw(memory:GLMemory)' ! fakesink num-buffers=1 >/dev/null 2>&1 </dev/null; then
  UPLOADED=()
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
GST_DEBUG=glclfilter:4 GST_DEBUG_FILE=$log GST_DEBUG_NO_COLOR=1 play -q -e "${SOURCE[@]}" ! parsebin ! "$decoder" ! \
  queue max-size-buffers=4 ! "${PROGRESS[@]}" "${UPLOADED[@]}" "${UPRIGHT[@]}" "${FILTER[@]}" ! "${END[@]}"
sed -n 's/.*:<\([^>]*\)> \(sharing: .*\)/\1: \2/p; s/.*:<\([^>]*\)> done: /\1: /p' "$log"
