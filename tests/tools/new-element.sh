#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# new-element.sh: new elements of tools/new-element pass the checks of the sources, build, and pass their tests
#
# It runs in a copy of the tree, with a long name and with the name of a function of OpenCL C. Wrong
# names cause errors that explain them. The copy reuses objects of the build folder.
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

# expect_refusal NAME WORDS: new-element refuses the name with these words, and leaves no files
expect_refusal() {
  local before status=0
  before=$(find . | sort | sha256sum)
  tools/new-element "$1" >output 2>error || status=$?
  if ((status != 2)) || ! grep -qF -- "$2" error || [[ -s output ]]; then die "new-element \"$1\": status $status: $(<error)"; fi
  rm output error
  [[ $(find . | sort | sha256sum) == "$before" ]] || die "new-element \"$1\" leaves files"
}
expect_refusal Bad-name 'as "badname"'
expect_refusal 2fast 'begin with a letter, as "fast"'
expect_refusal '' 'it takes one name, as in: '
expect_refusal glclmix 'leave out the first "glcl"'
expect_refusal klt 'gst/klt exists already'
expect_refusal limits 'tests/elements/limits.cpp exists already'
expect_refusal launchthrottle 'launchthrottle.cpp is a test of that name already'
expect_refusal filter 'choose another name'
expect_refusal pool 'has a class GstGLCLPool already'

for name in "${names[@]}"; do
  tools/new-element "$name"
  expect_refusal "$name" "gst/elements/gstglcl$name.cpp exists already"
  ! grep -n 'smallest\|model\|examples=\|extending' "docs/glcl$name.md" gst/elements/gstglcl"$name".* || die 'this text is only true for glclinvert'
done

# check COMMAND...: the command has to succeed or skip
check() {
  local status=0
  "$@" >output 2>&1 || status=$?
  ((!status || status == 77)) || die "$* failed: $(<output)"
}
check tests/lint/format.sh
! command -v shellcheck >/dev/null || (cd pipelines && shellcheck "${names[@]/%/.sh}")
for script in tests/lint/{rooms,includes}.py tests/docs/links.py; do check python3 "$script" .; done

# The copy has the options of the build folder and gets its objects, so that ninja builds only new
# files.
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
  gst-inspect-1.0 "glcl$name" | grep strength >/dev/null # grep without -q reads everything, so there is no SIGPIPE
done
