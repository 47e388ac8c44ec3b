#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# versions.sh [--prepared] [--share FOLDER] SUITE [COMMAND...]
#
# Runs COMMAND, by default tests/run.sh, on these sources in a bare Debian SUITE (bookworm, trixie,
# sid). COMMAND has to install the packages that it needs. Needs root, debootstrap and a network for
# Debian's packages.
#   --prepared      installs packages for build and tests, and keeps /root (caches) for later runs
#   --share FOLDER  makes the folder available as /share
#
# The systems are kept below the cache folder and never change: a run writes into a layer, which is
# deleted at its end. Its mounts end with their namespace, also if it is killed. GLCL_DEBIAN_MIRROR
# selects a mirror for debootstrap. Exits with the status of COMMAND, with 77 if this machine cannot run
# it, with 2 for wrong arguments.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"

prepared='' share='' home=''
export CI=${CI:-}
while [[ ${1:-} == -* ]]; do
  case $1 in
    -h | --help) usage "$0"; exit ;;
    --version) version "$0"; exit ;;
    --prepared) prepared=yes; shift ;;
    --share) share=$(realpath -e -- "${2:?--share wants a folder}"); shift 2 ;;
    *) arguments 1 0 ;;
  esac
done
(($#)) || arguments 1 0
suite=$1
shift
[[ $suite =~ ^[a-z]+$ ]] || { echo "versions.sh: $suite is not a name of a Debian suite, such as trixie" >&2; exit 2; }

# skip REASON: ends the script with the status of a skipped test
skip() {
  echo "SKIP: $*"
  exit 77
}
((!EUID)) || skip 'only root can start another Debian'
for tool in debootstrap unshare setpriv; do
  command -v $tool >/dev/null || PATH+=:/usr/sbin:/sbin command -v $tool >/dev/null || skip "$tool is not installed"
done
unshare --mount true 2>/dev/null || skip 'this machine does not allow mount namespaces'

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl/debian
mkdir -p "$cache"
# Deletes folders of killed runs.
for left in "$cache"/run.*; do
  [[ ! -e $left ]] || kill -0 "${left##*.}" 2>/dev/null || rm -rf --one-file-system "$left"
done
work=$cache/run.$$
mkdir "$work"
trap 'rm -rf --one-file-system "$work"' EXIT

# run_inside ROOT LOWER COMMAND...: runs the command in the system ROOT, in a namespace that ends with
# this script. If LOWER is not empty, ROOT becomes an overlay of $work/layer on LOWER.
run_inside() {
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
    # A snapshot mirror has expired release files; if this machine accepts them, so does the system.
    ! command -v apt-config >/dev/null || apt-config dump Acquire::Check-Valid-Until >"$root/etc/apt/apt.conf.d/99machine"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 CI="$CI" \
      GLCL_POCL_CACHE="${home:+/root/pocl}" chroot "$root" bash -c "cd /project && $*" </dev/null' \
    - "$1" "$2" "$work/layer" "$share" "$home" "${@:3}"
}

# copy_sources ROOT: copies the sources to /project in that system, without files that git ignores
copy_sources() {
  mkdir -p "$1/project"
  (cd "$source_root" && git ls-files -z -co --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null) | tar -C "$1/project" -xf -
}

root=$cache/$suite
if [[ ! -e $root ]]; then
  echo "versions.sh: installing a bare $suite, once"
  PATH+=:/usr/sbin:/sbin with_progress debootstrap --variant=minbase "$suite" "$work/new" ${GLCL_DEBIAN_MIRROR:+"$GLCL_DEBIAN_MIRROR"}
  rm -rf "$work"/new/var/cache/apt/archives/*.deb
  mv -T "$work/new" "$root" 2>/dev/null || [[ -e $root ]]
fi
if [[ $prepared ]]; then
  bare=$root
  root=$cache/$suite-$(echo "${build_packages[*]} ${run_packages[*]} analytics" | sha256sum | head -c 12)
  if [[ ! -e $root ]]; then
    echo "versions.sh: installing the packages for $suite, once"
    find "$cache" -maxdepth 1 -name "$suite-*" -mtime +14 -exec rm -rf --one-file-system {} +
    cp -a "$bare" "$work/new"
    copy_sources "$work/new"
    # The headers of GStreamer's analytics are unpacked, because installing their package also installs
    # OpenCV.
    with_progress run_inside "$work/new" '' '. pipelines/setup.sh && build_packages+=(ccache) && install_missing && cd /tmp &&
      apt-get download libgstreamer-plugins-bad1.0-dev && dpkg -x libgstreamer-plugins-bad1.0-dev_*.deb / && apt-get clean'
    rm -rf "$work/new/project"
    mv -T "$work/new" "$root" 2>/dev/null || [[ -e $root ]]
  fi
  touch "$root"  # systems unused for two weeks are deleted
  home=$cache/home-$suite
  mkdir -p "$home"
fi

mkdir "$work"/layer{,.work}
copy_sources "$work/layer"
status=0
run_inside "$work/root" "$root" "${@:-tests/run.sh}" || status=$?
exit $status
