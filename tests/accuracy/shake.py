#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""shake.py [SETTINGS]... [--all]: shake of hand-held film before and after stabilization, beside vidstab

The shake is the root mean square of the change of the camera's motion from frame to frame, px at the
middle of the picture. OpenCV measures the motion: a similarity of sparse features. Each SETTINGS, such
as "smoothing=25 margin=0.05", makes a column of its own. vidstab works in two passes over the whole
film, with a zoom of 25 %, which crops as much as glclklt does by default. The test fails if a
stabilized picture shakes more than its input."""
import os
import pathlib
import subprocess
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    import cv2
    import numpy
except (ImportError, ValueError) as missing:
    print(f'SKIP: {missing}')
    sys.exit(77)

WIDTH, HEIGHT = 640, 360


def film(file, *filters):
    """the frames of a film, after filters of ffmpeg"""
    command = ['ffmpeg', '-v', 'error', '-i', file, '-vf', ','.join([f'scale={WIDTH}:{HEIGHT}', *filters]), '-fps_mode', 'passthrough',
               '-pix_fmt', 'gray', '-f', 'rawvideo', '-']
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(output, numpy.uint8).reshape(-1, HEIGHT, WIDTH)


def stabilized(frames, settings):
    """the frames after glclklt with these settings"""
    caps = f'video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate=25/1'
    pipeline = Gst.parse_launch(f'appsrc name=source format=time caps={caps} ! glupload ! glcolorconvert ! '
                                f'glclklt stabilize=true post-messages=false {settings} ! gldownload ! video/x-raw,format=GRAY8 ! '
                                'appsink name=sink sync=false max-buffers=4')
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    source.set_property('block', True)
    source.set_property('max-buffers', 4)
    pipeline.set_state(Gst.State.PLAYING)
    pushed, pulled = 0, []
    while len(pulled) < len(frames):
        while pushed < len(frames) and pushed < len(pulled) + 60:
            buffer = Gst.Buffer.new_wrapped(frames[pushed].tobytes())
            buffer.pts, buffer.duration = pushed * 40 * Gst.MSECOND, 40 * Gst.MSECOND
            source.emit('push-buffer', buffer)
            pushed += 1
            if pushed == len(frames):
                source.emit('end-of-stream')
            sample = sink.emit('try-pull-sample', 0)
            if sample:
                pulled.append(picture(sample))
        sample = sink.emit('try-pull-sample', 60 * Gst.SECOND)
        if not sample:
            break
        pulled.append(picture(sample))
    pipeline.set_state(Gst.State.NULL)
    return numpy.array(pulled)


def picture(sample):
    """the grey levels of a sample"""
    data = sample.get_buffer().extract_dup(0, WIDTH * HEIGHT)
    return numpy.frombuffer(data, numpy.uint8).reshape(HEIGHT, WIDTH)


def by_vidstab(file, scratch):
    """the frames after vidstab"""
    found = scratch / 'transforms'
    film(file, f'vidstabdetect=result={found}')
    return film(file, f'vidstabtransform=input={found}:optzoom=0:zoom=25:interpol=bicubic')


def motion(before, after):
    """the motion between two pictures: x, y at the middle, rotation, growth"""
    middle = numpy.array([WIDTH / 2, HEIGHT / 2])
    points = cv2.goodFeaturesToTrack(before, 400, 0.01, 10)
    if points is None or len(points) < 8:
        return None
    moved, found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=(15, 15), maxLevel=4)
    back, again, _ = cv2.calcOpticalFlowPyrLK(after, before, moved, None, winSize=(15, 15), maxLevel=4)
    good = (found & again).ravel().astype(bool) & (numpy.abs(points - back).max(axis=(1, 2)) < 0.5)
    if good.sum() < 8:
        return None
    matrix, _ = cv2.estimateAffinePartial2D(points[good], moved[good], ransacReprojThreshold=1.5)
    if matrix is None:
        return None
    x, y = matrix[:, :2] @ middle + matrix[:, 2] - middle
    return numpy.array([x, y, numpy.arctan2(matrix[1, 0], matrix[0, 0]), numpy.hypot(matrix[0, 0], matrix[1, 0]) - 1])


def shake(frames):
    """root mean square of the changes of motion: px, and mrad of rotation"""
    motions = [motion(*pair) for pair in zip(frames, frames[1:])]
    changes = numpy.array([b - a for a, b in zip(motions, motions[1:]) if a is not None and b is not None])
    return numpy.hypot(changes[:, 0], changes[:, 1]).__pow__(2).mean() ** 0.5, 1000 * (changes[:, 2] ** 2).mean() ** 0.5
