#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""words.py ROOT: the texts that users read are plain English. It looks at the pages of the manual outside of code, at strings of
at least three words in gst/ and tools/, at the `//!` lines of filters, and at the comments of CLEAN. Banned words have a plain one in
their place. A sentence has at most 30 words in strings, and 25 in comments of kernels, where each line of a table counts alone. In
strings one blank separates two words; nowhere does a word stand twice."""
import pathlib
import re
import sys

BANNED = {
    r'told|tells?(?! (?:apart|from|which|whether))': 'report, post, print, warn or say',
    r'(?:is|are) none\b(?! of)': 'say what it is not',
    'by parts': 'linearly or partly',
    r'elements? of ours': 'gst-glcl elements',
    r'a (?:frame|second|part) a (?:frame|second)|an? (?:ms|px) a': 'per',
    r'for ever': 'forever',
}
IN_COMMENTS = {
    'scenery|sceneries': 'background',
    'nobody|whoever': 'name the thread, element or function',
    'of ours': 'gst-glcl elements',
    r'in small': 'reduced',
    r'(?:^|(?<=[.:;] ))(?:What|Who|Whose)(?! if)': 'begin with the noun',
}
CLEAN = ['gst', 'kernels', 'tools', 'examples', 'reference', 'research/opticalflow', 'tests']
LONGEST, LONGEST_IN_KERNELS = 30, 25
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"((?:\s*"(?:[^"\\\n]|\\.)*")*)')


def prose(page):
    """the lines of a Markdown page with their numbers, without code, links' targets and names of files"""
    fence = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith('```'):
            fence = not fence
        elif not fence and not line.startswith('    '):
            yield number, re.sub(r'`[^`]*`|\]\([^)]*\)', ' ', line)


def strings(source):
    """the string literals of C++ with their line; neighbours are one, comments are left out"""
    source = re.sub(r'(?m)^\s*//.*$', '', source)
    for match in LITERALS.finditer(source):
        text = re.sub(r'"\s*"', '', match.group())[1:-1]
        if text.count(' ') >= 2 and not re.search(r'\\n|[{};]|\?:', text):
            yield source.count('\n', 0, match.start()) + 1, text


def comments(source):
    """the comments of C, C++ and OpenCL C with their first line; neighbouring lines are one"""
    lines = source.splitlines()
    first, text = 0, ''
    for number, line in enumerate([*lines, ''], 1):
        found = re.search(r'(?:^|\s)//[/!]?<? (.*)$', line)
        whole = bool(re.match(r'\s*//', line)) and 'SPDX-License' not in line
        if text and not whole:
            yield first, text
            text = ''
        if found and whole:
            first, text = (first, f'{text} {found.group(1)}') if text else (number, found.group(1))
        elif found and 'SPDX-License' not in line:
            yield number, found.group(1)


def doubled(text):
    """words that are there twice"""
    found = re.search(r'\b([a-z]{2,}(?: [a-z]+)*) \1\b', text)
    if found:
        yield f'"{found.group()}": once will do'


def blanks(text):
    """two blanks after a word, as columns of printf have before a %"""
    found = re.search(r'[\w.,:;!?]  (?!%)', text)
    if found:
        yield f'two blanks after "{text[:found.start() + 1][-40:]}"'


def banned(text, rules=None):
    """what is wrong with the words of a text"""
    for pattern, better in (rules or BANNED).items():
        found = re.search(rf'(?:{pattern})\b' if pattern.startswith('(?:^') else rf'(?i)\b(?:{pattern})\b', text)
        if found:
            yield f'"{found.group()}": {better}'


def too_long(text, ends=r'[.:;!?](?:\s|$)', longest=LONGEST):
    """what is wrong with the length of its sentences"""
    for sentence in re.split(ends, re.sub(r'\([^)]*\)', '', text)):
        if len(sentence.split()) > longest:
            yield f'{len(sentence.split())} words in "{sentence.strip()[:60]}…"'


def faults(root):
    """FILE:LINE: WHAT for everything that is wrong below the folder"""
    for path in [*root.glob('*.md'), *root.glob('docs/**/*.md'), *root.glob('examples/*.md'), *root.glob('pipelines/*.md')]:
        for line, text in prose(path.read_text(encoding='utf-8')):
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in [*banned(text), *doubled(text)])
    for path in [*root.glob('gst/**/*.cpp'), *root.glob('gst/**/*.h'), *root.glob('tools/**/*.cpp'), *root.glob('tools/**/*.h')]:
        for line, text in strings(path.read_text(encoding='utf-8')):
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in [*banned(text), *too_long(text), *blanks(text), *doubled(text)])
    for path in [path for folder in CLEAN for path in root.glob(f'{folder}/**/*.*')]:
        name = str(path.relative_to(root))
        if path.suffix in ('.cpp', '.h', '.c', '.cl', '.clh'):
            for line, text in comments(path.read_text(encoding='utf-8')):
                yield from (f'{name}:{line}: {fault}' for fault in [*banned(text, {**BANNED, **IN_COMMENTS}), *doubled(text)])
    for path in root.glob('kernels/**/*.cl*'):
        for line, text in comments(re.sub(r'(?m)^//!.*', '', path.read_text(encoding='utf-8'))):
            # A line of a table begins with blanks.
            faults_of = too_long(text, r'[.!?](?:\s|$)|\s{2,}', LONGEST_IN_KERNELS)
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in faults_of)
    for path in root.glob('kernels/chain/*.cl'):
        for line, text in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            if text.startswith('//!'):
                yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in banned(text))


def main(root):
    found = list(faults(pathlib.Path(root)))
    print('\n'.join(found))
    print(len(found), 'texts to rewrite')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
