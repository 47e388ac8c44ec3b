#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""words.py ROOT: checks that texts are plain English

It checks the pages of the manual outside of code, and strings of at least three words in gst/ and
tools/. It checks `//!` lines of filters, comments below COMMENTED, comments and docstrings of scripts,
and messages of at least three words that shell scripts print. Scripts include lists, YAML and
Dockerfiles. Each banned word has a plain replacement. A sentence has at most 30 words in strings and
messages. It has 25 in comments of kernels and scripts, where each line of a table counts alone. Words
in strings are separated by one blank. No text repeats words directly."""
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
    r'(?:^|(?<=[.:;] ))Whether': 'True if, or the degree from 0 to 1',
}
COMMENTED = ['gst', 'kernels', 'tools', 'examples', 'reference', 'research/opticalflow', 'tests']
SCRIPTED = [*COMMENTED, '.ci', '.githooks', '.github', 'docs', 'packaging', 'pipelines', 'presets', 'research']
SHELL = re.compile(r'.*\.sh|run|commit-msg|new-element')
SCRIPTS = re.compile(rf'{SHELL.pattern}|.*\.(?:py|list|ya?ml|Dockerfile)|meson\.build')
DIRECTIVES = re.compile(r'SPDX-License|# (?:shellcheck|pylint|noqa)\b')
LONGEST, LONGEST_IN_COMMENTS = 30, 25
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"((?:\s*"(?:[^"\\\n]|\\.)*")*)')

MESSAGES = re.compile(r'(?m)^(?!\s*#).*?\b(?:echo|printf|die|fail|skip|step|wrong)(?: -\w+)* (?:"((?:[^"\\]|\\.)*)"|\'([^\']*)\')')
EXPANSIONS = re.compile(r'\$(?:\((?:[^()]|\([^()]*\))*\)+|\{[^{}]*\}|\w+|[@*#?])')


def prose(page):
    """(line number, text) of a Markdown page, without code and targets of links"""
    fence = False
    for number, line in enumerate(page.splitlines(), 1):
        if line.lstrip().startswith('```'):
            fence = not fence
        elif not fence and not line.startswith('    '):
            yield number, re.sub(r'`[^`]*`|\]\([^)]*\)', ' ', line)


def strings(source):
    """(line number, text) of the string literals of C++; adjacent literals are one text"""
    source = re.sub(r'(?m)^\s*//.*$', '', source)
    for match in LITERALS.finditer(source):
        text = re.sub(r'"\s*"', '', match.group())[1:-1]
        if text.count(' ') >= 2 and not re.search(r'\\n|[{};]|\?:', text):
            yield source.count('\n', 0, match.start()) + 1, text


def comments(source, mark=r'//[/!]?<?'):
    """(line number, text) of comments; neighbouring ones are one text, and an empty one separates texts"""
    first, text = 0, ''
    for number, line in enumerate([*source.splitlines(), ''], 1):
        found = None if DIRECTIVES.search(line) else re.search(rf'(?:^|\s){mark} (.*)$', line)
        whole = found and re.match(rf'\s*{mark}', line)
        if text and not whole:
            yield first, text
            text = ''
        if whole:
            first, text = (first, f'{text} {found.group(1)}') if text else (number, found.group(1))
        elif found:
            yield number, found.group(1)


def docstrings(source):
    """(line number, text) of the paragraphs in docstrings of Python"""
    for match in re.finditer(r'^ *"""(.*?)"""', source, re.DOTALL | re.MULTILINE):
        for part in re.finditer(r'(?:(?!\n *\n).)+', match[1], re.DOTALL):
            yield source.count('\n', 0, match.start(1) + part.start()) + 1, ' '.join(part[0].split())


def messages(source):
    """(line number, text) of the messages that a shell script prints; an expansion counts as one word"""
    for match in MESSAGES.finditer(source):
        for text in EXPANSIONS.sub('X', match[1] or match[2] or '').split('\\n'):
            if text.count(' ') >= 2 and not re.search(r'[{};]|#!|\?:', text):
                yield source.count('\n', 0, match.end()) + 1, text


def doubled(text):
    """repeated words"""
    found = re.search(r'(?<![\w-])([a-z]{2,}(?: [a-z]+)*) \1(?![\w-])', text)
    if found:
        yield f'"{found.group()}": once will do'


def blanks(text):
    """two blanks after a word; before a % they align columns"""
    found = re.search(r'[\w.,:;!?]  (?!%)', text)
    if found:
        yield f'two blanks after "{text[:found.start() + 1][-40:]}"'


def banned(text, rules=None):
    """banned words, with their replacement"""
    for pattern, better in (rules or BANNED).items():
        found = re.search(rf'(?:{pattern})\b' if pattern.startswith('(?:^') else rf'(?i)\b(?:{pattern})\b', text)
        if found:
            yield f'"{found.group()}": {better}'


def too_long(text, ends=r'[.:;!?](?:\s|$)', longest=LONGEST):
    """sentences that are too long"""
    for sentence in re.split(ends, re.sub(r'\([^)]*\)', '', text)):
        if len(sentence.split()) > longest:
            yield f'{len(sentence.split())} words in "{sentence.strip()[:60]}…"'


def too_long_in_comment(text):
    """sentences that are too long in comments, where a line of a table begins with blanks"""
    return too_long(text, r'[.!?](?:\s|$)|\s{2,}', LONGEST_IN_COMMENTS)


def faults(root):
    """FILE:LINE: FAULT for all texts below the folder"""
    for path in [*root.glob('*.md'), *root.glob('docs/**/*.md'), *root.glob('docs/llms.txt'), *root.glob('examples/*.md'), *root.glob('pipelines/*.md')]:
        for line, text in prose(path.read_text(encoding='utf-8')):
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in [*banned(text), *doubled(text)])
    for path in [*root.glob('gst/**/*.cpp'), *root.glob('gst/**/*.h'), *root.glob('tools/**/*.cpp'), *root.glob('tools/**/*.h')]:
        for line, text in strings(path.read_text(encoding='utf-8')):
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in [*banned(text), *too_long(text), *blanks(text), *doubled(text)])
    for path in [path for folder in COMMENTED for path in root.glob(f'{folder}/**/*.*')]:
        name = str(path.relative_to(root))
        if path.suffix in ('.cpp', '.h', '.c', '.cl', '.clh'):
            for line, text in comments(path.read_text(encoding='utf-8')):
                yield from (f'{name}:{line}: {fault}' for fault in [*banned(text, {**BANNED, **IN_COMMENTS}), *doubled(text)])
    for path in root.glob('kernels/**/*.cl*'):
        for line, text in comments(re.sub(r'(?m)^//!.*', '', path.read_text(encoding='utf-8'))):
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in too_long_in_comment(text))
    for path in sorted({*root.glob('*'), *(path for folder in SCRIPTED for path in root.glob(f'{folder}/**/*'))}):
        if not SCRIPTS.fullmatch(path.name):
            continue
        source = path.read_text(encoding='utf-8') if path.is_file() else ''
        for line, text in [*comments(source, '#'), *(docstrings(source) if path.suffix == '.py' else [])]:
            faults_of = [*banned(text, {**BANNED, **IN_COMMENTS}), *doubled(text), *too_long_in_comment(text)]
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in faults_of)
        for line, text in messages(source) if SHELL.fullmatch(path.name) else []:
            yield from (f'{path.relative_to(root)}:{line}: {fault}' for fault in [*banned(text), *too_long(text), *doubled(text)])
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
