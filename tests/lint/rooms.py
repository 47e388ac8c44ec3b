#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rooms.py ROOT: checks that CONTRIBUTING.md lists all folders, and that includes in gst/ are not cyclic"""
import fnmatch
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []

named = set(re.findall(r'`([\w/-]+)/`', (root / 'CONTRIBUTING.md').read_text(encoding='utf-8')))
made = [pattern.strip('/') for pattern in (root / '.gitignore').read_text(encoding='utf-8').split()]  # folders that scripts create
build = re.search(r"elements = \[(.*)\]\n(?:.*\n)*?engines = \[(.*)\]", (root / 'meson.build').read_text(encoding='utf-8'))
elements, engines = (re.findall(r"'(\w+)'", names) for names in build.groups())
for parent in ('', 'gst', 'tests', 'tools'):
    for folder in (root / parent).iterdir():
        name = str(folder.relative_to(root))
        if folder.is_dir() and not re.match(r'[._]', folder.name) and not any(fnmatch.fnmatch(name, one) for one in made) \
                and folder.name not in elements + engines + ['invert'] \
                and not any(room == name or room.startswith(name + "/") for room in named):
            problems.append(f'CONTRIBUTING.md does not say what {name}/ is for')

# Allowed includes of a folder: engines include each other and OpenCL; only some folders include
# GStreamer and OpenGL.
layers = {'opencl': ['opencl'], 'sharing': ['opencl', 'sharing'], 'base': ['base', 'conversion', 'drawing', 'gst-glcl', 'opencl', 'sharing'],
          'gst-glcl': [], 'elements': None, 'gst': None}
with_gstreamer = ['gst-glcl', 'sharing', 'base', 'elements', 'gst']
gstreamer = re.compile(r'gst/(?!opencl|base|sharing)|E?GLE?S?\d?/')
rooms = {folder.name for folder in (root / 'gst').iterdir() if folder.is_dir()}
uses = {room: {} for room in rooms}  # for each folder, the folders that it includes, with a file that does
engine_may = sorted(rooms - {'base', 'sharing', 'elements', 'gst-glcl'})
for path in (root / 'gst').rglob('*.[ch]*'):
    room = path.parent.name
    allowed = layers.get(room, engine_may)
    for line in re.findall(r'#include ["<](.*)[">]', path.read_text(encoding='utf-8')):
        to = line.split('/')[0] if '/' in line else room
        if to in ('tools', 'tests', 'research', 'reference') or allowed is not None and to in rooms and to not in allowed or \
                room not in with_gstreamer and gstreamer.match(line):
            problems.append(f'{path.relative_to(root)} includes {line}')
        if room in rooms and to in rooms - {room}:
            uses[room][to] = f'{path.name} includes {line}'


def reachable(room, found):
    """all folders that a folder includes, directly or through others"""
    for other in uses[room].keys() - found:
        found.add(other)
        reachable(other, found)
    return found


for room in rooms:
    problems += [f'gst/{room} has a cyclic include: {include}' for other, include in uses[room].items() if room in {other} | reachable(other, set())]
print('\n'.join(sorted(problems)) or f'{len(named)} folders')
sys.exit(bool(problems))
