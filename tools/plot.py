#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""plot.py CSV PNG [PEERS.json]: plots time against radius from `glcl-bench glclbilateral --sweep --csv CSV`

The grid is plotted at twice its sigma-space, the radius of an equal brute-force filter. PEERS.json
comes from a build of glcl-bench with peers or from peers.py, and adds their times. Needs matplotlib
(python3-matplotlib)."""
import csv
import json
import re

from program import arguments, need

ARGUMENTS = arguments(__doc__, 2, 3)
try:
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
except ImportError as missing:
    need('python3-matplotlib', missing)


def points(path):
    """sorted lists of (radius, ms), by name of the curve"""
    curves = {}
    for row in csv.DictReader(open(path, encoding='utf-8')):
        match = re.search(r'(radius|sigma-space) (\d+)$', row['work'])
        if not match:
            continue
        grid = match[1] == 'sigma-space'
        radius = int(match[2]) * (2 if grid else 1)
        curves.setdefault('grid' if grid else 'brute-force', []).append((radius, float(row['wall-us']) / 1000))
    return {name: sorted(curve) for name, curve in curves.items()}


def peers(path):
    curves = {}
    for peer in json.load(open(path, encoding='utf-8')).get('peers', []):
        match = re.match(r'(.*), bilateralFilter d=(\d+)$', peer['peer'])
        if match and peer['width'] == 1920:
            curves.setdefault(match[1], []).append((int(match[2]) // 2, peer['ms']))
    return {name: sorted(curve) for name, curve in curves.items()}


def main():
    curves = points(ARGUMENTS[0])
    if len(ARGUMENTS) == 3:
        curves.update(peers(ARGUMENTS[2]))
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for name, curve in curves.items():
        axes.plot(*zip(*curve), marker='o', markersize=4, label=name)
    axes.set(xscale='log', yscale='log', xlabel='radius, px', ylabel='ms per frame, 1920×1080')
    ticks = [1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(ARGUMENTS[1], dpi=110)


main()
