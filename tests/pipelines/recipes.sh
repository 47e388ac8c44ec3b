#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recipes.sh NAME: runs a recipe of pipelines/ without a display on a test clip, and checks its results
#
# It uses a German locale if it can be built.
set -euo pipefail
. "$GLCL_SOURCE/pipelines/setup.sh"
. "$GLCL_SOURCE/tests/pipelines/locales.sh"
recipe=$1
headless_environment "$build/run"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GLCL_HEADLESS=1 GLCL_DEMO_FOLDER=$work/demo
export GST_DEBUG=glclfilter:4,glfilter:5 GST_DEBUG_FILE=$work/log GST_DEBUG_NO_COLOR=1

skip() {
  echo "SKIP: $*"
  exit 77
}

needs() {
  local element
  for element in "$@"; do
    [[ $(gst-inspect-1.0 "$element" 2>&1 || true) != *'No such element'* ]] || skip "GStreamer has no element $element"
  done
}

make_locale de_DE || true
recipe() {
  in_locale de_DE "$source_root/pipelines/$1.sh" "${@:2}" || return
  case "$1 ${2:-}" in
    decode\ * | demo\ * | many-streams\ *) ;;  # these write other logs
    *\ clip.mp4) is_upright ;;
  esac
}
is_upright() {
  [[ ! $upright ]] || grep -q " set_caps $upright " log || die "the filter got $(sed -n 's/.* set_caps \([0-9x]*\) .*/\1/p' log), not $upright"
}

frames=30 encoder=(jpegenc)
upright=''
# make_clip WIDTH HEIGHT: writes clip.mp4, with sound and with noise in one corner of the picture. Its
# orientation tag turns it, so that the upright picture has the size HEIGHT×WIDTH.
make_clip() {
  gst-launch-1.0 -f -q qtmux name=mux ! filesink location=clip.mp4 \
    audiotestsrc num-buffers=60 ! avenc_aac ! mux. \
    videotestsrc num-buffers="$frames" ! "video/x-raw,width=$1,height=$2,framerate=25/1" ! \
    "${encoder[@]}" ! mux.
  # The orientation is a matrix, 40 bytes after the name tkhd of a header; GStreamer 1.22 does not write
  # it.
  "$python" -c 'import struct
data = bytearray(open("clip.mp4", "rb").read())
at = data.find(b"tkhd")
while at >= 0:
  data[at + 44:at + 80] = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30)
  at = data.find(b"tkhd", at + 1)
open("clip.mp4", "wb").write(data)'
  upright=${2}x$1
}

# make_parts PATTERN:FRAMES...: writes clip.mp4 with the patterns of videotestsrc one after the other
make_parts() {
  local part parts=()
  for part; do
    parts+=(videotestsrc pattern="${part%:*}" num-buffers="${part#*:}" ! 'video/x-raw,width=160,height=120,framerate=25/1' ! all.)
  done
  gst-launch-1.0 -f -q concat name=all ! videoconvert ! jpegenc quality=95 ! qtmux ! filesink location=clip.mp4 "${parts[@]}"
}

# size_of FILE: prints WIDTHxHEIGHT of its upright pictures
size_of() {
  gst-launch-1.0 -f -v filesrc location="$1" ! "${DECODE[@]}" ! fakesink name=probe num-buffers=1 |
    sed -n 's/.*probe.* caps = .*width=(int)\([0-9]*\).*height=(int)\([0-9]*\).*/\1x\2/p' | tail -n 1
}

expect() {
  [[ $2 == "$3" ]] || die "$1: expected $3, got $2"
}

# frames_of FILE: prints the number of pictures in its video
frames_of() {
  gst-launch-1.0 -f -q filesrc location="$1" ! "${DECODE[@]}" ! videoscale ! \
    video/x-raw,format=GRAY8,width=16,height=16,pixel-aspect-ratio=1/1 ! filesink location=frames.raw
  echo $(($(stat -c %s frames.raw) / 256))
}

# expect_sound FILE LEAST: its sound lasts at least this many seconds, and is not silent
expect_sound() {
  gst-launch-1.0 -f -q filesrc location="$1" ! decodebin caps=audio/x-raw expose-all-streams=false ! audioconvert ! audioresample ! \
    audio/x-raw,format=S8,rate=8000,channels=1 ! filesink location=sound.raw
  [[ $(stat -c %s sound.raw) -ge $((8000 * $2)) ]] || die "$1 has $(stat -c %s sound.raw) samples of sound, at 8000 Hz"
  # The tone of the clip has few samples that are zero.
  [[ $(tr -d '\0' <sound.raw | wc -c) -ge $((4000 * $2)) ]] || die "$1 is silent"
}

# on_terminal COMMAND...: runs the command with a terminal as its standard error, which goes to the file `terminal`
on_terminal() {
  local command
  printf -v command '%q ' "$@"
  TERM=dumb script -qec "$command >output" terminal >/dev/null
}

# expect_progress LEAST: the terminal got so many reports, and nothing else; the output has none of them
expect_progress() {
  local reports
  tr '\r' '\n' <terminal | sed '1d; s/\x1b\[K//; /^Script done/d; /^ *$/d' >reports
  cat reports
  reports=$(grep -cE '^  ([0-9]+ %: [0-9]+ of [0-9]+ s|[0-9]+ seconds)$' reports) || true
  ((reports >= $1 && reports == $(wc -l <reports))) || die "$reports reports of progress in $(wc -l <reports) lines"
  ! grep progress output || die 'a report is in the output'
}

filtered_frames() {
  sed -n 's/.*done: \([0-9]*\) frames.*/\1/p' "$1"
}

# check_demo WIDTH HEIGHT FRAMES: demo/ has a picture and a clip, each with input and output side by
# side
check_demo() {
  local half size
  expect 'files of the demo' "$(cd demo && echo *)" 'bilateral.mp4 bilateral.png'
  size=$(od -An -t u4 --endian=big -j 16 -N 8 demo/bilateral.png | xargs)
  expect 'size of the picture' "$size" "$((2 * $1)) $2"
  for half in left right; do
    gst-launch-1.0 -f -q filesrc location=demo/bilateral.png ! pngdec ! videoconvert ! video/x-raw,format=RGBA ! \
      videocrop "$half=$1" ! filesink location="without-$half.raw"
  done
  # The mean difference of bytes is small but not 0, because one half is the filtered other half.
  { cmp -l without-right.raw without-left.raw || true; } | awk -v bytes=$(($1 * $2 * 4)) '
    function byte(octal) { return int(octal / 100) * 64 + int(octal / 10) % 10 * 8 + octal % 10 }
    { d = byte($2) - byte($3); sum += d < 0 ? -d : d }
    END { print "mean difference", sum / bytes; exit !(0 < sum && sum < 20 * bytes) }' ||
    die 'the halves of the picture are equal or too different'
  expect 'frames of the clip' "$(frames_of demo/bilateral.mp4)" "$3"
}

# Wrong arguments print the usage line and no error of bash.
if [[ -x $source_root/pipelines/$recipe.sh ]]; then
  status=0
  recipe "$recipe" 1 2 3 4 2>usage >output || status=$?
  expect "status of $recipe 1 2 3 4" "$status" 2
  expect 'lines of usage' "$(wc -l <usage)" 1
  grep -q "^usage: $recipe.sh" usage || die "not a usage line: $(<usage)"
  if grep -q "^# $recipe.sh [A-Z]" "$source_root/pipelines/$recipe.sh"; then
    status=0
    recipe "$recipe" 2>usage >output || status=$?
    expect "status of $recipe without arguments" "$status" 2
    expect 'lines of usage' "$(wc -l <usage)" 1
  fi
fi

needs avenc_aac jpegenc openh264enc
if grep -qs '^play_messages ' "$source_root/pipelines/$recipe.sh"; then
  [[ -x $build/tools/glcl-events ]] || skip 'glcl-events is not built'
  command -v jq >/dev/null || skip 'jq is not installed'
fi
case $recipe in
  file-to-file)
    make_clip 160 120
    recipe file-to-file clip.mp4 'o '\''q" \x.mp4'
    expect 'frames filtered' "$(filtered_frames log)" $frames
    mv 'o '\''q" \x.mp4' out.mp4
    expect 'frames written' "$(frames_of out.mp4)" $frames
    expect 'size of the pictures' "$(size_of out.mp4)" "$upright"
    expect_sound out.mp4 1
    recipe file-to-file clip.mp4 out.mkv
    expect 'frames of the MKV' "$(frames_of out.mkv)" $frames
    expect_sound out.mkv 1
    head -c 4 out.mkv | cmp - <(printf '\x1a\x45\xdf\xa3') || die 'out.mkv is not a Matroska file'
    gst-launch-1.0 -f -q videotestsrc num-buffers=5 ! jpegenc ! qtmux ! filesink location=silent.mp4
    recipe file-to-file silent.mp4 out.mp4
    expect 'frames written without sound' "$(frames_of out.mp4)" 5
    # A slow filter: the terminal shows progress, and without a terminal nothing is printed.
    GLCL_FILTER='identity sleep-time=170000' on_terminal "$source_root/pipelines/file-to-file.sh" clip.mp4 out.mp4
    expect_progress 2
    [[ ! -s output ]] || die "it printed $(<output)"
    expect 'frames written with progress' "$(frames_of out.mp4)" $frames
    GLCL_FILTER='identity sleep-time=90000' "$source_root/pipelines/file-to-file.sh" clip.mp4 out.mp4 >output 2>&1
    [[ ! -s output ]] || die "without a terminal it printed $(<output)"
    # An error ends the recipe with its status there too.
    status=0
    on_terminal "$source_root/pipelines/file-to-file.sh" clip.mp4 missing/out.mp4 || status=$?
    expect 'status on a terminal' $status 2
    grep -q 'file-to-file.sh: cannot write missing/out.mp4: ' terminal || die "wrong error: $(<terminal)"
    # At milliseconds, frames of this film have the same time.
    gst-launch-1.0 -f -q videotestsrc num-buffers=40 ! video/x-raw,width=160,height=120,framerate=1500/1 ! jpegenc ! \
      matroskamux ! filesink location=same-times.mkv
    recipe file-to-file same-times.mkv out.mp4
    number=$(frames_of out.mp4)
    ((number >= 36 && number <= 44)) || die "$number frames of a film in which frames have the same time"
    # Encoders take even sizes; a row or a column is left out.
    make_clip 161 121
    recipe file-to-file clip.mp4 out.mp4
    expect 'frames of an odd size' "$(frames_of out.mp4)" $frames
    expect 'even size' "$(size_of out.mp4)" 120x160
    GLCL_ENCODERS=openh264enc recipe file-to-file clip.mp4 out.mp4
    expect 'frames by openh264enc' "$(frames_of out.mp4)" $frames
    ;;
  decode)
    encoder=(openh264enc ! h264parse)
    make_clip 160 120
    export GLCL_DECODERS='avdec_h264 openh264dec' GLCL_ENCODERS=openh264enc
    recipe decode clip.mp4 | tee output
    grep -q '^no nvh264dec .* found: avdec_h264 decodes on the CPU and frames are uploaded$' output || die 'the missing decoder is not reported'
    grep -q "^[^ ]*: $frames frames, .* 0 dropped, latency [0-9.]* ms" output || die "an element's statistics are missing"
    recipe decode clip.mp4 out.mp4 | tee output
    grep -q '^no nvh264enc .* found: frames are downloaded' output || die 'the missing encoder is not reported'
    expect_sound out.mp4 1
    expect 'frames written' "$(frames_of out.mp4)" $frames
    expect 'size of the pictures' "$(size_of out.mp4)" "$upright"
    gst-launch-1.0 -f -q videotestsrc num-buffers="$frames" ! video/x-raw,width=160,height=120,framerate=25/1 ! "${encoder[@]}" ! \
      qtmux ! filesink location=clip.mp4
    recipe decode clip.mp4 out.mp4 | tee output
    grep -q " $((2 * frames)) copies" output || die 'OpenGL converts frames without an orientation tag'
    expect 'frames written without a conversion' "$(frames_of out.mp4)" $frames
    GLCL_ENCODERS='x264enc openh264enc' recipe decode clip.mp4 out.mkv >output
    expect 'frames written by the first available encoder' "$(frames_of out.mkv)" $frames
    if GLCL_ENCODERS=nothing recipe decode clip.mp4 out.mp4 2>output; then die 'wrote without an encoder'; fi
    grep -q '^decode.sh: GStreamer has no encoder for H.264: ' output || die "wrong error: $(<output)"
    if GLCL_DECODERS=nothing recipe decode clip.mp4 2>output; then die 'played without a decoder'; fi
    grep -q '^decode.sh: GStreamer has no decoder for H.264: ' output || die "wrong error: $(<output)"
    ;;
  many-streams)
    make_clip 96 64
    export GLCL_ANALYSERS='glclhistogram glclinvert'
    # Two cores may be too slow; the report still has the same lines.
    recipe many-streams clip.mp4 2 | tee output || true
    expect 'streams in the report' "$(grep -cE '^stream [12]: [1-9][0-9.]* frames/s, [0-9]+ dropped, latency [0-9.]+ ms, at most [1-9][0-9.]*$' output)" 2
    grep -q '^[012] of 2 streams keep up$' output || die 'the end is missing'
    if recipe many-streams clip.mp4 2 nothing 2>output; then die 'it accepts a device that does not exist'; fi
    grep -q '^many-streams.sh: .*nothing' output || die "wrong error: $(<output)"
    status=0
    recipe many-streams clip.mp4 0 2>output || status=$?
    expect 'status with 0 streams' "$status" 2
    ;;
  motion-vectors)
    make_clip 160 120
    recipe motion-vectors clip.mp4 out.mp4 | tee output
    expect_sound out.mp4 1
    expect 'frames written' "$(frames_of out.mp4)" $frames
    expect 'frames with a PSNR' "$(grep -c ' dB$' output)" $((frames - 1))
    # Beside messages, and without a known length.
    on_terminal "$source_root/pipelines/motion-vectors.sh" /dev/video0 out.mp4
    expect_progress 1
    expect 'other lines' "$(grep -vc ' dB$' output || true)" 0
    [[ -s output ]] || die 'no messages on a terminal'
    ;;
  own-filter)
    make_clip 64 48
    printf '//! filter turned: red for blue\nfloat4 turned(PIXEL) { return at(0, 0).zyxw; }\n' >"red for 'blue'.cl"
    recipe own-filter clip.mp4 "red for 'blue'.cl"
    expect 'frames filtered' "$(filtered_frames log)" $frames
    ;;
  find-shape)
    make_clip 320 240
    gst-launch-1.0 -f -q videotestsrc num-buffers=1 ! video/x-raw,width=320,height=240 ! \
      videocrop left=60 right=120 top=120 bottom=10 ! videoflip video-direction=90r ! videoconvert ! pngenc ! \
      filesink location='part "of" it.png'
    recipe find-shape clip.mp4 'part "of" it.png' | tee output
    # The shape has 110×140 px; its upper left corner is at (10, 60).
    expect 'frames in which the shape is found' \
      "$(awk '($2 - 64.5) ^ 2 < 4 && ($3 - 129.5) ^ 2 < 4 && $4 ^ 2 < 4 && $5 > 0.97 && $5 < 1.03 { print $1 }' output | sort -u | wc -l)" \
      $frames
    ;;
  moving-objects)
    # The clip shows a moving ball.
    gst-launch-1.0 -f -q videotestsrc num-buffers=40 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! \
      videoconvert ! jpegenc quality=95 ! qtmux ! filesink location=clip.mp4
    recipe moving-objects clip.mp4 out.mp4 | tee output
    expect 'frames written' "$(frames_of out.mp4)" 40
    "$python" -c 'import json, sys
events = [json.loads(line) for line in open("output") if line.startswith("{")]
assert events and {event["message"] for event in events} == {"motion-begin", "motion-end"}, events
assert all(event["width"] > 0 and event["id"] > 0 for event in events), events'
    ;;
  event-pictures)
    # A ball moves for a second after two and after six seconds.
    make_parts black:50 ball:25 black:75 ball:25 black:50
    mkdir 'a "b'\'' 50%d'
    recipe event-pictures clip.mp4 'a "b'\'' 50%d' >output
    cat output
    expect 'pictures' "$(cd 'a "b'\'' 50%d' && echo *)" 'event-00000.jpg event-00001.jpg'
    expect 'names of pictures' "$(sed -n 's/^ *\([26]\)\.[0-9]*  \(.*jpg\)$/\1 \2/p' output)" \
      $'2 a "b\' 50%d/event-00000.jpg\n6 a "b\' 50%d/event-00001.jpg'
    expect 'places of objects' "$(grep -cE '^ *[26]\.[0-9]*  object [12], [1-9][0-9]*×[1-9][0-9]* px at \([0-9]+, [0-9]+\)$' output)" 2
    # Each picture is of the time of its object: the ball is in it, with pixels brighter than black.
    for picture in 'a "b'\'' 50%d'/*; do
      quote "$picture"
      gst-launch-1.0 -f -q filesrc location="$QUOTED" ! jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=gray.raw
      [[ $(stat -c %s gray.raw) == $((160 * 120)) && $(tr -d '\0-\200' <gray.raw | wc -c) -gt 100 ]] || die "$picture does not show the ball"
    done
    mkdir last
    recipe event-pictures clip.mp4 last 1 >output
    expect 'pictures that are kept' "$(cd last && echo *)" event-00001.jpg
    for wrong in 'missing' '. 0' '. x'; do
      status=0
      # shellcheck disable=SC2086
      recipe event-pictures clip.mp4 $wrong 2>output || status=$?
      expect "status with $wrong" "$status" 2
      grep -q "^event-pictures.sh: .*${wrong#. }$" output || die "wrong error: $(<output)"
    done
    ;;
  record-on-motion)
    # A ball moves for a second after five and after twelve seconds.
    make_parts black:125 ball:25 black:150 ball:25 black:75
    mkdir '50% of it'
    GLCL_ENCODERS=openh264enc recipe record-on-motion clip.mp4 '50% of it' >output
    expect 'clips' "$(cd '50% of it' && echo *)" 'motion-00000.ts motion-00001.ts'
    for clip in '50% of it'/*; do
      number=$(frames_of "$clip")
      # Two seconds before and after, the motion, the end of an object, and up to a second to the key frame.
      ((number >= 100 && number <= 190)) || die "$clip has $number frames"
    done
    status=0
    recipe record-on-motion clip.mp4 missing 2>output || status=$?
    expect 'status without a folder' "$status" 2
    grep -q 'cannot write into the folder missing' output || die "wrong error: $(<output)"
    ;;
  on-motion)
    gst-launch-1.0 -f -q videotestsrc num-buffers=40 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! \
      videoconvert ! jpegenc quality=95 ! qtmux ! filesink location=clip.mp4
    # shellcheck disable=SC2016
    recipe on-motion clip.mp4 'echo "$ID $X $Y $WIDTH $HEIGHT" >>events; false' 2>output
    cat events
    ! grep -qv '^[1-9][0-9]* [0-9]* [0-9]* [1-9][0-9]* [1-9][0-9]*$' events || die 'an event lacks a number'
    expect 'failures of the command' "$(grep -c '^on-motion.sh: the command ended with exit status 1$' output)" "$(wc -l <events)"
    ;;
  shots)
    make_parts smpte:25 ball:25 gradient:25
    recipe shots clip.mp4 | tee output
    expect 'shots' "$(xargs <output)" '25 1.000 cut 50 2.000 cut'
    ;;
  optical-flow)
    make_clip 160 120
    recipe optical-flow clip.mp4 | tee output
    expect 'frames analysed' "$(filtered_frames log)" $frames
    grep -q '^[0-9]* ns: mean (.*, .*) px, .* moving$' output || die 'no motion is printed'
    ;;
  tracks)
    make_clip 160 120
    recipe tracks clip.mp4 'my "tracks".csv' | tee output
    expect 'frames analysed' "$(filtered_frames log)" $frames
    grep -q '^[0-9]* ns: [0-9]* followed, [0-9]* lost, [0-9]* new, cut ' output || die 'no points are printed'
    head -n 1 'my "tracks".csv' | grep -q '^frame,timestamp,id,x,y,' || die 'no tracks are written'
    grep -q "^$((frames - 1)),.*,[1-9][0-9]*,[0-9.]*$" 'my "tracks".csv' || die 'no point is followed to the last frame'
    ;;
  stabilize)
    make_clip 160 120
    recipe stabilize clip.mp4 out.mp4
    expect 'frames moved' "$(filtered_frames log)" $frames
    expect 'frames written' "$(frames_of out.mp4)" $frames
    expect_sound out.mp4 1
    ;;
  histogram)
    make_clip 160 120
    recipe histogram clip.mp4
    expect 'frames filtered' "$(filtered_frames log)" $frames
    recipe histogram /dev/video0
    [[ $(filtered_frames log) -gt 0 ]] || die "no frame of the camera was filtered"
    ;;
  scopes)
    make_clip 160 120
    recipe scopes clip.mp4
    expect 'frames filtered' "$(filtered_frames log)" $frames
    recipe scopes clip.mp4 parade+histogram rgb
    expect 'frames filtered' "$(filtered_frames log)" $frames
    recipe scopes /dev/video0
    [[ $(filtered_frames log) -gt 0 ]] || die "no frame of the camera was filtered"
    ;;
  camera-preview)
    recipe camera-preview
    [[ $(filtered_frames log) -gt 0 ]] || die 'no frame was filtered'
    ;;
  demo)
    recipe demo | tee output
    check_demo 640 360 125
    expect 'frames filtered' "$(filtered_frames output)" 125
    grep -q '^sharing: .*device: ' output || die 'sharing method and device are not printed'
    ;;
  demo-file)
    make_clip 161 121
    mv clip.mp4 'a "clip" ! \here.mp4'
    recipe demo 'a "clip" ! \here.mp4'
    check_demo 121 161 $frames
    ;;
  demo-camera)
    recipe demo camera
    check_demo 320 240 "$(frames_of demo/bilateral.mp4)"
    ;;
  demo-errors)
    unset GLCL_HEADLESS
    make_clip 160 120
    head -c 2000 clip.mp4 >cut.mp4
    echo text >text.mp4
    gst-launch-1.0 -f -q audiotestsrc num-buffers=20 ! wavenc ! filesink location=sound.wav
    mkdir demo
    for input in missing.mp4 text.mp4 cut.mp4 sound.wav /dev/video99; do
      touch demo/bilateral.{png,mp4}
      if recipe demo "$input" >output 2>&1; then die "accepted $input"; fi
      cat output
      grep -q "^demo.sh: .*$input" output || die "the error does not name $input"
      expect "files left after $input" "$(ls -A demo)" ''
    done
    ;;
  *)
    make_clip 160 120
    recipe "$recipe" clip.mp4
    expect 'frames filtered' "$(filtered_frames log)" $frames
    ;;
esac