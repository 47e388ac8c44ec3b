#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tidy.py [--full] [--list] BUILD [FILE...]: clang-tidy over the sources that BUILD compiles, or over these

Without --full it leaves out the static analyser (clang-analyzer-*), which takes more than half of the time. A source that was
clean is looked at again when it, a header that it includes, .clang-tidy or clang-tidy itself has changed; the folder
GLCL_LINT_CACHE, else BUILD/lint, remembers.
Exits with 77 where clang-tidy 14 is missing; other versions find other things."""
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
    """source -> what compiles it, once for each, of what is in the sources"""
    found = {}
    for entry in json.loads((build / 'compile_commands.json').read_text(encoding='utf-8')):
        path = pathlib.Path(entry['directory'], entry['file']).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            found.setdefault(path, entry)
    return dict(sorted(found.items()))


def dependencies(build):
    """output -> what it was made from, as ninja has recorded it"""
    found, files = {}, []
    for line in subprocess.run(['ninja', '-C', build, '-t', 'deps'], capture_output=True, text=True, check=False).stdout.split('\n'):
        if line.startswith('    '):
            files.append(line.strip())
        elif ': #deps' in line:
            files = found.setdefault(line.split(': #deps')[0], [])
    return found


class Keys:
    """What a clean result depends on, as a hash."""

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
        """None where it is not known what the source includes"""
        contents = [self.content(name) for name in self.deps.get(entry.get('output'), [])]
        contents += [self.content(folder / '.clang-tidy') or b'' for folder in path.parents if folder.is_relative_to(ROOT)]
        if not self.deps.get(entry.get('output')) or None in contents:
            return None
        return hashlib.sha256(b'\0'.join([self.settings, entry['command'].encode(), *contents])).hexdigest()


def look(tidy, database, options, path):
    begin = time.monotonic()
    result = subprocess.run([tidy, '--quiet', f'-p={database}', *options, str(path)], capture_output=True, text=True, check=False)
    said = re.sub(r'^\d+ warnings? generated\.\n', '', result.stdout, flags=re.M)
    # Errors of the compiler's stand in what it says too; the rest of stderr are counts.
    return path, result.returncode, said or result.stderr, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--full', action='store_true', help='the static analyser too')
    parser.add_argument('--list', action='store_true', help='how long each source took')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    tidy = shutil.which('clang-tidy-14') or shutil.which('clang-tidy')
    version = subprocess.run([tidy, '--version'], capture_output=True, check=False).stdout if tidy else b''
    if b' version 14.' not in version:
        print('SKIP: no clang-tidy 14 here')
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
    # One command for each source, without the options that only GCC knows.
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
        for path, status, said, seconds in pool.map(lambda path: look(tidy, state, checks, path), todo):
            if options.list:
                print(f'{seconds:6.1f} s  {path.relative_to(ROOT)}', flush=True)
            if status:
                faults += 1
                print(said, flush=True)
            elif key_of[path]:
                clean.add(key_of[path])
                cache.write_text(json.dumps(sorted(clean)), encoding='utf-8')
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'{len(every)} sources, {len(every) - len(todo)} of them known to be clean, {faults} with faults; '
          f'{spent.ru_utime + spent.ru_stime:.0f} s of processor time')
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
