#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# new-element.sh: what tools/new-element makes in a copy of the tree is written as the rest, builds and passes all its tests, for a
# long name and for one that is a function of OpenCL C; a wrong name says what is wrong. What the build folder has is not built again.
set -euo pipefail
names=(mix temporalnoisereduction)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$GLCL_SOURCE" --format=posix --exclude='./build*' --exclude=./.git --exclude=./demo --exclude=./scratch -cf - . | tar -C "$work" -xf -
cd "$work"

die() {
  echo "$*"
  exit 1
}

# refused NAME WORDS: new-element does not take the name, and says so in a text with these words
refused() {
  local before status=0
  before=$(find . | sort | sha256sum)
  tools/new-element "$1" >output 2>error || status=$?
  if ((status != 2)) || ! grep -qF -- "$2" error || [[ -s output ]]; then die "new-element \"$1\": status $status: $(<error)"; fi
  rm output error
  [[ $(find . | sort | sha256sum) == "$before" ]] || die "new-element \"$1\" leaves files"
}
refused Bad-name 'as "badname"'
refused 2fast 'begin with a letter, as "fast"'
refused '' 'it takes one name, as in: '
refused glclmix 'leave out the first "glcl"'
refused klt 'gst/klt exists already'
refused limits 'tests/elements/limits.cpp exists already'
refused launchthrottle 'launchthrottle.cpp is a test of that name already'
refused filter 'choose another name'
refused pool 'has a class GstGLCLPool already'

for name in "${names[@]}"; do
  tools/new-element "$name"
  refused "$name" "gst/elements/gstglcl$name.cpp exists already"
  ! grep -n 'smallest\|model\|examples=\|extending' "docs/glcl$name.md" gst/elements/gstglcl"$name".* || die 'this is true of glclinvert alone'
done

# check COMMAND...: it works, or skips
check() {
  local status=0
  "$@" >output 2>&1 || status=$?
  ((!status || status == 77)) || die "$* failed: $(<output)"
}
check tests/lint/format.sh
! command -v shellcheck >/dev/null || (cd pipelines && shellcheck "${names[@]/%/.sh}")
for script in tests/lint/{rooms,includes}.py tests/docs/links.py; do check python3 "$script" .; done

# What has the same commands and sources is taken from the build folder, whose options this one has.
mapfile -t options < <(sed -n 's/^\([a-z_:-]*\) = /-D\1=/p' "$GLCL_BUILD/meson-private/cmd_line.txt")
meson setup build "${options[@]}" -Dtools=disabled >/dev/null
(cd "$GLCL_BUILD" && find . -name '*.o' -print0 | xargs -0 cp -a --parents -t "$work/build")
cp -a "$GLCL_BUILD"/.ninja_{deps,log} build/
! cmp -s {"$GLCL_BUILD",build}/config.h || cp -a {"$GLCL_BUILD",build}/config.h
[[ ! -d $GLCL_BUILD/tests/run/pocl ]] || ln -s "$(realpath "$GLCL_BUILD/tests/run/pocl")" build/tests/run/pocl

meson test -C build --print-errorlogs "${names[@]}" "${names[@]/%/ (gl)}" >log 2>&1 || {
  tail -n 60 log
  exit 1
}
grep -E '^\[[0-9]+/[0-9]+\] Linking|^ *[0-9]+/[0-9]+ ' log
passed=$(grep -cE '^ *[0-9]+/[0-9]+ .* (OK|SKIP)' log)
((passed == 4 * ${#names[@]})) || die "$passed tests of $((4 * ${#names[@]})) have run"
export GST_PLUGIN_PATH_1_0=$work/build/gst GST_REGISTRY_1_0=$work/registry.bin
for name in "${names[@]}"; do
  gst-inspect-1.0 "glcl$name" | grep strength >/dev/null # all of it is read: no SIGPIPE
done
