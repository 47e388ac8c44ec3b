#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh [ARGUMENTS]
#
# Installs missing packages, builds everything into build-tests/ and runs the tests, at most four at a
# time because some wait. The arguments go to `meson test`. The last line is always
#   N passed, N failed, N skipped
# The exit status is 0 if no test failed. A failed build counts as one failed test. Tests skip if a
# tool is missing; with CI=true the tools are installed too.
# Tests of sharing textures between OpenGL and OpenCL need drivers that support it: GLCL_GL_DRIVER
# names a folder whose env.sh selects them. By default they use the pair of drivers that
# tests/gl-driver/build.sh has put into the cache folder.
#   GLCL_TEST_BUILD    the build folder
#   GLCL_TEST_OPTIONS  options for meson
#   GLCL_POCL_CACHE    a folder that keeps the compiled kernels of PoCL from run to run
#   GLCL_ALREADY       a result to count with the tests: `passed: NAME: WHY`, or failed or skipped
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
  --version) version "$0"; exit ;;
esac
cd "$source_root"
folder=${GLCL_TEST_BUILD:-build-tests}
log=$folder/meson-logs/testlog.json

closing='0 passed, 1 failed, 0 skipped'
trap 'echo "$closing"' EXIT

# scan_plugins: makes a registry before the tests, because some plugins leak when GStreamer loads them
# for the first time
scan_plugins() {
  local registry=$folder/tests/run/registry.bin
  ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 GST_REGISTRY_1_0=$registry GST_PLUGIN_PATH_1_0=$source_root/$folder/gst \
    quietly gst-inspect-1.0
  cp "$registry" "$registry.gl"
}

# share_pocl_cache FOLDER: makes the tests use this folder for PoCL's cache, and deletes its files
# unused for two weeks. Other test runs may delete files meanwhile.
share_pocl_cache() {
  local cache=$folder/tests/run/pocl
  mkdir -p "$1" "$folder/tests/run"
  chmod 700 "$folder/tests/run"
  find "$1" -ignore_readdir_race -depth -mindepth 1 -atime +14 -mtime +14 -delete
  [[ -L $cache ]] || rm -rf "$cache"
  ln -sfn "$1" "$cache"
}

# summary LOG: prints the end of the output of failed tests, why tests were skipped, then the closing line
summary() {
  "$python" - "$1" <<'PYTHON'
import json, os, sys

groups = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
counts = {'passed': 0, 'failed': 0, 'skipped': 0}
already = os.environ.get('GLCL_ALREADY')
if already:
    print(already)
    counts[already.split(':')[0]] += 1
for line in open(sys.argv[1], encoding='utf-8'):
    test = json.loads(line)
    group = groups.get(test['result'], 'failed')
    counts[group] += 1
    if group == 'failed':
        output = (test.get('stdout', '') + test.get('stderr', '')).splitlines()
        print(f"--- {test['name']}, end of its output:", *output[-60:], sep='\n')
    if group == 'skipped':
        reason = test.get('stdout', '').strip() or 'no reason given'
        print(test['name'], 'skipped:', reason.splitlines()[-1].removeprefix('SKIP: '))
print(', '.join(f'{number} {group}' for group, number in counts.items()))
PYTHON
}

pair=${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl/gl-driver
[[ ${GLCL_GL_DRIVER:-} || ! -e $pair/stamp ]] || export GLCL_GL_DRIVER=$pair
if [[ ${CI:-} == true ]]; then install_with_checks; else install_missing; fi
# Some tests build a copy of the tree. With this setting, ccache reuses objects of this build there.
export CCACHE_NOHASHDIR=1
read -ra options <<<"${GLCL_TEST_OPTIONS:-}"
# Debug information would take a third of the compile time, and the tests do not need it.
build_folder "$folder" all -Dtests=enabled -Dtools=enabled -Ddebug=false "${options[@]}"
rm -f "$log"
[[ -z ${GLCL_POCL_CACHE:-} ]] || share_pocl_cache "$GLCL_POCL_CACHE"
scan_plugins
status=0
"$meson_command" test -C "$folder" --no-rebuild --num-processes 4 --print-errorlogs "$@" || status=$?
[[ -f $log ]] || die 'no test was run'
report=$(summary "$log")
closing=${report##*$'\n'}
if ((status)) && [[ $closing == *', 0 failed,'* ]]; then
  echo 'meson test failed before the last test'
  closing=${closing/, 0 failed,/, 1 failed,}
fi
sed '$d' <<<"$report"
[[ $closing == *', 0 failed,'* ]] || exit 1
exit "$status"
