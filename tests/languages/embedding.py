#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""embedding.py ROOT: runs the programs and command lines of docs/embedding.md and docs/results.md

The programs are in Python and JavaScript. Each runs separately, with a clip that this test creates
and without a window."""
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
             'gst-launch-1.0 videotestsrc': 'gst-launch-1.0 videotestsrc num-buffers=5', 'file:///tmp/': 'file://$PWD/'}
BLOCKS = [block for page in ('embedding', 'results') for block in pages.Page(pathlib.Path(sys.argv[1]), f'docs/{page}.md').blocks
          if shutil.which(COMMANDS.get(block.language, ['no program'])[0])]
TOOLS = os.path.join(os.environ['GLCL_BUILD'], 'tools')
FAILED, LINES = [], 0
with tempfile.TemporaryDirectory() as work:
    subprocess.run('gst-launch-1.0 -q videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48 ! jpegenc ! qtmux ! '
                   'filesink location=in.mp4', shell=True, cwd=work, check=True)
    for block in BLOCKS:
        text = block.text
        if not block.language:
            for shown, tried in ON_A_CLIP.items():
                text = text.replace(shown, tried)
            if 'glcl-events' in text and not os.path.exists(TOOLS + '/glcl-events'):
                continue
            LINES += 1
        ran = subprocess.run([*COMMANDS[block.language], text], capture_output=True, text=True, timeout=120, check=False, cwd=work,
                             env={**os.environ, 'PATH': f'{TOOLS}:{os.environ["PATH"]}'})
        print(f'{block}: {ran.stdout[:200]}')
        if ran.returncode or 'WARNING' in ran.stderr or 'CRITICAL' in ran.stderr:
            print(ran.stderr)
            FAILED.append(str(block))
print(f'{len(BLOCKS)} programs and lines, {LINES} lines, failed: {FAILED}')
sys.exit(bool(FAILED) or len(BLOCKS) < 5 or LINES < 2)
