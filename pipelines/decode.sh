#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# decode.sh IN [OUT]: plays an H.264 file in a window, or writes it filtered to OUT, with frames on the GPU from the decoder on
#
# NVDEC (nvh264dec) and VA-API (vah264dec) decode into OpenGL's textures; NVENC (nvh264enc) takes them from there. Where
# there is none of these it says so, and frames go through the host. At the end each element tells its frames, what it
# dropped and how long it kept them. GLCL_DECODERS and GLCL_ENCODERS name other elements to choose from, the first first.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
arguments 1 2 "$@"

# first_of ELEMENTS...: the first that this GStreamer has; nothing where it has none
first_of() {
  local element
  for element in "$@"; do
    gst-inspect-1.0 --exists "$element" && echo "$element" && return
  done
  return 0
}

open_file "$1"
[[ -z ${2:-} ]] || write_file "$2"
use_plugin
if ! timeout 20 gst-launch-1.0 -f -q "${SOURCE[@]}" ! parsebin ! video/x-h264 ! fakesink num-buffers=1 >/dev/null 2>&1 </dev/null; then
  launched timeout 20 gst-launch-1.0 -f -q "${SOURCE[@]}" ! "${DECODE[@]}" ! fakesink num-buffers=1  # what is no video says why
  wrong "no H.264 in $1; file-to-file.sh decodes whatever GStreamer can"
fi
read -ra decoders <<<"${GLCL_DECODERS:-nvh264dec vah264dec avdec_h264 openh264dec}"
read -ra encoders <<<"${GLCL_ENCODERS:-nvh264enc openh264enc}"
decoder=$(first_of "${decoders[@]}")
case $decoder in
  nvh264dec | vah264dec) echo "$decoder decodes on the GPU" ;;
  '') die 'GStreamer has no decoder for H.264: nvh264dec and vah264dec are in gstreamer1.0-plugins-bad and need a GPU, avdec_h264 is in gstreamer1.0-libav' ;;
  *) echo "no nvh264dec (NVDEC) or vah264dec (VA-API) here: $decoder decodes on the CPU, and frames are uploaded" ;;
esac
if [[ ${2:-} ]]; then
  encoder=$(first_of "${encoders[@]}")
  case $encoder in
    nvh264enc)
      echo "$encoder encodes on the GPU"
      END=(nvh264enc ! h264parse ! mp4mux ! "${OUT[@]}")
      ;;
    '') die 'GStreamer has no encoder for H.264: nvh264enc is in gstreamer1.0-plugins-bad and needs a GPU, openh264enc is there too' ;;
    *)
      echo "no nvh264enc (NVENC) here: frames are downloaded, and $encoder encodes on the CPU"
      END=(gldownload ! "${ENCODE[@]}" ! "${OUT[@]}")
      ;;
  esac
else
  END=("${SINK[@]}")
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
GST_DEBUG=glclfilter:4 GST_DEBUG_FILE=$log GST_DEBUG_NO_COLOR=1 play -q -e "${SOURCE[@]}" ! parsebin ! "$decoder" ! \
  queue max-size-buffers=4 ! "${UPLOAD[@]}" ! glvideoflip video-direction=auto ! "${FILTER[@]}" ! "${END[@]}"
sed -n 's/.*:<\([^>]*\)> \(sharing: .*\)/\1: \2/p; s/.*:<\([^>]*\)> done: /\1: /p' "$log"
