#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""preview.py [FILE | /dev/video0]: shows a camera with its histogram, and a label that follows a moving object

Two analysers get the same frames: glclhistogram attaches its plot as an overlay (attach-overlay),
glclmotion detects moving objects (detect) and attaches their positions (attach-meta). A probe before
textoverlay reads the position from each frame, so the label fits this frame however late the window
shows it. The default is the first camera, or a test picture of a moving ball without a camera.
"""
import os

import common
from common import Gst


class Label:
    """The label, and the object that it follows."""

    def __init__(self, text):
        self.text, self.object, self.labelled = text, None, 0

    def on_frame(self, _pad, info):
        """moves the label to the object

        Runs on the streaming thread before textoverlay draws; its properties may change while it
        plays."""
        fields = common.result(info.get_buffer(), 'glclmotion')
        objects = {thing.get_value('id'): thing for thing in fields.get_value('objects')} if fields else {}
        if self.object not in objects:  # the object has left: take the oldest one
            self.object = max(objects, key=lambda number: objects[number].get_value('age'), default=None)
        self.text.set_property('silent', self.object is None)
        if self.object is None:
            return Gst.PadProbeReturn.OK
        thing = objects[self.object]
        x, y, width, height, speed_x, speed_y = map(thing.get_value, ('x', 'y', 'width', 'height', 'velocity-x', 'velocity-y'))
        self.text.set_property('text', f'{self.object}: {(speed_x ** 2 + speed_y ** 2) ** 0.5:.1f} px')
        # textoverlay positions the middle of the text, from 0 to 1.
        self.text.set_property('xpos', min(max((x + width / 2) / fields.get_value('width'), 0), 1))
        self.text.set_property('ypos', min(max((y + height / 2) / fields.get_value('height'), 0), 1))
        self.labelled += 1
        return Gst.PadProbeReturn.OK


def main():
    source = common.argument() or ('/dev/video0' if os.path.exists('/dev/video0') else None)
    sink = 'glimagesink sync=false' if common.headless() else 'glimagesink'  # without a screen: as fast as possible
    pipeline = common.pipeline(
        source, 'glclhistogram mode=rgb display=overlay attach-overlay=true post-messages=false ! '
        'glclmotion detect=true attach-meta=true display=objects attach-overlay=true ! '
        'textoverlay name=text halignment=position valignment=position font-desc="Sans 18" ! ' + sink, frames=100)
    text = pipeline.get_by_name('text')
    label = Label(text)
    text.get_static_pad('video_sink').add_probe(Gst.PadProbeType.BUFFER, label.on_frame)
    for name, fields in common.messages(pipeline):
        if name in ('motion-begin', 'motion-end'):
            print(f'{fields.get_value("stream-time") / Gst.SECOND:.2f} s: {name} {fields.get_value("id")}')
    print(f'{label.labelled} frames had a label on a moving object')


main()
