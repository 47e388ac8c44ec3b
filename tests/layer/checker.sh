#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# checker.sh gl|copy|discrete|egl|external [PROGRAM...]: runs test programs under the checker of texture sharing
#
# Without programs it runs the pipelines of pipelines.list. It fails if the checker or GStreamer's leaks
# tracer reports anything, or if no texture was acquired where the driver shares textures.
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
use_driver "$1" || exit
shift
export GLCL_FAULT=count
case "$*" in
  *sharing-sharing) ;; # this program runs kernels on the GL thread itself
  *) export GLCL_KERNELS_OFF_GL=1 ;;
esac
case $driver in
  gl) acquire=clEnqueueAcquireGLObjects ;;
  external) acquire=clEnqueueAcquireExternalMemObjectsKHR ;;
  egl) acquire=clEnqueueAcquireEGLObjectsKHR ;;
  copy | discrete) acquire= ;;
esac

# check_run NAME STATUS LOG: fails unless the run ended well and nothing was reported
check_run() {
  local reports
  reports=$(reports_of "$3" | head -3)
  if [ -n "$reports" ]; then
    fail "$1: $reports"
  elif [ "$2" != 0 ]; then
    fail "$1: status $2: $(grep -v '^glcl-fault:' "$3" | tail -40)"
  elif [ -n "$acquire" ] && ! grep -q "count $acquire" "$3"; then
    fail "$1: no texture was acquired"
  else
    echo "ok: $1"
  fi
}

runs=0
# pipelines: prints the lines of the list; those named in GLCL_FIRST, separated by |, come first. With
# GLCL_ONLY it prints only the named ones.
pipelines() {
  [ $# = 0 ] || return 0
  grep -E "^(${GLCL_ONLY:-${GLCL_FIRST:-#}}): " "$here/pipelines.list"
  [ -n "${GLCL_ONLY:-}" ] || grep -vE "^(#|(${GLCL_FIRST:-#}): )" "$here/pipelines.list"
}

while IFS=: read -r name pipeline; do
  pipeline=${pipeline//SRC/gltestsrc num-buffers=6 pattern=snow ! video/x-raw(memory:GLMemory),width=160,height=120}
  pipeline=${pipeline//RAW/videotestsrc num-buffers=6 pattern=snow ! video/x-raw,width=160,height=120}
  pipeline=${pipeline//OUT/gldownload ! video/x-raw ! fakesink}
  pipeline=${pipeline//HERE/$here}
  pipeline=${pipeline//DEVICES/$GLCL_DEVICES}
  read -ra words <<<"$pipeline"
  runs=$((runs + 1))
  under_layer "$scratch/log" gst-launch-1.0 -f -q "${words[@]}"
  check_run "$name" $? "$scratch/log"
  [ $failures != 0 ] && [ -n "${GLCL_STOP_AT_FIRST:-}" ] && break
done < <(pipelines "$@")

for program in "$@"; do
  runs=$((runs + 1))
  GLCL_TIMEOUT=600 under_layer "$scratch/log" "$program"
  status=$?
  check_run "$(basename "$program")" $status "$scratch/log"
done

[ $runs != 0 ] || fail 'nothing was run'
[ $failures = 0 ]
