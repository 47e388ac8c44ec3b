#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""types.py ROOT: checks that no two types of gst/ have the same name

A type inside a class counts with the name of the class, but must not have the name of a type outside
of classes."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
skipped = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
token = re.compile(r'[{};]|\bnamespace\b|\btemplate\s*<[^;{]*?>(?=\s*(?:class|struct|using))|'
                   r'\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*)?(\w+)(?:\s+final)?(?=\s*(?::[^:;{][^;{]*)?\{)|'
                   r'\busing\s+(\w+)\s*=\s*([^;{]+)')


def types(text):
    """(scope, name, meaning of an alias) of every type that a text defines outside of functions"""
    scopes, opening = [], ''
    for found in token.finditer(skipped.sub(' ', text)):
        if found[0] == '{':
            scopes.append(opening)
            opening = ''
        elif found[0] == '}':
            del scopes[-1:]
        elif found[0] == ';':
            opening = ''
        elif found[0] == 'namespace':
            opening = ':'
        elif found[1] or found[2]:
            classes = [scope for scope in scopes if scope != ':']
            if '' not in classes:
                yield '::'.join(classes), found[1] or found[2], found[3]
            opening = found[1] or ''


outside, inside = collections.defaultdict(dict), collections.defaultdict(dict)
for path in sorted((root / 'gst').rglob('*')):
    if path.suffix not in ('.h', '.cpp'):
        continue
    for scope, name, meaning in types(path.read_text(encoding='utf-8')):
        meaning = meaning and ' '.join(meaning.split())
        if meaning and re.fullmatch(rf'[\w:]*::{name}', meaning):
            continue  # an alias that only omits the namespace
        where = str(path.relative_to(root))
        (inside if scope else outside)[f'{scope}::{name}' if scope else name].setdefault(meaning or f'{scope} {where}', where)

problems = [f'{name}: {", ".join(sorted(places.values()))}' for names in (outside, inside) for name, places in names.items() if len(places) > 1]
problems += [f'{name}: {", ".join({**places, **outside[name.split("::")[-1]]}.values())}'
             for name, places in inside.items() if len({**places, **outside.get(name.split('::')[-1], {})}) > len(places)]
print('\n'.join(sorted(problems)) or f'{len(outside) + len(inside)} types')
sys.exit(bool(problems))
