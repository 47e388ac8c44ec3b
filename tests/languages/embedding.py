#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embedding.py ROOT: runs the programs in Python and JavaScript that docs/embedding.md and docs/results.md show, each by itself"""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1], 'tests', 'docs')))
import pages  # noqa: E402, pylint: disable=wrong-import-position

try:
    import gi
    gi.require_version('GstController', '1.0')
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

COMMANDS = {'python': [sys.executable, '-c'], 'js': ['gjs', '-c']}
BLOCKS = [block for page in ('embedding', 'results') for block in pages.Page(pathlib.Path(sys.argv[1]), f'docs/{page}.md').blocks
          if shutil.which(COMMANDS.get(block.language, ['no program'])[0])]
FAILED = []
for block in BLOCKS:
    ran = subprocess.run([*COMMANDS[block.language], block.text], capture_output=True, text=True, timeout=120, check=False)
    print(f'{block}: {ran.stdout[:200]}')
    if ran.returncode:
        print(ran.stderr)
        FAILED.append(str(block))
print(f'{len(BLOCKS)} programs, failed: {FAILED}')
sys.exit(bool(FAILED) or len(BLOCKS) < 3)
