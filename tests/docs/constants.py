#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""constants.py ROOT LIST: fails where a page states another number than the kernels have.

LIST has one statement a line: PAGE: TEXT, in which <FILE:MACRO> stands for the value of a macro or CONSTANT, and <FILE:MACRO*N> for a
multiple of it. White space counts as one space.
"""
import re
import sys
from pathlib import Path

PLACE = re.compile(r'<([^:<>]+):(\w+)(?:\*([\d.]+))?>')


def value(source, name):
    """The number that a macro of an OpenCL source or a CONSTANT of an interface.h stands for. Raises ValueError where it is none."""
    found = re.search(rf'^[ \t]*#define {name} (.*?)(?://.*)?$|^CONSTANT\({name}, (.*)\);', source, re.MULTILINE)
    if not found:
        raise ValueError(f'there is no macro and no constant {name}')
    text = re.sub(r'(\d)[fu]\b', r'\1', found[1] or found[2])
    text = re.sub(r'\b[A-Z]\w*\b', lambda other: str(value(source, other[0])), text)
    if not re.fullmatch(r'[\d.()*/+\-e ]+', text):
        raise ValueError(f'{name} is no number: {found[1]}')
    return eval(text)  # of digits and operators alone


def stated(root, text):
    """The text with the values of its macros."""
    def number(place):
        amount = value((root / place[1]).read_text(), place[2]) * float(place[3] or 1)
        return f'{amount:.6g}'
    return PLACE.sub(number, text)


def main(root, statements):
    root = Path(root)
    lines = [line for line in Path(statements).read_text().splitlines() if line and not line.startswith('#')]
    wrong = 0
    for line in lines:
        page, text = line.split(': ', 1)
        try:
            text = stated(root, text)
        except (ValueError, OSError) as error:
            print(f'{page}: {text}: {error}')
            wrong += 1
            continue
        if text not in ' '.join((root / page).read_text().split()):
            print(f'{page} does not state “{text}”, as the kernels have it')
            wrong += 1
    print(f'{len(lines)} statements, {wrong} wrong')
    return 1 if wrong or not lines else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
