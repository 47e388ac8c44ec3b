#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cross.sh ARCHITECTURE [FOLDER]
#
# Builds the plugin and the examples for another architecture of Debian, such as arm64, with warnings as
# errors. FOLDER is build-ARCHITECTURE by default. It installs missing packages, and does not run the
# result.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 1 2 "$@"
architecture=$1
folder=$(realpath -m "${2:-$source_root/build-$architecture}")
dpkg-architecture -L 2>/dev/null | grep -qx "$architecture" || [[ $architecture =~ ^[a-z0-9]+$ ]] || wrong "Debian has no architecture $architecture"

dpkg --print-foreign-architectures | grep -qx "$architecture" || as_root dpkg --add-architecture "$architecture"
# Libraries are for the other architecture; programs and architecture-independent packages are for this
# one.
packages=("crossbuild-essential-$architecture")
for package in "${build_packages[@]}"; do
  case $package in
    lib*-dev | ocl-icd-opencl-dev) packages+=("$package:$architecture") ;;
    *) packages+=("$package") ;;
  esac
done
install_packages "${packages[@]}"

mkdir -p "$folder"
[[ -e $folder/build.ninja ]] || "$meson_command" env2mfile --cross --debarch "$architecture" -o "$folder.cross"
build_folder "$folder" all --cross-file "$folder.cross" --werror -Dtests=disabled -Dtools=disabled
file -L "$folder/gst/libgstglcl.so" 2>/dev/null || readelf -h "$folder/gst/libgstglcl.so" | sed -n 's/^ *Machine: *//p'
