#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""peers.py JSON [WIDTHxHEIGHT]: measures OpenCV's Python module, if glcl-bench was built without OpenCV

It adds times to a JSON file that glcl-bench wrote on the same machine. The entry `peers` has the
form that a build with -Dpeers=enabled writes, with ratios to the times of gst-glcl. Frames are
noise, upsampled by 8. A time is the median of finished calls during half a second, at least 3."""
import json
import statistics
import time

from program import arguments, need

ARGUMENTS = arguments(__doc__, 1, 2)
try:
    import cv2
    import numpy
except ImportError as missing:
    need('python3-opencv', missing)

WORK = {'color, radius 4': 9, 'color, radius 10': 21}  # diameter d of bilateralFilter, by work of glcl-bench


def frame(width, height):
    small = numpy.random.default_rng(1).integers(0, 256, (height // 8 + 1, width // 8 + 1, 3), numpy.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


def median_ms(call):
    call()
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < 0.5:
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def on_opencl(picture, d):
    source = cv2.UMat(picture)

    def call():
        cv2.bilateralFilter(source, d, 25, d // 2 / 2)
        cv2.ocl.finish()

    return call


def main():
    width, height = map(int, (ARGUMENTS[1] if len(ARGUMENTS) == 2 else '1920x1080').split('x'))
    report = json.load(open(ARGUMENTS[0], encoding='utf-8'))
    ours = {(row['work'], row['width'], row['height']): row['wall-us'] / 1e3
            for row in report['results'] if row.get('in-use') and 'wall-us' in row}
    picture = frame(width, height)
    for work, d in WORK.items():
        paths = {'OpenCV CPU': lambda: cv2.bilateralFilter(picture, d, 25, d // 2 / 2)}
        if cv2.ocl.haveOpenCL():
            paths['OpenCV OpenCL'] = on_opencl(picture, d)
        for path, call in paths.items():
            cv2.ocl.setUseOpenCL(path != 'OpenCV CPU')
            ms, mine = median_ms(call), ours.get((work, width, height))
            report.setdefault('peers', []).append({
                'element': 'glclbilateral', 'peer': f'{path}, bilateralFilter d={d}', 'width': width,
                'height': height, 'ms': ms, 'work': work, 'ratio': ms / mine if mine else 0})
            print(f'{path}, d={d}: {ms:.3f} ms' + (f', {ms / mine:.2f} times the time of gst-glcl' if mine else ''))
    json.dump(report, open(ARGUMENTS[0], 'w', encoding='utf-8'), indent=2)


main()
