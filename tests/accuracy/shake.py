#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""shake.py [--all] [SETTINGS]...: shake of hand-held film before and after stabilization

The shake is the root mean square of the change of the camera's motion from frame to frame, px in the
middle of the picture. OpenCV measures the motion: a similarity of sparse features. Each SETTINGS, such
as "smoothing=25 margin=0.05", makes a column; by default there are two: "" and look-ahead=20. --all
runs whole films, and vidstab beside: in two passes, with the crop that glclklt has by default, but
without a limit to the shift. The test fails if more than half of a film's shake is left, or if
look-ahead leaves more than 0.6 of the rest.

Clips whose subject fills much of the frame, or whose camera pans fast, follow. There features lie
outside of the subject. The motion of the picture comes from the matrices of glclklt, px of the frame.
The test fails if a picture shakes more than 1.05 times as much as its input at the default settings."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
    """the frames after glclklt with these settings, and the matrices from the frames to them"""
    caps = f'video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate=25/1'
    pipeline = Gst.parse_launch(f'appsrc name=source format=time caps={caps} ! glupload ! glcolorconvert ! '
                                f'glclklt stabilize=true post-messages=false attach-meta=true {settings} ! gldownload ! video/x-raw,format=GRAY8 ! '
                                'appsink name=sink sync=false max-buffers=4')
    source, sink = pipeline.get_by_name('source'), pipeline.get_by_name('sink')
    pipeline.set_state(Gst.State.PLAYING)
    for number, frame in enumerate(frames):
        buffer = Gst.Buffer.new_wrapped(frame.tobytes())
        buffer.pts, buffer.duration = number * 40 * Gst.MSECOND, 40 * Gst.MSECOND
        source.emit('push-buffer', buffer)
    source.emit('end-of-stream')
    pulled, matrices = [], []
    while sample := sink.emit('try-pull-sample', 60 * Gst.SECOND):
        pulled.append(picture(sample))
        matrices.append(matrix(sample))
    pipeline.set_state(Gst.State.NULL)
    assert len(pulled) == len(frames), f'{len(pulled)} of {len(frames)} frames came back'
    return numpy.array(pulled), matrices


def matrix(sample):
    """the matrix from a frame to its stabilized picture"""
    moved = sample.get_buffer().get_custom_meta('glclklt').get_structure().get_value('moved')
    rows = numpy.frombuffer(moved.extract_dup(0, 24), numpy.float32).reshape(2, 3)
    return numpy.vstack([rows, [0, 0, 1]]).astype(float)


def picture(sample):
    """the grey levels of a sample"""
    data = sample.get_buffer().extract_dup(0, WIDTH * HEIGHT)
    return numpy.frombuffer(data, numpy.uint8).reshape(HEIGHT, WIDTH)


def by_vidstab(file, scratch):
    """the frames after vidstab"""
    found = scratch / 'transforms'
    film(file, f'vidstabdetect=result={found}')
    return film(file, f'vidstabtransform=input={found}:optzoom=0:zoom=25:interpol=bicubic')


def similarity(before, after, mask=None):
    """the matrix from a picture to the next, by features where the mask is not 0, or None"""
    points = cv2.goodFeaturesToTrack(before, 400, 0.01, 10, mask=mask)
    if points is None or len(points) < 8:
        return None
    moved, found, _ = cv2.calcOpticalFlowPyrLK(before, after, points, None, winSize=(15, 15), maxLevel=4)
    back, again, _ = cv2.calcOpticalFlowPyrLK(after, before, moved, None, winSize=(15, 15), maxLevel=4)
    good = (found & again).ravel().astype(bool) & (numpy.abs(points - back).max(axis=(1, 2)) < 0.5)
    if good.sum() < 8:
        return None
    rows, _ = cv2.estimateAffinePartial2D(points[good], moved[good], ransacReprojThreshold=1.5)
    return None if rows is None else numpy.vstack([rows, [0, 0, 1]])


def shake_of(matrices):
    """root mean square of the changes of the middle's motion, px"""
    middle = numpy.array([WIDTH / 2, HEIGHT / 2, 1])
    motions = [None if matrix is None else matrix @ middle - middle for matrix in matrices]
    changes = [b - a for a, b in zip(motions, motions[1:]) if a is not None and b is not None]
    return (numpy.square(changes).sum(axis=1).mean()) ** 0.5


def shake(frames):
    """the shake of these frames, px"""
    return shake_of([similarity(*pair) for pair in zip(frames, frames[1:])])


def has_vidstab():
    """true if ffmpeg has vidstab"""
    filters = subprocess.run(['ffmpeg', '-v', 'error', '-filters'], stdout=subprocess.PIPE, text=True, check=True).stdout
    return ' vidstabtransform ' in filters


def row(file, count, settings, peer, scratch):
    """prints the row of a film; returns the shakes of the stabilized pictures as parts of the input's"""
    frames = film(file)[:count]
    before = shake(frames)
    after = [shake(stabilized(frames, setting)[0]) for setting in settings]
    own = '  '.join(f'{value:5.2f}' for value in after)
    beside = f'{shake(by_vidstab(file, scratch)[:count]):5.2f}' if peer else '    –'
    print(f'{file.stem:10} {len(frames):4} frames  input {before:5.2f}  glclklt {own}  vidstab {beside}', flush=True)
    return numpy.array(after) / before


def background(frames, folder):
    """the matrices between frames by what lies outside of the subject's masks"""
    found = []
    for number, pair in enumerate(zip(frames, frames[1:])):
        mask = cv2.resize(cv2.imread(str(folder / f'{number:05}.png'), 0), (WIDTH, HEIGHT))
        subject = cv2.dilate((mask > 0).astype(numpy.uint8), numpy.ones((25, 25)))
        found.append(similarity(*pair, 1 - subject))
    return found


def shown(motions, matrices):
    """the matrices between pictures of which these show the frames, px of the frame"""
    zoom = matrices[0][0, 0]  # about the middle
    back = numpy.array([[1, 0, (zoom - 1) * WIDTH / 2], [0, 1, (zoom - 1) * HEIGHT / 2], [0, 0, zoom]]) / zoom
    scaled = [back @ matrix for matrix in matrices]
    return [None if motion is None else b @ motion @ numpy.linalg.inv(a)
            for motion, a, b in zip(motions, scaled, scaled[1:])]


def subject_row(folder, count, settings):
    """prints the row of a clip with masks; returns the shakes of the pictures as parts of the input's"""
    frames = film(folder / 'video.mp4')[:count]
    motions = background(frames, folder)
    before = shake_of(motions)
    after = [shake_of(shown(motions, stabilized(frames, setting)[1])) for setting in settings]
    own = '  '.join(f'{value:5.2f}' for value in after)
    print(f'{folder.name:14} {len(frames):4} frames  input {before:5.2f}  glclklt {own}', flush=True)
    return numpy.array(after) / before


def main():
    """runs all films"""
    everything = '--all' in sys.argv
    given = [word for word in sys.argv[1:] if word != '--all']
    settings = given or ['', 'look-ahead=20']
    data = pathlib.Path(os.environ.get('GLCL_DATA', 'data'))
    films, clips = sorted((data / 'shake').glob('*.m4v')), sorted((data / 'davis').glob('*/video.mp4'))
    if not films or not clips or not shutil.which('ffmpeg'):
        print('SKIP: GLCL_DATA does not name a folder with shake/ and davis/, or ffmpeg is not installed')
        return 77
    Gst.init(None)
    with tempfile.TemporaryDirectory() as scratch:
        peer = everything and has_vidstab()
        parts = [row(file, None if everything else 50, settings, peer, pathlib.Path(scratch)) for file in films]
    worst = numpy.max(parts)
    print(f'at most {worst:.2f} of the input is left')
    better = given or all(ahead <= 0.6 * without for without, ahead in parts)
    if not better:
        print('look-ahead leaves too much')
    parts = [subject_row(clip.parent, None if everything else 50, settings) for clip in clips]
    shakiest = numpy.max(parts)
    print(f'with a subject at most {shakiest:.2f} of the input is left')
    return int(worst > 0.5 or not better or not (given or shakiest <= 1.05))


sys.exit(main())
