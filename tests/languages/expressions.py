#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python can read every field of messages and results in one expression, without a reference to the structure

The values equal those that are read while a variable holds the structure. Fields of the structures
in a list are also available as plain arrays."""
import gc
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

WIDTH, HEIGHT, FRAMES = 320, 240, 20
LISTS = {'glclhough': ('template', 'x', 'y', 'angle', 'scale', 'score'),
         'glclmotion': ('id', 'x', 'y', 'width', 'height', 'velocity-x', 'velocity-y', 'score', 'age')}
LISTS['objects'] = LISTS['glclmotion']
PIPELINE = f'''videotestsrc pattern=ball num-buffers={FRAMES} ! video/x-raw,width={WIDTH},height={HEIGHT},framerate=25/1 ! glupload !
  glcolorconvert ! glclhistogram interval=0 attach-meta=true mode=rgb bins=64 ! glclhough name=shape interval=0 attach-meta=true !
  glclklt interval=0 attach-meta=true ! glclmotion detect=true interval=0 attach-meta=true !
  glopenclflow grid=4 display=none interval=0 attach-meta=true ! appsink name=sink sync=false'''


def churn():
    """reuses freed memory, so that dangling values change"""
    gc.collect()
    return [Gst.Structure.new_empty(f'other-{number}') for number in range(200)]


def names_of(fields):
    return [fields.nth_field_name(number) for number in range(fields.n_fields())]


def content(value):
    """the bytes of an array that is a buffer on the device; other values unchanged"""
    return value.extract_dup(0, value.get_size()) if isinstance(value, Gst.Buffer) else value


def check(holder, structure_of, read):
    """reads each field from a variable and from the temporary `structure_of(holder)`, and compares"""
    fields = structure_of(holder)
    kind = fields.get_name()
    for name in names_of(fields):
        value = fields.get_value(name)
        if isinstance(value, list) and value and isinstance(value[0], Gst.Structure):
            for column in LISTS[kind]:
                inside = [thing.get_value(column) for thing in value]
                plain, _ = structure_of(holder).get_value(f'{name}-{column}'), churn()
                assert plain == inside, (kind, name, column, plain, inside)
            read[kind, name] = read.get((kind, name), 0) + len(value)
        elif name == 'objects':
            assert value == [] and all(structure_of(holder).get_value(f'{name}-{column}') == [] for column in LISTS[kind]), (kind, name)
        else:
            plain, _ = content(structure_of(holder).get_value(name)), churn()
            assert plain == content(value), (kind, name, plain, value)
            read[kind, name] = read.get((kind, name), 0) + 1


def picture():
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
    sink, of_results, of_messages = pipeline.get_by_name('sink'), {}, {}
    for number in range(FRAMES):
        sample = sink.emit('try-pull-sample', 240 * Gst.SECOND)
        assert sample, f'no frame {number}'
        frame = sample.get_buffer()
        for kind in ('glclhistogram', 'glclhough', 'glclklt', 'glclmotion', 'glopenclflow'):
            if frame.get_custom_meta(kind):  # the first frame has no motion
                check(frame, lambda frame, kind=kind: frame.get_custom_meta(kind).get_structure(), of_results)
    bus, types = pipeline.get_bus(), Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT
    while True:
        message = bus.timed_pop_filtered(240 * Gst.SECOND, types)
        assert message and message.type != Gst.MessageType.ERROR, message and message.parse_error()
        if message.type == Gst.MessageType.EOS:
            break
        check(message, lambda message: message.get_structure(), of_messages)
    pipeline.set_state(Gst.State.NULL)
    kinds = {kind for kind, _ in of_results}, {kind for kind, _ in of_messages}
    assert len(kinds[0]) == 5 and {*kinds[0], 'objects', 'motion-begin'} <= kinds[1], kinds
    for seen, kind in ((of_results, 'glclmotion'), (of_messages, 'glclhough'), (of_messages, 'objects')):
        assert seen.get((kind, 'objects'), 0) >= 3, f'{kind}: no objects'
    print(f'{len(of_results)} fields of results, {len(of_messages)} of messages')


main()
