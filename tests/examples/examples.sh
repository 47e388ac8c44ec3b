#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# examples.sh NAME: runs an example of examples/ without a display and checks its output
set -euo pipefail
example=$1
examples=$GLCL_SOURCE/examples built=$GLCL_BUILD/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset DISPLAY WAYLAND_DISPLAY
export MPLCONFIGDIR=$GLCL_BUILD/tests/run/matplotlib PYTHONDONTWRITEBYTECODE=1
python=$([[ -x /usr/bin/python3 ]] && echo /usr/bin/python3 || echo python3)

skip() {
  echo "SKIP: $*"
  exit 77
}
die() {
  echo "$*" >&2
  [[ ! -f output ]] || cat output >&2
  exit 1
}
# need_python MODULE...: skips if a module is missing
need_python() {
  local module
  for module in "$@"; do
    "$python" -c "import $module" 2>/dev/null || skip "$python has no module $module"
  done
}
# says PATTERN: fails unless a line of the output matches
says() {
  grep -qE "$1" output || die "no line like $1"
}
# expect_error PATTERN COMMAND...: the command has to fail with one line that matches
expect_error() {
  local pattern=$1 status=0
  shift
  timeout 60 "$@" >output 2>&1 || status=$?
  ((status > 0 && status < 124)) || die "status $status of $*"
  says "$pattern"
  [[ $(grep -cvE ' vectors$|^[0-9]+ frames|^0\.' output) -le 2 ]] || die "more than one line of errors from $*"
}

case $example in
  vectors)
    # A ball moves over black: some blocks move, not all, and none farther than the search range.
    "$built/vectors" >output
    says '^59 frames with vectors$'
    awk '/blocks move/ { frames++; moving += $2 > 0; still += $2 > 100 }
      match($0, /by [0-9.]+ px/) { fastest = substr($0, RSTART + 3) + 0; if (fastest > most) most = fastest }
      END { exit !(frames == 59 && moving > 50 && still == 0 && most > 1 && most < 23) }' output || die 'the vectors are not those of a ball'
    ;;
  window)
    "$built/window" --press haahq >output
    diff - <(head -n 4 output) <<'EXPECTED' || die 'the keys have no effect'
histogram: none instead of overlay
flow: none instead of arrows
flow: arrows instead of none
histogram: overlay instead of none
EXPECTED
    # The key q ended it early, with one or two overlays on most frames.
    awk '/drawings over them/ { good = $1 >= 25 && $1 < 60 && $3 > $1 / 2 && $3 < 2 * $1 } END { exit !good }' output ||
      die 'the number of frames or drawings is wrong'
    ;;
  analytics)
    [[ -x $built/analytics ]] || skip 'GStreamer 1.26 with its analytics is not installed'
    gst-launch-1.0 -q videotestsrc pattern=ball num-buffers=1 ! video/x-raw,width=64,height=64 ! videoconvert ! pngenc ! filesink location=sphere.png
    "$built/analytics" --find sphere.png >output
    # The ball moves and looks like the picture: flow, mask and boxes have the same middle, and its id
    # stays the same.
    awk '
      # true if the middle of this result, relative to the frame, is near (u, v)
      function near(what) {
        if (!match($0, "; " what " [0-9.]+% around [(][0-9.]+, [0-9.]+")) return 0
        split(substr($0, RSTART), part, /[(,]/)
        return (part[2] - u) ^ 2 + (part[3] - v) ^ 2 < 0.01
      }
      function box(what) {
        if (!match($0, "; " what ", [0-9]+ x [0-9]+ px at [(]-?[0-9]+, -?[0-9]+")) return 0
        split(substr($0, RSTART + length(what) + 4), part, /[^-0-9]+/)
        x = (part[3] + part[1] / 2) / 320; y = (part[4] + part[2] / 2) / 240
        return 1
      }
      box("moving-object") {
        u = x; v = y
        found++
        flow += near("flow")
        mask += near("mask")
        shape += box("sphere") && (x - u) ^ 2 + (y - v) ^ 2 < 0.01
        if (match($0, /number [0-9]+, seen for [0-9.]+ s/)) {
          split(substr($0, RSTART), word, /[ ,]+/)
          followed += word[2] == 1 && word[5] > last
          last = word[5]
        }
      }
      END {
        print found, "objects, with flow", flow, "mask", mask, "shape", shape, "followed", followed
        exit !(found > 40 && flow > 0.8 * found && mask > 0.9 * found && shape > 0.8 * found && followed >= found - 1)
      }' output || die 'the results are not those of a ball'
    ;;
  label)
    [[ $(gst-inspect-1.0 textoverlay 2>&1 || true) != *'No such element'* ]] || skip 'textoverlay (gstreamer1.0-x) is missing'
    # The squares move by 2 px per frame, and the text has to follow. They are made grey, because the
    # red and green of the pattern are equally bright.
    gst-launch-1.0 -f -q videotestsrc num-buffers=40 pattern=checkers-8 horizontal-speed=-2 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
      videoconvert ! videobalance saturation=0 ! videoconvert ! jpegenc quality=95 ! qtmux ! filesink location=clip.mov
    "$built/label" --at 100,165 --text goes clip.mov >output
    says '^40 of 40 frames had the text on a point$'
    awk -F '[(, )]+' '/by point/ { if ($1 == "1:") first = $2; last = $2; if ($3 < 164 || $3 > 166) off++ }
      END { exit !(off == 0 && last - first > 76.5 && last - first < 79.5) }' output || die 'the text does not follow its point'
    # In a white picture there is no point to follow, so the text stays.
    gst-launch-1.0 -f -q videotestsrc num-buffers=3 pattern=white ! video/x-raw,width=320,height=240 ! jpegenc ! qtmux ! \
      filesink location=white.mov
    "$built/label" white.mov >output
    says '^0 of 3 frames had the text on a point$'
    says '^3: \(160.0, 120.0\)'
    expect_error '^label: unknown option --at here; the options are' "$built/label" --at here clip.mov
    ;;
  flow)
    need_python gi numpy
    "$python" "$examples/flow.py" --help >output
    says '^flow.py .FILE'
    # It opens no window, so it finds a device without a display.
    env -u GST_GL_WINDOW -u GST_GL_PLATFORM "$python" "$examples/flow.py" >output
    says '^59 frames with a flow of \(60, 80, 2\) float32$'
    awk '/moves, the fastest/ { split($3, part, "%"); moving += part[1] > 0.1 && part[1] < 20 } END { exit !(moving > 50) }' output ||
      die 'the flow is not that of a ball'
    ;;
  dashboard)
    need_python gi matplotlib
    "$python" "$examples/dashboard.py" >output
    says '^4[0-9] messages in dashboard.png$'
    "$python" "$examples/dashboard.py" -o board.pdf >output
    [[ $(head -c 4 board.pdf) == %PDF ]] || die 'board.pdf is not a PDF'
    # The figure is not empty: it has many pixels in the colours of two curves.
    "$python" -c 'import matplotlib.image
pixels = matplotlib.image.imread("dashboard.png")
purple = (abs(pixels[..., :3] - [0.58, 0.40, 0.74]) < 0.05).all(-1).sum()
orange = (abs(pixels[..., :3] - [1.0, 0.5, 0.05]) < 0.05).all(-1).sum()
assert purple > 100 and orange > 100, (purple, orange)'
    ;;
  events)
    need_python gi
    "$python" - "$examples/events.py" <<'PYTHON'
import json, subprocess, sys, urllib.request
server = subprocess.Popen([sys.executable, sys.argv[1], '--once', '--port', '0'], stdout=subprocess.PIPE, text=True)
try:
    url = server.stdout.readline().strip()
    page = urllib.request.urlopen(url, timeout=60).read().decode()
    assert 'EventSource("/events")' in page, page
    answer = urllib.request.urlopen(url + 'events', timeout=120)
    assert answer.headers['Content-Type'] == 'text/event-stream', answer.headers
    events = [json.loads(line[6:]) for line in answer if line.startswith(b'data: ')]
finally:
    server.terminate() if sys.exc_info()[0] else None
    status = server.wait(60)
assert status == 0, status
kinds = [event['event'] for event in events]
assert kinds.count('motion-begin') >= 1 and kinds.count('motion-begin') == kinds.count('motion-end'), kinds
assert all(0 <= event['seconds'] < 6.1 for event in events), events
try:
    urllib.request.urlopen(url + 'other', timeout=5)
    raise SystemExit('the server has not ended')
except OSError:
    pass
PYTHON
    ;;
  preview)
    need_python gi
    [[ $(gst-inspect-1.0 textoverlay 2>&1 || true) != *'No such element'* ]] || skip 'textoverlay (gstreamer1.0-x) is missing'
    "$python" "$examples/preview.py" >output
    says '^0\.[0-9]* s: motion-begin 1$'
    awk '/had a label/ { labelled = $1 } END { exit !(labelled > 60) }' output || die 'few frames have a label'
    ;;
  record)
    need_python gi
    # The film: black for three seconds, a ball for one, black for five, the ball for one, black for
    # four.
    part() {
      echo "videotestsrc num-buffers=$2 pattern=$1 ! video/x-raw,format=I420,width=160,height=120,framerate=10/1 ! film."
    }
    # shellcheck disable=SC2046
    gst-launch-1.0 -q concat name=film ! jpegenc ! avimux ! filesink location=film.avi \
      $(part black 30) $(part ball 10) $(part black 50) $(part ball 10) $(part black 40)
    echo kept >motion-3.mp4
    "$python" "$examples/record.py" film.avi >output
    says '^motion-1\.mp4: [0-9]+ frames$'
    says '^motion-2\.mp4: [0-9]+ frames$'
    # A clip lasts from two seconds before the ball, or the key frame before that, to two seconds after
    # the ball.
    awk -F'[ :]+' '/frames$/ { clips++; good += $2 >= 52 && $2 <= 85 } END { exit !(clips == 2 && good == 2) }' output ||
      die 'clips have wrong lengths'
    for clip in 1 2; do
      frames=$(gst-launch-1.0 filesrc location=motion-$clip.mp4 ! decodebin ! identity silent=false ! fakesink -v | grep -c 'last-message = chain')
      [[ "$(grep "^motion-$clip.mp4" output)" == *": $frames frames" ]] || die "$frames frames of clip $clip can be decoded"
      [[ $(gst-launch-1.0 filesrc location=motion-$clip.jpg ! jpegdec ! fakesink -v | grep -c 'width=(int)160') -gt 0 ]] ||
        die "motion-$clip.jpg is not a picture"
    done
    rm motion-1.mp4
    "$python" "$examples/record.py" film.avi >output
    says '^motion-1\.mp4: [0-9]+ frames$'
    says '^motion-4\.mp4: [0-9]+ frames$'
    [[ $(<motion-3.mp4) == kept ]] || die 'a clip is overwritten'
    ;;
  rust)
    command -v cargo >/dev/null || skip 'cargo is not installed (package cargo)'
    registry=${GLCL_CARGO_REGISTRY:-/usr/share/cargo/registry}
    compgen -G "$registry/gstreamer-0.23*" >/dev/null || skip 'the crate gstreamer 0.23 is not installed (librust-gstreamer-dev, since Debian 13)'
    cp -r "$examples/rust" .
    cp "$GLCL_SOURCE/tests/languages/expressions.rs" rust/src/bin
    # Builds all programs, without debug information.
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_HOME=$work/cargo CARGO_TARGET_DIR=$GLCL_BUILD/examples/rust cargo build --quiet --offline \
      --manifest-path rust/Cargo.toml --config 'source.crates-io.replace-with="debian"' --config "source.debian.directory=\"$registry\""
    rust=$GLCL_BUILD/examples/rust/debug
    for name in vectors results; do
      "$rust/$name" --help >output
      says "^$name .*: "
      "$rust/$name" --version >output
      says "^$name [0-9][0-9.]*$"
    done
    "$rust/vectors" >output
    says '^59 frames with vectors, [1-9][0-9]* of them with motion$'
    # Results of all kinds describe the ball; those with positions agree with that of the moving object.
    gst-launch-1.0 -q videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=64,height=64 ! pngenc ! filesink location=ball.png
    "$rust/results" videotestsrc pattern=ball num-buffers=12 ! video/x-raw,width=320,height=240,framerate=25/1 ! glupload ! glcolorconvert ! \
      glclhistogram attach-meta=true ! glclhough template=ball.png attach-meta=true ! glclklt attach-meta=true ! \
      glclmotion detect=true attach-meta=true ! glopenclflow grid=4 display=none attach-meta=true ! fakesink >output
    awk '
      # true if the position in the first row of an array is near the object
      function near(line, at) {
        return split(substr(line, index(line, "first [") + 7), at, /, |\]/) > 2 && (at[1] - u) ^ 2 + (at[2] - v) ^ 2 < 40 ^ 2
      }
      / s: gl/ { kind = $3 }
      / from .* mean / {
        split($0, part, / from | to |, mean |, first /)
        least = part[2] + 0; most = part[3] + 0; mean = part[4] + 0
      }
      kind == "glclhistogram" && / counts: uint32 \[1, 256\], 256 numbers/ { counts += mean == 320 * 240 / 256; shape = point = "" }
      kind == "glclhough" && / list: float32 \[[0-9]+, 8\], [1-9]/ { shape = $0 }
      kind == "glclklt" && / points: float32 \[[0-9]+, 4\], [1-9]/ { point = $0 }
      kind == "glclmotion" && / vectors: int16 \[15, 20, 2\], 600 numbers/ { vectors += most >= 4 && most < 80 }
      kind == "glclmotion" && / mask: uint8 / { moving = least == 0 && most == 1 && mean > 0.005 && mean < 0.06 }
      kind == "glclmotion" && / objects: \[\(id 1, x / {
        split($0, part, /[^-0-9.]+/)
        u = part[3] + part[5] / 2; v = part[4] + part[6] / 2
        found++
        masks += moving
        shapes += near(shape)
        points += near(point)
      }
      kind == "glopenclflow" && / vectors: float32 \[60, 80, 2\], 9600 numbers/ { flow += most > 1 && most < 40 }
      kind == "glopenclflow" && / confidence: float32 \[60, 80\], 4800 numbers/ { sure += least >= 0 && most > 0.5 && most <= 1 }
      END {
        print found, "objects, with mask", masks, "shape", shapes, "point", points "; counts", counts, "vectors", vectors, "flow", flow, "sure", sure
        exit !(counts == 12 && found >= 6 && masks >= 6 && shapes >= 6 && points >= 6 && vectors >= 6 && flow >= 6 && sure >= 6)
      }' output || die 'the results are not those of a ball'
    expect_error '^results: no element "nothing"' "$rust/results" nothing ! fakesink
    "$rust/expressions" >output
    says '^[0-9]+ fields of metas, [0-9]+ of messages$'
    ;;
  arguments)
    for program in "$built"/{vectors,window,label,analytics}; do
      [[ -x $program ]] || continue
      name=${program##*/}
      for option in -h --help; do
        "$program" $option >output
        says "^$name .*FILE.*: "
      done
      "$program" --version >output
      says "^$name [0-9][0-9.]*$"
    done
    ;;
  mistakes)
    expect_error '^vectors: there is no file missing.mp4\.$' "$built/vectors" missing.mp4
    expect_error '^vectors: there is no camera /dev/video99; v4l2-ctl' "$built/vectors" /dev/video99
    GST_PLUGIN_PATH_1_0='' GST_REGISTRY_1_0=$work/registry.bin expect_error \
      '^vectors: no element "glclmotion"; it is in gst-glcl itself' "$built/vectors"
    without_screen=(env -u GST_GL_WINDOW GST_GL_PLATFORM=glx)
    screen='no screen here .*GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device$'
    for name in vectors window; do
      expect_error "^$name: $screen" "${without_screen[@]}" "$built/$name"
    done
    echo text >text.mp4
    expect_error '^vectors: ' "$built/vectors" text.mp4
    need_python gi
    expect_error 'flow\.py: there is no file missing.mp4\.$' "$python" "$examples/flow.py" missing.mp4
    expect_error 'flow\.py: ' "$python" "$examples/flow.py" text.mp4
    expect_error 'preview\.py: there is no camera /dev/video99;' "$python" "$examples/preview.py" /dev/video99
    expect_error "preview\.py: .*$screen" "${without_screen[@]}" "$python" "$examples/preview.py"
    mkdir none
    touch none/{numpy,matplotlib}.py
    echo "raise ImportError('none here')" | tee none/numpy.py none/matplotlib.py >/dev/null
    PYTHONPATH=$work/none expect_error 'dashboard\.py: none here; install python3-matplotlib,' "$python" "$examples/dashboard.py"
    PYTHONPATH=$work/none expect_error 'flow\.py: none here; install python3-numpy,' "$python" "$examples/flow.py"
    mkdir -p none/gi
    cp none/numpy.py none/gi/__init__.py
    PYTHONPATH=$work/none expect_error 'events\.py: none here; install python3-gi' "$python" "$examples/events.py"
    ;;
  *) die "no example $example" ;;
esac
