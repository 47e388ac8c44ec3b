#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mutants.py [--seed S] [--tries N] [--list] BUILD [KERNEL...]: breaks kernels, and asserts that a test notices

It changes one constant, operator, comparison, limit or coordinate of each kernel file, or of the
named ones, until a test fails. A kernel fails if all tests pass with N changes (default 4). The seed
(default 0) selects the places. With --list it prints the number of places per kernel and runs no
test."""
import argparse, json, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 600  # time limit of a test, s: a broken kernel may never end
CHANGES = [(re.compile(pattern), by) for pattern, by in (
    (r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' + '), (r' / ', ' * '),
    (r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '), (r' != ', ' == '),
    (r' && ', ' || '), (r' \|\| ', ' && '), (r' << ', ' >> '), (r' >> ', ' << '), (r'\+= ', '-= '),
    (r'\bmin\(', 'max('), (r'\bmax\(', 'min('), (r'\bfmin\(', 'fmax('), (r'\bfmax\(', 'fmin('), (r'\bclamp\(([^,()]*), [^()]*\)', r'(\1)'),
    (r'\.x\b', '.y'), (r'\.y\b', '.x'), (r'\bget_global_id\(0\)', 'get_global_id(1)'),
    (r'(?<![\w.])(\d+)\.(\d*)f\b', lambda found: f'{int(found[1]) + 1}.{found[2]}f'),
    (r'(?<![\w.])(\d+)(?![\w.])', lambda found: str(int(found[1]) + 1)))]


def is_code(line):
    """whether a line is code; declarations of filters are comments that the program reads"""
    return line.startswith(('//! radius', '//! weights')) or not line.lstrip().startswith(('//', '#', '/*', '*', '__attribute__', '_Pragma'))


def mutants(path):
    """(index of the line, changed line) for every place and kind of change"""
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines()):
        if not is_code(line) or '__kernel' in line:
            continue
        code = line if line.startswith('//!') else line.split('//')[0]
        for pattern, by in CHANGES:
            for found in pattern.finditer(code):
                yield number, code[:found.start()] + (by(found) if callable(by) else found.expand(by)) + code[found.end():]


def end_session(leader):
    """kills all processes of a session: each case of a test is a process in its own group"""
    for path in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            if int(path.read_text(errors='replace').rpartition(')')[2].split()[3]) == leader:
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            pass  # the process has ended


class Tests:
    """Finds and runs the test programs of kernels and elements."""

    def __init__(self, build):
        tests = subprocess.run(['meson', 'introspect', '--tests', build], stdout=subprocess.PIPE, check=True)
        self.known = {}  # lists of tests, by program
        for test in json.loads(tests.stdout):
            if any(suite.endswith(':nightly') for suite in test['suite']):
                continue
            self.known.setdefault(pathlib.Path(test['cmd'][0]).name, []).append(test)
        self.good = {}

    def of(self, kernel):
        """tests of a kernel: the one of its name, then others of its folder, then those of the element"""
        room, stem = kernel.parent.name, kernel.stem
        names = sorted((path.stem for path in (ROOT / 'tests/kernels' / room).glob('*.cpp')), key=lambda name: (name != stem, name))
        programs = [f'kernels-{name}' for name in names] + [f'elements-{room}']
        return [test for program in programs for test in self.known.get(program, []) if os.path.exists(test['cmd'][0])]

    def run(self, test, kernels, cache):
        """runs a test with the kernels of a folder; '' if it passes, else its first fault"""
        deadline = time.monotonic() + LONGEST
        with tempfile.TemporaryDirectory() as folder:
            log, output = pathlib.Path(folder, 'tap'), pathlib.Path(folder, 'output')
            environment = {**os.environ, **test['env'], 'G_RESOURCE_OVERLAYS': f'/org/gst-glcl/kernels={kernels}',
                           'POCL_CACHE_DIR': cache, 'CK_FORK': 'yes', 'CK_TAP_LOG_FILE_NAME': str(log), 'XDG_DATA_HOME': folder}
            with output.open('w') as out, subprocess.Popen(test['cmd'], env=environment, cwd=folder, stdout=out, stderr=out,
                                                         start_new_session=True) as process:
                failed = ''
                while process.poll() is None and not failed:
                    time.sleep(0.1)
                    found = re.search(r'^not ok .*', log.read_text(errors='replace') if log.exists() else '', re.M)
                    failed = found[0] if found else 'it does not end' if time.monotonic() > deadline else ''
                end_session(process.pid)
            if not failed and process.returncode not in (0, 77):
                failed = f'status {process.returncode}'
            text = output.read_text(errors='replace')
            return 'does not build' if failed and 'do not build' in text + failed else failed

    def fault_unchanged(self, test, cache):
        """runs a test with the unchanged kernels, once; '' if it passes"""
        name = test['name'], test['cmd'][0]
        if name not in self.good:
            self.good[name] = self.run(test, ROOT / 'kernels', cache)
        return self.good[name]


def try_kernel(kernel, tests, options, work):
    """whether a test notices a change of the kernel; prints the result"""
    broken, cache = work / 'kernels', work / 'pocl'
    lines = kernel.read_text(encoding='utf-8').splitlines(keepends=True)
    places = sorted(set(mutants(kernel)))
    random.Random(f'{options.seed} {kernel.name}').shuffle(places)
    name = f'{kernel.parent.name}/{kernel.name}'
    left = options.tries
    for number, line in places:
        if not left:
            break
        shutil.copytree(ROOT / 'kernels', broken, dirs_exist_ok=True)
        (broken / name).write_text(''.join(lines[:number] + [line + '\n'] + lines[number + 1:]), encoding='utf-8')
        answer, asked = '', []
        for test in tests.of(kernel):
            asked.append(test['name'])
            answer = tests.run(test, broken, cache)
            if answer:
                break
        if answer == 'does not build':
            continue
        if answer:
            fault = tests.fault_unchanged(test, cache)
            print(f'failed: {asked[-1]} fails with unchanged kernels: {fault}' if fault else
                  f'ok: {name}:{number + 1}: {line.strip()}: noticed by {asked[-1]}: {answer}', flush=True)
            return not fault
        print(f'passes: {name}:{number + 1}: {line.strip()}: {", ".join(asked)}', flush=True)
        left -= 1
    print(f'failed: {name}: no test notices', flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--tries', type=int, default=4)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('build')
    parser.add_argument('kernels', nargs='*')
    options = parser.parse_args()
    kernels = [ROOT / 'kernels' / name for name in options.kernels] or sorted((ROOT / 'kernels').glob('*/*.cl'))
    if options.list:
        for kernel in kernels:
            print(f'{kernel.parent.name}/{kernel.name}: {len(set(mutants(kernel)))} places')
        return 0
    tests = Tests(options.build)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        known = pathlib.Path(options.build, 'tests/run/pocl')
        if known.is_dir():  # a copy of hard links, so that broken kernels are not added to the real cache
            subprocess.run(['cp', '-rl', f'{known.resolve()}/.', f'{folder}/pocl'], stderr=subprocess.DEVNULL, check=False)
        missed = [kernel for kernel in kernels if not try_kernel(kernel, tests, options, pathlib.Path(folder))]
    print(f'{len(kernels)} kernels, {len(missed)} of them can break without a failing test')
    return 1 if missed or not kernels else 0


if __name__ == '__main__':
    sys.exit(main())
