# SPDX-License-Identifier: LGPL-2.1-or-later
"""manual.py DATADIR: makes the links of the installed manual lead to installed files

Pages, recipes and examples lie in other folders than in the sources. A link to a file that is not installed becomes plain text.
Meson runs this after it has installed the files below DATADIR, which may be relative to the prefix."""
import os
import pathlib
import re
import sys

TARGET = re.compile(r'\]\(([^()\s]+)\)')  # of a link, whose text may have line breaks and code
LINK = re.compile(r'(!?)\[([^\[\]]*)\]\(<missing>\)')
BESIDE = ('pipelines/', 'examples/')  # in gst-glcl/, all other files in doc/gst-glcl/


def installed(source):
    """the place of a file of the sources below DATADIR"""
    return ('gst-glcl/' if f'{source}/'.startswith(BESIDE) else 'doc/gst-glcl/') + source


def led(share, place, source, target):
    """the target of a link in the page `source`, which is at `place`, or '<missing>'"""
    name, mark, heading = target.partition('#')
    if '://' in target or target.startswith('mailto:') or not name:
        return target
    to = installed(os.path.normpath(os.path.join(os.path.dirname(source), name)))
    if not (share / to).exists():
        return '<missing>'
    return os.path.relpath(to, os.path.dirname(place)) + mark + heading


def rewritten(share, place, source, text):
    """a page with its links changed, but not those in blocks of code"""
    lines = text.split('\n')
    parts, fenced, was_code = [], False, None
    for line in lines:
        fence = bool(re.match(r' *(```|~~~)', line))
        code = fenced or fence or line.startswith('    ')
        fenced ^= fence
        if code != was_code:
            parts.append((code, []))
        parts[-1][1].append(line)
        was_code = code

    def changed(part):
        part = TARGET.sub(lambda link: f']({led(share, place, source, link[1])})', part)
        return LINK.sub(r'\2', part)
    return '\n'.join('\n'.join(part) if code else changed('\n'.join(part)) for code, part in parts)


def main(datadir):
    share = pathlib.Path(os.environ['MESON_INSTALL_DESTDIR_PREFIX'], datadir)
    if os.path.isabs(datadir):
        share = pathlib.Path(os.environ.get('DESTDIR', '') + datadir)
    for folder in ('doc/gst-glcl', 'gst-glcl/pipelines', 'gst-glcl/examples'):
        for page in [*(share / folder).rglob('*.md'), *(share / folder).rglob('llms.txt')]:
            place = str(page.relative_to(share))
            source = place.removeprefix('doc/').removeprefix('gst-glcl/')
            text = page.read_text(encoding='utf-8')
            page.write_text(rewritten(share, place, source, text), encoding='utf-8')


main(sys.argv[1])
