#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# musl.sh [FOLDER]
#
# Lists the functions of the C library that the plugin and the tools in FOLDER use and that musl lacks.
# FOLDER is a build with glibc, by default build/. Needs the packages musl and binutils. It shows nothing about how they run with musl.
# The exit status is 1 if a function is missing.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 0 1 "$@"
folder=${1:-$build}
[[ -f $folder/gst/libgstglcl.so ]] || die "no plugin in $folder: build it first"
shopt -s nullglob
musl=(/lib/ld-musl-*.so.1)
((${#musl[@]})) || die 'musl is not installed: install the package musl'

# Headers of glibc and libstdc++ replace other functions by these, for example fcntl by fcntl64. A build with musl
# does not have them.
replaced='^(fcntl64|pthread_cond_clockwait|__libc_single_threaded|__isoc(23|99)_.*|__.*_chk|__cxa_thread_atexit_impl)$'
failed=0
for file in "$folder"/gst/libgstglcl.so "$folder"/tools/glcl-*; do
  [[ -f $file && -x $file ]] || continue
  lacking=$(comm -23 <(nm -D --undefined-only "$file" | sed -n 's/.* \([^ ]*\)@GLIBC_.*/\1/p' | sort -u) \
    <(nm -D --defined-only "${musl[0]}" | awk '{ print $3 }' | sort -u) | grep -vE "$replaced" || true)
  echo "${file##*/}: ${lacking:-musl has all functions}"
  [[ ! $lacking ]] || failed=1
done
exit $failed
