#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""record.py [FILE | /dev/video0]: records clips of motion, and a picture of each

Every frame is encoded and kept for some seconds. On motion-begin of glclmotion, motion-1.mp4 in
the current folder gets the frames of the last two seconds. It gets the following frames until two
seconds after the last object left. The next motion goes to motion-2.mp4; existing numbers are
skipped. motion-1.jpg is the frame in which the object was reported. Without an argument it records a
test picture of a moving ball.
"""
import collections
import itertools
import os
import threading

import common
from common import Gst

BEFORE = AFTER = 2 * Gst.SECOND
LATE = 3 * Gst.SECOND  # longest delay of an event after its frame, as when a file plays faster than a camera


class Frame:
    """an encoded frame"""

    def __init__(self, sample):
        self.buffer = sample.get_buffer()
        # Messages have running times too. An encoder may shift timestamps and its segment alike.
        self.time = sample.get_segment().to_running_time(Gst.Format.TIME, self.buffer.pts)
        self.is_key = not self.buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)


class Clip:
    """a video file that takes encoded frames"""

    def __init__(self, name, caps):
        self.name, self.frames, self.start = name, 0, None
        self.pipeline = Gst.parse_launch(f'appsrc name=frames format=time ! h264parse ! mp4mux ! filesink location={name}')
        self.source = self.pipeline.get_by_name('frames')
        self.source.set_property('caps', caps)
        self.pipeline.set_state(Gst.State.PLAYING)

    def add(self, frame):
        if self.start is None:
            self.start = frame.time
        copy = frame.buffer.copy()
        copy.pts, copy.dts = frame.time - self.start, Gst.CLOCK_TIME_NONE
        self.frames += 1
        self.source.emit('push-buffer', copy)

    def close(self):
        """waits until the file is complete"""
        self.source.emit('end-of-stream')
        message = self.pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        self.pipeline.set_state(Gst.State.NULL)
        complete = message and message.type == Gst.MessageType.EOS
        print(f'{self.name}: {self.frames} frames' if complete else f'{self.name} could not be written', flush=True)


class Recorder:
    """Keeps frames and writes clips; streaming threads bring frames and pictures, the main thread events."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kept, self.caps, self.picture = collections.deque(), None, None
        self.objects, self.last_motion = set(), 0
        self.clip, self.count = None, 0
        self.closing = []

    def on_frame(self, sink):
        sample = sink.emit('pull-sample')
        frame = Frame(sample)
        with self.lock:
            self.caps = sample.get_caps()
            self.kept.append(frame)
            self.drop_before(frame.time - BEFORE - LATE)
            if self.clip:
                self.clip.add(frame)
                if not self.objects and frame.time > self.last_motion + AFTER:
                    self.close()
        return Gst.FlowReturn.OK

    def drop_before(self, before):
        """drops frames before the last key frame that is not after this time"""
        keys = [i for i, frame in enumerate(self.kept) if frame.is_key and frame.time <= before]
        for _ in range(keys[-1] if keys else 0):
            self.kept.popleft()

    def on_picture(self, sink):
        self.picture = sink.emit('pull-sample').get_buffer()
        return Gst.FlowReturn.OK

    def on_event(self, name, fields):
        time, number = fields.get_value('running-time'), fields.get_value('id')
        with self.lock:
            self.last_motion = time
            if name == 'motion-end':
                self.objects.discard(number)
                return
            self.objects.add(number)
            if self.clip or not self.kept:
                return
            self.drop_before(time - BEFORE)
            self.count = next(n for n in itertools.count(self.count + 1) if not os.path.exists(f'motion-{n}.mp4'))
            self.clip = Clip(f'motion-{self.count}.mp4', self.caps)
            for frame in self.kept:
                self.clip.add(frame)
        print(f'{time / Gst.SECOND:.2f} s: motion-{self.count}.mp4', flush=True)
        if self.picture:
            with open(f'motion-{self.count}.jpg', 'wb') as file:
                file.write(self.picture.extract_dup(0, self.picture.get_size()))

    def close(self):
        """closes the clip on another thread, because this one has to handle the next frames"""
        self.closing.append(threading.Thread(target=self.clip.close))
        self.closing[-1].start()
        self.clip = None

    def finish(self):
        with self.lock:
            if self.clip:
                self.close()
        for thread in self.closing:
            thread.join()


def main():
    source = common.argument()
    Gst.init(None)
    # openh264enc is preferred because x264enc refuses odd sizes.
    encoder = ('openh264enc gop-size=25 bitrate=4000000' if Gst.ElementFactory.find('openh264enc')
               else 'x264enc tune=zerolatency speed-preset=veryfast key-int-max=25')
    pipeline = common.pipeline(
        source, 'glclmotion detect=true ! gldownload ! videoconvert ! video/x-raw,format=I420 ! tee name=frames '
        f'frames. ! queue ! {encoder} ! h264parse ! video/x-h264,stream-format=avc,alignment=au ! '
        'appsink name=encoded emit-signals=true sync=false '
        'frames. ! queue leaky=downstream max-size-buffers=1 ! jpegenc ! appsink name=picture emit-signals=true sync=false', frames=200)
    recorder = Recorder()
    pipeline.get_by_name('encoded').connect('new-sample', recorder.on_frame)
    pipeline.get_by_name('picture').connect('new-sample', recorder.on_picture)
    for name, fields in common.messages(pipeline):
        if name in ('motion-begin', 'motion-end'):
            recorder.on_event(name, fields)
    recorder.finish()


main()
