#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# build.sh [PREFIX]
#
# Builds an OpenGL driver and an OpenCL driver for CPUs that share memory, into PREFIX (default:
# gst-glcl/gl-driver in the cache folder). It needs root and Debian 12 on amd64, and exits with 77 on
# other systems. It takes about 4 minutes on 2 cores, 3 GB during the build, and 43 MB afterwards. A
# second run does nothing. `. PREFIX/env.sh` selects both drivers in a shell.
#
# It downloads Debian's source package of Mesa 25.0.7 from the mirror that apt uses, applies the patch
# in this folder, and installs llvmpipe (OpenGL, EGL only) and rusticl (OpenCL) into PREFIX. Mesa
# supports cl_khr_gl_sharing only on hardware drivers; with the patch an OpenGL texture and an OpenCL
# image use the same memfd.
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
case ${1:-} in
  -h | --help) usage "$0"; exit ;;
  --version) version "$0"; exit ;;
  -*) usage "$0" >&2; exit 2 ;;
esac
prefix=$(realpath -m "${1:-${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl/gl-driver}")
patch=$(realpath "$(dirname "$0")/llvmpipe-cl-gl-sharing.patch")
# The drivers are rebuilt if the steps below or the patch have changed; comment lines do not count.
stamp=$(sed -n '/^step /,$p' "$0" | sed '/^ *#/d' | cat - "$patch" | sha256sum | cut -d' ' -f1)
if [[ -f $prefix/stamp && $(<"$prefix/stamp") == "$stamp" ]]; then exit 0; fi

# skip REASON: ends the script if this machine cannot build the drivers
skip() {
  echo "SKIP: the drivers that share textures cannot be built: $*"
  exit 77
}
((!EUID)) || skip 'that needs root'
[[ $(sed -n 's/^VERSION_ID="\?\([0-9]*\).*/\1/p' /etc/os-release) == 12 ]] || skip 'this is not Debian 12'
[[ $(dpkg --print-architecture) == amd64 ]] || skip 'this machine is not amd64'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
log=$work/log
# step NAME COMMAND...: runs the command, and prints its output if it fails
step() {
  echo "gl-driver: $1" >&2
  shift
  "$@" >>"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    exit 1
  }
}
export DEBIAN_FRONTEND=noninteractive

step 'package lists' apt-get update
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | awk '$2 ~ /^bookworm$/ {print $1; exit}')
[[ -n $mirror ]] || { echo "gl-driver: apt has no Debian bookworm source" >&2; exit 1; }
# other SUITE TYPE: sets apt_other to options with which apt uses this suite of the same mirror, without
# changing the lists of the machine
other() {
  local suite=$1 type=$2 dir=$work/apt-$1-$2
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
  echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$dir/list"
  apt_other=(-o "Dir::Etc::SourceList=$dir/list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$dir/lists"
    -o "Dir::Cache=$dir/cache" -o APT::Sandbox::User=root)
  apt-get "${apt_other[@]}" update
}

step 'packages' apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends build-essential ninja-build pkg-config flex bison \
  patch xz-utils python3-mako python3-yaml python3-packaging python3-setuptools rustc-web libclc-15 libclc-15-dev llvm-15-dev \
  libclang-15-dev libclang-cpp15-dev clang-15 llvm-spirv-15 libllvmspirvlib-15-dev spirv-tools glslang-tools libdrm-dev \
  libelf-dev zlib1g-dev libzstd-dev libglvnd-core-dev libglvnd-dev libudev-dev libegl1 libgles2 ocl-icd-libopencl1
# Newer versions of meson and bindgen are unpacked, not installed. bindgen needs its own C library.
step 'meson' other bookworm-backports deb
step 'meson' apt-get "${apt_other[@]}" download meson
mkdir meson && dpkg -x meson_*.deb meson
step 'bindgen' other trixie deb
step 'bindgen' apt-get "${apt_other[@]}" -o Dir::State::status=/dev/null download bindgen libc6 libgcc-s1
mkdir newer bin
for deb in bindgen_*.deb libc6_*.deb libgcc-s1_*.deb; do dpkg -x "$deb" newer; done
libs=newer/usr/lib/x86_64-linux-gnu
cat >bin/bindgen <<E
#!/bin/sh
export LIBCLANG_PATH=/usr/lib/llvm-15/lib
exec $work/$libs/ld-linux-x86-64.so.2 --library-path $work/$libs:/usr/lib/llvm-15/lib:/usr/lib/x86_64-linux-gnu $work/newer/usr/bin/bindgen "\$@"
E
cat >bin/meson <<E
#!/bin/sh
exec /usr/bin/python3 $work/meson/usr/bin/meson "\$@"
E
ln -s /usr/bin/python3 bin/python3 # the one that has mako
chmod +x bin/bindgen bin/meson
step 'source' other trixie deb-src
step 'source' apt-get "${apt_other[@]}" source --download-only --tar-only mesa
tar xf mesa_25.0.7.orig.tar.xz
cd mesa-25.0.7
step 'patch' patch -p1 -i "$patch"
export PATH=$work/bin:/usr/lib/llvm-15/bin:$PATH PYTHONPATH=$work/meson/usr/lib/python3/dist-packages # meson calls itself
step 'configure' meson setup build --prefix="$prefix" --libdir=lib -Dbuildtype=release -Doptimization=1 \
  -Dgallium-drivers=llvmpipe -Dvulkan-drivers= -Dgallium-rusticl=true -Dllvm=enabled -Dshared-llvm=enabled -Dplatforms= \
  -Dglx=disabled -Degl=enabled -Dgbm=disabled -Dgles1=disabled -Dgles2=enabled -Dopengl=true -Dglvnd=enabled \
  -Dgallium-vdpau=disabled -Dgallium-va=disabled -Dgallium-nine=false -Dgallium-xa=disabled -Dosmesa=false -Dvideo-codecs= \
  -Dvalgrind=disabled -Dlibunwind=disabled -Dlmsensors=disabled -Drust_std=2021 -Drust_args=--cap-lints=allow \
  -Dintel-rt=disabled -Dbuild-tests=false -Dxmlconfig=disabled -Dexpat=disabled
step 'compile' ninja -C build install
cat >"$prefix/env.sh" <<E
export LD_LIBRARY_PATH=$prefix/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} OCL_ICD_VENDORS=$prefix/etc/OpenCL/vendors
export __EGL_VENDOR_LIBRARY_FILENAMES=$prefix/share/glvnd/egl_vendor.d/50_mesa.json RUSTICL_ENABLE=llvmpipe
export GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device
unset DISPLAY WAYLAND_DISPLAY
E
echo "$stamp" >"$prefix/stamp"
echo "gl-driver: ready, . $prefix/env.sh" >&2
