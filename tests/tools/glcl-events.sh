#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# glcl-events.sh: checks the output and the exit status of glcl-events
set -euo pipefail
events=$GLCL_BUILD/tools/glcl-events
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

die() {
  echo "glcl-events.sh: $*" >&2
  cat output errors >&2
  exit 1
}

# expect STATUS [WORDS...]: glcl-events exits with the status; its output goes to the files output and
# errors
expect() {
  local wanted=$1 status=0
  shift
  echo "glcl-events $*"
  timeout 60 "$events" "$@" >output 2>errors || status=$?
  ((status == wanted)) || die "exit status $status, expected $wanted"
}

frames='videotestsrc pattern=black num-buffers=4 ! video/x-raw,width=64,height=32 ! glupload ! glcolorconvert !'
read -ra source <<<"$frames"

expect 0 "${source[@]}" glclhistogram name=h mode=rgb interval=0 ! glclmotion interval=0 ! fakesink
python3 - <<'PYTHON' || die 'the messages are wrong'
import json

lines = [json.loads(line) for line in open('output', encoding='utf-8')]
histograms = [line for line in lines if line['message'] == 'glclhistogram']
assert [line['timestamp'] for line in histograms] == [0, 33333333, 66666666, 100000000]
for line in histograms:
    assert line['element'] == 'h' and line['mode'] == 'rgb' and line['pixels'] == 2048
    assert [sum(counts) for counts in line['counts']] == [2048] * 3 and len(line['mean']) == 3
motion = [line for line in lines if line['message'] == 'glclmotion']
assert len(motion) == 3 and all(line['psnr'] is None for line in motion)  # the PSNR of equal frames is infinite
PYTHON

expect 0 --message glclmotion "${source[@]}" glclhistogram interval=0 ! glclmotion interval=0 ! fakesink
[[ $(grep -c . output) == 3 ]] || die 'not three messages'

expect 0 --all "${source[@]}" glclhistogram interval=0 ! fakesink name=end
python3 - <<'PYTHON' || die 'messages are missing'
import json

lines = [json.loads(line) for line in open('output', encoding='utf-8')]
names = [line['message'] for line in lines]
assert names.count('glclhistogram') == 4 and names[-1] == 'eos' and {'stream-start', 'stream-status'} <= set(names), names
assert any(line['element'] == 'end' and line['message'] == 'state-changed' and line['new-state'] == 'paused' for line in lines), lines
PYTHON
expect 1 --message error filesrc location=missing ! fakesink
grep -q '^{"message":"error","element":"filesrc0",.*missing' output || die 'no error as JSON'
[[ $(grep -c . output) == 1 ]] || die 'more than the error'

expect 1 "${source[@]}" glclhistogram device=none-such ! fakesink
grep -q 'none-such' errors || die 'does not print the error'
[[ ! -s output ]] || die 'writes an error to standard output'

expect 2
expect 2 --nonsense fakesrc ! fakesink
grep -q 'unknown option --nonsense; the options are --all' errors || die 'does not name the options'
expect 2 --message
grep -q -- '--message needs' errors || die 'does not name the missing value'
expect 2 nosuchelement
grep -q nosuchelement errors || die 'does not name the element'
expect 0 --version
grep -qx 'glcl-events [0-9.]*' output || die 'has no version'
expect 0 --help
grep -q Usage output || die 'has no help'

# A ball enters the zone, loiters, crosses the line and leaves. A wrong line is refused by the schema.
cat >rules.json <<'JSON'
{ "zones": [ { "name": "left +1/#<&\u0001\"", "polygon": [[0.6, 0], [0.75, 0], [0.75, 1], [0.6, 1]], "loiter": 0.2, "count": 1 } ],
  "lines": [ { "name": "gate", "from": [0.7, 0], "to": [0.7, 1] } ],
  "world": { "points": [[0, 1], [1, 1], [1, 0.2], [0, 0.2]], "metres": [[0, 0], [10, 0], [10, 9], [0, 9]] } }
JSON
ball=(videotestsrc pattern=ball num-buffers=30 ! 'video/x-raw,width=320,height=240,framerate=25/1' ! glupload ! glcolorconvert !
  glclmotion name=m detect=true rules=rules.json ! fakesink)
expect 0 --rules --start=2024-05-01T14:00:00+02 "${ball[@]}"
cp output rules
python3 - "$GLCL_SOURCE/docs/events.schema.json" <<'PYTHON' || die 'the events of rules are wrong'
import datetime, json, re, sys

TYPES = {'string': str, 'integer': int, 'number': (int, float), 'null': type(None), 'object': dict}


def fits(value, schema):
    """whether a value fits a schema that has only these keywords"""
    assert set(schema) <= {'$schema', 'title', 'type', 'enum', 'const', 'minimum', 'pattern', 'required', 'properties',
                           'additionalProperties', 'oneOf'}, schema
    kinds = schema.get('type', [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    properties = schema.get('properties', {})
    return ((not kinds or any(isinstance(value, TYPES[kind]) for kind in kinds)) and value in schema.get('enum', [value])
            and value == schema.get('const', value) and (value is None or 'minimum' not in schema or value >= schema['minimum'])
            and ('pattern' not in schema or re.search(schema['pattern'], value) is not None)
            and all(name in value for name in schema.get('required', []))
            and all(fits(value[name], each) for name, each in properties.items() if isinstance(value, dict) and name in value)
            and ('additionalProperties' not in schema or set(value) <= set(properties))
            and ('oneOf' not in schema or sum(fits(value, each) for each in schema['oneOf']) == 1))


schema = json.load(open(sys.argv[1], encoding='utf-8'))
events = [json.loads(line) for line in open('rules', encoding='utf-8')]
assert [event['message'] for event in events] == ['zone-enter', 'zone-count', 'zone-loiter', 'line-cross', 'zone-leave', 'zone-count'], events
begin = datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.timezone.utc)
for event in events:
    assert fits(event, schema), event
    assert (event['element'], event['frame-width'], event['frame-height']) == ('m', 320, 240), event
    time = datetime.datetime.fromisoformat(event['utc'].replace('Z', '+00:00'))
    assert time - begin == datetime.timedelta(microseconds=event['running-time'] / 1000), event
    for name in event:
        less = {key: value for key, value in event.items() if key != name}
        assert fits(less, schema) == (name in ('speed', 'size', 'speed-error', 'size-error')), name
    assert not fits({**event, 'other': 1}, schema) and not fits({**event, 'utc': '12:00'}, schema)
    assert not fits({**event, 'message': 'light-switch'}, schema) and not fits({**event, 'timestamp': '1'}, schema)
PYTHON
expect 0 --rules --message zone-count --message shot "${ball[@]}"
[[ $(grep -c '"message":"zone-count"' output) == 2 && $(grep -c . output) == 2 ]] || die 'not two events'
before=$(date +%s)
expect 0 --mqtt-topic cameras/door "${ball[@]}"
after=$(date +%s)
[[ $(cut -d ' ' -f 1 output | sort -u | xargs) == 'cameras/door/line-cross/gate cameras/door/zone-count/left__1______ cameras/door/zone-enter/left__1______ cameras/door/zone-leave/left__1______ cameras/door/zone-loiter/left__1______' ]] || die 'wrong topics'
cut -d ' ' -f 2- output | sed 's/"utc":"[^"]*"/"utc":"T"/' | cmp - <(sed 's/"utc":"[^"]*"/"utc":"T"/' rules) || die 'other events with topics'
python3 - "$before" "$after" <<'PYTHON' || die 'the times of day are wrong'
import datetime, json, sys

for line in open('output', encoding='utf-8'):
    event = json.loads(line.split(' ', 1)[1])
    start = datetime.datetime.fromisoformat(event['utc'].replace('Z', '+00:00')).timestamp() - event['running-time'] / 1e9
    assert int(sys.argv[1]) <= start <= int(sys.argv[2]) + 1, event
PYTHON
for wrong in --mqtt-topic= '--mqtt-topic=a/+' --mqtt-topic=a# '--mqtt-topic=a b' --mqtt-topic=a/ $'--mqtt-topic=\xff' --start=noon; do
  expect 2 --rules "$wrong" fakesrc
  grep -q -- "${wrong%%=*}=.*give" errors || die "does not refuse $wrong"
done
for others in '--all --rules' '--all --onvif' '--onvif --rules' '--onvif --mqtt-topic=a'; do
  # shellcheck disable=SC2086
  expect 2 $others fakesrc
  grep -q 'exclude each other' errors || die "accepts $others"
done
expect 2 --start=2024-05-01T12:00:00Z fakesrc
grep -q -- '--start needs --utc, --rules, --mqtt-topic or --onvif' errors || die 'does not name the missing option'
expect 2 --onvif --utc fakesrc

# --utc adds the time of day to every message; a frame that is 40 ms later is 40 ms later there.
expect 0 --utc --start=2024-05-01T12:00:00Z videotestsrc num-buffers=4 ! video/x-raw,width=64,height=48,framerate=25/1 ! glupload ! \
  glcolorconvert ! glclhistogram interval=0 ! fakesink
python3 -c 'import json
times = [json.loads(line)["utc"] for line in open("output")]
assert times == [f"2024-05-01T12:00:00.{number * 40:03}000Z" for number in range(4)], times' || die 'the times of day are wrong'
expect 2 --mqtt-topic
grep -q -- '--mqtt-topic needs' errors || die 'does not name the missing topic'

# Events of the camera: somebody covers a lens, and then the picture is frozen.
python3 - <<'PYTHON'
import random

random.seed(1)
width, height = 160, 120
blocks = [[random.randrange(40, 200) for _ in range(width // 8)] for _ in range(height // 8)]
with open('film.raw', 'wb') as film:
    for i in range(110):
        hidden = width * min(max(i - 40, 0) / 4, 1) if i < 70 else 0
        if i <= 90:
            luma = bytes(random.randrange(29, 32) if x < hidden else min(max(blocks[y // 8][x // 8] + random.randrange(-3, 4), 0), 255)
                         for y in range(height) for x in range(width))
        film.write(luma + bytes([128]) * (width * height // 2))
PYTHON
film=(filesrc location=film.raw blocksize=28800 ! rawvideoparse width=160 height=120 framerate=10/1 format=i420 ! glupload ! glcolorconvert !
  glclmotion name=m detect=true interval=3600000000000
  'rules={"events": ["camera-covered", "camera-frozen"], "frozen-duration": 1}' ! fakesink)
expect 0 --rules --start=2024-05-01T12:00:00Z "${film[@]}"
cp output rules
expect 0 --onvif --start=2024-05-01T12:00:00Z "${film[@]}"
python3 - "$GLCL_SOURCE/docs/events.schema.json" <<'PYTHON' || die 'the events of the camera are wrong'
import json, sys
import xml.etree.ElementTree as xml

schema = json.load(open(sys.argv[1], encoding='utf-8'))
events = [json.loads(line) for line in open('rules', encoding='utf-8')]
assert [event['message'] for event in events] == [
    f'camera-{name}-{end}' for name in ('covered', 'frozen') for end in ('begin', 'end')], events
for event, seconds in zip(events, (2, 2.6, 1, 1.8)):
    assert abs(event['scene-duration'] / 1e9 - seconds) <= 0.11, event
    assert set(event) <= set(schema['properties']) and event['message'] in schema['properties']['message']['enum'], event
    fitting = [one for one in schema['oneOf'] if event['message'] in one['properties']['message'].get('enum', [])]
    assert len(fitting) == 1 and set(fitting[0]['required']) <= set(event), event
TT, WSNT = '{http://www.onvif.org/ver10/schema}', '{http://docs.oasis-open.org/wsn/b-2}'
states = []
for line in open('output', encoding='utf-8'):
    document = xml.fromstring(line)
    for event in document.findall(f'{TT}Event'):
        assert len(document) == 1, line
        note = event.find(f'{WSNT}NotificationMessage')
        message = note.find(f'{WSNT}Message/{TT}Message')
        assert note.find(f'{WSNT}Topic').text == 'tns1:VideoSource/GlobalSceneChange/AnalyticsService', line
        assert message.get('PropertyOperation') == 'Changed', line
        items = [(item.get('Name'), item.get('Value')) for item in message.iter(f'{TT}SimpleItem')]
        assert items[0] == ('Source', 'm') and items[1][0] == 'State' and len(items) == 2, line
        states.append((message.get('UtcTime'), items[1][1]))
assert states == [(event['utc'], end) for event, end in zip(events, ('true', 'false'))], states
PYTHON

# ONVIF: names, order and namespaces as in its schema, boxes from -1 to 1 with y up.
expect 0 --onvif --start=2024-05-01T12:00:00Z "${ball[@]:0:8}" glclmotion name='a<"&' interval=0 detect=true rules=rules.json ! fakesink
cp output onvif
expect 0 --start=2024-05-01T12:00:00Z --rules "${ball[@]:0:8}" glclmotion name='a<"&' interval=0 detect=true rules=rules.json ! fakesink
cp output rules
expect 0 --message objects --message motion-begin --message motion-end "${ball[@]:0:8}" glclmotion interval=0 detect=true ! fakesink
python3 - <<'PYTHON' || die 'the metadata of ONVIF are wrong'
import json, re
import xml.etree.ElementTree as xml

TT, WSNT = '{http://www.onvif.org/ver10/schema}', '{http://docs.oasis-open.org/wsn/b-2}'
# The children of each element in their order, * for any number, ? for at most one, and the attributes, ? if
# optional, of metadatastream.xsd, common.xsd and b-2.xsd
FORMS = {
    TT + 'MetadataStream': ([('VideoAnalytics', '*'), ('Event', '*')], {}),
    TT + 'VideoAnalytics': ([('Frame', '*')], {}),
    TT + 'Frame': ([('Object', '*'), ('ObjectTree', '?')], {'UtcTime': str, 'Source?': str}),
    TT + 'ObjectTree': ([('Delete', '*')], {}),
    TT + 'Delete': ([], {'ObjectId': int}),
    TT + 'Object': ([('Appearance', '?')], {'ObjectId': int}),
    TT + 'Appearance': ([('Shape', '?')], {}),
    TT + 'Shape': ([('BoundingBox', ''), ('CenterOfGravity', '')], {}),
    TT + 'BoundingBox': ([], {'left': float, 'top': float, 'right': float, 'bottom': float}),
    TT + 'CenterOfGravity': ([], {'x': float, 'y': float}),
    TT + 'Event': ([(WSNT + 'NotificationMessage', '*')], {}),
    WSNT + 'NotificationMessage': ([(WSNT + 'Topic', ''), (WSNT + 'Message', '')], {}),
    WSNT + 'Topic': ([], {'Dialect': str}),
    WSNT + 'Message': ([('Message', '')], {}),
    TT + 'Message': ([('Source', '?'), ('Key', '?'), ('Data', '?')], {'UtcTime': str, 'PropertyOperation?': str}),
    TT + 'SimpleItem': ([], {'Name': str, 'Value': str}),
}
for name in ('Source', 'Key', 'Data'):
    FORMS[TT + name] = ([('SimpleItem', '*')], {})


def check(element):
    children, attributes = FORMS[element.tag]
    order = ''.join(f'({re.escape(name if name[0] == "{" else TT + name)} ){often}' for name, often in children)
    assert re.fullmatch(order, ''.join(child.tag + ' ' for child in element)), element.tag
    assert set(element.attrib) <= {name.rstrip('?') for name in attributes}, element.attrib
    for name, kind in attributes.items():
        assert name.endswith('?') or name in element.attrib, (element.tag, name)
        kind(element.get(name.rstrip('?'), ''))
    if 'UtcTime' in element.attrib:
        assert re.fullmatch(r'2024-05-01T12:00:0\d\.\d{6}Z', element.get('UtcTime')), element.attrib
    for child in element:
        check(child)


def box(event):
    """the box of a message in ONVIF's coordinates"""
    left, top, right, bottom = event['x'], event['y'], event['x'] + event['width'], event['y'] + event['height']
    return [left / 160 - 1, 1 - top / 120, right / 160 - 1, 1 - bottom / 120]


def seen(object):
    shape = object.find(f'{TT}Appearance/{TT}Shape')
    edges = [float(shape.find(TT + 'BoundingBox').get(name)) for name in ('left', 'top', 'right', 'bottom')]
    centre = [float(shape.find(TT + 'CenterOfGravity').get(name)) for name in 'xy']
    assert -1 <= edges[0] < centre[0] < edges[2] <= 1 and -1 <= edges[3] < centre[1] < edges[1] <= 1, (edges, centre)
    return int(object.get('ObjectId')), edges


def same(a, b):
    return len(a) == len(b) and all(i == j and all(abs(x - y) < 1e-6 for x, y in zip(s, t)) for (i, s), (j, t) in zip(a, b))


documents = [xml.fromstring(line.encode()) for line in open('onvif', encoding='utf-8')]
for document in documents:
    assert document.tag == TT + 'MetadataStream'
    check(document)
frames = [document.find(f'{TT}VideoAnalytics/{TT}Frame') for document in documents if document.find(TT + 'Event') is None]
messages = [json.loads(line) for line in open('output', encoding='utf-8')]
assert len(frames) == len(messages) > 20, (len(frames), len(messages))
for frame, message in zip(frames, messages):
    assert frame.get('Source') == 'a<"&' and frame.get('UtcTime')[17:26] == f'{message["timestamp"] / 1e9:09.6f}', frame.attrib
    if message['message'] == 'motion-end':
        assert [int(gone.get('ObjectId')) for gone in frame.find(TT + 'ObjectTree')] == [message['id']]
    else:
        objects = message.get('objects', [message])
        assert same([seen(object) for object in frame.findall(TT + 'Object')], [(each['id'], box(each)) for each in objects])

rules = [json.loads(line) for line in open('rules', encoding='utf-8')]
rules = [event for event in rules if event['message'] in ('zone-enter', 'zone-leave', 'line-cross')]
documents = [document for document in documents if document.find(TT + 'Event') is not None]
assert len(rules) == len(documents) == 3
for event, document in zip(rules, documents):
    assert same([seen(document.find(f'.//{TT}Object'))], [(event['id'], box(event))])
    topic, message = document.find(f'.//{WSNT}Topic'), document.find(f'.//{WSNT}Message/{TT}Message')
    items = {part.tag: {item.get('Name'): item.get('Value') for item in part} for part in message}
    crosses = event['message'] == 'line-cross'
    assert topic.get('Dialect') == 'http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet'
    assert topic.text == 'tns1:RuleEngine/' + ('LineDetector/Crossed' if crosses else 'FieldDetector/ObjectsInside')
    assert message.get('UtcTime') == event['utc'] and message.get('PropertyOperation') == (None if crosses else 'Changed')
    rule = 'gate' if crosses else 'left +1/#<&?"'
    assert items[TT + 'Source'] == {'VideoSourceConfigurationToken': 'a<"&', 'VideoAnalyticsConfigurationToken': 'a<"&', 'Rule': rule}, items
    number = {'ObjectId': str(event['id'])}
    assert items.get(TT + 'Key') == (None if crosses else number), items
    assert items[TT + 'Data'] == (number if crosses else {'IsInside': str(event['message'] == 'zone-enter').lower()}), items
for line in open('onvif', encoding='utf-8'):
    assert 'xmlns:tns1="http://www.onvif.org/ver10/topics"' in line
PYTHON

# It ends well on an interrupt, and stops if its output is closed.
rm output
"$events" videotestsrc is-live=true ! glupload ! glcolorconvert ! glclhistogram ! fakesink >output 2>errors &
for ((i = 0; i < 300; i++)); do
  [[ ! -s output ]] || break
  sleep 0.1
done
kill -INT $!
wait $! || die "exit status $? after an interrupt"
[[ -s output ]] || die 'no message of a live pipeline'
status=0
timeout 60 "$events" videotestsrc ! glupload ! glcolorconvert ! glclhistogram interval=0 ! fakesink 2>errors | head -n 1 >output ||
  status=$?
((status == 1)) || die "exit status $status if output is closed"
! grep 'standard output' errors || die 'prints an error if output is closed'
for words in --help --version 'videotestsrc num-buffers=1 ! glupload ! glcolorconvert ! glclhistogram ! fakesink' \
  '--message eos videotestsrc num-buffers=1 ! fakesink'; do
  status=0
  # shellcheck disable=SC2086
  timeout 60 "$events" $words >/dev/full 2>errors || status=$?
  ((status == 1)) || die "exit status $status of glcl-events $words on a full disk"
  grep -q "standard output can't be written" errors || die 'does not say that the disk is full'
done

# Escape codes in names are not printed.
expect 1 filesrc location=$'no-such\e[31m\u009b31m' ! fakesink
grep -qF 'no-such?[31m' errors || die 'does not name the file'
! grep -q $'\e\\|\u009b' output errors || die 'prints escape codes of a name'
