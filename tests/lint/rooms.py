#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rooms.py ROOT: every folder of the sources stands in the table of CONTRIBUTING.md, and includes go one way between them"""
import fnmatch
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []

named = set(re.findall(r'`([\w/-]+)/`', (root / 'CONTRIBUTING.md').read_text(encoding='utf-8')))
made = [pattern.strip('/') for pattern in (root / '.gitignore').read_text(encoding='utf-8').split()]  # by scripts, in the root
build = re.search(r"elements = \[(.*)\]\n(?:.*\n)*?engines = \[(.*)\]", (root / 'meson.build').read_text(encoding='utf-8'))
elements, engines = (re.findall(r"'(\w+)'", names) for names in build.groups())
for parent in ('', 'gst', 'tests', 'tools'):
    for folder in (root / parent).iterdir():
        name = str(folder.relative_to(root))
        if folder.is_dir() and not re.match(r'[._]', folder.name) and not any(fnmatch.fnmatch(name, one) for one in made) \
                and folder.name not in elements + engines + ['invert'] \
                and not any(room == name or room.startswith(name + "/") for room in named):
            problems.append(f'CONTRIBUTING.md does not say what {name}/ is for')

# What may be included, by the room that includes it; of gst/ROOM the element (gstgl*) may have more than the engine.
gstreamer = re.compile(r'gst/(?!opencl|base|sharing)|E?GLE?S?\d?/')
for path in (root / 'gst').rglob('*.[ch]*'):
    room, engine = path.parent.name, not path.name.startswith('gstgl')
    allowed = {'opencl': ['opencl'], 'sharing': ['opencl', 'sharing'], 'base': ['base', 'drawing', 'opencl', 'sharing']}.get(room)
    if room in engines or room in elements + ['invert'] and engine:
        allowed = elements + engines + ['opencl']
    for line in re.findall(r'#include ["<](.*)[">]', path.read_text(encoding='utf-8')):
        to = line.split('/')[0] if '/' in line else room
        if to in ('tools', 'tests', 'research', 'reference') or \
                allowed and (to not in allowed and (root / 'gst' / to).is_dir() or room not in ('base', 'sharing') and gstreamer.match(line)):
            problems.append(f'{path.relative_to(root)} includes {line}')

print('\n'.join(sorted(problems)) or f'{len(named)} folders')
sys.exit(bool(problems))
