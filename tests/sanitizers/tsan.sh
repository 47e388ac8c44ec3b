#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tsan.sh [MINUTES]
#
# Builds with ThreadSanitizer into build-tsan/. It runs the soak and the fuzzer for MINUTES (1) each,
# and all tests of the suites elements and sharing. It fails on a data race in this project, or if the
# soak or the fuzzer fails. tests/sanitizers/tsan.supp lists exceptions. Failures of tests without a
# race are ignored; tests/run.sh reports them. If GLCL_GL_DRIVER is set, everything also runs on those
# drivers.
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
if [[ ${1:-} == --each ]]; then # PRELOAD COMMAND...: runs each case of a test program in its own process, without a fork
  shift
  export CK_FORK=no
  preload=$1 status=0
  shift
  mapfile -t names < <("$@" --list-tests | sed -n 's/^Test: //p')
  ((${#names[@]})) || die "$1 has no tests"
  for name in "${names[@]}"; do
    GST_CHECKS=$name LD_PRELOAD=$preload timeout -s KILL 300 "$@" || status=1
    echo "$name" >>"$TSAN_RAN"
  done
  exit $status
fi
case ${1:-} in
  -*) usage "$0"; exit 2 ;;
esac
minutes=${1:-1}
cd "$source_root"
build=$source_root/build-tsan

options=(-Db_sanitize=thread -Db_lundef=false -Dtests=enabled)
[[ -f tools/meson.build ]] || options+=(-Dtools=disabled)
if [[ -d $build/meson-info ]]; then
  meson configure "$build" "${options[@]}"
else
  meson setup "$build" "${options[@]}"
fi
meson compile -C "$build"

# GLib and GstGL are not instrumented; a preloaded library informs ThreadSanitizer about their
# synchronization. GStreamer's plugin scanner is not instrumented either, so it cannot load this plugin.
read -ra flags <<<"$(pkg-config --cflags --libs gstreamer-gl-1.0)"
c++ -std=c++17 -O1 -g -fPIC -shared tests/sanitizers/tsan.cpp -o "$build/tsan.so" -Wl,--no-as-needed "${flags[@]}" -ldl
preload=$build/tsan.so
export GST_REGISTRY_FORK=no
# Threads exchange GLib's slices without a call that ThreadSanitizer sees.
export G_SLICE=always-malloc
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 history_size=4 log_path=$build/races die_after_fork=0 exitcode=66 suppressions=$source_root/tests/sanitizers/tsan.supp"

status=0
rm -f "$build"/races.*
methods=(copy)
[[ -z ${GLCL_GL_DRIVER:-} ]] || methods+=(gl)
for method in "${methods[@]}"; do
  RANDOM_PRELOAD=$preload GLCL_BUILD=$build tests/random/random.sh soak "$minutes" "$method" --hang 120 || status=1
  RANDOM_PRELOAD=$preload GLCL_BUILD=$build tests/random/random.sh fuzz "$minutes" "$method" --hang 300 || status=1
done

mapfile -t suites < <(meson introspect --tests "$build" |
  python3 -c 'import json, sys
suites = {name.split(":")[-1] for test in json.load(sys.stdin) for name in test["suite"]}
print("\n".join(sorted(suites & {"elements", "sharing"})))')
export TSAN_RAN=$build/ran # the list of cases that have run
rm -f "$TSAN_RAN"
# Cases run without a fork, because ThreadSanitizer does not know the threads of a forked process.
for suite in "${suites[@]}"; do
  [[ -n $suite ]] || continue
  meson test -C "$build" --no-rebuild --timeout-multiplier 10 --suite "$suite" \
    --wrap "$source_root/tests/sanitizers/tsan.sh --each $preload" || true
done

[[ -s $TSAN_RAN ]] || die 'no test was run'
if compgen -G "$build/races.*" >/dev/null; then
  cat "$build"/races.*
  echo 'tsan: FAILED'
  exit 1
fi
((status == 0)) && echo 'tsan: no race'
exit $status
