#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embedding.py ROOT: runs the programs and command lines of some pages of docs/

The programs are in Python and JavaScript. Each runs separately, without a window, with a clip that
this test creates until the tutorial makes its own, shortened."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[1], 'tests', 'docs')))
import pages  # noqa: E402, pylint: disable=wrong-import-position

try:
    import gi
    gi.require_version('GstController', '1.0')
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

COMMANDS = {'python': [sys.executable, '-c'], 'js': ['gjs', '-c'], '': ['bash', '-ec']}
ON_A_CLIP = {'autovideosink': 'fakevideosink', 'gst-launch-1.0 playbin': 'gst-launch-1.0 playbin video-sink=fakevideosink',
             'gst-launch-1.0 videotestsrc': 'gst-launch-1.0 videotestsrc num-buffers=5', 'file:///tmp/': 'file://$PWD/',
             'num-buffers=150': 'num-buffers=15', 'glimagesink': 'glimagesink sync=false',
             'pipelines/': os.path.join(os.path.abspath(sys.argv[1]), 'pipelines', '')}
BLOCKS = [block for page in ('dynamic', 'embedding', 'results', 'tutorial') for block in pages.Page(pathlib.Path(sys.argv[1]), f'docs/{page}.md').blocks
          if shutil.which(COMMANDS.get(block.language, ['no program'])[0])]
NEEDED = {'jq -r': shutil.which('jq'), 'import numpy': importlib.util.find_spec('numpy')}
WRITTEN = ('frame.png', 'in.mp4', 'out.mp4')  # by the tutorial
TOOLS = os.path.join(os.environ['GLCL_BUILD'], 'tools')
FAILED, LINES = [], 0
with tempfile.TemporaryDirectory() as work:
    subprocess.run('gst-launch-1.0 -q videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 ! jpegenc ! qtmux ! '
                   'filesink location=in.mp4', shell=True, cwd=work, check=True)
    for block in BLOCKS:
        text = block.text
        for shown, tried in ON_A_CLIP.items():
            text = text.replace(shown, tried)
        if any(part in text and not found for part, found in NEEDED.items()):
            print(f'{block}: not run, a program or module is missing')
            continue
        if not block.language:
            if 'glcl-events' in text and not os.path.exists(TOOLS + '/glcl-events'):
                continue
            LINES += 1
        ran = subprocess.run([*COMMANDS[block.language], text], capture_output=True, text=True, timeout=120, check=False, cwd=work,
                             env={**os.environ, 'PATH': f'{TOOLS}:{os.environ["PATH"]}'})
        print(f'{block}: {ran.stdout[:200]}')
        silent = block.language and 'tutorial' in block.page and not ran.stdout  # its programs print results
        if ran.returncode or silent or 'WARNING' in ran.stderr or 'CRITICAL' in ran.stderr:
            print(ran.stderr)
            FAILED.append(str(block))
    FAILED += [name for name in WRITTEN if not os.path.exists(f'{work}/{name}') or not os.path.getsize(f'{work}/{name}')]
print(f'{len(BLOCKS)} programs and lines, {LINES} lines, failed: {FAILED}')
sys.exit(bool(FAILED) or len(BLOCKS) < 5 or LINES < 2)
