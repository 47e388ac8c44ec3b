#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# parsers.sh [SECONDS [TARGET...]]
#
# Builds into build-parsers/ and runs libFuzzer on the parsers of user input, with AddressSanitizer and
# UndefinedBehaviorSanitizer: each target of tests/parsers for SECONDS (default 60). Needs clang with
# its run time (packages clang and libclang-rt-dev, or those of one version, with CXX=clang++-VERSION).
# An input that breaks a target is written to build-parsers/; add it to tests/parsers/corpus/TARGET/
# together with the fix.
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
case ${1:-} in
  -*) usage "$0"; exit 2 ;;
esac
seconds=${1:-60}
targets=("${@:2}")
cd "$source_root"
build=$source_root/build-parsers
((${#targets[@]})) || mapfile -t targets < <(cd tests/parsers/corpus && printf '%s\n' *)

echo "building into ${build#"$PWD"/}"
[[ -f $build/build.ninja ]] || CXX=${CXX:-clang++} quietly "$meson_command" setup "$build" -Dfuzzers=true -Dtests=enabled \
  -Dtools=disabled -Db_lundef=false -Db_sanitize=address,undefined \
  '-Dcpp_args=-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined'
quietly "$meson_command" compile -C "$build" gstglcl "${targets[@]/#/parsers-}"
headless_environment "$build/run"
export GST_PLUGIN_PATH_1_0=$build/gst GST_REGISTRY_FORK=no
# Leaks are not checked: GStreamer keeps registered data, and leaks some 200 bytes for each list that it
# refuses.
export ASAN_OPTIONS=detect_leaks=0

status=0
for target in "${targets[@]}"; do
  echo "$target"
  found=$build/corpus/$target log=$build/$target.log
  mkdir -p "$found"
  if "$build/tests/parsers/parsers-$target" -max_total_time="$seconds" -max_len=8192 -timeout=30 -rss_limit_mb=0 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$build/$target-" "$found" "tests/parsers/corpus/$target" &>"$log"; then
    grep '^stat::number_of_executed' "$log"
  else
    cat "$log"
    status=1
  fi
done
exit $status
