#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""llms.py ROOT: checks every line of docs/llms.txt against the built plugin

Properties, ranges, defaults, values and signals are compared with those of the elements. Messages
and results are compared with those of a run. Pipelines that end are run, and so is Python. Errors are
compared with those that their pipelines cause. Other code has to occur in the sources or the manual.

Then each name and number of the page is changed, one at a time: each change has to be reported."""
import pathlib
import re
import subprocess
import sys

import lines
import pages
import plugin

PAGE = 'docs/llms.txt'
MOST_WORDS = 1700
SPAN = re.compile(r'`([^`]+)`')
PROPERTY = re.compile(r'- `([\w-]+)`: (.*)')
FIELDS = re.compile(r'- (?:message `([\w-]+)`|result)(?: with `([^`]+)`)?: (.*)\.')
TYPED = re.compile(r'((?:`[\w-]+`(?:, )?)+) (\w+)((?: \[[\w, ]+\])?)')
SIGNAL = re.compile(r'- signal `([\w-]+)` \(([\w, -]*)\): ')
LABELLED = re.compile(r'- `[^`]+`: ')
ERROR = re.compile(r'- `([^`]+)`: `([^`]+)`\. ')
ABSENT = re.compile(r'- no (element|property) (`[^:]*?`)(?: of `(\w+)`)?: use ')
FORMATS = re.compile(r'format ((?:`\w+`(?:, | or )?)+)\.')


class Section:
    """the headings above a line, and the elements that it is about"""

    def __init__(self):
        self.title, self.subjects = '', []

    def enter(self, heading):
        level, _, name = heading.partition(' ')
        if level == '##':
            self.title, self.subjects = name, []
        elif name.startswith('Every '):
            self.subjects = [each for each in plugin.elements
                             if (plugin.uses_opencl(each) if name == 'Every element' else plugin.is_analyser(each))]
        elif level == '###':
            self.subjects = [name]


class Checker:
    """checks lines of prose"""

    def __init__(self, root):
        self.filters = {path.stem for path in root.glob('kernels/chain/*.cl') if '//! filter' in path.read_text(encoding='utf-8')}
        files = [path for pattern in ('gst/**/*.cpp', 'gst/**/*.h', 'tools/**/*.cpp', 'docs/*.md') for path in root.glob(pattern)]
        self.sources = '\n'.join(path.read_text(encoding='utf-8') for path in files)
        self.written = set(re.findall(r'[\w%.:-]+', self.sources))

    def faults(self, line, section):
        """what is wrong with a line"""
        if line.startswith('#'):
            section.enter(line)
            return []
        spans = [] if any(kind.match(line) for kind in (FIELDS, ABSENT, ERROR)) else SPAN.findall(line)
        found = [f'unknown: {span}' for span in spans if not self.known(span, section.subjects)]
        if line.startswith('- ') and section.title == 'Properties':
            found += self.fact(line, section.subjects)
        elif line.startswith('- ') and section.title == 'Errors and remedies':
            found += self.failing(line)
        elif line.startswith('- ') and section.title == 'What does not exist':
            found += self.absent(line)
        if formats := FORMATS.search(line):
            found += [f'{name}: {pads}' for name in filter(plugin.uses_opencl, plugin.elements) for pads in [plugin.formats(name)]
                      if pads != dict.fromkeys(('src', 'sink'), SPAN.findall(formats[1]))]
        if line.startswith('Analysers are'):
            analysers, _, others = line.partition('Filters are')
            wanted = [name for name in plugin.elements if plugin.is_analyser(name)]
            if sorted(SPAN.findall(analysers)) != sorted(wanted) or set(SPAN.findall(others)) != set(plugin.elements) - set(wanted):
                found.append('not these')
        return found

    def known(self, span, subjects):
        """whether a name, a setting, a pipeline or other code exists"""
        names = subjects or list(plugin.elements)
        if ' ! ' in span:
            parts = [re.match(r'[\w-]*', part)[0] for part in span.split(' ! ')]
            return all(map(plugin.exists, parts)) or self.filters.issuperset(parts)
        if '=' in span:
            name, value = span.split('=', 1)
            owners = [each for each in plugin.elements if plugin.described(each, name)]
            owners = [each for each in owners if each in names] or owners
            listed = [nick for each in owners for nick in plugin.nicks(each, name)]
            return value in listed if listed else bool(owners) and value in ('true', 'false') or span in self.sources
        return (plugin.exists(span) or span in self.filters and subjects == ['glclchain'] or span in self.written
                or re.search(r'\W', span) is not None and span in self.sources
                or any(plugin.described(each, span) or span in self.values(each) for each in names))

    @staticmethod
    def values(element):
        return [nick for spec in plugin.elements[element].list_properties() for nick in plugin.nicks(element, spec.name)]

    def fact(self, line, subjects):
        """a property, a signal, a message, a result, or the filters of a chain"""
        if fields := FIELDS.fullmatch(line):
            return self.fields(subjects[0], *fields.groups())
        if signal := SIGNAL.match(line):
            count = len(signal[2].split(', ')) if signal[2] else 0
            actual = plugin.signal_arguments(subjects[0], signal[1])
            return [] if actual == count else [f'signal {signal[1]} has {actual} arguments']
        if line.startswith('- filters: '):
            return [] if set(SPAN.findall(line)) == self.filters else [f'the filters are {sorted(self.filters)}']
        if not (stated := PROPERTY.match(line)):
            return ['not a known kind of line']
        actual = [plugin.described(each, stated[1]) for each in subjects]
        return [f'{stated[1]} of {each}: {text}' for each, text in zip(subjects, actual) if not text or not stated[2].startswith(text + '. ')]

    @staticmethod
    def fields(element, message, setting, listed):
        """fields of a message or a result, with their types"""
        try:
            messages, result = plugin.observed(element, setting or '')
        except plugin.GLib.Error as failure:
            return [failure.message]
        actual = messages.get(message) if message else result
        if not actual:
            return [f'no {message or "result"}; the messages are {sorted(messages)}']
        rest = TYPED.sub('', listed).strip(' ,')
        found = [f'not a list of fields: {rest}'] if rest else []
        for names, kind, shape in TYPED.findall(listed):
            for name in SPAN.findall(names):
                if not matches(actual.get(name), kind, re.findall(r'\w+', shape)):
                    found.append(f'{name}: {actual.get(name)}')
        return found

    def failing(self, line):
        """a pipeline and its error, or only an error"""
        if not (both := ERROR.match(line)):
            return [] if LABELLED.match(line) else ['not an error and its remedy']
        found = [f'unknown: {span}' for span in SPAN.findall(line[both.end():]) if not self.known(span, [])]
        caused = plugin.error(tuple(lines.words(both[1])))
        caused = re.sub(r'(?<=[a-z])\d+\b', '0', caused)  # numbers of elements
        return found + ([] if both[2] in caused else [f'the error is {caused}'])

    def absent(self, line):
        """elements or properties that do not exist, and their replacements"""
        if not (stated := ABSENT.match(line)):
            return ['not a known kind of line']
        kind, names, element = stated.groups()
        if (kind == 'property') != (element in plugin.elements):
            return [f'no element {element}']
        found = [f'{name} exists' for name in SPAN.findall(names) if (plugin.described(element, name) if element else plugin.exists(name))]
        for span in SPAN.findall(line[stated.end():]):
            exists = plugin.described(element, span) if element else '=' in span or plugin.exists(span)
            if not exists or not self.known(span, [element] if element else []):
                found.append(f'unknown: {span}')
        return found


def matches(actual, kind, shape):
    """whether a field has this type; words in `shape` stand for any number"""
    if not isinstance(actual, tuple):
        return actual == kind and not shape
    return actual[0] == kind and len(actual[1]) == len(shape) and all(
        not length.isdigit() or int(length) == number for length, number in zip(shape, actual[1]))


def changes(line):
    """the line with one name or number changed, for each of them"""
    wrong = 'glclmotion' if line.startswith('- no element') else 'sharing' if line.startswith('- no property') else ''
    begin = ABSENT.match(line).end(2) if wrong else 0
    for span in SPAN.finditer(line):
        text = wrong if span.start() < begin else 'zz' + span[1]
        yield f'{line[:span.start()]}`{text}`{line[span.end():]}'
    stated = PROPERTY.match(line)
    for number in re.finditer(r'(?<![\w.`-])-?[\d.]*\d(?=\.\.| =)|(?<=\.\.)[\d.]*\d|(?<== )("")?[\w.-]*\w', line) if stated else ():
        yield f'{line[:number.start()]}9{line[number.start():]}'
    for kind in re.finditer(r'(?<=` )(double|u?int\d*|string|list|boolean|float32)\b', line) if FIELDS.match(line) else ():
        yield f'{line[:kind.start()]}char{line[kind.end():]}'


def run_blocks(page):
    """runs the pipelines that end by themselves, and Python"""
    found, count = [], 0
    for block in page.blocks:
        if block.language == 'python':
            result = subprocess.run([sys.executable, '-c', block.text], capture_output=True, text=True, check=False, timeout=120)
            if result.returncode or not result.stdout.strip():
                found.append(f'{block}: {result.stderr or "it prints nothing"}')
            count += 1
        for number, command in block.commands() if block.language == '' else ():
            words = lines.words(command)
            begin = next((index for index, word in enumerate(words) if word in ('gst-launch-1.0', 'glcl-events')), None)
            if begin is None:
                found.append(f'{block.page}:{number}: no pipeline')
            elif 'num-buffers' in command:
                count += 1
                if error := plugin.error(tuple(words[begin + 1:])):
                    found.append(f'{block.page}:{number}: {error}')
    print(f'{count} pipelines and programs run')
    return found


def prose(text):
    """(line number, line) outside of blocks"""
    fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('```'):
            fence = not fence
        elif not fence and line:
            yield number, line


def main(root):
    root = pathlib.Path(root)
    text = (root / PAGE).read_text(encoding='utf-8')
    described = set(re.findall(r'^### (gl\w+)$', text, re.M))
    if not described or described != set(plugin.elements):
        print(f'{PAGE}: elements {sorted(described)}, the plugin has {sorted(plugin.elements)}')
        return 1
    checker, section, found, changed = Checker(root), Section(), [], 0
    for number, line in prose(text):
        faults = checker.faults(line, section)
        found += [f'{PAGE}:{number}: {fault}' for fault in faults]
        for change in changes(line) if not faults and not line.startswith('#') else ():
            changed += 1
            if not checker.faults(change, section):
                found.append(f'{PAGE}:{number}: a change is not noticed: {change}')
    count = sum(len(re.findall(r'\S*\w\S*', line)) for _, line in prose(text))
    if count > MOST_WORDS:
        found.append(f'{PAGE}: {count} words, of {MOST_WORDS} at most')
    found += run_blocks(pages.Page(root, PAGE))
    print(f'{count} words, {changed} changes')
    print('\n'.join(found))
    return bool(found) or not changed


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
