#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python reads all kinds of results through GObject introspection alone

A ball moves over a black picture. Flow, vectors, points, object, shape and mask all have to be at
its position."""
import math
import struct
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

WIDTH, HEIGHT, FRAMES = 320, 240, 12
FORMATS = {'uint8': 'B', 'int16': 'h', 'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'float32': 'f'}
BALL = f'videotestsrc pattern=ball num-buffers={FRAMES} ! video/x-raw,width={WIDTH},height={HEIGHT},framerate=25/1 ! glupload ! glcolorconvert'
PIPELINE = f'''{BALL} ! glclhistogram attach-meta=true post-messages=false ! glclhough name=shape attach-meta=true post-messages=false !
  glclklt attach-meta=true post-messages=false ! glclmotion detect=true attach-meta=true post-messages=false !
  glopenclflow grid=4 display=none attach-meta=true post-messages=false ! appsink name=sink sync=false'''


def array(fields, name):
    """the valid rows of an array, its type and its shape"""
    kind, shape = fields.get_value(name + '-type'), list(fields.get_value(name + '-shape'))
    buffer = fields.get_value(name)
    numbers = struct.unpack(f'{math.prod(shape)}{FORMATS[kind]}', buffer.extract_dup(0, buffer.get_size()))
    width = math.prod(shape[1:])
    rows = [numbers[i:i + width] for i in range(0, len(numbers), width)]
    if fields.has_field(name + '-count'):
        rows = rows[:array(fields, name + '-count')[0][0][0]]
    return rows, kind, shape


def middle(places):
    return tuple(sum(axis) / len(places) for axis in zip(*places)) if places else None


def grid(rows, step, wanted, numbers=1):
    """the middle of the cells for whose numbers `wanted` is true, in px"""
    return middle([((x + 0.5) * step, (y + 0.5) * step) for y, row in enumerate(rows) for x in range(len(row) // numbers)
                   if wanted(row[x * numbers:(x + 1) * numbers])])


def read(frame, seen):
    fields = {kind: frame.get_custom_meta(kind).get_structure() for kind in ('glclhistogram', 'glclhough', 'glclklt', 'glclmotion', 'glopenclflow')}
    for kind, of in fields.items():
        assert of.get_name() == kind and of.get_value('element'), kind
        assert (of.get_value('width'), of.get_value('height')) == (WIDTH, HEIGHT), kind
    (counts,), kind, shape = array(fields['glclhistogram'], 'counts')
    assert kind == 'uint32' and shape == [1, 256] and sum(counts) == WIDTH * HEIGHT, (kind, shape)

    motion = fields['glclmotion']
    mask, kind, shape = array(motion, 'mask')
    assert kind == 'uint8', kind
    at = grid(mask, HEIGHT / shape[0], lambda number: number[0])
    objects = motion.get_value('objects')
    if not at or not objects:
        return
    places = {'mask': at}
    ball = objects[0]
    places['object'] = (ball.get_value('x') + ball.get_value('width') / 2, ball.get_value('y') + ball.get_value('height') / 2)
    rows, kind, shape = array(motion, 'vectors')
    assert kind == 'int16' and shape == [HEIGHT // 16, WIDTH // 16, 2], (kind, shape)
    places['vectors'] = grid(rows, motion.get_value('cell'), any, 2)

    flow = fields['glopenclflow']
    rows, kind, shape = array(flow, 'vectors')
    assert kind == 'float32' and shape == [HEIGHT // 4, WIDTH // 4, 2], (kind, shape)
    sure, kind, shape = array(flow, 'confidence')
    assert kind == 'float32' and shape == [HEIGHT // 4, WIDTH // 4] and all(0 <= number <= 1 for row in sure for number in row), (kind, shape)
    places['flow'] = grid(rows, 4, lambda vector: math.hypot(*vector) > 1, 2)

    points, kind, shape = array(fields['glclklt'], 'points')
    ids, of_ids, _ = array(fields['glclklt'], 'ids')
    assert kind == 'float32' and shape[1] == 4 and of_ids == 'uint32' and len(points) == len(ids) == len(set(ids)), (kind, shape)
    places['tracks'] = middle([point[:2] for point in points])

    shapes, kind, shape = array(fields['glclhough'], 'list')
    assert kind == 'float32' and shape[1] == 8, (kind, shape)
    places['shape'] = shapes[0][:2] if shapes else None
    for what, place in places.items():
        if place and math.dist(place, places['object']) < 40:
            seen[what] = seen.get(what, 0) + 1
        else:
            print(f'{frame.pts / Gst.SECOND:.2f} s: {what} at {place}, the object at {places["object"]}')


def picture():
    """a picture of the ball, as a sample in memory"""
    pipeline = Gst.parse_launch('videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=64,height=64 ! appsink name=sink')
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name('sink').emit('pull-sample')
    pipeline.set_state(Gst.State.NULL)
    return sample


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(PIPELINE)
    assert pipeline.get_by_name('shape').emit('learn-picture', 'ball', picture()), 'the picture does not work as a template'
    pipeline.set_state(Gst.State.PLAYING)
    sink, seen = pipeline.get_by_name('sink'), {}
    for number in range(FRAMES):
        sample = sink.emit('try-pull-sample', 240 * Gst.SECOND)
        assert sample, f'no frame {number}'
        if number:  # the first frame has no motion
            read(sample.get_buffer(), seen)
    pipeline.set_state(Gst.State.NULL)
    print(seen)
    assert len(seen) == 6 and min(seen.values()) >= FRAMES / 2, seen


main()
