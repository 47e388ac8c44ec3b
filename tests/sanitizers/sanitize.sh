#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# sanitize.sh [ARGUMENTS]: runs run.sh with AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitize/
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
esac
trap 'echo "0 passed, 1 failed, 0 skipped"' EXIT
install_missing
tools=$source_root/build-sanitize/tools-preloaded
mkdir -p "$tools"

# Libraries are never unloaded, so that reports of leaks name them and suppressions match.
gcc -shared -fPIC -x c - -o "$tools/no-dlclose.so" <<<'int dlclose(void *library) { return !library; }'

# GStreamer's tools are not linked with the run time of the sanitizer, so wrappers preload it.
for tool in gst-launch-1.0 gst-inspect-1.0; do
  cat >"$tools/$tool" <<WRAPPER
#!/bin/sh
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so) \$LD_PRELOAD" exec $(command -v "$tool") "\$@"
WRAPPER
  chmod +x "$tools/$tool"
done

export PATH=$tools:$PATH LD_PRELOAD=$tools/no-dlclose.so GST_REGISTRY_FORK=no
# intercept_tls_get_addr=0: the run time of GCC 12 crashes on the thread-local storage of finished
# threads
export ASAN_OPTIONS=detect_leaks=1:use_sigaltstack=0:verify_asan_link_order=0:intercept_tls_get_addr=0
export LSAN_OPTIONS=suppressions=$source_root/tests/sanitizers/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export GLCL_TEST_BUILD=build-sanitize
export GLCL_TEST_OPTIONS='-Ddebug=true -Db_sanitize=address,undefined -Db_lundef=false -Dcpp_args=-fno-sanitize-recover=all'
exec "$source_root/tests/run.sh" --timeout-multiplier 4 "$@"
