#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# debian.sh SUITE [FOLDER]
#
# Builds the Debian packages in a bare SUITE (bookworm, trixie), and writes them to FOLDER. Errors and
# warnings of lintian fail. Then it installs them in another bare SUITE, runs pipelines, a tool and a
# recipe there, and builds examples/element.
set -euo pipefail
here=$(dirname "$0")
. "$here/../pipelines/setup.sh"
arguments 1 2 "$@"
suite=$1
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"

# shellcheck disable=SC2016
"$here/versions.sh" --prepared --share "$folder" "$suite" '
  set -e
  # debhelper sets another home folder, so the cache of ccache has to be named
  export DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/root/.cache/ccache
  apt-get -qq update
  apt="apt-get -qq -y --no-install-recommends install"
  $apt lintian fakeroot dpkg-dev >/dev/null
  apt-get -qq -y --no-install-recommends build-dep ./ >/dev/null
  dpkg-buildpackage -b -us -uc >/share/build.log 2>&1 || { tail -n 40 /share/build.log; exit 1; }
  cp ../*.deb ../*.changes /share/
  lintian --fail-on error,warning --allow-root ../*.changes'
"$here/versions.sh" --share "$folder" "$suite" '
  set -e
  export DEBIAN_FRONTEND=noninteractive GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device XDG_RUNTIME_DIR=/tmp GLCL_HEADLESS=1
  cd /tmp
  rm -rf /project
  apt-get -qq update
  apt-get -qq -y --no-install-recommends install /share/*.deb pocl-opencl-icd libegl1 libgl1-mesa-dri gstreamer1.0-libav \
    gstreamer1.0-plugins-bad g++ meson pkg-config libglib2.0-dev-bin >/dev/null
  glcl-info
  gst-launch-1.0 -q gltestsrc num-buffers=5 ! glclbilateral ! gldownload ! video/x-raw ! fakesink
  gst-launch-1.0 -q videotestsrc num-buffers=5 ! jpegenc ! qtmux ! filesink location=clip.mp4
  /usr/share/gst-glcl/pipelines/invert.sh clip.mp4
  zcat /usr/share/man/man1/glcl-info.1.gz | grep -q json
  meson setup build /usr/share/gst-glcl/examples/element >/dev/null
  ninja -C build >/dev/null
  GST_PLUGIN_PATH=build gst-launch-1.0 -q gltestsrc num-buffers=5 ! glclhalf ! glclinvert ! gldownload ! video/x-raw ! fakesink
  dpkg-query -W "gstreamer1.0-glcl*"'
echo "$folder"
