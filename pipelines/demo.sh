#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# demo.sh [FILE | camera | /dev/videoN]
#
# Installs missing packages and builds into build/, which takes minutes the first time. Then it filters the video file or six
# seconds of the camera. Without an argument it filters five seconds of a synthetic noisy scene. It writes to demo/
#   bilateral.png   one frame, input left, output right
#   bilateral.mp4   the whole video in the same way, without sound
# Needs neither a display nor a GPU. GLCL_BUILD selects an existing build, GLCL_DEMO_FOLDER another folder for the results.
set -euo pipefail
. "$(dirname "$0")/setup.sh"

arguments 0 1 "$@"
input=${1:-scene}
folder=$source_root/demo
[[ -e $source_root/meson.build ]] || folder=$PWD/demo # an installed script
folder=${GLCL_DEMO_FOLDER:-$folder}
rm -f "$folder"/bilateral.{png,mp4}
case $input in
  scene) opened='the scene' ;;
  camera) open_camera /dev/video0 num-buffers=180 ;;
  /dev/*) open_camera "$input" num-buffers=180 ;;
  *) open_file "$input"; SOURCE+=(! "${DECODE[@]}") ;;
esac

if [[ -z ${GLCL_BUILD:-} && -e $source_root/meson.build ]]; then
  install_missing
  build_folder "$build" "gst/libgstglcl.so tools/glcl-events"
fi
headless_environment "$build/run"
use_plugin

mkdir -p "$folder"
work=$(mktemp -d "$folder/.work-XXXXXX")
trap 'rm -rf "$work"' EXIT

if [[ $input == scene ]]; then
  width=640 height=360
  SOURCE=(gltestsrc num-buffers=125 !
    "video/x-raw(memory:GLMemory),width=$width,height=360,framerate=25/1" !
    glshader "fragment=\"$(cat "$source_root/pipelines/scene.frag")\"")
else
  SOURCE+=(! videoconvert ! videoscale ! 'video/x-raw,pixel-aspect-ratio=1/1')
  # For a broken file a decoder may post no error and then wait forever, so this run with a timeout
  # comes first.
  size=$(probe_size "${SOURCE[@]}")
  [[ $size ]] || wrong "$input contains no pictures"
  read -r width height <<<"$size"
  # The orientation tag arrives after the first caps of the decoder; this way the first caps of the
  # mixer are final.
  SOURCE[-1]+=,width=$width,height=$height
fi

write_file "$work/bilateral.mp4"
choose_encoder $((2 * width)) "$height"
quote "$work/%05d.png"
echo "filtering $input: ${FILTER[*]}"
export GST_DEBUG=glclfilter:4 GST_DEBUG_FILE=$work/log GST_DEBUG_NO_COLOR=1
# With a live source the mixer waits for a slow filter instead of showing half a picture. H.264 limits
# the size of the clip; the pictures, one per second, have the size of the video.
run_shown gst-launch-1.0 -f -e -q "${SOURCE[@]}" ! "${UPLOAD[@]}" ! tee name=input \
  input. ! queue max-size-buffers=4 ! pair.sink_0 \
  input. ! queue max-size-buffers=4 ! "${FILTER[@]}" ! pair.sink_1 \
  glvideomixer name=pair background=black latency=5000000000 sink_1::xpos="$width" ! \
  "video/x-raw(memory:GLMemory),width=$((2 * width)),height=$height" ! gldownload ! tee name=pairs \
  pairs. ! queue ! "${ENCODE[@]}" ! "${OUT[@]}" \
  pairs. ! queue ! videorate drop-only=true ! video/x-raw,framerate=1/1 ! videoconvert ! pngenc ! \
  multifilesink max-files=60 location="$QUOTED"

# The largest PNG has the most detail, so it is not from a fade.
picture=$(find "$work" -name '*.png' -printf '%s %p\n' | sort -n | tail -n 1)
mv "${picture#* }" "$folder/bilateral.png"
mv "$work/bilateral.mp4" "$folder/"
sed -n -e 's/.*\(sharing: \)/\1/p' -e 's/.*\(done: \)/\1/p' "$work/log"
echo "${folder#"$PWD"/}/bilateral.png ${folder#"$PWD"/}/bilateral.mp4"
echo "to watch it: xdg-open ${folder#"$PWD"/}/bilateral.mp4; live in a window: pipelines/camera-preview.sh"
echo "over ssh, from your own machine: scp ${USER:-$(id -un)}@$(uname -n):$(printf %q "$folder")/bilateral.mp4 ."
