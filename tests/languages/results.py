#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python reads messages and results of the analysers through GObject introspection alone, without overrides."""
import struct
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

WIDTH, HEIGHT, FRAMES = 96, 64, 5
FORMATS = {'uint8': 'B', 'int16': 'h', 'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'float32': 'f'}
PIPELINE = f'''gltestsrc pattern=checkers-8 num-buffers={FRAMES} ! video/x-raw(memory:GLMemory),width={WIDTH},height={HEIGHT} !
  glclhistogram name=h mode=rgb bins=64 interval=0 attach-meta=true !
  glclmotion attach-meta=true interval=0 ! glopenclflow attach-meta=true interval=0 grid=4 ! tee name=t
  t. ! queue ! fakesink name=whole signal-handoffs=true
  t. ! queue ! gldownload ! videoconvert ! videoscale ! video/x-raw,width=48,height=32 ! fakesink name=small signal-handoffs=true'''


def array(structure, field):
    """the numbers and the shape of an array; mapping it reads it back from the device"""
    buffer, shape = structure.get_value(field), structure.get_value(field + '-shape')
    code = FORMATS[structure.get_value(field + '-type')]
    mapped, info = buffer.map(Gst.MapFlags.READ)
    assert mapped, f'{field} is not mapped'
    data = bytes(info.data)
    buffer.unmap(info)
    count = 1
    for length in shape:
        count *= length
    numbers = struct.unpack(f'{count}{code}', data)
    return numbers, shape


def result(buffer, kind):
    meta = buffer.get_custom_meta(kind)
    return meta.get_structure() if meta else None


class Reader:
    def __init__(self):
        self.counts, self.seen = {}, {'whole': 0, 'small': 0}
        self.failure = None

    def on_frame(self, sink, buffer, _pad):
        try:
            self.read(sink.get_name(), buffer)
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = self.failure or failure

    def read(self, sink, buffer):
        histogram = result(buffer, 'glclhistogram')
        counts, shape = array(histogram, 'counts')
        assert shape == [3, 64] and sum(counts) == 3 * WIDTH * HEIGHT, shape
        assert histogram.get_value('element') == 'h' and histogram.get_value('mode') == 'rgb'
        self.counts[buffer.pts] = [list(counts[64 * i:64 * (i + 1)]) for i in range(3)]
        if self.seen[sink]:  # the first frame has no vectors
            motion = result(buffer, 'glclmotion')
            vectors, shape = array(motion, 'vectors')
            assert shape == [4, 6, 2] and not any(vectors), (shape, vectors)
            assert len(array(motion, 'costs')[0]) == 24
            assert motion.get_value('width') == WIDTH and motion.get_value('height') == HEIGHT
            flow = result(buffer, 'glopenclflow')
            vectors, shape = array(flow, 'vectors')
            assert shape == [16, 24, 2] and max(map(abs, vectors)) < 0.1, shape
            sure, shape = array(flow, 'confidence')
            assert shape == [16, 24] and len(sure) == 16 * 24 and all(0 <= c <= 1 for c in sure), shape
            (count,), _ = array(flow, 'list-count')
            assert 0 <= count <= array(flow, 'list')[1][0]
        self.seen[sink] += 1


def main():
    Gst.init(None)
    Gst.MapInfo  # pylint: disable=pointless-statement; if two threads use it first, each creates an incompatible class
    pipeline = Gst.parse_launch(PIPELINE)
    reader = Reader()
    for name in reader.seen:
        pipeline.get_by_name(name).connect('handoff', reader.on_frame)
    pipeline.set_state(Gst.State.PLAYING)
    messages, types = [], Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT
    while True:
        message = pipeline.get_bus().timed_pop_filtered(240 * Gst.SECOND, types)
        assert message, 'no message for four minutes'
        if message.type == Gst.MessageType.ERROR:
            raise RuntimeError(message.parse_error())
        if message.type == Gst.MessageType.EOS:
            break
        messages.append(message.get_structure())
    pipeline.set_state(Gst.State.NULL)
    if reader.failure:
        raise reader.failure
    assert reader.seen == {'whole': FRAMES, 'small': FRAMES}, reader.seen
    kinds = [message.get_name() for message in messages]
    assert kinds.count('glclhistogram') == FRAMES and kinds.count('glopenclflow') == FRAMES - 1, kinds
    for message in messages:
        if message.get_name() == 'glclhistogram':
            assert message.get_value('counts') == reader.counts[message.get_value('timestamp')]
            assert len(message.get_value('mean')) == 3 and 0 < message.get_value('mean')[0] < 255
    print(f'{len(messages)} messages, {sum(reader.seen.values())} frames')


main()
