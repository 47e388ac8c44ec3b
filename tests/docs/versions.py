#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""versions.py ROOT: checks that the versions in NEWS.md, meson.build and debian/changelog agree

NEWS.md has a heading per version, with its date or "unreleased"; the first one is the current
version."""
import datetime
import pathlib
import re
import sys


def faults(news, build, changelog):
    """Texts that describe faults."""
    headings = [line[2:] for line in news.split('\n') if line.startswith('# ')]
    versions = []
    for place, heading in enumerate(headings):
        match = re.fullmatch(r'(\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d\d-\d\d)\)', heading)
        if not match:
            yield f'NEWS.md: "# {heading}" is not "# MAJOR.MINOR.PATCH (YYYY-MM-DD)" or "… (unreleased)"'
            continue
        versions.append(tuple(map(int, match.groups()[:3])))
        if match[4] == 'unreleased':
            if place:
                yield f'NEWS.md: only the first version can be unreleased, not {heading}'
        else:
            try:
                datetime.date.fromisoformat(match[4])
            except ValueError:
                yield f'NEWS.md: {match[4]} is no date'
    if versions != sorted(set(versions), reverse=True):
        yield 'NEWS.md: the newest version does not come first'
    newest = '.'.join(map(str, versions[0])) if versions else ''
    for name, pattern, text in (('meson.build', r"^  version: '(.*)',$", build), ('debian/changelog', r'^gst-glcl \(([^-)]*)', changelog)):
        version = re.search(pattern, text, re.MULTILINE)
        if not version or version[1] != newest:
            yield f'{name} has version {version[1] if version else "?"}, and NEWS.md begins with {newest or "none"}'


GOOD = '# 0.2.0 (unreleased)\n\n- one\n\n# 0.1.10 (2027-01-31)\n# 0.1.9 (2026-12-01)\n'
BAD = [GOOD.replace(' (unreleased)', ''), GOOD.replace('2027-01-31', '2027-01-32'), GOOD.replace('2027-01-31', 'unreleased'), GOOD.replace('0.2', '0.3'),
       GOOD.replace('0.1.9', '0.1.11'), '']


def main(root):
    build, changelog = "  version: '0.2.0',", 'gst-glcl (0.2.0) unstable'
    assert not list(faults(GOOD, build, changelog)), list(faults(GOOD, build, changelog))
    assert all(list(faults(news, build, changelog)) for news in BAD)
    found = list(faults(*((pathlib.Path(root) / name).read_text(encoding='utf-8') for name in ('NEWS.md', 'meson.build', 'debian/changelog'))))
    print('\n'.join(found) or 'the versions agree')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
