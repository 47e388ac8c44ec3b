#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016
# failures.sh: every script of tests/ fails where a program that it runs fails, and .ci/run tells what it did not try. Programs that
# only fail stand for the real ones, in a folder that stands for the build.
set -euo pipefail
. "$(dirname "$0")/files.sh"
source_root=$PWD
python=$([[ -x /usr/bin/python3 ]] && echo /usr/bin/python3 || echo python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GLCL_GL_DRIVER GLCL_FAULT GLCL_ALREADY LD_PRELOAD
export GLCL_SOURCE=$source_root GLCL_BUILD=$work/build GLCL_LAYER=/dev/null GLCL_RUNNER=$work/bin/fails HOME=$work
export XDG_CACHE_HOME=$work/cache GLCL_LINT_CACHE=$work/lint

mkdir -p "$work"/{bin,build/{tests/random,tools,examples,gst}}
printf '#!/bin/sh\necho "this program fails" >&2\nexit 3\n' >"$work/bin/fails"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/works"
chmod +x "$work"/bin/*
for program in tests/random/random-pipelines tools/glcl-{analyze,bench,events,info,tune} examples/{vectors,window,label,analytics}; do
  cp "$work/bin/fails" "$work/build/$program"
done

count=0 missed=0 tried=' '
# fails PROGRAMS SCRIPT ARGUMENTS...: the script does not end well where these programs, separated by spaces, fail; of a program with
# a + ahead, the others work. A script that has to be skipped here has been.
fails() {
  local programs=$1 script=$2 program status=0 bin=$work/path
  shift 2
  tried+="$script "
  rm -rf "$bin"
  mkdir "$bin"
  for program in $programs; do
    if [[ $program == +* ]]; then cp "$work/bin/works" "$bin/${program#+}"; else cp "$work/bin/fails" "$bin/$program"; fi
  done
  PATH=$bin:$PATH timeout 60 "${interpreter[@]}" "${root:-$source_root}/$script" "$@" >"$work/output" 2>&1 </dev/null || status=$?
  interpreter=()
  ((++count))
  case $status in
    0 | 124 | 126 | 127)
      ((++missed))
      echo "$script $*: status $status where ${programs:-the programs that it runs} failed:"
      tail -n 5 "$work/output"
      ;;
    77) echo "$script $*: $(tail -n 1 "$work/output")" ;;
  esac
}
interpreter=() root=''

fails 'munged' tests/pipelines/slurm.sh
fails 'sbatch' tests/pipelines/slurm.sh
for name in vectors window label; do fails '' tests/examples/examples.sh "$name"; done
fails '+gst-inspect-1.0 gst-launch-1.0' tests/elements/encoders.sh
fails '' tests/elements/leaving.sh "$work/bin/fails"
for name in fuzz soak; do fails '' tests/random/random.sh "$name" 0.01 copy; done
fails '+gst-inspect-1.0' tests/random/flat.sh copy "$work/bin/fails" 1000
GLCL_GL_DRIVER=$work fails '' tests/gl-driver/run.sh "$work/bin/fails"
echo : >"$work/env.sh"
GLCL_GL_DRIVER=$work fails '' tests/gl-driver/run.sh "$work/bin/fails"
fails 'apt-get' tests/gl-driver/build.sh "$work/pair"
fails '' tests/install/install.sh
fails '+gst-inspect-1.0 gst-launch-1.0' tests/layer/checker.sh copy
fails '+gst-inspect-1.0' tests/layer/checker.sh copy "$work/bin/fails"
fails '+gst-inspect-1.0' tests/layer/faults.sh copy
GLCL_GL_DRIVER=$work fails '+gst-inspect-1.0 ninja' tests/layer/mutation.sh "$source_root" "$work/build"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "version 14.0" && exit\nexit 3\n' >"$work/bin/fails-14"
chmod +x "$work/bin/fails-14"
mkdir "$work/14"
for name in clang-format{,-14} clang-tidy{,-14}; do ln -s ../bin/fails-14 "$work/14/$name"; done
PATH=$work/14:$PATH fails '' tests/lint/format.sh
fails shellcheck tests/lint/shell.sh
fails git tests/lint/commits.sh
fails gst-launch-1.0 tests/pipelines/arguments.sh
fails gst-launch-1.0 tests/pipelines/recipes.sh invert
GLCL_SOURCE=$work fails '' tests/pipelines/archive.sh
fails '+localedef' tests/pipelines/locales.sh
fails gst-launch-1.0 tests/elements/sums.sh
for name in bench glcl-events glcl-info glcl-tune; do fails '' "tests/tools/$name.sh"; done
fails '+gst-inspect-1.0 gst-launch-1.0' tests/tools/glcl-analyze.sh
fails '' tests/tools/glcl-analyze.sh
fails 'meson' tests/tools/new-element.sh

mkdir -p "$work"/words/gst
printf '"%s"\n' 'What is left is told by the element.' >"$work/words/gst/a.cpp"
interpreter=("$python")
fails '' tests/lint/words.py "$work/words"
printf '"%s"\n' 'No file of the list can be opened by  ' >"$work/words/gst/a.cpp"
fails '' tests/lint/words.py "$work/words"
printf '// %s\n' 'The noise of the frame, the frame the frame before.' >"$work/words/gst/a.cpp"
fails '' tests/lint/words.py "$work/words"
# A sentence of 26 words above a kernel, and one of 25 beside a table.
rm -r "$work/words"
mkdir -p "$work/words/kernels"
{
  printf '//'
  printf ' word%s' {a..y}
  printf '.\n//   NAME  %s\n' "$(printf 'word%s ' {a..t})"
} >"$work/words/kernels/fits.cl"
"$python" tests/lint/words.py "$work/words" >/dev/null || { ((++missed)); echo 'words.py fails where sentences are short'; }
{
  printf '//'
  printf ' word%s' {a..z}
} >"$work/words/kernels/long.cl"
interpreter=("$python")
fails '' tests/lint/words.py "$work/words"
# An engine that includes GStreamer, and two that include each other, where everything else is right.
root=$work/rooms
mkdir -p "$root"/tests/lint "$root"/gst/{noise,camera} "$root"/tools
cp tests/lint/rooms.py "$root/tests/lint/"
cp meson.build CONTRIBUTING.md .gitignore "$root/"
"$python" tests/lint/rooms.py "$root" >/dev/null || { ((++missed)); echo 'rooms.py fails where nothing is wrong'; }
echo '#include <gst/gst.h>' >"$root/gst/noise/a.h"
interpreter=("$python")
fails '' tests/lint/rooms.py "$root"
echo '#include "camera/a.h"' >"$root/gst/noise/a.h"
echo '#include "noise/a.h"' >"$root/gst/camera/a.h"
interpreter=("$python")
fails '' tests/lint/rooms.py "$root"
root=''
# A function of 81 lines, one of 80 beside a longer table, in C++ and Python.
mkdir -p "$work"/lengths/gst
{
  echo 'int shorter() {'
  for _ in {1..78}; do echo '  f("{");'; done
  printf '}\nint table[] = {\n'
  for _ in {1..100}; do echo '1,'; done
  echo '};'
} >"$work/lengths/gst/fits.cpp"
"$python" tests/lint/lengths.py "$work/lengths" >/dev/null || { ((++missed)); echo 'lengths.py fails where functions are short'; }
{
  echo 'A::A() : a_{1}, b_(2) {'
  for _ in {1..79}; do echo '  f({});'; done
  echo '}'
} >"$work/lengths/gst/longer.cpp"
interpreter=("$python")
fails '' tests/lint/lengths.py "$work/lengths"
{
  echo 'def longer():'
  for _ in {1..80}; do echo '    f()'; done
} >"$work/lengths/gst/longer.py"
rm "$work/lengths/gst/longer.cpp"
interpreter=("$python")
fails '' tests/lint/lengths.py "$work/lengths"
rm "$work/lengths/gst/longer.py"
mkdir "$work/lengths/docs"
for _ in {1..1001}; do echo word; done >"$work/lengths/docs/page.md"
interpreter=("$python")
fails '' tests/lint/lengths.py "$work/lengths"
# Two types of one name.
mkdir -p "$work/same/gst"
for file in a b; do echo 'struct Same {};' >"$work/same/gst/$file.h"; done
interpreter=("$python")
fails '' tests/lint/types.py "$work/same"
interpreter=("$python")
fails '' tests/install/twice.py "$source_root" "$work/build"
interpreter=("$python")
fails meson tests/kernels/mutants.py "$work/build"

# Of Python's, whose programs are told by their arguments. What runs pipelines in its own process has no plugin then.
for script in lines snippets; do
  interpreter=("$python")
  fails '' tests/docs/$script.py "$source_root" "$work/bin/fails" "$work/bin/fails" gst/gst-glcl/gstglclresult.h
done
GST_REGISTRY_1_0=$work/registry GST_PLUGIN_PATH_1_0=$work
export GST_REGISTRY_1_0 GST_PLUGIN_PATH_1_0
for statement in 'flow.md: with <kernels/opticalflow/refine.cl:RELAXATION*7>' 'flow.md: <kernels/opticalflow/refine.cl:NO_SUCH_MACRO>' ''; do
  echo "${statement:+docs/methods/$statement}" >"$work/statements"
  interpreter=("$python")
  fails '' tests/docs/constants.py "$source_root" "$work/statements"
done
# Another figure, unknown work, a table in part, nothing.
for statement in 'glopenclflow.md: single pixels adds <h100 3840x2160> µs = glopenclflow: single pixels, by signatures' \
  'glopenclflow.md: single pixels adds <h100 1920x1080> µs = glopenclflow: no such work' \
  'glclhough.md: | edges | <h100 1920x1080> | <h100 3840x2160> | = glclhough: edges' ''; do
  printf 'h100 = NVIDIA H100 80GB HBM3\n%s\n' "${statement:+docs/$statement}" >"$work/statements"
  interpreter=("$python")
  fails '' tests/docs/costs.py "$source_root" "$work/statements"
done
for script in embedding kinds mask results; do
  interpreter=("$python")
  fails '' tests/languages/$script.py "$source_root"
done

# Those that build: in a copy of what they need, with functions of bash for programs that they call by their paths.
root=$work/copy
mkdir -p "$root/tests/"{parsers/corpus/chain,gl-driver} "$root/.ci" "$root/packaging"
cp -r pipelines "$root/"
cp --parents tests/*.sh tests/parsers/*.sh tests/sanitizers/*.sh "$root/"
cp .ci/run "$root/.ci/"
# shellcheck disable=SC2016
printf '%s\n' 'dpkg-query() { printf installed; }' 'ninja() { :; }' 'gst-inspect-1.0() { touch "$GST_REGISTRY_1_0"; }' \
  '/usr/bin/meson() { [[ ${1:-} != test ]] || return 3; }' '/usr/bin/ninja() { :; }' >"$work/programs"
mkdir -p "$root/build-tests/tests/run" "$root/build-sanitize/tests/run"
BASH_ENV=$work/programs fails '' tests/run.sh
BASH_ENV=$work/programs fails 'gcc' tests/sanitizers/sanitize.sh
BASH_ENV=$work/programs fails '+gcc' tests/sanitizers/sanitize.sh
mkdir -p "$root/build-parsers/tests/parsers"
cp "$work/bin/fails" "$root/build-parsers/tests/parsers/parsers-chain"
BASH_ENV=$work/programs fails '' tests/parsers/parsers.sh 1
mkdir -p "$root/build-tsan"
fails '+c++ meson' tests/sanitizers/tsan.sh 0.01
fails '+c++ +meson' tests/sanitizers/tsan.sh 0.01
fails '' tests/sanitizers/tsan.sh --each '' "$work/bin/fails"
root=''

# What has no case here; what others source has none.
for script in $(git ls-files 'tests/*.sh' 2>/dev/null); do
  [[ -x $script && $tried != *" $script "* && $script != */common.sh && $script != */lint/f*.sh ]] || continue
  ((++missed))
  echo "$script has no case in failures.sh"
done

# ci STATUS WANTED PATTERN: what .ci/run does where Debian 13 ends with STATUS
ci() {
  local status=0
  printf '#!/bin/sh\nexit %s\n' "$1" >"$work/copy/packaging/versions.sh"
  "$work/copy/.ci/run" >"$work/output" 2>&1 </dev/null || status=$?
  ((status == $2)) && grep -q "$3" "$work/output" && return
  ((++missed))
  echo ".ci/run: status $status, not $2, or not $3, where Debian 13 ends with $1:"
  cat "$work/output"
}
printf '#!/bin/sh\necho "${GLCL_ALREADY:-nothing}"; case $GLCL_ALREADY in failed*) exit 1 ;; esac\n' >"$work/copy/tests/run.sh"
# drivers STATUS: what the build of the drivers that share textures ends with
drivers() {
  printf '#!/bin/sh\nexit %s\n' "$1" >"$work/copy/tests/gl-driver/build.sh"
  chmod +x "$work/copy/tests/gl-driver/build.sh"
}
drivers 0
touch "$work/copy/packaging/versions.sh"
chmod +x "$work/copy/packaging/versions.sh"
ci 0 0 '^nothing$'
ci 124 0 '^skipped: Debian 13: it took more than five minutes$'
ci 124 1 '^failed: Debian 13: '
ci 0 0 '^nothing$'
ci 124 0 '^skipped: Debian 13: '
ci 77 0 '^skipped: Debian 13: '
ci 1 1 'do not run on Debian 13'
drivers 1
ci 0 1 'sharing textures cannot be tested'
drivers 77
ci 0 0 '^nothing$'

echo "$count runs of scripts, $missed did not notice"
((!missed))
