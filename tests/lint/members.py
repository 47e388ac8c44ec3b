#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""members.py ROOT: limits classes of gst/ to 15 data members

Inherited and static members do not count."""
import pathlib
import re
import sys

MOST = 15
# Comments, literals, preprocessor lines and attributes, which are not parsed.
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
                     r'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\balignas\([^)]*\)|\[\[.*?\]\]', re.S | re.M)
CLASS = re.compile(r'\b(?:class|struct)\s+((?:\w+::)*\w+)(?:\s+final)?\s*(?::[^:;{}()][^;{}()]*)?\{')
OTHER = re.compile(r'(?:static|using|typedef|friend|template|enum|union|constexpr|public|private|protected)\b'
                   r'|(?:class|struct)\s+\w+[^{}]*(?:\{\})?$')


def declarations(text, start):
    """the declarations of a class whose body begins at `start`, without what is in braces and parentheses"""
    braces, parentheses, declaration = 1, 0, ''
    for sign in text[start:]:
        if not parentheses:
            braces += {'{': 1, '}': -1}.get(sign, 0)
        if not braces:
            return
        if braces > 1:
            declaration += '{' if sign == '{' and braces == 2 else ''
        elif sign in '()':
            parentheses += 1 if sign == '(' else -1
            declaration += sign if parentheses == (sign == '(') else ''
        elif parentheses:
            continue
        elif sign == '}' and is_function(declaration):
            declaration = ''
        elif sign == ';' or sign == ':' and re.fullmatch(r'\s*(?:public|private|protected)\s*', declaration):
            yield ' '.join(declaration.split())
            declaration = ''
        else:
            declaration += sign


def plain(declaration):
    """a declaration without arguments of templates, indices and values in braces"""
    before = None
    while before != declaration:
        before, declaration = declaration, re.sub(r'<[^<>]*>|\[[^\[\]]*\]|\{\}', '', declaration)
    return declaration


def is_function(declaration):
    return 'operator' in declaration or '(' in plain(declaration).split('=')[0] and '()()' not in declaration


def members(text, start):
    """the number of data members of a class"""
    return sum(1 + plain(declaration).count(',') for declaration in declarations(text, start)
               if declaration and not OTHER.match(declaration) and not is_function(declaration))


def main(root):
    problems, count = [], 0
    for path in sorted((root / 'gst').rglob('*')):
        if path.suffix not in ('.h', '.cpp'):
            continue
        text = SKIPPED.sub(' ', path.read_text(encoding='utf-8'))
        for found in CLASS.finditer(text):
            count += 1
            if (number := members(text, found.end())) > MOST:
                problems.append(f'{path.relative_to(root)}: {found[1]} has {number} data members, of {MOST} at most')
    print('\n'.join(problems) or f'{count} classes')
    return bool(problems) or not count


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
