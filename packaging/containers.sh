#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# containers.sh [cpu | nvidia]...
#
# Builds the images of packaging/docker without docker, by default both, and tries them. In the image
# for CPUs it runs glcl-info, pipelines and a recipe. In the image for NVIDIA it runs gst-inspect-1.0
# and glcl-info. buildah (package buildah) builds the images, on a bare Debian from versions.sh in place
# of the image in FROM. It needs what versions.sh needs, and keeps no image. Exits with 77 if this
# machine cannot run it.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 0 2 "$@"
(($#)) || set -- cpu nvidia
command -v buildah >/dev/null || { echo 'SKIP: buildah is not installed'; exit 77; }
if [[ ! ${GLCL_OWN_MOUNTS:-} ]]; then  # mounts that buildah leaves end with the namespace
  unshare --mount true 2>/dev/null || { echo 'SKIP: this machine does not allow mount namespaces'; exit 77; }
  GLCL_OWN_MOUNTS=yes exec unshare --mount --propagation private "$0" "$@"
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl
mkdir -p "$cache"
for left in "$cache"/containers.*; do  # folders of killed runs
  [[ ! -e $left ]] || kill -0 "${left##*.}" 2>/dev/null || rm -rf --one-file-system "$left"
done
work=$cache/containers.$$
mkdir "$work"
trap 'umount -R "$work" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
mount --bind "$work" "$work"
export BUILDAH_ISOLATION=chroot
image() { buildah --root "$work/store" --runroot "$work/run" --storage-driver overlay "$@"; }

for name; do
  file=$source_root/packaging/docker/$name.Dockerfile
  [[ -f $file ]] || wrong "no such file: $file"
  from=$(sed -n 's/^FROM \([^ ]*\) AS build$/\1/p' "$file")
  if ! image inspect --type image "docker.io/library/$from" >/dev/null 2>&1; then
    suite=${from#debian:}
    mkdir -p "$work/share"
    "$source_root/packaging/versions.sh" --share "$work/share" "${suite%-slim}" \
      'tar -C / --one-file-system --exclude=./project --exclude=./share -cf /share/root.tar .'
    container=$(image from scratch)
    with_progress image add "$container" "$work/share/root.tar" /
    rm "$work/share/root.tar"
    image config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$container"
    with_progress image commit --rm "$container" "docker.io/library/$from"
  fi
  echo "$name.Dockerfile"
  with_progress image bud --pull-never --layers -f "$file" -t "gst-glcl-$name" "$source_root"
  container=$(image from --pull-never "localhost/gst-glcl-$name")
  case $name in
    nvidia) image run "$container" -- bash -euc '((EUID)); gst-inspect-1.0 glclmotion | head -n 12; glcl-info || echo "its exit status is $?"' ;;
    *)
      image run "$container" -- bash -euc '((EUID))  # not root
        glcl-info
        gst-launch-1.0 -q gltestsrc num-buffers=5 ! glclmotion display=vectors ! gldownload ! video/x-raw ! fakesink
        gst-launch-1.0 -q videotestsrc num-buffers=5 ! jpegenc ! qtmux ! filesink location=clip.mp4
        GLCL_HEADLESS=1 /usr/share/gst-glcl/pipelines/invert.sh clip.mp4
        glcl-analyze --elements motion --out analysis clip.mp4
        wc -l analysis/clip.mp4/frames.csv'
      ;;
  esac
  image rm "$container" >/dev/null
  echo "$name.Dockerfile: its image runs"
done
