#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""arguments.py SOURCE_FOLDER: fails if a kernel of kernels/ has more than 12 arguments

Macros in the list of arguments are expanded. Those of kernels/common/ are not: they are the planes of
a picture with their pitches, which count as one argument. If a macro has several definitions, the one
with the most arguments counts.
"""
import os
import re
import sys

MOST = 12
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.S)
DEFINITION = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?(.*)$', re.M)
ATTRIBUTE = r'(?:\s*__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\))*'
KERNEL = re.compile(rf'\b(?:__kernel|kernel)\b{ATTRIBUTE}\s*void{ATTRIBUTE}\s+(\w+(?:\([^()]*\))?)\s*\(')


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return COMMENT.sub('', file.read().replace('\\\n', ' '))


def definitions(root, path, seen):
    """{macro: [body]} of a file and what it includes, without kernels/common/"""
    if path in seen or not os.path.exists(path):
        return {}
    seen.add(path)
    text, found = text_of(path), {}
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        for macro, bodies in definitions(root, os.path.join(root, 'kernels', name), seen).items():
            found.setdefault(macro, []).extend(bodies)
    if not os.path.relpath(path, root).startswith('kernels/common/'):
        for macro, parameters, body in DEFINITION.findall(text):
            found.setdefault(macro, []).append(body.strip())
    return found


def list_from(text, start):
    """The text up to the parenthesis that closes a list"""
    depth, end = 1, start
    while depth:
        depth += {'(': 1, ')': -1}.get(text[end], 0)
        end += 1
    return text[start:end - 1]


def pieces(text):
    """The parts of a list between its commas"""
    depth, parts = 0, ['']
    for character in text:
        depth += {'(': 1, ')': -1}.get(character, 0)
        if character == ',' and not depth:
            parts.append('')
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def count_of(text, macros, open_macros=()):
    """The number of arguments in a list"""
    count = 0
    for part in pieces(text):
        macro = re.match(r'(\w+)(?:\(.*\))?(?:\s+\w+)?$', part, re.S)
        name = macro and macro.group(1)
        bodies = macros.get(name, []) if name not in open_macros else []
        count += max([1] + [count_of(body, macros, (*open_macros, name)) for body in bodies])
    return count


def kernels(root):
    """(path, kernel, number of arguments) of each kernel"""
    for folder, _, names in sorted(os.walk(os.path.join(root, 'kernels'))):
        for path in sorted(os.path.join(folder, name) for name in names if name.endswith(('.cl', '.clh'))):
            text = text_of(path)
            macros, found = definitions(root, path, set()), list(KERNEL.finditer(text))
            if len(found) != len(re.findall(r'\b(?:__)?kernel\b', text)):
                sys.exit(f'{os.path.relpath(path, root)}: not every kernel in it was understood')
            for kernel in found:
                yield (os.path.relpath(path, root), kernel.group(1),
                       count_of(list_from(text, kernel.end()), macros))


def main():
    counted = list(kernels(sys.argv[1]))
    if not counted:
        sys.exit('No kernels found.')
    long = [kernel for kernel in counted if kernel[2] > MOST]
    for path, kernel, count in long:
        print(f'{path}: {kernel} has {count} arguments, at most {MOST} are allowed: put them into a struct of '
              'interface.h')
    print(f'{len(counted)} kernels, at most {max(count for _, _, count in counted)} arguments.')
    sys.exit(1 if long else 0)


main()
