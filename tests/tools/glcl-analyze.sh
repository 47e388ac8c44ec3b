#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# glcl-analyze.sh: glcl-analyze handles good and bad files, and leaves no incomplete results
. "$(dirname "$0")/common.sh"
analyze=$GLCL_BUILD/tools/glcl-analyze
skip() {
  echo "SKIP: $*"
  exit 77
}
for element in openh264enc jpegenc avenc_aac avdec_h264; do
  [[ $(gst-inspect-1.0 "$element" 2>&1 || true) != *'No such element'* ]] || skip "GStreamer has no element $element"
done

# check CODE: runs assertions in Python about the output and the results
check() { python3 -c "import csv, json, os, re, sys, urllib.parse
events = [json.loads(line) for line in open('output')] if os.path.exists('output') else []
by_name = {os.path.basename(event['file']): event for event in events if event['event'] in ('done', 'failed', 'kept')}
rows = lambda folder: list(csv.DictReader(open(folder + '/frames.csv')))
events_in = lambda folder: [json.loads(line) for line in open(folder + '/events.jsonl')]
$1" || die "an assertion failed: $1"; }
# make_clip FILE FRAMES PATTERN...: writes a clip with this number of frames of each pattern and a key
# frame per second
make_clip() {
  local file=$1 buffers=$2 pattern sources=()
  shift 2
  for pattern; do
    sources+=(videotestsrc num-buffers="$buffers" pattern="$pattern" !
      'video/x-raw,format=I420,width=96,height=64,framerate=25/1' ! all.)
  done
  gst-launch-1.0 -q concat name=all ! openh264enc gop-size=25 ! h264parse ! mp4mux faststart=true ! \
    filesink location="$file" "${sources[@]}" 2>/dev/null
}
leaves_nothing_hidden() { [[ -z $(find "$1" -maxdepth 1 -name '.glcl-*') ]] || die "leaves $(ls -A "$1")"; }

make_clip good.mp4 25 ball smpte
mkdir -p sub folder.mp4
odd=$'a \'q"<!--<script>\n.mp4'
cp good.mp4 "$odd"
gst-launch-1.0 -q filesrc location=good.mp4 ! qtdemux ! h264parse ! matroskamux ! filesink location=sub/good.mp4
head -c $(($(stat -c %s good.mp4) / 2)) good.mp4 >truncated.mp4
head -c $(($(stat -c %s sub/good.mp4) / 2)) sub/good.mp4 >truncated.mkv
gst-launch-1.0 -q audiotestsrc num-buffers=20 ! avenc_aac ! mp4mux ! filesink location=sound.mp4
gst-launch-1.0 -q videotestsrc num-buffers=73 ! video/x-raw,width=64,height=48,framerate=1/600 ! jpegenc ! matroskamux ! \
  filesink location=long.mkv
for size in '64,height=48' '96,height=80'; do
  gst-launch-1.0 -q videotestsrc num-buffers=8 ! "video/x-raw,width=$size,framerate=25/1" ! jpegenc ! filesink location=part
  cat part >>sizes.mjpeg
done
echo text >text.mp4
: >empty.mp4
ln -s good.mp4 same.mp4
ln -s /proc/self/mem unreadable.mp4
echo 'YUV4MPEG2 W64 H48 F25:1 C420' >no-frames.y4m
mkfifo pipe.mp4
# playlist.mp4 refers to a server, which must not be called. huge.png has 32 kB, and 256 MB per channel
# decoded.
python3 -c "import socket, time
server = socket.create_server(('127.0.0.1', 0))
server.settimeout(300)
print(server.getsockname()[1], flush=True)
server.accept()
print('called', flush=True)" >called &
server=$!
for ((i = 0; i < 100; i++)); do [[ ! -s called ]] || break && sleep 0.1; done
printf '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:%s/film.ts\n' "$(<called)" >playlist.mp4
python3 -c "import struct, zlib
chunk = lambda name, content: struct.pack('>I', len(content)) + name + content + struct.pack('>I', zlib.crc32(name + content))
pack = zlib.compressobj(9)
pixels = b''.join(pack.compress(bytes(2001)) for _ in range(16000)) + pack.flush()
open('huge.png', 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 16000, 16000, 1, 0, 0, 0, 0)) +
    chunk(b'IDAT', pixels) + chunk(b'IEND', b''))"

expect 1 glcl-analyze --elements shots,histogram --out out good.mp4 "$odd" sub/good.mp4 truncated.mp4 truncated.mkv sound.mp4 \
  long.mkv sizes.mjpeg text.mp4 empty.mp4 folder.mp4 no-such.mp4 same.mp4 unreadable.mp4 no-frames.y4m pipe.mp4 playlist.mp4
check "
good = {'a \'q\"<!--<script>\n.mp4', 'good.mp4', 'long.mkv', 'sizes.mjpeg'}
bad = {'truncated.mp4', 'truncated.mkv', 'sound.mp4', 'text.mp4', 'empty.mp4', 'folder.mp4', 'no-such.mp4', 'mem', 'no-frames.y4m', 'pipe.mp4',
    'playlist.mp4'}
assert {name for name in by_name if by_name[name]['event'] == 'done'} == good, by_name
assert {name for name in by_name if by_name[name]['event'] == 'failed'} == bad, by_name
for name in ('truncated.mp4', 'truncated.mkv'): assert by_name[name]['reason'].startswith('it is truncated'), by_name[name]
assert by_name['pipe.mp4']['reason'] == 'it is not a regular file', by_name['pipe.mp4']
assert 'other files or addresses' in by_name['playlist.mp4']['reason'], by_name['playlist.mp4']
assert by_name['sound.mp4']['reason'].startswith('there is no video in it'), by_name['sound.mp4']
folders = set(os.listdir('out')) - {'overview.html'}
assert good < folders and len(folders) == 5 and [name for name in folders if name.startswith('good.mp4-')], folders
summary = events[-1]
assert (summary['done'], summary['failed'], summary['frames']) == (5, 11, 3 * 50 + 73 + 16), summary
assert rows('out/long.mkv')[-1]['time'] == '43200.000000000'
table = rows('out/good.mp4')
assert len(table) == 50 and table[1]['time'] == '0.040000000'
for row in table: assert sum(int(row[f'count-g-{i}']) for i in range(16)) == 96 * 64, row
assert [(event['frame'], event['kind']) for event in events_in('out/good.mp4')] == [(0, 'start'), (25, 'cut')], events_in('out/good.mp4')
assert len(rows('out/sizes.mjpeg')) == 16
for name in folders: assert json.load(open('out/' + name + '/summary.json'))['frames'] == len(rows('out/' + name))
for name in ('good.mp4', 'a \'q\"<!--<script>\n.mp4'):
    page = open(f'out/{name}/index.html').read()
    data = json.loads(re.search(r'id=\"data\">(.*?)</script>', page, re.S)[1])
    assert data['name'] == name and len(data['times']) == 50 and len(data['sheet']['times']) == 2, data['name']
    assert not re.search(r'(src|href)=\"?http', page) and data['picture'].startswith('data:image/jpeg;base64,')
    shown = [mean for plot in data['plots'] for series in plot['series'] for mean in series['mean'] if series['name'] == 'mean-g']
    assert all(abs(mean - float(row['mean-g'])) < 1e-3 for mean, row in zip(shown, table)) and len(shown) == 50
assert open('out/good.mp4/shots.jpg', 'rb').read(2) == b'\xff\xd8'
"
leaves_nothing_hidden out
grep -q called called && die 'it opens the address in a playlist'
kill "$server"
# A huge picture is refused before memory is allocated, by the size from the parser or, without one, the
# decoder.
for rank in '' pngparse:NONE; do
  MALLOC_PERTURB_=0 GST_PLUGIN_FEATURE_RANK=$rank python3 -c "import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=open('output', 'w')).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
sys.exit(status != 1 or most > 400 and f'takes {most} MB')" "$analyze" --elements histogram --out out huge.png || die 'a huge picture is not refused early'
  check "assert '16000×16000 px' in by_name['huge.png']['reason'], by_name"
done
if browser=$(command -v chromium-headless-shell || command -v chromium); then
  "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom \
    "file://$PWD/out/good.mp4/index.html" >page 2>/dev/null || die "$browser fails"
  check "
page = open('page').read()
assert len(re.findall(r'<rect[^>]*class=\"shot\"', page)) == 2, page[-3000:]
assert len(re.findall(r'<path[^>]*class=\"series\"', page)) == 6 and page.count('<figure>') == 2
assert 'NaN' not in page.split('<main')[1].split('</main>')[0]"

  # The same page, operated.
  python3 -c "import sys
page = open('out/good.mp4/index.html').read()
open('operated.html', 'w').write(page.replace('</body>', '<script>' + open(sys.argv[1]).read() + '</script></body>'))" "$GLCL_SOURCE/tests/tools/operate-page.js"
  "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom "file://$PWD/operated.html" >page 2>/dev/null
  check "
import html
found = json.loads(html.unescape(re.search(r'<pre id=\"found\">(.*?)</pre>', open('page').read(), re.S)[1]))
near = lambda one, two: abs(one - two) < 0.011
assert all(near(found[name]['view'][0], 0) and near(found[name]['view'][1], 2) for name in ('End', 'ArrowLeft', '-', '0', 'whole')), found
assert near(found['End']['cursor'], 2) and near(found['ArrowLeft']['cursor'], 1.96) and near(found['Home']['cursor'], 0), found
view = found['+']['view']
assert near(view[0], 1) and near(view[1], 2) and near(found['Home']['view'][0], 0) and near(found['Home']['view'][1], 1), found
assert near(found['drag']['view'][0], 0.5) and near(found['drag']['view'][1], 1.5), found
assert all(found[name]['shown'] for name in ('ArrowLeft', '+', 'drag', 'whole')), found
assert all(found[name]['focus'] == 1 for name in ('ArrowLeft', '+', 'Home')) and found['ArrowLeft']['readout'].startswith('0:01.96 · shot 2 · '), found
assert found['rows'] == 51 and found['shot']['open'] and found['shot']['text'].startswith('shot 2, cut, 0:01.00'), found
assert found['shot']['from'] == 't=1.000' or found['shot']['picture'], found"
fi

# Shots as lists for editing programs.
check "
shots = list(csv.DictReader(open('out/good.mp4/scenes.csv')))
assert [(row['begin'], row['end'], row['kind']) for row in shots] == [('0.000', '1.000', 'start'), ('1.000', '2.000', 'cut')], shots
lines = [line for line in open('out/good.mp4/scenes.edl') if line[:1].isdigit()]
assert [line.split()[4:] for line in lines] == [['00:00:00:00', '00:00:01:00', '00:00:00:00', '00:00:01:00'],
    ['00:00:01:00', '00:00:02:00', '00:00:01:00', '00:00:02:00']], lines
clips = json.load(open('out/good.mp4/scenes.otio'))['tracks']['children'][0]['children']
assert [(clip['source_range']['start_time']['value'], clip['source_range']['duration']['value']) for clip in clips] == [(0, 25), (25, 25)], clips
assert clips[0]['media_reference']['target_url'].endswith('/good.mp4')
facts = json.load(open('out/good.mp4/summary.json'))
assert facts['video'].startswith('H.264') and facts['audio'] == [] and not facts['variable-rate'], facts"

# Facts about other files: sound, raw streams, JPEG without a container. A fact that is not known is empty or null.
gst-launch-1.0 -q matroskamux name=mux ! filesink location=coded.mkv videotestsrc num-buffers=20 ! vp8enc ! mux. \
  audiotestsrc num-buffers=20 ! avenc_aac ! mux. audiotestsrc num-buffers=20 ! opusenc ! mux.
gst-launch-1.0 -q matroskamux name=mux ! filesink location=raw.mkv videotestsrc num-buffers=5 ! \
  video/x-raw,format=I420,width=96,height=64,framerate=10/1,colorimetry=bt709 ! mux. audiotestsrc num-buffers=20 ! mux.
gst-launch-1.0 -q videotestsrc num-buffers=4 ! video/x-raw,width=96,height=64 ! jpegenc ! filesink location=plain.mjpeg
expect 0 glcl-analyze --elements histogram --out facts coded.mkv raw.mkv plain.mjpeg
check "
facts = {name: json.load(open(f'facts/{name}/summary.json')) for name in os.listdir('facts') if name != 'overview.html'}
coded, raw, plain = facts['coded.mkv'], facts['raw.mkv'], facts['plain.mjpeg']
assert coded['video'] == 'VP8' and sorted(coded['audio']) == ['MPEG-4 AAC', 'Opus'] and coded['rate'] == 30, coded
assert raw['video'] == 'uncompressed I420' and raw['audio'] == ['uncompressed S16LE'], raw
assert raw['colorimetry'] == 'bt709' and raw['rate'] == 10, raw
for name, one in facts.items():
    known = one['duration'] and one['size'] * 8e9 / one['duration']
    assert (one['bit-rate'] is None) == (known is None) and abs((one['bit-rate'] or 0) - (known or 0)) <= 0.5, one
assert raw['bit-rate'] > 500e3 and plain['bit-rate'] is None and plain['rate'] == 0 and plain['video'] == 'JPEG', facts"
if [[ $browser ]]; then
  for name in coded.mkv plain.mjpeg; do
    "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom "file://$PWD/facts/$name/index.html" 2>/dev/null |
      sed -n 's/.*id="facts">\([^<]*\)<.*/\1/p' >"$name.facts"
  done
  grep -qE '30 frames/s · VP8 · [0-9.]+ [kM]bit/s · .* · (MPEG-4 AAC, Opus|Opus, MPEG-4 AAC) · ' coded.mkv.facts || die "wrong facts: $(<coded.mkv.facts)"
  grep -qE 'frame rate unknown · JPEG · bit rate unknown · .* · no sound · ' plain.mjpeg.facts || die "wrong facts: $(<plain.mjpeg.facts)"
fi

# An overview of all results; a page of another program stays.
check "
overview = open('out/overview.html').read()
links = re.findall(r'href=\"\./([^\"]*)/index.html\"', overview)
assert {urllib.parse.unquote(link) for link in links} == set(os.listdir('out')) - {'overview.html'} and len(links) == 5, links
assert '<script>' not in overview"
mkdir own && echo mine >own/overview.html
expect 0 glcl-analyze --elements histogram --out own good.mp4
[[ $(<own/overview.html) == mine ]] || die 'it replaces a page of another program'

# Properties of the elements.
expect 0 glcl-analyze --elements motion --set glclmotion.block-size=8 --out set good.mp4
expect 0 glcl-analyze --elements motion --out unset good.mp4
! cmp -s set/good.mp4/frames.csv unset/good.mp4/frames.csv || die '--set has no effect'
expect 0 glcl-analyze --elements motion --out set --resume good.mp4 # without the property
check "assert by_name['good.mp4']['event'] == 'done'"
for wrong in glclmotion.block-size=7 glclmotion.nothing=1 glclklt.levels=2 glclmotion.interval=5 fakesink.sync=true nonsense; do
  expect 2 glcl-analyze --elements motion --set "$wrong" --out set --overwrite good.mp4
  grep -qF -- "--set=$wrong is invalid: " errors || die "does not name --set=$wrong"
done

# A range behind the end is an error. Gaps of a variable frame rate are no lost frames.
expect 1 glcl-analyze --elements histogram --from 100 --out behind good.mp4
check "assert '--from=100.000000000 is not before its end' in by_name['good.mp4']['reason'], by_name"
gst-launch-1.0 -q concat name=all ! openh264enc ! h264parse ! qtmux ! filesink location=variable.mp4 \
  videotestsrc num-buffers=30 ! video/x-raw,width=96,height=64,framerate=25/1 ! all. \
  videotestsrc num-buffers=30 ! video/x-raw,width=96,height=64,framerate=25/1 ! identity drop-probability=0.5 ! all.
expect 0 glcl-analyze --elements histogram --out variable variable.mp4
check "
facts = json.load(open('variable/variable.mp4/summary.json'))
assert facts['variable-rate'] and facts['lost'] == 0 and facts['frames'] < 60, facts"

# The decoder with the highest rank is used, such as one on a GPU.
for decoder in openh264dec avdec_h264; do
  GST_PLUGIN_FEATURE_RANK=$decoder:1000 expect 0 glcl-analyze --elements histogram --out "by-$decoder" good.mp4
  check "assert json.load(open('by-$decoder/good.mp4/summary.json'))['decoder'] == '$decoder'"
done
cmp by-*/good.mp4/frames.csv || die 'decoders differ'

# Existing results are replaced only with --overwrite, or with --resume and other settings.
expect 1 glcl-analyze --elements shots,histogram --out out good.mp4
check "assert '--resume' in by_name['good.mp4']['reason']"
expect 0 glcl-analyze --elements shots,histogram --out out --resume good.mp4
check "assert by_name['good.mp4']['event'] == 'kept'"
before=$(stat -c %i out/good.mp4)
expect 0 glcl-analyze --elements histogram --out out --resume good.mp4 # other settings
check "assert by_name['good.mp4']['event'] == 'done' and not os.path.exists('out/good.mp4/shots.jpg')"
[[ $(stat -c %i out/good.mp4) != "$before" ]] || die 'the folder was not replaced'
expect 0 glcl-analyze --elements shots --out out --overwrite good.mp4
expect 1 glcl-analyze --elements shots --out . --overwrite good.mp4 # the folder for results would be the file itself
check "assert 'contains no results' in by_name['good.mp4']['reason']"
[[ -f good.mp4 ]] || die 'the file was removed'

# The results of a range equal that range of the whole.
expect 0 glcl-analyze --elements shots,histogram --out range --from 0.4 --to 0:01.2 good.mp4
expect 0 glcl-analyze --elements shots,histogram --out whole good.mp4
check "assert rows('range/good.mp4') == rows('whole/good.mp4')[10:30]
assert [event['frame'] for event in events_in('range/good.mp4')] == [15]"

# The scope counts code values, with those that RGB lacks, and reports black and frozen parts. Raw frames
# have exact values. These are legal noise, black, illegal noise that freezes for 16 s, legal noise, and
# black to the end.
python3 -c "import random
random.seed(1)
noise = lambda luma, chroma: bytes(random.choices(range(*luma), k=96 * 64) + random.choices(range(*chroma), k=96 * 32))
legal = [noise((16, 236), (16, 241)) for _ in range(40)]
illegal = [noise((0, 256), (0, 256)) for _ in range(31)]
black = bytes([16] * 96 * 64 + [128] * 96 * 32)
open('frames', 'wb').write(b''.join(legal + [black] * 60 + illegal[:30] + [illegal[30]] * 400 + legal + [black] * 60))
open('deep', 'wb').write(b''.join(value.to_bytes(2, 'little') for value in random.choices(range(1024), k=96 * 64 * 3 // 2)))"
# make_raw FILE FORMAT: writes these frames as raw video
make_raw() {
  gst-launch-1.0 -q filesrc location=frames ! rawvideoparse format=i420 width=96 height=64 framerate=25/1 colorimetry=bt709 ! \
    videoconvert ! "video/x-raw,format=$2" ! matroskamux ! filesink location="$1"
}
make_raw scope.mkv I420
for format in YUY2 GRAY8 RGB; do make_raw "$format.mkv" "$format"; done
gst-launch-1.0 -q filesrc location=deep ! rawvideoparse format=i420-10le width=96 height=64 framerate=25/1 colorimetry=bt709 ! \
  avenc_ffv1 ! matroskamux ! filesink location=deep.mkv
expect 0 glcl-analyze --elements scope --out scope scope.mkv YUY2.mkv GRAY8.mkv RGB.mkv deep.mkv
expect 0 glcl-analyze --elements scope --out scope --resume scope.mkv
check "assert by_name['scope.mkv']['event'] == 'kept'"
expect 0 glcl-analyze --elements scope --out scope-range --from 18 --to 22 scope.mkv
check "
import math, shutil, struct, subprocess
frames, (width, height) = open('frames', 'rb').read(), (96, 64)
table = rows('scope/scope.mkv')
assert len(table) == 630
for i in (0, 39, 40, 99, 100, 129, 130, 529, 530, 569, 570, 629):
    frame, row = frames[9216 * i:9216 * (i + 1)], table[i]
    planes = {'y': frame[:6144], 'cb': frame[6144:7680], 'cr': frame[7680:]}
    for name, plane in planes.items():
        wanted = (min(plane), max(plane), sum(plane) / len(plane))
        assert tuple(float(row[f'{field}-{name}']) for field in ('minimum', 'maximum', 'mean')) == wanted, (i, name, row)
    chroma = [(cb - 128, cr - 128) for cb, cr in zip(planes['cb'], planes['cr'])]
    saturations = [math.floor(math.hypot(*pair) + 0.5) for pair in chroma]
    assert abs(float(row['saturation-mean']) - sum(saturations) / len(chroma)) < 1e-9, (i, row)
    assert float(row['saturation-maximum']) == max(saturations), (i, row)
    illegal = sum(not 16 <= planes['y'][96 * y + x] <= 235 or any(not 16 <= planes[name][48 * (y // 2) + x // 2] <= 240 for name in ('cb', 'cr'))
                  for y in range(height) for x in range(width))
    assert float(row['out-of-range']) == illegal / 6144 and (illegal > 0) == (100 <= i < 530), (i, row)
    # Black is at most 10 per cent from 16 to 235.
    assert float(row['black']) == sum(value <= 16 + 21.9 for value in planes['y']) / 6144 and row['bits'] == '8', (i, row)
    assert (row['hue'] == '') == (row['hue-median'] == '') == (40 <= i < 100 or i >= 570), (i, row)
    assert (float(row['out-of-gamut']) > 0.5) == (row['hue'] != ''), (i, row)
second = 10 ** 9
marks = [(40, 'black-begin', 0), (40, 'freeze-begin', 0), (100, 'black-end', 2.4), (100, 'freeze-end', 2.4), (130, 'freeze-begin', 0), (530, 'freeze-end', 16),
         (570, 'black-begin', 0), (570, 'freeze-begin', 0), (None, 'black-end', 2.4), (None, 'freeze-end', 2.4)]
def marks_in(folder):
    return [(event['frame'], event['event'], (event.get('black-duration') or event.get('freeze-duration') or 0) / second) for event in events_in(folder)]
assert marks_in('scope/scope.mkv') == marks, events_in('scope/scope.mkv')
assert all(event['time'] == (630 if event['frame'] is None else event['frame']) * second // 25 for event in events_in('scope/scope.mkv'))
# The frozen part began long before this range.
assert marks_in('scope-range/scope.mkv') == [(530 - 450, 'freeze-end', 16)], marks_in('scope-range/scope.mkv')
assert rows('scope-range/scope.mkv') == table[450:550]
# Ten bits keep their code values.
deep, row = struct.unpack('<9216H', open('deep', 'rb').read()), rows('scope/deep.mkv')[0]
for name, plane in {'y': deep[:6144], 'cb': deep[6144:7680], 'cr': deep[7680:]}.items():
    wanted = (min(plane), max(plane), sum(plane) / len(plane))
    assert tuple(float(row[f'{field}-{name}']) for field in ('minimum', 'maximum', 'mean')) == wanted and row['bits'] == '10', (name, row)
# FFmpeg finds the same, with six digits.
if shutil.which('ffmpeg'):
    text = subprocess.run(['ffmpeg', '-v', 'error', '-i', 'scope.mkv', '-vf', 'signalstats=stat=brng,metadata=print:file=-', '-f', 'null', '-'],
        stdout=subprocess.PIPE, check=True, text=True).stdout
    columns = {'BRNG': 'out-of-range'}
    for theirs, ours in (('Y', 'y'), ('U', 'cb'), ('V', 'cr')):
        columns.update({theirs + 'MIN': 'minimum-' + ours, theirs + 'AVG': 'mean-' + ours, theirs + 'MAX': 'maximum-' + ours})
    for theirs, ours in columns.items():
        found = re.findall(rf'\\.{theirs}=(\\S+)', text)
        assert len(found) == 630 and all(abs(float(a) - float(row[ours])) < 1e-3 for a, row in zip(found, table)), (theirs, found[:200])
# Chroma of 4:2:2 keeps illegal values; grey frames have no chroma; RGB has no illegal values.
assert float(rows('scope/YUY2.mkv')[110]['out-of-range']) > 0.3 and rows('scope/YUY2.mkv')[110]['maximum-cr'] == '255'
grey, coloured = rows('scope/GRAY8.mkv')[110], rows('scope/RGB.mkv')[110]
assert grey['maximum-y'] and not grey['maximum-cb'] + grey['saturation-mean'] + grey['hue'], grey
assert coloured['out-of-range'] == '0' and coloured['maximum-cb'], coloured
for name in ('YUY2', 'GRAY8', 'RGB'): assert marks_in(f'scope/{name}.mkv') == marks, (name, marks_in(f'scope/{name}.mkv'))
page = open('scope/scope.mkv/index.html').read()
data = json.loads(re.search(r'id=\"data\">(.*?)</script>', page, re.S)[1])
assert {'Y, code value', 'Cb, code value', 'Cr, code value'} < {plot['title'] for plot in data['plots']}, data['plots']
assert [event['event'] for event in data['events']] == [name for _, name, _ in marks]
"
if [[ $browser ]]; then
  "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "file://$PWD/scope/scope.mkv/index.html" >page 2>/dev/null
  check "
page = open('page').read()
assert [page.count(f'class=\"{name}\"') for name in ('black', 'freeze', 'event', 'series')] == [2, 3, 10, 16], page[-3000:]
assert 'frozen, 0:05.20 – 0:21.20' in page and 'after 16.00 s' in page"
fi

# Videos with an orientation tag are analysed upright: sheet, boxes and sizes.
make_clip upright.mp4 50 smpte
python3 -c "import struct
upright = open('upright.mp4', 'rb').read()
for name, matrix in {'r90': (0, 1, -1, 0), 'r180': (-1, 0, 0, -1), 'r270': (0, -1, 1, 0), 'flip': (-1, 0, 0, 1)}.items():
    film = bytearray(upright)
    at = film.index(b'tkhd') + 44  # GStreamer 1.22 does not write the matrix of a track
    film[at:at + 36] = struct.pack('>9i', *(m << 16 for m in matrix[:2]), 0, *(m << 16 for m in matrix[2:]), 0, 0, 0, 1 << 30)
    open(name + '.mp4', 'wb').write(film)"
expect 0 glcl-analyze --elements shots,objects --out turned upright.mp4 r90.mp4 r180.mp4 r270.mp4 flip.mp4
for name in upright r90 r180 r270 flip; do
  gst-launch-1.0 -q filesrc location="turned/$name.mp4/shots.jpg" ! jpegdec ! videoconvert ! videoscale ! \
    video/x-raw,format=GRAY8,width=16,height=16 ! filesink location="turned/$name"
done
check "
def shown(name):
    pixels = open('turned/' + name, 'rb').read()
    return [pixels[16 * y:16 * y + 16] for y in range(16)]
upright = shown('upright')
turns = {'upright': ('rotate-0', lambda x, y: (x, y)), 'r90': ('rotate-90', lambda x, y: (64 - y, x)),
         'r180': ('rotate-180', lambda x, y: (96 - x, 64 - y)), 'r270': ('rotate-270', lambda x, y: (y, 96 - x)),
         'flip': ('flip-rotate-0', lambda x, y: (96 - x, y))}
for name, (orientation, turn) in turns.items():
    summary = json.load(open(f'turned/{name}.mp4/summary.json'))
    size = (summary['width'], summary['height'])
    assert summary['orientation'] == orientation and size == ((64, 96) if name in ('r90', 'r270') else (96, 64)), summary
    # The noise of this test picture moves, in its lower right corner.
    box = list(csv.DictReader(open(f'turned/{name}.mp4/objects.csv')))[-1]
    middle = [float(box[side]) + float(box[length]) / 2 for side, length in (('x', 'width'), ('y', 'height'))]
    assert all(abs(a - b) < 8 for a, b in zip(middle, turn(84, 56))), (name, box)
    sheet = shown(name)
    places = [(x, y, turn(6 * x + 3, 4 * y + 2)) for x in range(16) for y in range(16) if y < 11]
    off = sum(abs(upright[y][x] - sheet[int(at[1] * 16 / size[1])][int(at[0] * 16 / size[0])]) for x, y, at in places)
    assert off / len(places) < 40, (name, off / len(places))"

# Joined parts equal the whole, bit for bit, also if a part begins with a black picture.
make_clip archive.mp4 50 ball smpte circular black black pinwheel ball smpte blink ball gradient ball
all=shots,histogram,motion,flow,tracks,scope
expect 0 glcl-analyze --elements "$all" --out whole archive.mp4
"$analyze" --split 9 archive.mp4 >parts
[[ $(wc -l <parts) == 3 && $(tail -n 1 parts) == *' end' ]] || die "not three parts: $(<parts)"
while read -r from to; do
  [[ $to == end ]] && range=() || range=(--to "$to")
  expect 0 glcl-analyze --elements "$all" --part --out "parts-$from" --from "$from" "${range[@]}" archive.mp4
done < <(tac parts)
expect 0 glcl-analyze --join --out joined parts-*/archive.mp4
for file in frames.csv events.jsonl summary.json; do
  cmp "whole/archive.mp4/$file" "joined/archive.mp4/$file" || die "$file of joined parts differs"
done
check "assert len([event for event in events_in('whole/archive.mp4') if event['event'] == 'shot']) >= 8
assert {'black-begin', 'black-end', 'freeze-begin', 'freeze-end'} < {event['event'] for event in events_in('whole/archive.mp4')}
assert len(rows('joined/archive.mp4')) == 600"
expect 1 glcl-analyze --join --out gap "parts-$(sed -n '1s/ .*//p' parts)/archive.mp4" "parts-$(sed -n '3s/ .*//p' parts)/archive.mp4"

# Zones and lines: a ball enters a zone, loiters, crosses a line and leaves. Parts equal the whole.
gst-launch-1.0 -q videotestsrc num-buffers=60 pattern=ball ! 'video/x-raw,format=I420,width=320,height=240,framerate=25/1' ! \
  openh264enc gop-size=25 ! h264parse ! mp4mux faststart=true ! filesink location=ball.mp4 2>/dev/null
cat >rules.json <<'JSON'
{ "zones": [ { "name": "<script>, \"a\"", "polygon": [[0.6, 0], [0.75, 0], [0.75, 1], [0.6, 1]], "loiter": 0.2, "count": 1 },
             { "name": "rest", "center": [0.3, 0.3], "radius": 0.1, "inverse": true } ],
  "lines": [ { "name": "gate", "from": [0.7, 0], "to": [0.7, 1] }, { "name": "none", "from": [0.1, 0], "to": [0.1, 1] } ],
  "world": { "points": [[0, 1], [1, 1], [1, 0.2], [0, 0.2]], "metres": [[0, 0], [10, 0], [10, 9], [0, 9]] } }
JSON
expect 0 glcl-analyze --elements histogram --rules rules.json --out ruled ball.mp4
check "
folder = 'ruled/ball.mp4'
events = [event for event in events_in(folder) if not event['event'].startswith('motion-')]
table = list(csv.DictReader(open(folder + '/rules.csv')))
names = ['zone-enter', 'zone-enter', 'zone-count', 'zone-loiter', 'line-cross', 'zone-leave', 'zone-count', 'zone-leave']
assert [event['event'] for event in events] == [row['event'] for row in table] == names, events
for event, row in zip(events, table):
    assert row['rule'] == event.get('zone', event.get('line')) and row['direction'] == event.get('direction', ''), row
    assert round(float(row['time']) * 1e9) == event['time'] and int(row['frame']) == event['frame'], (event, row)
    assert row['duration'] == (f'{event[\"zone-duration\"] / 1e9:.9f}' if 'zone-duration' in event else ''), (event, row)
    for field in ('id', 'x', 'y', 'width', 'height', 'count', 'speed', 'size-error'):
        assert row[field] == '' if field not in event else float(row[field]) == event[field], (event, row)
    assert (row['speed'] != '') == (event['event'] != 'zone-count'), row
summary = json.load(open(folder + '/summary.json'))
assert summary['elements'] == ['histogram', 'objects'] and summary['rules'] == json.load(open('rules.json')), summary
stays = [event['zone-duration'] for event in events if event['event'] == 'zone-leave']
assert summary['counts'] == {
    'zones': [{'name': '<script>, \"a\"', 'entered': 1, 'left': 1, 'loitered': 1, 'longest': stays[0]},
              {'name': 'rest', 'entered': 1, 'left': 1, 'loitered': 0, 'longest': stays[1]}],
    'lines': [{'name': 'gate', 'left-to-right': 0, 'right-to-left': 1}, {'name': 'none', 'left-to-right': 0, 'right-to-left': 0}]}, summary
data = json.loads(re.search(r'id=\"data\">(.*?)</script>', open(folder + '/index.html').read(), re.S)[1])
assert data['scene'].startswith('data:image/jpeg;base64,') and data['summary']['counts'] == summary['counts']
import base64
open('scene.jpg', 'wb').write(base64.b64decode(data['scene'].split(',')[1]))
assert not os.path.exists(folder + '/scene.rgb')"
# The picture of the scene is the first frame, in which the ball is in the middle.
gst-launch-1.0 -q filesrc location=scene.jpg ! jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=scene.raw
check "
pixels = open('scene.raw', 'rb').read()
assert len(pixels) == 320 * 240
bright = [(i % 320, i // 320) for i in range(len(pixels)) if pixels[i] > 128]
middle = [sum(axis) / len(bright) for axis in zip(*bright)]
assert abs(middle[0] - 160) < 6 and abs(middle[1] - 120) < 6, middle"
if [[ ${browser:-} ]]; then
  "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=2000 --dump-dom "file://$PWD/ruled/ball.mp4/index.html" >page 2>/dev/null ||
    die "$browser fails"
  check "
page = open('page').read().split('<main')[1].split('</main>')[0]
assert len(re.findall(r'<path[^>]*class=\"zone\"', page)) == 2 and len(re.findall(r'<line[^>]*class=\"crossed\"', page)) == 2
assert re.search(r'<td>gate</td><td>0</td><td>1</td>', page) and '<td>&lt;script&gt;, \"a\"</td><td>1</td><td>1</td><td>1</td>' in page
assert page.count('<image ') == 1 and 'NaN' not in page"
fi
expect 0 glcl-analyze --elements histogram --rules rules.json --out ruled --resume ball.mp4
check "assert by_name['ball.mp4']['event'] == 'kept'"
expect 0 glcl-analyze --elements histogram,objects --out ruled --resume ball.mp4
check "assert by_name['ball.mp4']['event'] == 'done' and not os.path.exists('ruled/ball.mp4/rules.csv')"
for from in 0 1.2; do
  [[ $from == 0 ]] && range=(--to 1.2) || range=()
  expect 0 glcl-analyze --elements histogram --rules rules.json --part --out "ruled-$from" --from "$from" "${range[@]}" ball.mp4
done
expect 0 glcl-analyze --elements histogram --rules rules.json --out ruled --overwrite ball.mp4
expect 0 glcl-analyze --join --out ruled-joined ruled-1.2/ball.mp4 ruled-0/ball.mp4
for file in events.jsonl rules.csv summary.json index.html; do
  cmp "ruled/ball.mp4/$file" "ruled-joined/ball.mp4/$file" || die "$file of joined parts with rules differs"
done
sed 's/gate/door/' rules.json >other.json
expect 0 glcl-analyze --elements histogram --rules other.json --part --out ruled-1.2 --overwrite --from 1.2 ball.mp4
expect 1 glcl-analyze --join --out ruled-mixed ruled-0/ball.mp4 ruled-1.2/ball.mp4
says 'was made with other rules' errors
sed 's/"inverse": true/"anchor": "ground"/' rules.json >ground.json
expect 2 glcl-analyze --rules ground.json --from 1 ball.mp4
says '--from does not go with rules that have “anchor” ground' errors
sed 's/"inverse": true/"active": ["22:00-06:00"]/' rules.json >night.json
expect 2 glcl-analyze --rules night.json ball.mp4
says 'remove “active”' errors
for wrong in missing.json good.mp4; do
  expect 2 glcl-analyze --rules "$wrong" ball.mp4
  says "--rules=$wrong is invalid" errors
done

# Links in a folder of results are not followed: files outside are neither written nor removed.
mkdir -p outside linked
echo precious >outside/frames.csv
hidden=linked/.glcl-$(printf %s "$PWD/good.mp4" | sha256sum | head -c 12)
ln -s ../outside "$hidden"
expect 1 glcl-analyze --elements histogram --out linked good.mp4
check "assert 'cannot open the folder' in by_name['good.mp4']['reason'], by_name"
rm "$hidden"
mkdir "$hidden" "$hidden/inside"
ln -s ../../outside "$hidden/folder"
ln -s ../../outside/frames.csv "$hidden/frames.csv"
ln -s ../../../outside "$hidden/inside/folder"
mkdir "$hidden-old"
ln -s ../../outside "$hidden-old/folder"
expect 0 glcl-analyze --elements shots,histogram --out linked good.mp4
ln -s ../../outside linked/good.mp4/folder
expect 0 glcl-analyze --elements shots,histogram --out linked --overwrite good.mp4
[[ ! -L linked/good.mp4/frames.csv && ! -e linked/good.mp4/folder ]] || die 'links in the results remain'
[[ $(ls outside) == frames.csv && $(<outside/frames.csv) == precious ]] || die 'files behind a link were changed'
leaves_nothing_hidden linked

# Of simultaneous runs on one file at least one is complete; others report that run or complete too.
# Results are whole.
for run in 1 2 3 4; do
  { "$analyze" --elements histogram --out shared --overwrite good.mp4 >"output-$run" 2>&1 && echo 'done' || echo 'failed'; } >"status-$run" &
  runs[run]=$!
done
wait "${runs[@]}"
grep -q 'done' status-* || die "all simultaneous runs failed: $(cat output-*)"
for run in 1 2 3 4; do
  grep -q 'done' "status-$run" || grep -q 'another run is working on it' "output-$run" || die "a simultaneous run failed: $(<"output-$run")"
done
check "assert json.load(open('shared/good.mp4/summary.json'))['frames'] == len(rows('shared/good.mp4')) == 50"
leaves_nothing_hidden shared

# All kinds of damaged parts are reported.
part=parts-$(sed -n '1s/ .*//p' parts)/archive.mp4
# damaged FILE OLD NEW WORDS: replaces OLD, or the whole file, by NEW; joining then fails with WORDS
damaged() {
  rm -rf broken
  cp -r "$part" broken
  python3 -c "import sys
text = open('broken/' + sys.argv[1], 'rb').read()
assert sys.argv[2].encode() in text
open('broken/' + sys.argv[1], 'wb').write(text.replace(sys.argv[2].encode(), sys.argv[3].encode(), 1) if sys.argv[2] else sys.argv[3].encode())" \
    "$1" "$2" "$3"
  expect 1 glcl-analyze --join --out broken-out broken
  says "$4" errors
  [[ -z $(ls -A broken-out) ]] || die "leaves $(ls -A broken-out)"
}
damaged shots.rgb '"width":160' '"width":-160' 'shots.rgb is damaged: a picture has -160×'
damaged shots.rgb '"height":1' '"height":-1' 'shots.rgb is damaged'
damaged summary.json '"frames": 2' '"frames": -2' 'broken'
damaged summary.json '"from": 0' '"from": "x"' 'broken is damaged'
damaged summary.json '' '[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]' 'is not a JSON object'
damaged summary.json 'archive.mp4"' '.."' 'is not a valid file name'
damaged events.jsonl '{' '[' 'events.jsonl is damaged'
damaged frames.csv '0.0' 'x' 'frames.csv is damaged'

# Escape codes in names are not printed to a terminal.
escape=$'good\e[31m\x7f\u009b31m\u202e.mp4'
cp good.mp4 "$escape"
expect 0 glcl-analyze --elements histogram --out names "$escape"
expect 1 glcl-analyze --elements histogram --out names "$escape" $'no-such\e[31m.mp4'
script -qec "'$analyze' --elements histogram --out names --overwrite good*31m*.mp4 no-such\$'\\e'.mp4" /dev/null </dev/null >terminal || true
status=0
"$analyze" --join $'no-such\e[31m' >>output 2>errors || status=$?
((status == 1)) || die "status $status of --join with a missing folder"
python3 -c "import re
for name in ('output', 'errors', 'terminal'):
    text = open(name, 'rb').read().replace(b'\\r\\x1b[K', b'').replace(b'\\r\\n', b'\\n').decode()
    codes = re.findall('[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]', text)
    assert text and not codes and (name != 'terminal' or '\\u202e' not in text), (name, codes, text)
" || die 'it prints escape codes of names'

# On a full disk no results remain, and an error has the reason.
mkdir small
# shellcheck disable=SC2016
on_small='mount -t tmpfs -o size=64k none small || exit 77
"$@" || status=$?
ls -A small >left
exit "${status:-0}"'
status=0
timeout 100 unshare -rm bash -c "$on_small" - "$analyze" --elements shots,histogram --out small archive.mp4 >output 2>errors || status=$?
if [[ ! -e left ]]; then
  echo "full disk not tested, because this user cannot mount a tmpfs: $(<errors)"
else
  [[ $status == 1 && ! -s left ]] || die "on a full disk: status $status, leaves $(<left)"
  check "assert 'No space left' in by_name['archive.mp4']['reason'], by_name"
fi

# It fails if its output cannot be printed.
status=0
"$analyze" --elements histogram --out full good.mp4 >/dev/full 2>errors || status=$?
[[ $status == 1 && -d full/good.mp4 ]] || die "status $status if output cannot be printed"

# After SIGKILL no folder has the name of the file, and the next run removes incomplete results.
"$analyze" --elements histogram --out killed archive.mp4 >output 2>errors &
for ((i = 0; i < 200; i++)); do
  [[ ! -s $(find killed -name frames.csv 2>/dev/null) ]] || break
  sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null || true
[[ ! -e killed/archive.mp4 ]] || die 'results of a killed run look complete'
[[ -n $(find killed -name frames.csv) ]] || die 'the run was not killed during the analysis'
sleep 0.3
expect 0 glcl-analyze --elements histogram --out killed --resume archive.mp4
leaves_nothing_hidden killed
cut -d , -f 1-4 whole/archive.mp4/frames.csv | cmp - <(cut -d , -f 1-4 killed/archive.mp4/frames.csv) || die 'results after a killed run are not complete'
# An interrupt removes all results of the run.
"$analyze" --elements histogram --out interrupted archive.mp4 >output 2>errors &
for ((i = 0; i < 200; i++)); do
  [[ ! -s $(find interrupted -name frames.csv 2>/dev/null) ]] || break
  sleep 0.05
done
kill -TERM $!
status=0
wait $! || status=$?
[[ $status == 143 && -z $(ls -A interrupted) ]] || die "status $status after SIGTERM, leaves $(ls -A interrupted)"

expect 2 glcl-analyze
expect 2 glcl-analyze --elements none good.mp4
says '--elements=none: unknown name none; choose from shots,histogram,motion,flow,objects,tracks,scope' errors
expect 2 glcl-analyze --overwrite=no good.mp4
says '--overwrite takes no value' errors
expect 2 glcl-analyze --from 5 --to 4 good.mp4
says '--to=4.000000000 is not after --from=5.000000000' errors
expect 2 glcl-analyze --split 0.5 good.mp4
says '--split=0.5' errors
expect 2 glcl-analyze --to x good.mp4
expect 2 glcl-analyze --format parquet good.mp4
says 'Debian does not package' errors
expect 2 glcl-analyze --nonsense good.mp4
expect 0 glcl-analyze --help
says Usage
