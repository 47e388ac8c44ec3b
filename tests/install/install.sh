#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# install.sh: an installed gst-glcl works
#
# The .pc file builds an element outside of the tree, which runs together with installed elements. Each
# public header compiles alone. A recipe, the completion and man pages work. Another project can use the
# tree as a subproject.
set -euo pipefail
. "$GLCL_SOURCE/pipelines/setup.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset GLCL_HEADLESS G_RESOURCE_OVERLAYS GST_PLUGIN_PATH
quietly "$meson_command" install -C "$build" --no-rebuild --destdir "$work/root"
prefix=$work/root$("$meson_command" introspect --buildoptions "$build" |
  "$python" -c 'import json, sys; print(next(option["value"] for option in json.load(sys.stdin) if option["name"] == "prefix"))')
pc=$(find "$prefix" -name gst-glcl-1.0.pc)
# The .pc file names the final prefix; it is changed to the folder of this test.
sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"
export PKG_CONFIG_PATH=${pc%/*}
plugins=$(pkg-config --variable=pluginsdir gst-glcl-1.0)
[[ -e $plugins/libgstglcl.so ]] || die "pluginsdir of the .pc file is $plugins"

# Applications that only read results need neither OpenCL nor the plugin.
sed -i "s|^prefix=.*|prefix=$prefix|" "${pc%/*}/gst-glcl-results-1.0.pc"
read -ra flags <<<"$(pkg-config --cflags --libs gst-glcl-results-1.0)"
[[ " ${flags[*]} " != *OpenCL* && " ${flags[*]} " != *gstglcl* ]] || die "gst-glcl-results-1.0 needs ${flags[*]}"
printf '#include <gst-glcl/gstglclresult.h>\nint main (void) { return gst_buffer_get_glcl_result (NULL, "other") != NULL; }\n' >reader.c
cc -Wall -Wextra -Werror reader.c -o reader "${flags[@]}" || die 'a reader of results does not compile without OpenCL'
[[ $(find "$work/root" -path '*gst_glcl/__init__.py') ]] || die 'the module for Python is not installed'

read -ra flags <<<"$(pkg-config --cflags gst-glcl-1.0)"
headers=0
while read -r header; do
  echo "#include \"$header\"" >one.cpp
  c++ -std=c++17 -fsyntax-only -Wall -Wextra -Wno-unused-parameter "${flags[@]}" one.cpp || die "$header does not compile alone"
  ((++headers))
done < <(cd "$prefix/include/gst-glcl" && find . -name '*.h' | sort)
((headers > 5)) || die "only $headers headers"

# The command on the page of the examples compiles those in C, and one of them runs.
line=$(sed -n 's/^    \(cc vectors\.c .*\)/\1/p' "$prefix/share/gst-glcl/examples/README.md")
[[ $line ]] || die 'the page of the examples shows no command that compiles one'
for example in "$prefix"/share/gst-glcl/examples/*.c; do
  name=${example##*/}
  name=${name%.c}
  [[ $name != analytics ]] || continue # needs GStreamer's analytics
  (cd "${example%/*}" && quietly bash -euc "${line//vectors/"$name"} -Werror" && mkdir -p "$work/built/examples" && mv "$name" "$work/built/examples/")
done
quietly env GST_PLUGIN_PATH_1_0="$plugins" GLCL_BUILD="$work/built" "$GLCL_SOURCE/tests/examples/examples.sh" vectors

cp -r "$prefix/share/gst-glcl/examples/element" outside
export CXXFLAGS='-O0 -g0'
quietly "$meson_command" setup outside/build outside
quietly ninja -C outside/build
"$python" "$GLCL_SOURCE/tests/install/exports.py" "$prefix/include/gst-glcl" "$plugins/libgstglcl.so" outside/build/libgstglclhalf.so outside
export GST_REGISTRY_1_0=$work/registry.bin GST_PLUGIN_PATH_1_0=$work/outside/build:$plugins
quietly gst-inspect-1.0 glclhalf
# White, halved by glclhalf and inverted, twice: 255 - (255 - 255 / 2) / 2
gst-launch-1.0 -q videotestsrc pattern=white num-buffers=3 ! video/x-raw,format=RGBA,width=33,height=17 ! glupload ! glclhalf ! glclinvert ! \
  glclhalf ! glclinvert ! gldownload ! video/x-raw,format=RGBA ! filesink location=frames.raw
od -An -v -t u1 -w4 frames.raw | awk '
  $1 < 190 || $1 > 192 || $2 != $1 || $3 != $1 || $4 != 255 { print "pixel", NR, "is", $0; exit 1 }
  END { if (NR != 3 * 33 * 17) { print NR, "pixels"; exit 1 } }' || die 'the frames of glclhalf are wrong'

# The analyser posts the mean of a white frame and of one with half the level.
gst-launch-1.0 -m videotestsrc pattern=white num-buffers=3 ! video/x-raw,format=RGBA,width=33,height=17 ! glupload ! glclmean name=first ! glclhalf ! \
  glclmean name=second ! fakesink >messages
for expected in 'first".*mean=(double)255' 'second".*mean=(double)12[78]'; do
  grep -q "$expected" messages || die "glclmean does not post $expected: $(grep glclmean messages)"
done

# The element reports an exception as its error, also if libstdc++ is loaded before GStreamer's
# libunwind.
if "$python" -c 'import gi; gi.require_version("Gst", "1.0"); from gi.repository import Gst' 2>/dev/null; then
  mkdir broken
  echo '#error broken' >broken/half.cl
  cat >broken.py <<'PYTHON'
import ctypes
ctypes.CDLL('libstdc++.so.6')
import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch('gltestsrc num-buffers=1 ! glclhalf name=half ! fakesink')
pipeline.set_state(Gst.State.PLAYING)
message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
assert message and message.type == Gst.MessageType.ERROR and message.src.get_name() == 'half', message
assert 'broken' in str(message.parse_error()), message.parse_error()
pipeline.set_state(Gst.State.NULL)
PYTHON
  G_RESOURCE_OVERLAYS=/org/gst-glcl/kernels/half=$work/broken quietly "$python" broken.py
fi

mapfile -t elements < <(gst-inspect-1.0 glcl | sed -n 's/^  \(gl[a-z]*\): .*/\1/p')
((${#elements[@]} > 5)) || die "only ${#elements[@]} elements"
for element in "${elements[@]}"; do
  page=$(gst-inspect-1.0 "$element" | sed -n 's/^ *Doc-uri *//p')
  [[ $page == *docs/$element.* && -e $GLCL_SOURCE/docs/$element.md ]] || die "gst-inspect-1.0 $element does not link to its page but to '$page'"
done

# An installed recipe works without the sources and finds the installed plugin.
gst-launch-1.0 -q videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 ! jpegenc ! qtmux ! filesink location=clip.mp4
env -u GLCL_BUILD -u GST_PLUGIN_PATH_1_0 GLCL_HEADLESS=1 XDG_CACHE_HOME="$work/cache" "$prefix/share/gst-glcl/pipelines/invert.sh" clip.mp4
[[ -e $prefix/share/doc/gst-glcl/README.md && -e $prefix/share/doc/gst-glcl/docs/glclinvert.md ]] || die 'the manual is missing'

"$python" "$GLCL_SOURCE/tests/docs/links.py" --installed "$prefix/share" || die 'links of the installed manual are dead'

if [[ -e $build/tools/glcl-info ]]; then
  (GST_PLUGIN_PATH_1_0=$plugins quietly "$prefix/bin/glcl-analyze" --elements histogram --out analysis clip.mp4)
  [[ $(wc -l <"analysis/clip.mp4/frames.csv") == 6 ]] || die 'the installed glcl-analyze does not write a table of five frames'
  # shellcheck source=/dev/null
  (. "$prefix/share/bash-completion/completions/glcl-info" && PATH=$prefix/bin:$PATH && _glcl glcl-info --j glcl-info && [[ ${COMPREPLY[*]} == --json ]]) ||
    die 'bash does not complete glcl-info --j'
  if command -v help2man >/dev/null; then
    grep -q '^\.SH "*EXIT\|json' "$prefix/share/man/man1/glcl-info.1" || die 'the man page of glcl-info lacks its options'
  fi
fi

# As a subproject it provides the dependencies of the .pc files, and an application and an element compile
# against it. The parent provides GStreamer itself, like a build of all of GStreamer, and collects plugins.
mkdir -p project/subprojects
cp outside/*.cpp outside/*.h project/
ln -s "$GLCL_SOURCE" project/subprojects/gst-glcl
cat >project/meson.build <<'MESON'
project('project', 'cpp', default_options: 'cpp_std=c++17')
foreach name : ['gstreamer-1.0', 'gstreamer-base-1.0', 'gstreamer-video-1.0', 'gstreamer-gl-1.0']
  facts = {}
  foreach fact : ['modversion', 'cflags', 'libs']
    facts += {fact: run_command('pkg-config', '--' + fact, name, check: true).stdout().strip()}
  endforeach
  meson.override_dependency(name, declare_dependency(version: facts['modversion'], compile_args: facts['cflags'].split(),
    link_args: facts['libs'].split()))
endforeach
glcl = dependency('gst-glcl-1.0', fallback: 'gst-glcl')
assert(glcl.type_name() == 'internal')
static_library('half', 'glclhalf.cpp', 'glclmean.cpp', dependencies: glcl)
results = dependency('gst-glcl-results-1.0')
assert(results.type_name() == 'internal')
static_library('application', 'application.cpp', dependencies: results)
plugins = subproject('gst-glcl').get_variable('gst_plugins')
assert(dependency('gstglcl').get_variable('full_path') == plugins[0].get_variable('full_path'))
MESON
echo '#include <gst-glcl/gstglclresult.h>' >project/application.cpp
unset PKG_CONFIG_PATH
quietly "$meson_command" setup project/build project -Dgst-glcl:tools=disabled --force-fallback-for=gst-glcl-1.0
quietly ninja -C project/build libhalf.a libapplication.a
[[ $(ninja -C project/build -t targets all) != *elements-pixels* ]] || die 'a subproject has its tests, which its parent did not ask for'
echo "$headers headers, glclhalf and glclmean, a recipe, completion, a subproject"
