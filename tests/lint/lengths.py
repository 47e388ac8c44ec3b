#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""lengths.py ROOT: limits functions in C, C++ and Python to 80 lines, and pages of the manual to 1000 words

Tables of data outside of functions may be longer. Blocks of code in pages do not count."""
import ast
import pathlib
import re
import sys

MOST = 80
MOST_WORDS = 1000
FOLDERS = ('examples', 'gst', 'reference', 'research', 'tests', 'tools')
# Comments, literals and preprocessor lines, which are not parsed.
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
                     r'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
CONTAINER = re.compile(r'\b(?:namespace|enum|union|class|struct|extern)\b[^()]*$')


def python_functions(text):
    """name, first and last line of each function"""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def c_functions(text):
    """name, first and last line of each function; a lambda is part of its function"""
    text = SKIPPED.sub(lambda match: re.sub(r'[^\n]', ' ', match[0]), text)
    blocks, start, function, parentheses = [], 0, None, 0
    for match in re.finditer(r'[(){};]', text):
        sign = match[0]
        if sign in '()':
            parentheses += 1 if sign == '(' else -1
        elif sign == '{':
            header = re.sub(r'\btemplate\s*<[^{]*?>(?=\s*(?:\w|\[|~))', '', text[start:match.start()])
            is_function = not function and ')' in header and not parentheses and not re.search(r'=\s*$', header) and not CONTAINER.search(header)
            blocks.append((function, parentheses, start if function is None else None))
            if is_function:
                function = (header.strip(), start + len(text[start:]) - len(text[start:].lstrip()))
            elif not CONTAINER.search(header):
                function = function or ()  # data
            parentheses = 0
            start = match.end() if not function else start
        elif sign == '}':
            before, parentheses, begin = blocks.pop()
            after = text[match.end():].lstrip()
            if function and not before and not after.startswith((',', '{')):  # not the initializer of a member
                yield function[0], text.count('\n', 0, function[1]) + 1, text.count('\n', 0, match.start()) + 1
            start = begin if begin is not None and after.startswith((',', '{')) else match.end()
            function = before
        elif not function:
            start = match.end()


def words(page):
    """the number of words with a letter or a digit, outside of blocks of code"""
    text = re.sub(r'^```.*?^```|^    [^\n]*$', '', page, flags=re.S | re.M)
    return len([word for word in text.split() if re.search(r'[^\W_]', word)])


def main(root):
    problems, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            functions = {'.py': python_functions, '.cpp': c_functions, '.h': c_functions, '.c': c_functions}.get(path.suffix)
            for name, first, last in functions(path.read_text(encoding='utf-8')) if functions else ():
                count += 1
                if last - first >= MOST:
                    name = re.sub(r'\s+', ' ', name)[:60]
                    problems.append(f'{path.relative_to(root)}:{first}: {last - first + 1} lines, of {MOST} at most: {name}')
    for path in sorted((root / 'docs').rglob('*.md')):
        count += 1
        if (number := words(path.read_text(encoding='utf-8'))) > MOST_WORDS:
            problems.append(f'{path.relative_to(root)}: {number} words, of {MOST_WORDS} at most')
    print('\n'.join(problems) or f'{count} functions and pages')
    return bool(problems) or not count


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1])))
