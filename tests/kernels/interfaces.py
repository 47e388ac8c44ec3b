#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""interfaces.py KERNELS FILE...: prints a C++ table of the structs in interface.h files below KERNELS

Each entry has OpenCL C statements that store sizes and offsets, and the same numbers from C++. A
declaration that it cannot parse is an error. Members have to be numbers of the types in
common/interface.h, or structs of these."""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
STRUCT = re.compile(r'typedef\s+struct\s*\{(.*?)\}\s*(\w+)\s*;', re.DOTALL)
MEMBERS = re.compile(r'(\w+)\s+(\w+(?:\[[^\]]*\])*(?:\s*,\s*\w+(?:\[[^\]]*\])*)*)')
ALIAS = re.compile(r'typedef\s+(\w+)\s+(\w+)\s*;')  # in OpenCL C; C++ has a class of that name


def members(body, types, where):
    """the member names of a struct"""
    for declaration in filter(None, (part.strip() for part in body.split(';'))):
        found = MEMBERS.fullmatch(declaration)
        if not found or found[1] not in types:
            sys.exit(f'{where}: neither a number of the types in common/interface.h nor a struct of them: {declaration}')
        yield from re.findall(r'(\w+)(?:\[[^\]]*\])*', re.sub(r'\[[^\]]*\]', '', found[2]))


def structs(path, types):
    """(name, members) of every struct in a file"""
    text = COMMENT.sub('', path.read_text(encoding='utf-8'))
    types.update(name for meaning, name in ALIAS.findall(text) if meaning in types)
    found = [(match[2], match[1]) for match in STRUCT.finditer(text)]
    others = re.findall(r'\b(?:struct|union|class)\b', text)
    if len(found) != len(others):
        sys.exit(f'{path}: {len(others)} structs, {len(found)} of them as typedef struct {{...}} Name;')
    for name, body in found:
        yield name, list(members(body, types, f'{path}: {name}'))
        types.add(name)


def main(kernels, *files):
    types = {'int', 'float'} | set(re.findall(r'using (\w+) = cl_\1;', Path(kernels, 'common/interface.h').read_text(encoding='utf-8')))
    found = {file: list(structs(Path(kernels, file), types)) for file in files}
    for file in files:
        print(f'#include "{file}"')
    print('const std::vector<Interface> interfaces{')
    for file, known in found.items():
        host, device = [], []
        for name, names in known:
            cpp = f'glcl::{Path(file).parts[0]}::{name}'
            device.append(f'{{ {name} it; out[{len(host)}] = sizeof it;')
            host.append(f'{{"{name}", sizeof({cpp})}}')
            for member in names:
                device.append(f'out[{len(host)}] = (__private char *)&it.{member} - (__private char *)&it;')
                host.append(f'{{"{name}.{member}", offsetof({cpp}, {member})}}')
            device.append('}')
        if host:
            print(f'{{"{file}", "{" ".join(device)}", {{{", ".join(host)}}}}},')
    print('};')


if __name__ == '__main__':
    main(*sys.argv[1:])
