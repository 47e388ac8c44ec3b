#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""links.py ROOT | --installed DATADIR: checks links and pictures of the Markdown pages, or of the installed manual

Relative links have to lead to existing files and headings. mkdocs.yml has to contain every page of
docs/, except those of elements, which docs/site.sh adds. A page has to show every picture of docs/,
and debian/copyright has to name it."""
import os
import pathlib
import re
import subprocess
import sys

import pages


ENDINGS = ('.png', '.jpg', '.jpeg', '.svg', '.gif', '.webp', '.mp4', '.ttf')
MADE = ('build', 'demo', '.')  # prefixes of folders that builds and the demo create


def pictures(root):
    """the pictures of the sources, without files that git ignores"""
    known = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard'], capture_output=True, text=True, check=False)
    if known.returncode == 0 and known.stdout:
        files = [pathlib.Path(name) for name in known.stdout.splitlines() if (root / name).is_file()]
    else:  # not a git checkout
        files = [path.relative_to(root) for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith(MADE)
                 for path in folder.rglob('*')]
    return sorted(path for path in files if path.suffix in ENDINGS)


def installed(share):
    """checks the links of the pages below `share`, of which none has to lead to a file outside of it"""
    share = pathlib.Path(share)
    every = {str(path.relative_to(share)): pages.Page(share, str(path.relative_to(share)))
             for path in [*share.glob('**/gst-glcl/**/*.md'), *share.glob('**/gst-glcl/**/llms.txt')]}
    faults, links = [], 0
    for page in every.values():
        for line, target in page.links:
            if pages.is_outside(target):
                continue
            links += 1
            name, _, anchor = target.partition('#')
            path = os.path.normpath(os.path.join(os.path.dirname(page.path), name)) if name else page.path
            if path.startswith('..') or not (share / path).exists():
                faults.append(f'{page.path}:{line}: {target}: no such file')
            elif anchor and path in every and anchor not in every[path].anchors:
                faults.append(f'{page.path}:{line}: {target}: no such heading')
    print(f'{links} links of {len(every)} installed pages')
    print('\n'.join(faults))
    return bool(faults) or links < 300 or not any('/pipelines/' in path for path in every)


def main(root):
    root = pathlib.Path(root)
    every = {page.path: page for page in pages.pages(root)}
    faults, links = [], 0
    for page in every.values():
        for line, target in page.links:
            if pages.is_outside(target):
                continue
            links += 1
            name, _, anchor = target.partition('#')
            path = os.path.normpath(os.path.join(os.path.dirname(page.path), name)) if name else page.path
            if path.startswith('..') or not (root / path).exists():
                faults.append(f'{page.path}:{line}: {target}: no such file')
            elif anchor and path in every and anchor not in every[path].anchors:
                faults.append(f'{page.path}:{line}: {target}: no such heading')
    contents = (root / 'mkdocs.yml').read_text(encoding='utf-8')
    for path in every:
        if re.match(r'docs/(?!gl(cl|opencl)).*\.md$', path) and path not in contents:
            faults.append(f'{path}: not in mkdocs.yml')
    shown = {os.path.normpath(os.path.join(os.path.dirname(page.path), target)) for page in every.values() for _, target in page.links}
    origins = (root / 'debian' / 'copyright').read_text(encoding='utf-8')
    for picture in pictures(root):
        if str(picture).startswith('docs/') and str(picture) not in shown:
            faults.append(f'{picture}: no page shows it')
        if picture.name not in origins:
            faults.append(f'{picture}: debian/copyright does not say where it comes from')
    print(f'{links} links of {len(every)} pages')
    print('\n'.join(faults))
    return bool(faults) or not links or not pictures(root)


if __name__ == '__main__':
    sys.exit(installed(sys.argv[2]) if sys.argv[1] == '--installed' else main(sys.argv[1]))
