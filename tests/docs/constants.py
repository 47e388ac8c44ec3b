#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""constants.py ROOT LIST: fails if a number on a page differs from the constant in the kernels

LIST has one statement per line: PAGE: TEXT. In TEXT, <FILE:MACRO> stands for the value of a macro,
CONSTANT or constexpr, and <FILE:MACRO*N> for a multiple of it. White space counts as one space.
"""
import re
import sys
from pathlib import Path

PLACE = re.compile(r'<([^:<>]+):(\w+)(?:\*([\d.]+))?>')


def value(source, name):
    """The number of a macro in an OpenCL source, of a CONSTANT in an interface.h or of a constexpr. Raises ValueError."""
    found = re.search(rf'^[ \t]*#define {name} (.*?)(?://.*)?$|^CONSTANT\({name}, (.*)\);|^constexpr \w+ {name} = (.*?);',
                      source, re.MULTILINE)
    if not found:
        raise ValueError(f'there is neither a macro nor a constant {name}')
    text = re.sub(r'(\d)[fu]\b', r'\1', found[1] or found[2] or found[3])
    text = re.sub(r'\b[A-Z]\w*\b', lambda other: str(value(source, other[0])), text)
    if not re.fullmatch(r'[\d.()*/+\-e ]+', text):
        raise ValueError(f'{name} is not a number: {text}')
    return eval(text)  # contains only digits and operators


def stated(root, text):
    """The text with macros replaced by their values."""
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
            print(f'{page} does not state “{text}”, the value in the kernels')
            wrong += 1
    print(f'{len(lines)} statements, {wrong} wrong')
    return 1 if wrong or not lines else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
