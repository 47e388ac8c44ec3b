# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parses the pages of the manual into links, headings, and blocks of code with their line numbers."""
import pathlib
import re
import shutil
import subprocess

CODE = re.compile(r'`[^`]*`')
LINK = re.compile(r'\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)\)')  # the text may begin in another line


class Block:
    """A block of code. `language` is that of its fence, or '' if it has none."""

    def __init__(self, page, line, language, text):
        self.page, self.line, self.language, self.text = page, line, language, text

    def __str__(self):
        return f'{self.page}:{self.line}'

    def commands(self):
        """(line number, command) of a shell block; a line that ends in a backslash continues on the next one"""
        begin, joined = None, ''
        for number, line in enumerate(self.text.split('\n'), self.line):
            begin = begin or number
            if line.endswith('\\'):
                joined += line[:-1]
                continue
            joined = (joined + line).strip()
            if joined and not joined.startswith('#'):
                yield begin, joined
            begin, joined = None, ''


class Page:
    """A Markdown file below `root`."""

    def __init__(self, root, path):
        self.path, self.blocks, self.links, self.anchors = path, [], [], set()
        lines = (root / path).read_text(encoding='utf-8').split('\n')
        number = 0
        while number < len(lines):
            line = lines[number]
            number += 1
            fence = re.match(r' *(```+|~~~+) *([\w+-]*)', line)
            if fence:
                begin = number
                while number < len(lines) and lines[number].strip() != fence[1]:
                    number += 1
                self.blocks.append(Block(path, begin + 1, fence[2], '\n'.join(lines[begin:number])))
                number += 1
            elif line.startswith('    ') and number > 1 and not lines[number - 2].strip():
                begin = number - 1
                while number < len(lines) and (lines[number].startswith('    ') or not lines[number].strip()):
                    number += 1
                text = '\n'.join(line[4:] for line in lines[begin:number]).rstrip('\n')
                self.blocks.append(Block(path, begin + 1, '', text))
            else:
                heading = re.match(r'#+ +(.*?) *#*$', line)
                if heading:
                    self.anchors.add(slug(heading[1]))
                for target in LINK.findall(CODE.sub('', line)):
                    self.links.append((number, target))


def is_outside(target):
    """true for the target of a link that is an address"""
    return '://' in target or target.startswith('mailto:')


def slug(heading):
    """The anchor of a heading; GitHub and Python-Markdown use the same one."""
    heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading)
    return re.sub(r' ', '-', re.sub(r'[^\w\s-]', '', heading).strip().lower())


def pages(root):
    """All Markdown files of the sources, and docs/llms.txt, sorted, without build folders and files that git ignores."""
    root = pathlib.Path(root)
    found = ''
    if shutil.which('git'):
        found = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard', '*.md'],
                               capture_output=True, text=True, check=False).stdout
    names = found.split() or [str(path.relative_to(root)) for path in
                                     [*root.glob('*.md'), *root.glob('docs/**/*.md'), *root.glob('research/**/*.md')]]
    return [Page(root, name) for name in sorted({*names, 'docs/llms.txt'}) if (root / name).is_file()]
