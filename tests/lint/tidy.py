#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tidy.py [--full] [--list] BUILD [FILE...]: runs clang-tidy on the files, or on all sources

BUILD is the build folder. The static analyser (clang-analyzer-*), which takes more than half of the
time, runs only with --full. A clean source is checked again only after a change of it, its headers,
.clang-tidy or clang-tidy. The folder GLCL_LINT_CACHE (default BUILD/lint) stores the clean sources.
Exits with 77 if clang-tidy 14 is missing; other versions report other faults."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(build):
    """commands that compile files of the sources, one for each, by path"""
    found = {}
    for entry in json.loads((build / 'compile_commands.json').read_text(encoding='utf-8')):
        path = pathlib.Path(entry['directory'], entry['file']).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            found.setdefault(path, entry)
    return dict(sorted(found.items()))


def dependencies(build):
    """the files from which each output was built, by output, as ninja recorded them"""
    found, files = {}, []
    for line in subprocess.run(['ninja', '-C', build, '-t', 'deps'], capture_output=True, text=True, check=False).stdout.split('\n'):
        if line.startswith('    '):
            files.append(line.strip())
        elif ': #deps' in line:
            files = found.setdefault(line.split(': #deps')[0], [])
    return found


class Keys:
    """Computes a hash of everything that the result for a source depends on."""

    def __init__(self, build, settings):
        self.build, self.settings, self.deps, self.known = build, settings, dependencies(build), {}

    def content(self, name):
        if name not in self.known:
            try:
                self.known[name] = hashlib.sha256((self.build / name).read_bytes()).digest()
            except OSError:
                self.known[name] = None
        return self.known[name]

    def of(self, path, entry):
        """the hash of a source, or None if its includes are unknown"""
        contents = [self.content(name) for name in self.deps.get(entry.get('output'), [])]
        contents += [self.content(folder / '.clang-tidy') or b'' for folder in path.parents if folder.is_relative_to(ROOT)]
        if not self.deps.get(entry.get('output')) or None in contents:
            return None
        return hashlib.sha256(b'\0'.join([self.settings, entry['command'].encode(), *contents])).hexdigest()


def look(tidy, database, options, path):
    begin = time.monotonic()
    result = subprocess.run([tidy, '--quiet', f'-p={database}', *options, str(path)], capture_output=True, text=True, check=False)
    output = re.sub(r'^\d+ warnings? generated\.\n', '', result.stdout, flags=re.M)
    # Standard output has the compiler's errors too; the rest of standard error are counts.
    return path, result.returncode, output or result.stderr, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--full', action='store_true', help='also run the static analyser')
    parser.add_argument('--list', action='store_true', help='print the time of each source')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    tidy = shutil.which('clang-tidy-14') or shutil.which('clang-tidy')
    version = subprocess.run([tidy, '--version'], capture_output=True, check=False).stdout if tidy else b''
    if b' version 14.' not in version:
        print('SKIP: clang-tidy 14 is not installed')
        return 77

    build = options.build.resolve()
    every = commands(build)
    if options.files:
        wanted = {path.resolve() for path in options.files}
        every = {path: entry for path, entry in every.items() if path in wanted}
    if not every:
        print('no sources')
        return 1
    state = build / 'lint'
    state.mkdir(exist_ok=True)
    # One command for each source, without ccache.
    database = [dict(entry, command=re.sub(r'^ccache ', '', entry['command'])) for entry in every.values()]
    (state / 'compile_commands.json').write_text(json.dumps(database), encoding='utf-8')

    checks = [] if options.full else ['--checks=-clang-analyzer-*']
    keys = Keys(build, version + b'full' * options.full)
    remembered = pathlib.Path(os.environ.get('GLCL_LINT_CACHE') or state)
    remembered.mkdir(parents=True, exist_ok=True)
    cache = remembered / ('tidy-full.json' if options.full else 'tidy.json')
    try:
        clean = set(json.loads(cache.read_text(encoding='utf-8')))
    except (OSError, ValueError):
        clean = set()
    key_of = {path: keys.of(path, entry) for path, entry in every.items()}
    todo = [path for path in every if not key_of[path] or key_of[path] not in clean]

    faults = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for path, status, output, seconds in pool.map(lambda path: look(tidy, state, checks, path), todo):
            if options.list:
                print(f'{seconds:6.1f} s  {path.relative_to(ROOT)}', flush=True)
            if status:
                faults += 1
                print(output, flush=True)
            elif key_of[path]:
                clean.add(key_of[path])
                cache.write_text(json.dumps(sorted(clean)), encoding='utf-8')
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{len(every)} sources, {len(every) - len(todo)} of them clean since an earlier run, {faults} with faults; '
          f'{spent.ru_utime + spent.ru_stime:.0f} s of processor time')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
