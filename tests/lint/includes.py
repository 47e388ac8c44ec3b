#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""includes.py ROOT: checks that sources include the standard headers that they use

They may include them through headers of the project. Standard headers include different other
headers with each compiler, so a missing include may break other builds.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
USES = {
    'algorithm': r'(?:any|all|none)_of|clamp|(?:min|max)(?:_element)?|minmax(?:_element)?|(?:stable_|partial_)?sort|nth_element|copy(?:_n|_if)?|'
                 r'fill(?:_n)?|transform|find(?:_if)?|count(?:_if)?|reverse|rotate|unique|remove(?:_if)?|replace|(?:lower|upper)_bound|equal|'
                 r'mismatch|generate|shuffle|merge|for_each',
    'array': r'array', 'atomic': r'atomic\w*', 'chrono': r'chrono', 'complex': r'complex|polar|norm',
    'cmath': r'abs|acos|atan2?|ceil|cos|exp2?|floor|fmod|hypot|isfinite|isnan|log(?:2|10)?|lround|pow|round|sin|sqrt',
    'cstdio': r'f?printf|snprintf|fopen', 'cstring': r'mem(?:cpy|set|cmp)|str(?:len|n?cmp)', 'functional': r'function',
    'limits': r'numeric_limits', 'numeric': r'accumulate|iota|inner_product|gcd', 'optional': r'optional',
    'random': r'mt19937\w*|(?:uniform|normal)\w*_distribution',
}
USED = {header: re.compile(rf'std::(?:{names})\b\s*[(<:{{\s]') for header, names in USES.items()}
texts = {path: path.read_text(encoding='utf-8') for folder in ('examples', 'gst', 'reference', 'research', 'tests', 'tools')
         for path in (root / folder).rglob('*') if path.suffix in ('.cpp', '.h')}
direct = {path: re.findall(r'#include [<"](.*)[>"]', text) for path, text in texts.items()}


def included(path, headers):
    """adds the headers that a source includes, directly or through others"""
    for header in direct[path]:
        own = next((base / header for base in (path.parent, root, root / 'gst', root / 'tests') if base / header in texts), header)
        if own not in headers:
            headers.add(own)
            if own in texts:
                included(own, headers)
    return headers


problems = []
for path, text in texts.items():
    headers = included(path, set())
    for header, used in USED.items():
        use = used.search(re.sub(r'//.*', '', text))
        if use and header not in headers:
            problems.append(f'{path.relative_to(root)} has {use[0].rstrip("(< :{")}, but not <{header}>')
print('\n'.join(sorted(problems)) or f'{len(texts)} sources')
sys.exit(bool(problems))
