#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# flatpak.sh [FOLDER]
#
# Checks the manifest of packaging/flatpak without a runtime of Flatpak. flatpak-builder has to know every property of it. The module
# of these sources is built with its options, but with the libraries of this machine, in FOLDER (by default build-flatpak/). It is
# installed below FOLDER/root, without the files that the manifest removes. A pipeline runs with the plugin there, found as the
# runtime finds it. In a sandbox without drivers glcl-info has to name Flatpak's remedies. Needs the packages flatpak-builder, jq and
# bubblewrap; exits with 77 if they are missing.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 0 1 "$@"
folder=$(realpath -m "${1:-$source_root/build-flatpak}")
for tool in flatpak-builder jq bwrap; do
  command -v $tool >/dev/null || { echo "SKIP: $tool is not installed"; exit 77; }
done
manifest=$source_root/packaging/flatpak/org.freedesktop.Platform.GStreamer.glcl.yml
mkdir -p "$folder"
# It leaves a folder where it runs.
(cd "$folder" && flatpak-builder --show-manifest "$manifest" >manifest.json 2>warnings) || die "flatpak-builder says: $(<"$folder/warnings")"
[[ ! -s $folder/warnings ]] || die "flatpak-builder says: $(<"$folder/warnings")"
# fact FILTER: prints what jq finds in the manifest
fact() { jq -er "$1" "$folder/manifest.json"; }

id=$(fact .id) prefix=$(fact '."build-options".prefix')
[[ $(fact '."build-extension"') == true ]] || die "$id is not an extension"
[[ $prefix == "/usr/lib/extensions/gstreamer-1.0/${id##*.}" ]] || die "the runtime mounts $id at another folder than $prefix"
source=$(fact '.modules[-1].sources[0].path')
[[ $(realpath "${manifest%/*}/$source") == "$source_root" || $(realpath -m "$source") == "$source_root" ]] || die "the sources are not in $source"

mapfile -t options < <(fact '.modules[-1]."config-opts"[]')
build=$folder
build_folder "$build" all --werror "--prefix=$prefix" -Ddebug=false "${options[@]}"
root=$folder/root
rm -rf "$root"
quietly "$meson_command" install -C "$build" --no-rebuild --destdir "$root"
while IFS= read -r pattern; do
  # shellcheck disable=SC2086
  rm -rf "$root$prefix"$pattern
done < <(fact '.cleanup[]')
(cd "$root$prefix" && find . -type f | cut -d / -f 2-4 | sort -u)

[[ -z ${GLCL_POCL_CACHE:-} ]] || export POCL_CACHE_DIR=$GLCL_POCL_CACHE
headless_environment "$folder/run"
export GST_REGISTRY_1_0=$folder/run/flatpak.bin
unset GST_PLUGIN_PATH_1_0 GST_PLUGIN_PATH
# The extensions of the runtime, and then its own plugins.
GST_PLUGIN_SYSTEM_PATH_1_0=$root${prefix%/*}:$(pkg-config --variable=pluginsdir gstreamer-1.0)
export GST_PLUGIN_SYSTEM_PATH_1_0
gst-launch-1.0 -q gltestsrc num-buffers=3 ! glclinvert ! gldownload ! video/x-raw ! fakesink
echo 'the installed plugin runs'

if ! bwrap --ro-bind / / true 2>"$folder/warnings"; then
  echo "no sandbox was tried: $(<"$folder/warnings")"
  exit
fi
bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /etc/OpenCL --tmpfs /usr/share/glvnd --unsetenv GST_GL_PLATFORM --unsetenv GST_GL_WINDOW \
  --setenv FLATPAK_ID "$id" "$root$prefix/bin/glcl-info" >"$folder/sandbox" && die 'in a sandbox without drivers glcl-info finds some'
cat "$folder/sandbox"
[[ $(<"$folder/sandbox") == *--device=dri* ]] || die 'glcl-info does not name the permission'
