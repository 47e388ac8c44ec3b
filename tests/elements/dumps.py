#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""dumps.py FULLDISK: files of points and vectors stay whole if the process is killed or the disk is full

A full disk also has to cause exactly one warning per element. FULLDISK is the library that simulates
it."""
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, FRAMES, MOST = 160, 120, 40, 8011
FLO_BYTES = 12 + 8 * WIDTH * HEIGHT
SOURCE = f'videotestsrc pattern=ball {{}} ! video/x-raw,width={WIDTH},height={HEIGHT},framerate=25/1 ! glupload ! glcolorconvert'
COLUMNS = 'frame,timestamp,id,x,y,vx,vy,age,residue'


def points_in(path):
    """the numbers of frames and points in a file, after checking that it is whole"""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if path.endswith('.json'):
        frames = json.loads(text)
        return len(frames), sum(len(frame['points']) for frame in frames)
    lines = text.splitlines()
    assert lines[0] == COLUMNS and text.endswith('\n'), text[-80:]
    rows = [line.split(',') for line in lines[1:]]
    assert all(len(row) == 9 for row in rows), lines[-1]
    assert [float(cell) for cell in rows[-1]] and len(rows[-1][-1].split('.')[1]) == 3, lines[-1]
    return len({row[0] for row in rows}), len(rows)


def vectors_in(folder):
    """the number of vector files in a folder, after checking that they are whole"""
    names = [name for name in os.listdir(folder) if name.endswith('.flo')]
    for name in names:
        with open(os.path.join(folder, name), 'rb') as file:
            data = file.read()
        assert len(data) == FLO_BYTES and data[:4] == b'PIEH' and struct.unpack('<2i', data[4:12]) == (WIDTH, HEIGHT), (name, len(data))
    return len(names)


def start(folder, points, frames=0, full=None):
    """starts a process that writes points and vectors; with `full`, no file can have more than MOST bytes"""
    environment = dict(os.environ, LC_ALL='C.UTF-8')
    if full:
        environment |= {'LD_PRELOAD': full, 'FULL_DISK': folder, 'FULL_DISK_BYTES': str(MOST)}
    line = f'''{SOURCE.format(f'num-buffers={frames}' if frames else '')} ! glclklt features=200 post-messages=false
      dump-location={points} ! glopenclflow display=none post-messages=false dump-location={folder}/%d.flo ! fakesink sync=false'''
    return subprocess.Popen(['gst-launch-1.0', *line.split()], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')


def kill(folder, suffix, number):
    points = os.path.join(folder, 'points' + suffix)
    process = start(folder, points)
    end = time.monotonic() + 240
    while not os.path.exists(os.path.join(folder, f'{4 + 3 * number}.flo')):
        assert process.poll() is None and time.monotonic() < end, process.communicate(timeout=1)
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    frames, rows = points_in(points)
    assert frames > 2 and rows > frames, (frames, rows)
    assert vectors_in(folder) > 4 + 3 * number
    print(f'killed: {frames} frames and {rows} points in {suffix}, {vectors_in(folder)} files of vectors')


def fill(folder, suffix):
    points = os.path.join(folder, 'points' + suffix)
    process = start(folder, points, FRAMES, sys.argv[1])
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    frames, rows = points_in(points)
    assert 2 < frames < FRAMES and rows > frames and os.path.getsize(points) <= MOST, (frames, rows)
    assert os.listdir(folder) == ['points' + suffix], os.listdir(folder)
    warnings = [line for line in output.splitlines() if line.startswith('WARNING:') and 'dump-location' in line]
    assert len(warnings) == 2 and sum(points in line for line in warnings) == sum('/0.flo' in line for line in warnings) == 1, output
    print(f'full: {frames} frames and {rows} points in {suffix}')


def main():
    if not shutil.which('gst-launch-1.0'):
        print('SKIP: gst-launch-1.0 is not installed')
        sys.exit(77)
    for number, suffix in enumerate(['.csv', '.json']):
        with tempfile.TemporaryDirectory() as folder:
            kill(folder, suffix, number)
        with tempfile.TemporaryDirectory() as folder:
            fill(folder, suffix)


main()
