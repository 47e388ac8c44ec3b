#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# sums.sh [copy|gl|external|egl]
#
# Prints MD5 sums of the output frames of all elements with all methods and displays. Lines that differ
# between two builds show changed output:
#   diff <(GLCL_BUILD=old tests/elements/sums.sh copy) <(tests/elements/sums.sh copy)
#   copy      runs kernels with PoCL and copies frames (the default)
#   gl        uses the drivers that share textures in the folder GLCL_GL_DRIVER
#   external, egl  use the OpenCL and OpenGL that the environment selects
# GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
sharing=${1:-copy}
build=$(cd "$build" && pwd)
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
case $sharing in
  copy) export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors/pocl.icd} ;;
  gl)
    [[ -f ${GLCL_GL_DRIVER:-}/env.sh ]] || die 'GLCL_GL_DRIVER does not name drivers that share textures'
    # shellcheck source=/dev/null
    . "$GLCL_GL_DRIVER/env.sh"
    ;;
  external | egl) ;;
  *) usage "$0"; exit 2 ;;
esac
[[ $sharing == e* ]] || headless_environment "$run"
export GST_PLUGIN_PATH_1_0=$build/gst${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}

# sum SIZE ELEMENT: prints the sum for ten frames of a moving picture, which is in colour if the width
# is even
sum() {
  local width=${1%x*} height=${1#*x} source='pattern=smpte horizontal-speed=3' element sum
  ((width % 2)) && source='pattern=zone-plate kx2=9 ky2=13 kt=4 kxt=-3'
  read -ra source <<<"$source"
  read -ra element <<<"$2"
  sum=$(gst-launch-1.0 -q videotestsrc num-buffers=10 "${source[@]}" ! \
    "video/x-raw,format=RGBA,width=$width,height=$height,framerate=25/1" ! glupload ! \
    "${element[@]}" "sharing=$sharing" ! gldownload ! video/x-raw,format=RGBA ! fdsink | md5sum | cut -d' ' -f1)
  printf '%s  %s %s\n' "$sum" "$1" "$2"
}

for size in 321x243 160x120; do
  sum $size glclinvert
  for weight in intensity color per-channel; do
    sum $size "glclbilateral weight=$weight method=brute-force radius=4"
  done
  for weight in intensity per-channel; do
    sum $size "glclbilateral weight=$weight method=grid sigma-space=8 split=0.3"
  done
  for mode in luma rgb color-8 color-16; do
    for display in overlay parade stack; do
      sum $size "glclhistogram post-messages=false mode=$mode display=$display"
    done
  done
  for equalize in luma rgb; do
    sum $size "glclhistogram post-messages=false equalize=$equalize bins=64 roi=<8,8,40,30>"
  done
  for mode in luma rgb ycbcr; do
    for display in waveform parade vectorscope histogram; do
      sum $size "glclscope post-messages=false mode=$mode display=$display"
    done
    sum $size "glclscope post-messages=false mode=$mode display=waveform+vectorscope layout=replace levels=ire"
  done
  for search in full hierarchical hexagon; do
    for display in none vectors prediction residual; do
      sum $size "glclmotion post-messages=false search=$search display=$display"
    done
    sum $size "glclmotion post-messages=false search=$search subpel=quarter partitions=true display=prediction"
    sum $size "glclmotion post-messages=false search=$search subpel=half block-size=8 display=prediction"
  done
  for method in lucas-kanade pyramidal census; do
    for display in none color overlay arrows; do
      sum $size "glopenclflow post-messages=false method=$method display=$display legend=true"
    done
    [[ $method == lucas-kanade ]] || sum $size "glopenclflow post-messages=false method=$method check-backward=true gain=4"
  done
  sum $size 'glclmotion post-messages=false detect=true display=objects'
  for display in points tracks; do
    sum $size "glclklt post-messages=false features=200 display=$display"
  done
  sum $size 'glclklt post-messages=false stabilize=true display=none'
  sum $size 'glclhough post-messages=false display=edges'
  for filters in 'gauss(sigma=2) ! grey' 'saturation ! gamma ! invert' 'median ! sobel ! threshold' 'unsharp ! motionblur ! lut' 'box*3'; do
    sum $size "glclchain filters=${filters// /}"
  done
done
