# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034
# Sourced by the recipes here and by the test commands. It sets
#   source_root  the root of the sources
#   build        the folder of the build in use: GLCL_BUILD, else build/ in the sources
#   FILTER       the element of the recipes with its settings: GLCL_FILTER, else glclbilateral
#   DECODE UPLOAD  the steps before it: to upright raw video, to textures
#   ENCODE       the steps after it, to H.264 in an MP4, once choose_encoder() or write_video() has run; of a file at even times
#   PROGRESS     the step of UPLOAD that reports how much of the input has passed, if a file is written and standard error is a terminal
#   SOUND        the sound of an input file on its way into that MP4, if write_video() has found any
#   SINK         a window, or fakesink without a display or with GLCL_HEADLESS=1
# and makes all programs print English text and decimal points, because their output is parsed.
# GLCL_HEADLESS=1 also replaces the camera by a test picture.
export LC_ALL=C.UTF-8
unset LANGUAGE
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GLCL_BUILD:-$source_root/build}
# An installed setup.sh is below share/, which is not writable.
[[ -e $source_root/meson.build ]] || build=${GLCL_BUILD:-${XDG_CACHE_HOME:-$HOME/.cache}/gst-glcl}

# die ...: prints the words and ends the script; control characters, which file names may contain, are replaced
die() {
  printf '%s\n' "${0##*/}: ${*//[[:cntrl:]]/?}" >&2
  exit 1
}

# wrong ...: as die, but with exit status 2, which stands for a wrong argument
wrong() {
  (die "$@") || exit 2
}

# usage SCRIPT: prints the comment at its top
usage() {
  sed -n '1d; /^# SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$1"
}

# version SCRIPT: prints its name and the version of the project; if installed, that of the plugin
version() {
  local number
  if [[ -e $source_root/meson.build ]]; then
    number=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$source_root/meson.build")
  else
    find_plugin
    number=$(GST_PLUGIN_PATH_1_0=$plugin gst-inspect-1.0 glcl | sed -n 's/^ *Version *//p')
  fi
  echo "${1##*/} ${number:-(plugin not found)}"
}

# arguments LEAST MOST ARGUMENTS...: checks the arguments of a script. -h prints the comment at its top,
# --version the version; too few or too many arguments print its usage line.
arguments() {
  local least=$1 most=$2
  shift 2
  case ${1:-} in
    -h | --help) usage "$0"; exit ;;
    --version) version "$0"; exit ;;
  esac
  (($# < least || $# > most)) || return 0
  sed -n '3s/^# \([^:]*\).*/usage: \1/p' "$0" >&2
  exit 2
}

build_packages=(
  build-essential meson ninja-build pkg-config
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libglib2.0-dev-bin libegl-dev libgl-dev
  opencl-headers opencl-clhpp-headers ocl-icd-opencl-dev libvulkan-dev nlohmann-json3-dev)
run_packages=(
  gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
  gstreamer1.0-gl gstreamer1.0-libav pocl-opencl-icd libegl1 libgl1-mesa-dri jq)

# ccache, and packages that tests of some suites need: accuracy, lint, docs, languages, examples and
# pipelines. tests/run.sh installs them if CI=true; without a package its tests skip.
check_packages=(ccache ffmpeg clang-format clang-tidy shellcheck doxygen mkdocs-material chromium python3-gi gir1.2-gstreamer-1.0
  gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0 python3-numpy python3-matplotlib gstreamer1.0-x
  gstreamer1.0-plugins-ugly gjs locales munge slurmctld slurmd slurm-client)
# The crates of GStreamer are in Debian since version 13.
[[ $(sed -n 's/^VERSION_ID="\?\([0-9]*\).*/\1/p' /etc/os-release 2>/dev/null) == 12 ]] || check_packages+=(cargo librust-gstreamer-dev)

install_missing() {
  install_packages "${build_packages[@]}" "${run_packages[@]}"
}

# install_with_checks: as install_missing, and also installs check_packages. A Debian release in
# development may lack some of these; their tests skip.
install_with_checks() {
  local package available=()
  find_missing "${check_packages[@]}"
  ((!${#missing[@]})) || with_progress as_root apt-get "${apt_options[@]}" update
  if ((${#missing[@]})) && ! as_root apt-get -s "${apt_options[@]}" install "${missing[@]}" >/dev/null 2>&1; then
    for package in "${missing[@]}"; do
      if as_root apt-get -s "${apt_options[@]}" install "$package" >/dev/null 2>&1; then
        available+=("$package")
      else
        echo "cannot be installed: $package"
      fi
    done
    missing=("${available[@]}")
  fi
  install_packages "${build_packages[@]}" "${run_packages[@]}" "${missing[@]}"
}

apt_options=(-o DPkg::Lock::Timeout=300 -o APT::Install-Recommends=false)

as_root() {
  if ((EUID)); then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# find_missing PACKAGES...: sets missing to the packages that are not installed
find_missing() {
  local package
  missing=()
  command -v dpkg-query >/dev/null || die "dpkg is missing; install the equivalents of these Debian packages: ${build_packages[*]} ${run_packages[*]}"
  for package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((!${#missing[@]} || !EUID)) || command -v sudo >/dev/null || die "root or sudo is needed to install: ${missing[*]}"
}

install_packages() {
  find_missing "$@"
  ((${#missing[@]})) || return 0
  echo "installing ${missing[*]}"
  with_progress as_root apt-get "${apt_options[@]}" update
  with_progress as_root apt-get "${apt_options[@]}" install -y "${missing[@]}"
}

# quietly COMMAND...: hides the output of the command unless it fails; then prints it and ends the script
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 100 "$log" >&2
    rm "$log"
    die "failed: $*"
  fi
  rm "$log"
}

# with_progress COMMAND...: the same, and prints progress: every second in one line on a terminal, else
# every 15 s
with_progress() {
  local log watcher status=0
  log=$(mktemp)
  watch_log "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [[ ! -t 1 ]] || printf '\r\e[K'
  if ((status)); then
    tail -n 100 "$log" >&2
    rm "$log"
    die "failed: $*"
  fi
  rm "$log"
}

# watch_log LOG: for `with_progress`, prints the seconds and the last line of the log while this script
# runs
watch_log() {
  local last begin=$SECONDS next=15
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    last=$(tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' | grep -av '^[[:space:]]*$' | tail -n 1 | cut -c 1-100) || true
    if [[ -t 1 ]]; then
      printf '\r\e[K  %d s: %s' $((SECONDS - begin)) "$last"
    elif ((SECONDS - begin >= next)); then
      ((next += 15))
      printf '  %d s: %s\n' $((SECONDS - begin)) "$last"
    fi
  done
}

# Prefers the distribution's programs: another meson on PATH may belong to another Python.
meson_command=$([[ -x /usr/bin/meson ]] && echo /usr/bin/meson || echo meson)
python=$([[ -x /usr/bin/python3 ]] && echo /usr/bin/python3 || echo python3)

# build_folder FOLDER TARGETS [OPTIONS...]: builds the targets, or `all`, into FOLDER; the options are for meson and used only if
# the folder is new
build_folder() {
  local folder=$1 targets
  read -ra targets <<<"$2"
  shift 2
  echo "building into ${folder#"$PWD"/}"
  [[ -f $folder/build.ninja ]] || with_progress "$meson_command" setup "$folder" "$source_root" "$@"
  with_progress ninja -C "$folder" "${targets[@]}"
}

# headless_environment FOLDER: renders on an EGL device without a display, with caches in the folder: PoCL offers no device
# without a writable cache.
headless_environment() {
  local run=$1
  mkdir -p "$run"
  chmod 700 "$run"
  export GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device
  export XDG_RUNTIME_DIR=$run POCL_CACHE_DIR=${POCL_CACHE_DIR:-$run/pocl} GST_REGISTRY_1_0=${GST_REGISTRY_1_0:-$run/registry.bin}
  unset DISPLAY WAYLAND_DISPLAY
}

# find_plugin: sets plugin to the folder of the plugin
find_plugin() {
  plugin=$build/gst
  [[ -e $source_root/meson.build ]] ||
    plugin=$(find "$source_root/../../lib" -name libgstglcl.so -path '*/gstreamer-1.0/*' -printf '%h\n' -quit 2>/dev/null || true)
}

# use_plugin: lets GStreamer find the plugin; call it directly before a pipeline
use_plugin() {
  [[ $display ]] || headless_environment "$build/run"
  find_plugin
  export GST_PLUGIN_PATH_1_0=${plugin:-$build/gst}${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
  local given
  read -ra given <<<"${GLCL_FILTER:-}"
  [[ -z ${given[*]} || ${FILTER[*]} != "${given[*]}" ]] || own_filter=1
  gst-inspect-1.0 "${FILTER[0]}" >/dev/null 2>&1 || die "no element ${FILTER[0]}; the plugin is not in ${plugin:-$build}"
}

# open_file FILE: sets SOURCE to a source of the file's bytes
open_file() {
  [[ -e $1 ]] || wrong "no such file: $1"
  [[ -f $1 && -r $1 ]] || wrong "not a readable file: $1"
  quote "$1"
  SOURCE=(filesrc "location=$QUOTED")
  opened=$1
}

# quote NAME: sets QUOTED to a file's name as the value of a property in a pipeline
quote() {
  QUOTED=$1
  [[ $1 != \"* ]] || QUOTED=./$1  # GStreamer would remove these quotes too
  QUOTED=${QUOTED//\\/\\\\}
  QUOTED=\"${QUOTED//\"/\\\"}\"
}

# report_progress: makes UPLOAD report how much of the input has passed, every two seconds, if standard error is a terminal
report_progress() {
  [[ -t 2 && $(first_of progressreport) ]] || return 0
  PROGRESS=(progressreport name=progress update-freq=2 !)
  UPLOAD=("${PROGRESS[@]}" "${UPLOAD[@]}")
}

# show_progress: copies standard input, but shows the reports of PROGRESS in one line of the terminal, which it clears
show_progress() {
  local line shown=''
  trap '' INT  # the end of the stream comes after an interrupt
  while IFS= read -r line; do
    [[ ! $shown ]] || printf '\r\e[K' >&2
    shown=''
    if [[ $line != 'progress ('* ]]; then
      printf '%s\n' "$line"
      continue
    fi
    shown=yes
    line=${line#*: }
    if [[ $line =~ ^([0-9]+)\ /\ ([0-9]+)\ seconds\ \(\ *([0-9]+) ]]; then
      line="${BASH_REMATCH[3]} %: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} s"
    fi
    printf '  %s' "$line" >&2
  done
  [[ ! $shown ]] || printf '\r\e[K' >&2
}

# write_files FOLDER NAME: sets QUOTED to the location of files in the folder; NAME has their number, %05d
write_files() {
  [[ -d $1 && -w $1 ]] || wrong "cannot write into the folder $1"
  quote "${1//%/%%}/$2"
  written=$1
  report_progress
}

# write_file FILE: sets OUT to a sink that writes the file; call it after open_video
write_file() {
  [[ ! $1 -ef $opened ]] || wrong "cannot write $1: it is the input"
  quote "$1"
  OUT=(filesink "location=$QUOTED")
  written=$1
  report_progress
}

# first_of ELEMENTS...: prints the first element that this GStreamer has, or nothing
first_of() {
  local element
  for element in "$@"; do
    gst-inspect-1.0 --exists "$element" && echo "$element" && return
  done
  return 0
}

# choose_encoder [WIDTH HEIGHT]: makes ENCODE use the first of GLCL_ENCODERS that this GStreamer has, and
# sets encoder to it. It gets 8 Mbit/s if the unit of its bitrate is known. The size is that of the video.
choose_encoder() {
  local names element
  read -ra names <<<"${GLCL_ENCODERS:-x264enc openh264enc}"
  encoder=$(first_of "${names[@]}")
  element=("$encoder")
  case $encoder in
    # By default x264enc selects a format that players lack, and delays more frames than the sound queue
    # holds. It refuses odd sizes.
    x264enc)
      element=(videocrop right=$((${1:-0} % 2)) bottom=$((${2:-0} % 2)) !
        'video/x-raw,format=I420' ! x264enc bitrate=8000 speed-preset=fast tune=zerolatency)
      ;;
    vah264enc) element=(vah264enc bitrate=8000) ;;
    openh264enc)
      element=(videoscale ! 'video/x-raw,width=[16,3840],height=[16,2160]' ! openh264enc bitrate=8000000)
      ;;
    '') die 'GStreamer has no encoder for H.264: nvh264enc is in gstreamer1.0-plugins-bad and needs a GPU, x264enc in gstreamer1.0-plugins-ugly, openh264enc in gstreamer1.0-plugins-bad' ;;
  esac
  # Films cut by an edit list have frames of the same time, which h264parse and muxers refuse.
  EVEN=()
  [[ ! -f $opened ]] || EVEN=(videorate !)
  ENCODE=("${EVEN[@]}" videoconvert ! "${element[@]}" ! h264parse ! mp4mux name=mux)
}

# probe_size ELEMENTS...: plays one picture through the elements and prints its width and height, or nothing
probe_size() {
  run_launch timeout --foreground 30 gst-launch-1.0 -f -v "$@" ! fakesink name=probe num-buffers=1 |
    sed -n '/probe.*caps = /s/.*width=(int)\([0-9]*\).*height=(int)\([0-9]*\).*/\1 \2/p' | tail -n 1
}

# write_video FILE: the same as write_file, with the sound of an input file: SOUND decodes it and encodes
# it for the muxer of ENCODE. A FILE.mkv becomes a Matroska file.
write_video() {
  local decode_sound=(decodebin caps=audio/x-raw expose-all-streams=false)
  write_file "$1"
  [[ ! -f $opened ]] || probed=$(probe_size "${SOURCE[@]}" ! "${DECODE[@]}")
  # shellcheck disable=SC2086
  choose_encoder $probed
  [[ $1 != *.mkv ]] || ENCODE[-2]=matroskamux
  [[ -f $opened ]] || return 0
  timeout 20 gst-launch-1.0 -f -q "${SOURCE[@]}" ! "${decode_sound[@]}" ! fakesink num-buffers=1 >/dev/null 2>&1 </dev/null || return 0
  if gst-inspect-1.0 --exists avenc_aac; then
    SOUND=("${SOURCE[@]}" ! "${decode_sound[@]}" ! audioconvert ! audioresample ! avenc_aac ! queue ! mux.)
  else
    echo "${0##*/}: no avenc_aac (gstreamer1.0-libav) found: $1 gets no sound" >&2
  fi
}

# open_camera DEVICE [PROPERTIES...]: sets SOURCE to a source of the camera's pictures
open_camera() {
  local device=$1
  shift
  opened=$device
  if [[ ${GLCL_HEADLESS:-} ]]; then
    SOURCE=(videotestsrc is-live=true num-buffers=60 ! 'video/x-raw,width=320,height=240')
  else
    [[ -c $device ]] || wrong "no camera at $device"
    SOURCE=(v4l2src "device=$device" "$@" ! decodebin)
  fi
}

# open_video IN: sets SOURCE to a source of a file, or of the camera /dev/video…
open_video() {
  if [[ $1 == /dev/* ]]; then
    open_camera "$1"
  else
    open_file "$1"
  fi
}

# play PIPELINE...: runs the pipeline; on failure ends with the first error of GStreamer. If the error
# concerns the input or the output file, the exit status is that of a wrong argument.
play() {
  check_input "$@"
  run_shown gst-launch-1.0 -f "$@"
}

# run_shown COMMAND...: as run_launch, and shows the reports of PROGRESS
run_shown() {
  if ((${#PROGRESS[@]})); then
    run_launch "$@" | show_progress
  else
    run_launch "$@"
  fi
}

# play_messages NAMES PROGRAM PIPELINE...: as play, and prints the messages of these names (name,name…), each by the
# program of jq. An interrupt ends the stream.
play_messages() {
  local names=() program=$2 tool=$build/tools/glcl-events
  [[ -x $tool ]] || tool=$(command -v glcl-events) || die "no glcl-events in $build/tools; build it with ninja -C $build tools/glcl-events"
  command -v jq >/dev/null || die 'no jq; install the package jq'
  read -ra names <<<"--message=${1//,/ --message=}"
  shift 2
  check_input "$@"
  # jq has to live until the last message.
  run_shown "$tool" "${names[@]}" "$@" | (trap '' INT; exec jq --unbuffered -r "$program")
}

# check_input PIPELINE...: ends the script if the input cannot be decoded; prints a note if the pipeline opens no window
check_input() {
  # For a broken file a decoder may post no error and then wait forever, so this run with a timeout
  # comes first.
  [[ ! -f $opened || $probed ]] || run_launch timeout 20 gst-launch-1.0 -f -q "${SOURCE[@]}" ! "${DECODE[@]}" ! fakesink num-buffers=1
  [[ ${GLCL_HEADLESS:-} || " $* " != *' name=window '* ]] ||
    echo "${0##*/}: no display (DISPLAY and WAYLAND_DISPLAY are not set), so no window opens; see docs/headless.md" >&2
}

# reason_of LOG: prints the first error of gst-launch-1.0 or glcl-events in the log. It begins with the path of the element,
# or with ERROR if the pipeline is invalid.
reason_of() {
  sed -n '
    /^ERROR: from element \|^WARNING: erroneous pipeline\|^ERROR: pipeline could not be constructed/ { s/^ERROR: from element //; p; q }
    /^glcl-events: invalid pipeline: / { s/^glcl-events/ERROR/; p; q }
    /^glcl-events: warning: /d
    /^glcl-events: [^ ]*: / {
      s///
      $ { s/^/?: /; p; q }
      # The next line ends in the path of the element.
      N; s/^\(.*\)\n.* \(\/.*:\)$/\2 \1/; s/\n.*//; p; q
    }' "$1"
}

# run_launch COMMAND...: the same as play for any command that runs gst-launch-1.0 or glcl-events; it prints unknown
# errors as they are
run_launch() {
  local errors status=0 reason
  errors=$(mktemp)
  GST_DEBUG_NO_COLOR=1 "$@" 2>"$errors" || status=$?
  reason=$(reason_of "$errors")
  ((status && (${#reason} || status == 124))) || sed 's/[[:cntrl:]]/?/g' "$errors" >&2
  rm "$errors"
  ((status)) || return 0
  ((status != 124)) || wrong "cannot play $opened: no data arrived in time"
  case $reason in
    *GstDecodeBin* | *GstParseBin* | *GstTypeFind* | *Demux*) wrong "cannot play $opened: ${reason#*: }" ;;
    *GstFileSink*) wrong "cannot write $written: ${reason#*: }" ;;
    'WARNING: '* | 'ERROR: '*)
      [[ $own_filter ]] || wrong "GStreamer does not understand the pipeline: ${reason#*: *: }"
      die "GStreamer does not understand GLCL_FILTER='$GLCL_FILTER': ${reason#*: *: }"
      ;;
    ?*) die "cannot play $opened: ${reason#*: }" ;;
    *) die "the pipeline failed with exit status $status" ;;
  esac
}

# display is not empty if windows can open; GST_GL_WINDOW selects another way to show a picture.
display=${DISPLAY:-}${WAYLAND_DISPLAY:-}${GST_GL_WINDOW:-}
[[ ! -S ${XDG_RUNTIME_DIR:-}/wayland-0 ]] || display=wayland-0
[[ -z ${GLCL_HEADLESS:-} ]] || display=
read -ra FILTER <<<"${GLCL_FILTER:-glclbilateral sigma-space=3 sigma-range=0.12}"
own_filter=  # not empty, from use_plugin() on, if FILTER is that of GLCL_FILTER
UPRIGHT=(videoconvert ! videoflip video-direction=auto)  # applies the orientation tag of the file
DECODE=(decodebin caps='video/x-raw(ANY)' expose-all-streams=false ! "${UPRIGHT[@]}")  # does not decode sound
UPLOAD=(glupload ! glcolorconvert ! 'video/x-raw(memory:GLMemory),format=RGBA')
PROGRESS=()
SINK=(glimagesink)
[[ $display ]] || SINK=(fakesink name=window sync=false)
SOUND=()
opened=  # the input
probed=  # the size of the input, once write_video() has played a picture of it
