#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""dashboard.py [-o PICTURE] [FILE | /dev/video0]: plots the levels of a video and how much of it moves

matplotlib updates the plots live in a window. Without a screen, or with -o, it writes them to a file
at the end (.png, .pdf or .svg). All data comes from messages, so no frame leaves the GPU;
glimagesink could show the video at the same time.
"""
import argparse
import collections

import common
from common import Gst

try:
    import matplotlib
except ImportError as missing:
    common.need('python3-matplotlib', missing)


class Board:
    """Plots of the current histogram of R, G and B, and of moving fraction and brightness in the last minute."""

    def __init__(self, live):
        if not live:
            matplotlib.use('Agg')
        from matplotlib import pyplot  # matplotlib.use() has to come before
        self.pyplot, self.live = pyplot, live
        self.figure, (levels, motion, light) = pyplot.subplots(3, 1, figsize=(8, 8), layout='constrained')
        self.levels = [levels.plot([], [], color=color)[0] for color in ('tab:red', 'tab:green', 'tab:blue')]
        self.moving, = motion.plot([], [], color='tab:purple')
        self.mean, = light.plot([], [], color='tab:orange')
        self.axes = levels, motion, light
        for axes, title, label in ((levels, 'levels of R, G and B', 'pixels'), (motion, 'moving part of the picture', '%'),
                                   (light, 'brightness', 'level')):
            axes.set_title(title)
            axes.set_ylabel(label)
        light.set_xlabel('s')
        # Each element posts ten messages per second.
        self.motion, self.light = collections.deque(maxlen=600), collections.deque(maxlen=600)

    def update(self, name, fields):
        seconds = fields.get_value('stream-time') / Gst.SECOND
        if name == 'glclhistogram':
            for line, counts in zip(self.levels, fields.get_value('counts')):
                line.set_data(range(len(counts)), counts)
            red, green, blue = fields.get_value('mean')
            self.light.append((seconds, 0.3 * red + 0.59 * green + 0.11 * blue))
        elif name == 'glopenclflow':
            self.motion.append((seconds, 100 * fields.get_value('moving')))

    def draw(self):
        for line, points in ((self.moving, self.motion), (self.mean, self.light)):
            if points:
                line.set_data(*zip(*points))
        for axes in self.axes:
            axes.relim()
            axes.autoscale_view()
        if self.live:
            self.pyplot.pause(0.001)  # lets the window handle its events


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('source', nargs='?', help='a file or a camera (default: a test picture of a moving ball)')
    parser.add_argument('-o', '--output', metavar='PICTURE', help='.png, .pdf or .svg')
    parser.add_argument('--version', action='version', version=common.version())
    arguments = parser.parse_args()
    live = not arguments.output and not common.headless()
    board = Board(live)
    pipeline = common.pipeline(
        arguments.source, 'glclhistogram mode=rgb bins=64 ! glopenclflow display=none min-confidence=0.5 ! '
        f'fakesink sync={"true" if live else "false"}')
    count = 0
    for name, fields in common.messages(pipeline):
        if name in ('glclhistogram', 'glopenclflow'):
            board.update(name, fields)
            count += 1
            if live and name == 'glclhistogram':
                board.draw()
    board.draw()
    if live:
        board.pyplot.show()
    else:
        board.figure.savefig(arguments.output or 'dashboard.png')
        print(f'{count} messages in {arguments.output or "dashboard.png"}')


main()
