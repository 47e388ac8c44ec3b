#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""figures.py [--all]: lines and circles that glclhough finds in drawn scenes, and those that OpenCV finds

Each row has the part of the shapes that were found, the median distance from their place, and false
shapes per scene. Rows of OpenCV need its module for Python. The test fails if glclhough finds too
little, or too much that is false."""
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    import numpy
except (ImportError, ValueError) as missing:
    print(f'SKIP: {missing}')
    sys.exit(77)
try:
    import cv2
except ImportError:
    cv2 = None

WIDTH, HEIGHT, NOISE = 640, 360, 6
LINES = 'lines=100 min-line-length=30 max-line-gap=10'
CIRCLES = 'circles=100 radius-min=10 radius-max=100'
Y, X = numpy.mgrid[:HEIGHT, :WIDTH].astype(float)


class Finder:
    """glclhough with these settings"""

    def __init__(self, settings):
        caps = f'video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate=25/1'
        self.pipeline = Gst.parse_launch(f'appsrc name=source format=time caps={caps} ! glupload ! glcolorconvert ! '
                                         f'glclhough interval=0 {settings} ! fakesink sync=false')
        self.source, self.time = self.pipeline.get_by_name('source'), 0
        self.pipeline.set_state(Gst.State.PLAYING)

    def fields(self, picture):
        """the fields of the message about a picture"""
        buffer = Gst.Buffer.new_wrapped(picture.tobytes())
        self.time += 40 * Gst.MSECOND
        buffer.pts, buffer.duration = self.time, 40 * Gst.MSECOND
        self.source.emit('push-buffer', buffer)
        while True:
            message = self.pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
            assert message and message.type == Gst.MessageType.ELEMENT, message and message.parse_error()
            structure = message.get_structure()
            if structure.get_name() == 'glclhough' and structure.get_value('timestamp') == self.time:
                return structure

    def rows(self, pictures, *names):
        """the list of the last picture"""
        for picture in pictures:
            structure = self.fields(picture)
        return numpy.array([list(structure.get_value(name)) for name in names]).T.reshape(-1, len(names))

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)


def covered(picture, part, level):
    """the picture with parts, from 0 to 1, covered by a level"""
    part = numpy.clip(part, 0, 1)
    return picture * (1 - part) + level * part


def noisy(picture, random):
    """three frames of a picture with noise, since thresholds follow the noise"""
    return [numpy.clip(numpy.rint(picture + random.normal(0, NOISE, picture.shape)), 0, 255).astype(numpy.uint8) for _ in range(3)]


def polygon(picture, corners, level):
    """the picture with a convex polygon, whose corners are clockwise"""
    inside = numpy.full(picture.shape, numpy.inf)
    for (x1, y1), (x2, y2) in zip(corners, numpy.roll(corners, -1, axis=0)):
        inside = numpy.minimum(inside, ((Y - y1) * (x2 - x1) - (X - x1) * (y2 - y1)) / numpy.hypot(x2 - x1, y2 - y1) + 0.5)
    return covered(picture, inside, level)


def sides(corners):
    return [(*a, *b) for a, b in zip(corners, numpy.roll(corners, -1, axis=0))]


def boxes_scene(random, contrast):
    """six boxes at any angle, and their sides"""
    picture, truth = numpy.full((HEIGHT, WIDTH), 110.0), []
    for i in range(6):
        middle = numpy.array([(i % 3 + 0.5) * WIDTH / 3, (i // 3 + 0.5) * HEIGHT / 2]) + random.uniform(-8, 8, 2)
        half, angle = random.uniform(25, 60, 2), random.uniform(0, numpy.pi)
        along, across = numpy.array([numpy.cos(angle), numpy.sin(angle)]), numpy.array([-numpy.sin(angle), numpy.cos(angle)])
        corners = numpy.array([middle + u * half[0] * along + v * half[1] * across for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        picture = polygon(picture, corners, 110 + contrast * (1 if i % 2 else -1))
        truth += sides(corners)
    return picture, truth


def crossing_scene(random, contrast):
    """five steps in brightness over the whole picture, which cross each other"""
    picture, truth = numpy.full((HEIGHT, WIDTH), 110.0), []
    for i in range(5):
        y1, y2 = random.uniform(10, HEIGHT - 10, 2)
        part = (Y - y1 - (y2 - y1) * X / (WIDTH - 1)) / numpy.hypot(1, (y2 - y1) / WIDTH) + 0.5
        picture += numpy.clip(part, 0, 1) * contrast * (1 if i % 2 else -1)
        truth.append((0, y1, WIDTH - 1, y2))
    return picture, truth


def sector(picture, circle, level, first=0, degrees=360):
    """the picture with a disc, or with a sector of it"""
    x, y, radius = circle
    seen = (numpy.degrees(numpy.arctan2(Y - y, X - x)) - first) % 360 <= degrees
    return covered(picture, numpy.where(seen, radius + 0.5 - numpy.hypot(X - x, Y - y), 0), level)


def discs_scene(random, contrast, degrees=360, inside=False):
    """six circles, a part of each, or with another one inside"""
    picture, truth = numpy.full((HEIGHT, WIDTH), 110.0), []
    for i in range(6):
        circle = ((i % 3 + 0.5) * WIDTH / 3 + random.uniform(-8, 8), (i // 3 + 0.5) * HEIGHT / 2 + random.uniform(-8, 8), random.uniform(25 if inside else 10, 80))
        picture = sector(picture, circle, 110 + contrast * (1 if i % 2 else -1), random.uniform(0, 360), degrees)
        truth.append(circle)
        if inside:
            truth.append((*circle[:2], circle[2] * 0.6))
            picture = sector(picture, truth[-1], 110)
    return picture, truth


def line_off(line, side):
    """the median distance of a line's ends from a side, px; infinite if it covers less than 80 % of it"""
    a, b, p, q = (numpy.array(point) for point in (side[:2], side[2:4], line[:2], line[2:4]))
    length = numpy.linalg.norm(b - a)
    along = (b - a) / length
    places = sorted((p - a) @ along for p in (p, q))
    off = [abs((p - a)[0] * along[1] - (p - a)[1] * along[0]) for p in (p, q)]
    shared = min(places[1], length) - max(places[0], 0)
    return numpy.mean(off) if max(off) < 3 and shared >= 0.8 * length else numpy.inf


def line_false(line, truth):
    """whether a line lies on no side"""
    return all(max(abs((x - a) * (d - b) - (y - b) * (c - a)) / numpy.hypot(c - a, d - b) for x, y in (line[:2], line[2:4])) > 4
               for a, b, c, d in truth)


def circle_off(circle, other):
    off = max(numpy.hypot(circle[0] - other[0], circle[1] - other[1]), abs(circle[2] - other[2]))
    return off if off < 4 else numpy.inf


def circle_false(circle, truth):
    """whether a circle is at no place of them"""
    return all(max(numpy.hypot(circle[0] - x, circle[1] - y), abs(circle[2] - r)) > 6 for x, y, r in truth)


def opencv_lines(picture):
    edges = cv2.Canny(cv2.GaussianBlur(picture, (0, 0), 1.4), 12, 24, L2gradient=True)
    found = cv2.HoughLinesP(edges, 1, numpy.pi / 180, 30, minLineLength=30, maxLineGap=10)
    return [] if found is None else found[:, 0].astype(float)


def opencv_circles(picture):
    found = cv2.HoughCircles(cv2.GaussianBlur(picture, (0, 0), 1.4), cv2.HOUGH_GRADIENT_ALT, 1.5, 5, param1=100, param2=0.7, minRadius=10, maxRadius=100)
    return [] if found is None else found[0].astype(float)


class Row:
    """what one finder finds in the scenes of a kind"""

    def __init__(self):
        self.offs, self.shapes, self.false, self.scenes = [], 0, 0, 0

    def add(self, found, truth, off, is_false):
        best = [min((off(one, other) for one in found), default=numpy.inf) for other in truth]
        self.offs += [one for one in best if one < numpy.inf]
        self.shapes += len(truth)
        self.false += sum(is_false(one, truth) for one in found)
        self.scenes += 1

    @property
    def part(self):
        return len(self.offs) / self.shapes

    def __str__(self):
        return f'{100 * self.part:.0f} % | {numpy.median(self.offs or [numpy.nan]):.2f} px | {self.false / self.scenes:.2f}'


SCENES = {  # scene, whether its shapes are circles, the minimum part found, and the maximum of false ones
    'sides of boxes, contrast 40': (lambda random: boxes_scene(random, 40), False, 0.95, 0.1),
    'sides of boxes, contrast 15': (lambda random: boxes_scene(random, 15), False, 0.6, 0.1),
    'crossing lines, contrast 20': (lambda random: crossing_scene(random, 20), False, 0.5, 0.5),
    'discs, contrast 40': (lambda random: discs_scene(random, 40), True, 0.97, 0.1),
    'discs, contrast 15': (lambda random: discs_scene(random, 15), True, 0.8, 0.1),
    'sectors of 230°, contrast 40': (lambda random: discs_scene(random, 40, degrees=230), True, 0.8, 0.5),
    'circles in circles, contrast 40': (lambda random: discs_scene(random, 40, inside=True), True, 0.9, 0.3),
}


def main(count):
    Gst.init(None)
    finders, good = [Finder(LINES), Finder(CIRCLES)], True
    print(f'{count} scenes of {WIDTH}x{HEIGHT} px, noise of {NOISE} levels: found | off | false per scene')
    for name, (scene, circles, least, most) in SCENES.items():
        own, peer, random = Row(), Row(), numpy.random.default_rng(1)
        measures = (circle_off, circle_false) if circles else (line_off, line_false)
        names = ('circles-x', 'circles-y', 'circles-radius') if circles else ('lines-x1', 'lines-y1', 'lines-x2', 'lines-y2')
        for _ in range(count):
            picture, truth = scene(random)
            pictures = noisy(picture, random)
            own.add(finders[circles].rows(pictures, *names), truth, *measures)
            if cv2:
                peer.add((opencv_circles if circles else opencv_lines)(pictures[-1]), truth, *measures)
        print(f'{name}: {own}' + (f'; OpenCV {cv2.__version__}: {peer}' if cv2 else ''))
        if own.part < least or own.false > most * own.scenes:
            print(f'  at least {100 * least:.0f} % and at most {most} false ones are expected')
            good = False
    for finder in finders:
        finder.stop()
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(25 if '--all' in sys.argv else 4))
