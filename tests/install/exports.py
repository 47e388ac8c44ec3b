#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""exports.py INCLUDE PLUGIN EXAMPLE SOURCES: checks installed headers and exported names

They have to be exactly those that examples/element needs. INCLUDE has the installed headers, PLUGIN
exports names, and EXAMPLE is examples/element, built from SOURCES."""
import pathlib
import re
import subprocess
import sys

APPLICATIONS = {'gstglclcontext.h', 'gstglclresult.h'}  # headers for applications in C, which link nothing


def included(path, include, found):
    """adds the installed headers that a source includes, directly or through others"""
    for name in re.findall(r'#include "(.*)"', path.read_text(encoding='utf-8')):
        header = next((one for one in (path.parent / name, include / name) if one.is_file() and one.is_relative_to(include)), None)
        if header and header.resolve() not in found:
            found.add(header.resolve())
            included(header, include, found)
    return found


def names(path, *options):
    """names that a library defines or needs: classes and free functions; all functions of a base class are one"""
    symbols = subprocess.run(['nm', '-D', '-C', *options, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    for line in symbols.splitlines():
        symbol = re.sub(r'^[0-9a-f]* *\w ', '', line)
        symbol = re.sub(r'^(typeinfo name|typeinfo|vtable|guard variable|VTT) for ', '', symbol)
        base = re.match(r'gst_glcl_[a-z]+(?=_)', symbol)
        own = re.match(r'glcl::(?:[a-z]+::)*\w+', symbol)
        if base or own:
            found.add((base or own)[0])
    return found


def main(include, plugin, example, sources):
    include = pathlib.Path(include).resolve()
    needed = set()
    for source in pathlib.Path(sources).glob('*.cpp'):
        included(source, include, needed)
    installed = {path.resolve() for path in include.rglob('*.h')}
    faults = [f'installed, but not needed: {path.relative_to(include)}' for path in sorted(installed - needed) if path.name not in APPLICATIONS]
    exported, wanted = names(plugin, '--defined-only'), names(example, '--undefined-only')
    faults += [f'exported, but not needed: {name}' for name in sorted(exported - wanted)]
    faults += [f'needed, but not exported: {name}' for name in sorted(wanted - exported)]
    print('\n'.join(faults + [f'{len(installed)} headers; {len(exported)} classes and functions are exported']))
    return bool(faults) or not needed or not wanted


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
