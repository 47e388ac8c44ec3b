#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# faults.sh gl|copy: makes the first, a middle and the last call of every OpenCL function that a short pipeline needs
# fail, one a run. Each run must end with an error message that names the cause, or with the right pixels; without a
# crash, a hang, a leak, a critical warning or a word of the checker.
# faults.sh gl|copy FUNCTION:N:ERROR PIPELINE: one such run, printed.
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
use_driver "$1" || exit

source="num-buffers=4 pattern=snow ! video/x-raw,format=RGBA,width=64,height=48"
pipelines=(
  "videotestsrc $source ! glupload ! glclinvert ! glclinvert ! gldownload ! video/x-raw ! filesink"
  "videotestsrc $source ! glupload ! glclbilateral sigma-range=0 iterations=2 profile=true ! gldownload ! video/x-raw ! filesink"
)
if [ "$driver" = gl ]; then # hand-overs in the middle
  pipelines+=("videotestsrc $source ! glupload ! glclinvert ! gleffects effect=identity ! glclinvert ! gldownload ! video/x-raw ! filesink")
fi

# Fail on handles only that never were valid.
never='^(clRetain|clRelease)'

# Races of GStreamer 1.22 with a pipeline that an error stops while it negotiates. GstGLFilter (gleffects here) proposes
# a pool of a GL context that no neighbour has any more: such a run is repeated. GstBaseTransform keeps the query that
# it gets after it was stopped, and never frees it, nor what hangs on it: leaks beside such a query are not ours.
shutdown_race='gst_gl_buffer_pool_set_config: assertion failed|allocation query: 0x'
lost_query='object-alive, .*allocation query: 0x'

error_of() {
  case $1 in
    clBuildProgram) echo CL_BUILD_PROGRAM_FAILURE ;;
    clCreateFromGLTexture) echo CL_INVALID_GL_OBJECT ;;
    clCreateBuffer | clCreateImage) echo CL_MEM_OBJECT_ALLOCATION_FAILURE ;;
    clCreateContext) echo CL_DEVICE_NOT_AVAILABLE ;;
    clGetDeviceIDs) echo CL_DEVICE_NOT_FOUND ;;
    clCreateKernel) echo CL_OUT_OF_HOST_MEMORY ;;
    *) echo CL_OUT_OF_RESOURCES ;;
  esac
}

launch() { # LOG PIXELS PIPELINE
  local words
  read -ra words <<<"$3"
  under_layer "$1" gst-launch-1.0 -f "${words[@]}" location="$2"
}

outcome() { # STATUS LOG PIXELS ERROR: one word for a good end, else BAD and the reason
  local said
  local leaks='object-alive'
  grep -q "$lost_query" "$2.trace" 2>/dev/null || leaks='^$'
  said=$( (complaints "$2" | grep -v "$leaks"; grep -- '-CRITICAL' "$2") | head -2 | tr '\n' ' ')
  case $1 in
    124 | 137) echo "BAD hangs" ;;
    0 | 1 | 99 | 255)
      if [ -n "$said" ]; then
        echo "BAD $said"
      elif ! grep -q '^glcl-fault: call' "$2"; then
        echo "unreached"
      elif [ "$1" = 0 ]; then
        cmp -s "$3" "$expected" && echo "goes-on" || echo "BAD wrong pixels, no error"
      elif ! grep -q '^ERROR: from element' "$2"; then
        echo "BAD status $1 without an error message"
      elif ! grep -q "$4" "$2"; then
        echo "BAD error message without $4: $(grep -A2 -m1 '^ERROR: from' "$2" | tr '\n' ' ')"
      else
        echo "error"
      fi
      ;;
    *) echo "BAD status $1 (signal $(($1 - 128)))" ;;
  esac
}

if [ $# -gt 1 ]; then
  expected=$GLCL_EXPECTED
  for _ in 1 2 3 4 5; do
    GLCL_FAULT=$2 launch "$scratch/log" "$scratch/pixels" "$3" 2>/dev/null
    status=$?
    cat "$scratch/log" "$scratch/log.trace" | grep -Eq "$shutdown_race" || break
  done
  echo "$2 $(outcome $status "$scratch/log" "$scratch/pixels" "${2##*:}")"
  [ -z "${GLCL_VERBOSE:-}" ] || cat "$scratch/log"
  exit 0
fi

export GLCL_EXPECTED=$scratch/expected
gst-launch-1.0 -q videotestsrc $source ! filesink location="$GLCL_EXPECTED" || exit

for pipeline in "${pipelines[@]}"; do
  GLCL_FAULT=count launch "$scratch/count" "$scratch/pixels" "$pipeline" &&
    cmp "$scratch/pixels" "$GLCL_EXPECTED" || fail "$pipeline without faults: $(complaints "$scratch/count")" >&2
  while read -r _ _ function count; do
    [[ $function =~ $never ]] && continue
    for call in $(printf '%s\n' 1 $((count / 2 + 1)) "$count" | sort -nu); do
      printf '%s\0%s\0' "$function:$call:$(error_of "$function")" "$pipeline"
    done
  done < <(grep '^glcl-fault: count' "$scratch/count")
  # The device is lost: from some call on nothing works any more.
  for call in 1 4 9 20; do
    printf '%s\0%s\0' "clEnqueue*:$call+:CL_OUT_OF_RESOURCES" "$pipeline"
  done
done >"$scratch/table"

xargs -0 -n 2 -P "$(nproc)" "$0" "$driver" <"$scratch/table" >"$scratch/results"
sort "$scratch/results" | sed 's/:[0-9]*+*:[^ ]*//' | awk '
  { split($0, word, " "); count[word[1] " " word[2]]++ }
  END { for (each in count) print "  " each " " count[each] }' | sort
! grep ' BAD ' "$scratch/results" || failures=1
echo "$(wc -l <"$scratch/results") faults on $driver"
[ $failures = 0 ]
