#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# versions.sh [--prepared] [--share FOLDER] SUITE [COMMAND...]
#
# Runs COMMAND, tests/run.sh unless told, on these sources in a Debian SUITE (bookworm, trixie, sid) of its own, where
# nothing is installed: what COMMAND needs, it installs. Needs root, debootstrap and a network for Debian's packages.
#   --prepared      what the project's build and tests need is installed, and /root stays from run to run (ccache, PoCL's cache)
#   --share FOLDER  the folder is /share in there
# The systems are kept below the cache folder, and are never changed: each run writes into a layer that goes at the end, and
# its mounts go with their namespace, however the run ends. GLCL_DEBIAN_MIRROR names another mirror for debootstrap.
# Exits with COMMAND's status, with 77 where one cannot make such a system here, with 2 for wrong arguments.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"

prepared='' share='' home=''
export CI=${CI:-}
while [[ ${1:-} == -* ]]; do
  case $1 in
    -h | --help) usage "$0"; exit ;;
    --prepared) prepared=yes; shift ;;
    --share) share=$(realpath -e -- "${2:?--share wants a folder}"); shift 2 ;;
    *) arguments 1 0 ;;
  esac
done
(($#)) || arguments 1 0
suite=$1
shift
[[ $suite =~ ^[a-z]+$ ]] || { echo "versions.sh: $suite is no name of a Debian suite, as trixie is" >&2; exit 2; }

cannot() {
  echo "SKIP: $*"
  exit 77
}
((!EUID)) || cannot 'another Debian takes root'
for tool in debootstrap unshare setpriv; do
  command -v $tool >/dev/null || PATH+=:/usr/sbin:/sbin command -v $tool >/dev/null || cannot "no $tool here"
done
unshare --mount true 2>/dev/null || cannot 'no mount namespaces here'

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl/debian
mkdir -p "$cache"
# What runs that were killed have left.
for left in "$cache"/run.*; do
  [[ ! -e $left ]] || kill -0 "${left##*.}" 2>/dev/null || rm -rf --one-file-system "$left"
done
work=$cache/run.$$
mkdir "$work"
trap 'rm -rf --one-file-system "$work"' EXIT

# inside ROOT LOWER COMMAND...: runs it there, in a namespace that ends with this script; where LOWER is named, ROOT shows that
# with $work/layer over it
inside() {
  mkdir -p "$1"
  # shellcheck disable=SC2016
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private bash -c '
    set -e
    root=$1 lower=$2 layer=$3 share=$4 home=$5
    shift 5
    [[ ! $lower ]] || mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer,workdir=$layer.work" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    if [[ $share ]]; then mkdir -p "$root/share"; mount --bind "$share" "$root/share"; fi
    if [[ $home ]]; then mount --bind "$home" "$root/root"; fi
    cp /etc/resolv.conf "$root/etc/"
    # a mirror that stands still is dated, and the machine may take that
    ! command -v apt-config >/dev/null || apt-config dump Acquire::Check-Valid-Until >"$root/etc/apt/apt.conf.d/99machine"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 CI="$CI" \
      GLCL_POCL_CACHE="${home:+/root/pocl}" chroot "$root" bash -c "cd /project && $*" </dev/null' \
    - "$1" "$2" "$work/layer" "$share" "$home" "${@:3}"
}

# copy_sources ROOT: to /project, without what git ignores
copy_sources() {
  mkdir -p "$1/project"
  (cd "$source_root" && git ls-files -z -co --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null) | tar -C "$1/project" -xf -
}

root=$cache/$suite
if [[ ! -e $root ]]; then
  echo "versions.sh: a bare $suite, once"
  PATH+=:/usr/sbin:/sbin telling debootstrap --variant=minbase "$suite" "$work/new" ${GLCL_DEBIAN_MIRROR:+"$GLCL_DEBIAN_MIRROR"}
  rm -rf "$work"/new/var/cache/apt/archives/*.deb
  mv -T "$work/new" "$root" 2>/dev/null || [[ -e $root ]]
fi
if [[ $prepared ]]; then
  bare=$root
  root=$cache/$suite-$(echo "${build_packages[*]} ${run_packages[*]} analytics" | sha256sum | head -c 12)
  if [[ ! -e $root ]]; then
    echo "versions.sh: the packages for $suite, once"
    find "$cache" -maxdepth 1 -name "$suite-*" -mtime +14 -exec rm -rf --one-file-system {} +
    cp -a "$bare" "$work/new"
    copy_sources "$work/new"
    # Of GStreamer's analytics the headers alone: their package brings OpenCV, and what that is built with.
    telling inside "$work/new" '' '. pipelines/setup.sh && build_packages+=(ccache) && install_missing && cd /tmp &&
      apt-get download libgstreamer-plugins-bad1.0-dev && dpkg -x libgstreamer-plugins-bad1.0-dev_*.deb / && apt-get clean'
    rm -rf "$work/new/project"
    mv -T "$work/new" "$root" 2>/dev/null || [[ -e $root ]]
  fi
  touch "$root"  # what nobody uses for two weeks goes
  home=$cache/home-$suite
  mkdir -p "$home"
fi

mkdir "$work"/layer{,.work}
copy_sources "$work/layer"
status=0
inside "$work/root" "$root" "${@:-tests/run.sh}" || status=$?
exit $status
