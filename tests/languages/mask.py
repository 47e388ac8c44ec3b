#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python can set mask-sample of glclmotion: a picture in memory that limits where objects are detected."""
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

WIDTH, HEIGHT = 160, 120
PIPELINE = f'''videotestsrc pattern=ball num-buffers=40 ! video/x-raw,width={WIDTH},height={HEIGHT} ! glupload ! glcolorconvert !
  glclmotion name=m detect=true camera-compensation=none interval=0 ! fakesink'''


def begun(levels):
    """the boxes of objects that begin; the mask is a row of levels, stretched over the frame"""
    pipeline = Gst.parse_launch(PIPELINE)
    caps = Gst.Caps.from_string(f'video/x-raw,format=GRAY8,width={len(levels)},height=1,framerate=0/1')
    row = bytes(levels) + bytes(-len(levels) % 4)
    pipeline.get_by_name('m').set_property('mask-sample', Gst.Sample.new(Gst.Buffer.new_wrapped(row), caps, None, None))
    pipeline.set_state(Gst.State.PLAYING)
    boxes, types = [], Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT
    while True:
        message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, types)
        assert message, 'no message for a minute'
        if message.type == Gst.MessageType.ERROR:
            raise RuntimeError(message.parse_error())
        if message.type == Gst.MessageType.EOS:
            break
        structure = message.get_structure()
        if structure.get_name() == 'motion-begin':
            boxes.append([structure.get_value(name) for name in ('x', 'y', 'width', 'height')])
    pipeline.set_state(Gst.State.NULL)
    return boxes


Gst.init(None)
EVERYWHERE, RIGHT, NOWHERE = begun([255]), begun([0, 255]), begun([0, 0])
print(f'everywhere {EVERYWHERE}, right {RIGHT}, nowhere {NOWHERE}')
assert EVERYWHERE and min(x for x, _, _, _ in EVERYWHERE) < WIDTH / 2, EVERYWHERE
assert RIGHT and all(x >= WIDTH / 2 - 4 for x, _, _, _ in RIGHT), RIGHT
assert not NOWHERE, NOWHERE
