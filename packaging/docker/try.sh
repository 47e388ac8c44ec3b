#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# try.sh [DOCKERFILE...]
#
# Takes the steps of the Dockerfiles here (RUN, COPY, ENV, of two stages) in bare Debians instead of their images, has GStreamer load the
# plugin where the second stage ends, and runs what the container would. For machines without docker; needs what
# packaging/versions.sh needs. A first stage that several files share is taken once.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../pipelines/setup.sh"
arguments 0 100 "$@"
(($#)) || set -- "$here"/*.Dockerfile
share=$(mktemp -d)
trap 'rm -rf --one-file-system "$share"' EXIT

# steps FILE STAGE: as lines of bash; COPY takes from /project, and from what the first stage left in /share
steps() {
  sed -e ':a; /\\$/{N; s/\\\n//; ba}' "$1" | awk -v wanted="$2" '
    /^FROM/ { ++stage; next }
    stage != wanted || /^(#|SHELL|$)/ { next }
    sub(/^RUN /, "") || sub(/^ENV /, "export ") { print; next }
    /^WORKDIR/ { print "mkdir -p", $2, "&& cd", $2; next }
    /^COPY --from=build/ { print "cp -a /share" $3 "/.", $4; next }
    /^COPY \. / { print "cp -a /project", $3; next }
    sub(/^CMD \["/, "") { sub(/"\]$/, ""); print "gst-inspect-1.0 glclmotion >/dev/null; echo =="; print $0, "|| echo its exit status is $?"; next }
    { print "unknown step: " $0 >"/dev/stderr"; exit 1 }'
}

# take SUITE NAME: the steps of $share/NAME.sh
take() {
  telling "$here/../versions.sh" --share "$share" "$1" \
    "DEBIAN_FRONTEND=noninteractive bash -e /share/$2.sh >/share/$2.log 2>&1 || { tail -n 40 /share/$2.log; exit 1; }"
}

taken=''
for file; do
  [[ -f $file ]] || wrong "no such file: $file"
  suite=$(sed -n 's/^FROM debian:\([a-z]*\).*/\1/p' "$file" | tail -n 1)
  kept=$(sed -n 's/^COPY --from=build \([^ ]*\) .*/\1/p' "$file")
  steps "$file" 1 >"$share/build.sh"
  echo "mkdir -p /share$kept && cp -a $kept/. /share$kept" >>"$share/build.sh"
  if [[ $taken != "$(<"$share/build.sh")" ]]; then
    echo "$(basename "$file"): its first stage"
    take "$suite" build
    taken=$(<"$share/build.sh")
  fi
  echo "$(basename "$file"): its second stage"
  steps "$file" 2 >"$share/run.sh"
  take "$suite" run
  sed '1,/^==$/d' "$share/run.log"
done
