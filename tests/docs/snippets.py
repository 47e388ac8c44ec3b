#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""snippets.py ROOT CC CXX HEADERS FLAGS...: compiles the code of the Markdown pages, with warnings as errors

It checks ```c, ```cpp and ```python blocks. C is compiled as in an application, with HEADERS
(comma-separated) in gst-glcl/; C++ as in an element of the tree, with includes from gst/. An
indented block or a fence without a language is C++ if it looks like C. C++ may be the body of a
function; tests/docs/PAGE.h declares names that the page assumes. A file of kernels/ has to contain
each kernel exactly as shown."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pages

LOOKS_LIKE_C = re.compile(r'^\s*#\s*include|^[^#$…]*[;{]\s*(/[/*].*)?$')
SHELL = re.compile(r'(^|\s)(gst-\w+-1\.0|glcl-\w+|meson|export|sed|done|fi)\b')
WARNINGS = ['-fsyntax-only', '-Wall', '-Wextra', '-Werror', '-Wno-unused-function', '-Wno-unused-parameter',
            '-Wno-unused-variable']
C, CPP = ('c', 'h'), ('cpp', 'c++', 'cc', 'cxx')


def language(block):
    if block.language:
        return block.language.lower()
    lines = [line for line in block.text.split('\n') if line.strip()]
    if any(SHELL.search(line) for line in lines):
        return ''
    if '__kernel' in block.text:
        return 'opencl'
    if block.text.startswith('//! filter'):
        return 'filter'  # tests/elements/chain.cpp tests it
    return 'cpp' if any(LOOKS_LIKE_C.search(line) for line in lines) else ''


def kernel_fault(root, block):
    def packed(text):
        return ' '.join(text.split())
    shown = packed(block.text)
    return '' if any(shown in packed(file.read_text(encoding='utf-8')) for file in root.glob('kernels/*/*.cl*')) else \
        'no file of kernels/ contains this code'


class Compiler:
    def __init__(self, root, work, cc, cxx, headers, flags):
        self.root, self.work, self.cc, self.cxx, self.flags = root, pathlib.Path(work), cc.split(), cxx.split(), flags
        (self.work / 'gst-glcl').mkdir()
        for header in headers.split(','):
            (self.work / 'gst-glcl' / os.path.basename(header)).symlink_to(header)

    def run(self, command, suffix, text):
        source = self.work / ('snippet' + suffix)
        source.write_text(text, encoding='utf-8')
        result = subprocess.run([*command, *WARNINGS, f'-I{self.work}', *self.flags, str(source)],
                                capture_output=True, text=True, check=False)
        return '' if result.returncode == 0 else result.stderr or 'failed'

    def c(self, block):
        return self.run([*self.cc, '-std=gnu11'], '.c', f'#line {block.line} "{block.page}"\n{block.text}\n')

    def cpp(self, block):
        given = self.root / 'tests' / 'docs' / (pathlib.Path(block.page).stem + '.h')
        prelude = f'#include "{given}"\n' if given.exists() else ''
        more = []
        if '#include <Q' in block.text:
            found = subprocess.run(['pkg-config', '--cflags', 'Qt6Quick'], capture_output=True, text=True, check=False)
            if found.returncode:
                return ''  # Qt is not installed
            more = ['-fPIC', *found.stdout.split()]
        command = [*self.cxx, *more, '-std=c++17', f'-I{self.root}', f'-I{self.root / "gst"}']
        place = f'#line {block.line} "{block.page}"\n'
        whole = self.run(command, '.cpp', f'{prelude}{place}{block.text}\n')
        if not whole:
            return ''
        if '#include' in block.text:
            return whole
        fragment = self.run(command, '.cpp', f'{prelude}void snippet() {{\n{place}{block.text}\n}}\n')
        return fragment


def main(root, cc, cxx, headers, *flags):
    root = pathlib.Path(root).resolve()
    failed, counts = False, {}
    with tempfile.TemporaryDirectory() as work:
        compiler = Compiler(root, work, cc, cxx, headers, flags)
        for page in pages.pages(root):
            for block in page.blocks:
                name, fault = language(block), ''
                if name in C:
                    fault = compiler.c(block)
                elif name in CPP:
                    fault = compiler.cpp(block)
                elif name == 'opencl':
                    fault = kernel_fault(root, block)
                elif name in ('python', 'py'):
                    try:
                        compile('\n' * (block.line - 1) + block.text, block.page, 'exec')
                    except SyntaxError as error:
                        fault = str(error)
                else:
                    continue
                counts[name] = counts.get(name, 0) + 1
                if fault:
                    print(f'{block}: does not compile\n{fault}')
                    failed = True
    print(', '.join(f'{count} of {name}' for name, count in counts.items()))
    return failed or not counts


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
