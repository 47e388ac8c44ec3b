#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016
# failures.sh: every script of tests/ fails if a program that it runs fails, and .ci/run reports tests
# that it skips
#
# Programs that only fail replace the real ones, in a folder that replaces the build folder.
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
# expect_failure PROGRAMS SCRIPT ARGUMENTS...: the script has to fail if these programs, separated by
# spaces, fail; programs after a + succeed. A script may also skip.
expect_failure() {
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
      echo "$script $*: status $status although ${programs:-the programs that it runs} failed:"
      tail -n 5 "$work/output"
      ;;
    77) echo "$script $*: $(tail -n 1 "$work/output")" ;;
  esac
}
interpreter=() root=''

expect_failure 'munged' tests/pipelines/slurm.sh
expect_failure 'sbatch' tests/pipelines/slurm.sh
for name in vectors window label; do expect_failure '' tests/examples/examples.sh "$name"; done
expect_failure '+gst-inspect-1.0 gst-launch-1.0' tests/elements/encoders.sh
expect_failure '' tests/elements/leaving.sh "$work/bin/fails"
for name in fuzz soak; do expect_failure '' tests/random/random.sh "$name" 0.01 copy; done
expect_failure '+gst-inspect-1.0' tests/random/flat.sh copy "$work/bin/fails" 1000
GLCL_GL_DRIVER=$work expect_failure '' tests/gl-driver/run.sh "$work/bin/fails"
echo : >"$work/env.sh"
GLCL_GL_DRIVER=$work expect_failure '' tests/gl-driver/run.sh "$work/bin/fails"
expect_failure 'apt-get' tests/gl-driver/build.sh "$work/pair"
expect_failure '' tests/install/install.sh
expect_failure '+gst-inspect-1.0 gst-launch-1.0' tests/layer/checker.sh copy
expect_failure '+gst-inspect-1.0' tests/layer/checker.sh copy "$work/bin/fails"
expect_failure '+gst-inspect-1.0' tests/layer/faults.sh copy
GLCL_GL_DRIVER=$work expect_failure '+gst-inspect-1.0 ninja' tests/layer/mutation.sh "$source_root" "$work/build"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "version 14.0" && exit\nexit 3\n' >"$work/bin/fails-14"
chmod +x "$work/bin/fails-14"
mkdir "$work/14"
for name in clang-format{,-14} clang-tidy{,-14}; do ln -s ../bin/fails-14 "$work/14/$name"; done
PATH=$work/14:$PATH expect_failure '' tests/lint/format.sh
expect_failure shellcheck tests/lint/shell.sh
expect_failure git tests/lint/commits.sh
expect_failure gst-launch-1.0 tests/pipelines/arguments.sh
expect_failure gst-launch-1.0 tests/pipelines/recipes.sh invert
GLCL_SOURCE=$work expect_failure '' tests/pipelines/archive.sh
expect_failure '' tests/support/cases.sh "$work/bin/fails"
expect_failure '+localedef' tests/pipelines/locales.sh
expect_failure gst-launch-1.0 tests/elements/sums.sh
for name in bench glcl-events glcl-info glcl-tune; do expect_failure '' "tests/tools/$name.sh"; done
expect_failure '+gst-inspect-1.0 gst-launch-1.0' tests/tools/glcl-analyze.sh
expect_failure '' tests/tools/glcl-analyze.sh
expect_failure 'meson' tests/tools/new-element.sh

mkdir -p "$work"/words/gst
printf '"%s"\n' 'What is left is told by the element.' >"$work/words/gst/a.cpp"
interpreter=("$python")
expect_failure '' tests/lint/words.py "$work/words"
printf '"%s"\n' 'No file of the list can be opened by  ' >"$work/words/gst/a.cpp"
expect_failure '' tests/lint/words.py "$work/words"
printf '// %s\n' 'The noise of the frame, the frame the frame before.' >"$work/words/gst/a.cpp"
expect_failure '' tests/lint/words.py "$work/words"
# Kernels: a sentence of 26 words, and one of 25 before a table.
rm -r "$work/words"
mkdir -p "$work/words/kernels"
{
  printf '//'
  printf ' word%s' {a..y}
  printf '.\n//   NAME  %s\n' "$(printf 'word%s ' {a..t})"
} >"$work/words/kernels/fits.cl"
"$python" tests/lint/words.py "$work/words" >/dev/null || { ((++missed)); echo 'words.py fails although sentences are short'; }
{
  printf '//'
  printf ' word%s' {a..z}
} >"$work/words/kernels/long.cl"
interpreter=("$python")
expect_failure '' tests/lint/words.py "$work/words"
# Scripts: sentences of 25 words pass. One of 26 words, a banned word and repeated words fail, also in a
# docstring.
rm -r "$work/words"
mkdir -p "$work/words/"{tests,pipelines}
sentence=$(printf 'word%s ' {a..y}) banned=told repeated='the end of the end of the file'
{
  printf '# %s\n#\n#   table  %s\ncat "# %s"\n# shellcheck %s\n' "$sentence" "$sentence" $banned $banned
  # Messages: an expansion is one word. Code, and texts of fewer than three words, may contain any word.
  printf 'echo "# %s"\necho "if (%s) { f(); }"\ndie "%s$(f %s %s) end"\n' $banned $banned "$sentence" $banned $banned
} >"$work/words/pipelines/script.sh"
printf 'def f():\n    """%s.\n\n    %s"""\n' "$sentence" "$sentence" >"$work/words/tests/script.py"
"$python" tests/lint/words.py "$work/words" >"$work/output" || { ((++missed)); cat "$work/output"; }
for file in pipelines/long.sh tests/meson.build meson.build tests/long.py .ci/run tests/long.list .github/long.yml long.yaml \
  packaging/long.Dockerfile; do
  for text in "${sentence}word" "the cache is there unless $banned" "$repeated"; do
    mkdir -p "$(dirname "$work/words/$file")"
    printf 'echo\n# %s\n' "$text" >"$work/words/$file"
    interpreter=("$python")
    expect_failure '' tests/lint/words.py "$work/words"
    [[ $file != *.py ]] || {
      printf 'def f():\n    """short\n\n    %s"""\n' "$text" >"$work/words/$file"
      interpreter=("$python")
      expect_failure '' tests/lint/words.py "$work/words"
    }
    rm "$work/words/$file"
  done
done
for message in "echo \"the cache is $banned\"" "f || die '$repeated'" "printf \"%s\nthe file is $banned\"" "skip \"${sentence}and six more words for it\""; do
  echo "$message" >"$work/words/pipelines/message.sh"
  interpreter=("$python")
  expect_failure '' tests/lint/words.py "$work/words"
done
rm "$work/words/pipelines/message.sh"
# An engine that includes GStreamer, and two engines that include each other; everything else is right.
root=$work/rooms
mkdir -p "$root"/tests/lint "$root"/gst/{noise,camera} "$root"/tools
cp tests/lint/rooms.py "$root/tests/lint/"
cp meson.build CONTRIBUTING.md .gitignore "$root/"
"$python" tests/lint/rooms.py "$root" >/dev/null || { ((++missed)); echo 'rooms.py fails although nothing is wrong'; }
echo '#include <gst/gst.h>' >"$root/gst/noise/a.h"
interpreter=("$python")
expect_failure '' tests/lint/rooms.py "$root"
echo '#include "camera/a.h"' >"$root/gst/noise/a.h"
echo '#include "noise/a.h"' >"$root/gst/camera/a.h"
interpreter=("$python")
expect_failure '' tests/lint/rooms.py "$root"
root=''
# Functions of 81 lines in C++ and Python, and one of 80 lines with a longer table.
mkdir -p "$work"/lengths/gst
{
  echo 'int shorter() {'
  for _ in {1..78}; do echo '  f("{");'; done
  printf '}\nint table[] = {\n'
  for _ in {1..100}; do echo '1,'; done
  echo '};'
} >"$work/lengths/gst/fits.cpp"
"$python" tests/lint/lengths.py "$work/lengths" >/dev/null || { ((++missed)); echo 'lengths.py fails although functions are short'; }
{
  echo 'A::A() : a_{1}, b_(2) {'
  for _ in {1..79}; do echo '  f({});'; done
  echo '}'
} >"$work/lengths/gst/longer.cpp"
interpreter=("$python")
expect_failure '' tests/lint/lengths.py "$work/lengths"
{
  echo 'def longer():'
  for _ in {1..80}; do echo '    f()'; done
} >"$work/lengths/gst/longer.py"
rm "$work/lengths/gst/longer.cpp"
interpreter=("$python")
expect_failure '' tests/lint/lengths.py "$work/lengths"
rm "$work/lengths/gst/longer.py"
mkdir "$work/lengths/docs"
for _ in {1..1001}; do echo word; done >"$work/lengths/docs/page.md"
interpreter=("$python")
expect_failure '' tests/lint/lengths.py "$work/lengths"
# A class with 15 data members of all forms, besides functions, and one with 16.
mkdir -p "$work/members/gst"
{
  echo 'class Fits final : public Base {'
  echo ' public:'
  echo '  Fits() : a_{1, 2}, b_(3) { int x; }'
  echo '  bool operator=(const Fits &) = delete;'
  echo '  int f(std::map<int, int> g = {}, int h = 1) const { return f({}, 2); }'
  echo '  struct Inner { int x, y; };'
  echo '  static constexpr int e = 1, f = 2;'
  echo ' private:'
  echo '  int a_{1}, b_, c_[f(1, 2)] = {1, 2}, d_ = g(1, 2);'
  echo '  std::map<int, std::array<int, 2>> e_, f_;'
  echo '  std::function<void(int, int)> g_;'
  echo '  void (*h_)(int, int);'
  for i in {9..15}; do echo "  const int &m${i}_;"; done
  echo '};'
} >"$work/members/gst/fits.h"
"$python" tests/lint/members.py "$work/members" >"$work/output" || { ((++missed)); cat "$work/output"; }
sed 's/Fits/Outer::Larger/; s/m9_/m9_, m16_/' "$work/members/gst/fits.h" >"$work/members/gst/larger.h"
interpreter=("$python")
expect_failure '' tests/lint/members.py "$work/members"
# Two types with the same name.
mkdir -p "$work/same/gst"
for file in a b; do echo 'struct Same {};' >"$work/same/gst/$file.h"; done
interpreter=("$python")
expect_failure '' tests/lint/types.py "$work/same"
# Kernels with 13 arguments: in a list, in macros of which an #if chooses one, and after an attribute.
# The last kernel is in a form that the script does not know. A picture of common/ is one argument.
mkdir -p "$work"/many/kernels/{common,other}
printf '#define IN(name) const uchar *name, int name##_pitch\n' >"$work/many/kernels/common/frame.clh"
printf '#ifdef A\n#define SIX int a, int b, int c, int d, int e, int f\n#else\n#define SIX int a\n#endif\n' \
  >"$work/many/kernels/other/six.h"
{
  printf '#include "common/frame.clh"\n#include "other/six.h"\n'
  echo '__kernel void fits(IN(a), IN(b), SIX, int2 g, float h[f(1, 2)], int i, int j) { f(1, 2); }'
} >"$work/many/kernels/other/a.cl"
"$python" tests/lint/arguments.py "$work/many" >"$work/output" || { ((++missed)); cat "$work/output"; }
for kernel in '__kernel void long(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m)' \
  '__kernel void macros(SIX, IN(a), SIX)' \
  '__attribute__((reqd_work_group_size(F(1), 1, 1))) __kernel void before(SIX, SIX, int m)' \
  'kernel __attribute__((reqd_work_group_size(F(1), 1, 1))) void after(SIX, SIX, int m)' \
  '__kernel uint unknown(int a)'; do
  printf '#include "common/frame.clh"\n#include "other/six.h"\n%s {}\n' "$kernel" >"$work/many/kernels/other/b.cl"
  interpreter=("$python")
  expect_failure '' tests/lint/arguments.py "$work/many"
done
interpreter=("$python")
expect_failure '' tests/install/reproducible.py "$source_root" "$work/build"
interpreter=("$python")
expect_failure meson tests/kernels/mutants.py "$work/build"

# Python scripts get their programs as arguments. Those that run pipelines in their own process find no
# plugin.
for script in lines snippets; do
  interpreter=("$python")
  expect_failure '' tests/docs/$script.py "$source_root" "$work/bin/fails" "$work/bin/fails" gst/gst-glcl/gstglclresult.h
done
GST_REGISTRY_1_0=$work/registry GST_PLUGIN_PATH_1_0=$work
export GST_REGISTRY_1_0 GST_PLUGIN_PATH_1_0
for statement in 'flow.md: with <kernels/opticalflow/tuned.clh:REFINE_RELAXATION*7>' 'flow.md: <kernels/opticalflow/tuned.clh:NO_SUCH_MACRO>' ''; do
  echo "${statement:+docs/methods/$statement}" >"$work/statements"
  interpreter=("$python")
  expect_failure '' tests/docs/constants.py "$source_root" "$work/statements"
done
# A wrong figure, an unknown work, one row of a table, an empty list.
for statement in 'glopenclflow.md: single pixels adds <h100 3840x2160> µs = glopenclflow: single pixels, by signatures' \
  'glopenclflow.md: single pixels adds <h100 1920x1080> µs = glopenclflow: no such work' \
  'glclhough.md: | edges | <h100 1920x1080> | <h100 3840x2160> | = glclhough: edges' ''; do
  printf 'h100 = NVIDIA H100 80GB HBM3\n%s\n' "${statement:+docs/$statement}" >"$work/statements"
  interpreter=("$python")
  expect_failure '' tests/docs/costs.py "$source_root" "$work/statements"
done
interpreter=("$python")
expect_failure '' tests/docs/llms.py "$source_root"
interpreter=("$python")
expect_failure 'chromium' tests/docs/browser.py "$source_root"
for script in embedding expressions kinds mask module results windows; do
  interpreter=("$python")
  expect_failure '' tests/languages/$script.py "$source_root"
done

# Scripts that build run in a copy of the files that they need. Functions of bash replace programs with
# a full path.
root=$work/copy
mkdir -p "$root/tests/"{parsers/corpus/chain,gl-driver} "$root/.ci" "$root/packaging"
cp -r pipelines "$root/"
cp --parents tests/*.sh tests/parsers/*.sh tests/sanitizers/*.sh "$root/"
cp .ci/run "$root/.ci/"
# shellcheck disable=SC2016
printf '%s\n' 'dpkg-query() { printf installed; }' 'ninja() { :; }' 'gst-inspect-1.0() { touch "$GST_REGISTRY_1_0"; }' \
  '/usr/bin/meson() { [[ ${1:-} != test ]] || { [[ ! ${LOG:-} ]] || echo "{\"name\": \"a\", \"result\": \"OK\"}" >"$LOG"; return 3; }; }' \
  '/usr/bin/ninja() { :; }' >"$work/programs"
mkdir -p "$root"/build-tests/{tests/run,meson-logs} "$root/build-sanitize/tests/run"
BASH_ENV=$work/programs expect_failure '' tests/run.sh
# Tests pass, then meson fails.
LOG=build-tests/meson-logs/testlog.json BASH_ENV=$work/programs expect_failure '' tests/run.sh
if [[ $(tail -n 1 "$work/output") != '1 passed, 1 failed, 0 skipped' ]]; then
  ((++missed))
  tail -n 3 "$work/output"
fi
BASH_ENV=$work/programs expect_failure 'gcc' tests/sanitizers/sanitize.sh
BASH_ENV=$work/programs expect_failure '+gcc' tests/sanitizers/sanitize.sh
mkdir -p "$root/build-parsers/tests/parsers"
cp "$work/bin/fails" "$root/build-parsers/tests/parsers/parsers-chain"
BASH_ENV=$work/programs expect_failure '' tests/parsers/parsers.sh 1
mkdir -p "$root/build-tsan"
expect_failure '+c++ meson' tests/sanitizers/tsan.sh 0.01
expect_failure '+c++ +meson' tests/sanitizers/tsan.sh 0.01
expect_failure '' tests/sanitizers/tsan.sh --each '' "$work/bin/fails"
root=''

# Every script has a case here, except those that others source.
for script in $(git ls-files 'tests/*.sh' 2>/dev/null); do
  [[ -x $script && $tried != *" $script "* && $script != */common.sh && $script != */lint/f*.sh ]] || continue
  ((++missed))
  echo "$script has no case in failures.sh"
done

# expect_ci STATUS WANTED PATTERN: .ci/run exits with WANTED and prints PATTERN if the check on Debian
# 13 exits with STATUS
expect_ci() {
  local status=0
  printf '#!/bin/sh\nexit %s\n' "$1" >"$work/copy/packaging/versions.sh"
  "$work/copy/.ci/run" >"$work/output" 2>&1 </dev/null || status=$?
  ((status == $2)) && grep -q "$3" "$work/output" && return
  ((++missed))
  echo ".ci/run: status $status, not $2, or not $3, if the check on Debian 13 exits with $1:"
  cat "$work/output"
}
printf '#!/bin/sh\necho "${GLCL_ALREADY:-nothing}"; case $GLCL_ALREADY in failed*) exit 1 ;; esac\n' >"$work/copy/tests/run.sh"
# drivers_exit STATUS: sets the exit status of the build of the drivers that share textures
drivers_exit() {
  printf '#!/bin/sh\nexit %s\n' "$1" >"$work/copy/tests/gl-driver/build.sh"
  chmod +x "$work/copy/tests/gl-driver/build.sh"
}
drivers_exit 0
touch "$work/copy/packaging/versions.sh"
chmod +x "$work/copy/packaging/versions.sh"
expect_ci 0 0 '^nothing$'
expect_ci 124 0 '^skipped: Debian 13: it took more than ten minutes$'
expect_ci 124 1 '^failed: Debian 13: '
expect_ci 0 0 '^nothing$'
expect_ci 124 0 '^skipped: Debian 13: '
expect_ci 77 0 '^skipped: Debian 13: '
expect_ci 1 1 'do not run on Debian 13'
drivers_exit 1
expect_ci 0 1 'sharing textures cannot be tested'
drivers_exit 77
expect_ci 0 0 '^nothing$'

echo "$count runs of scripts, $missed of them wrong"
((!missed))
