#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""containers.py ROOT: checks that the images of packaging/docker run as an unprivileged user"""
import pathlib, re, sys


def faults(text):
    """faults of a Dockerfile"""
    lines = re.sub(r'\\\n', ' ', '\n'.join(line for line in text.splitlines() if not line.lstrip().startswith('#'))).splitlines()
    stages = [[]]
    for line in lines:
        if line.upper().startswith('FROM '):
            stages.append([])
        stages[-1].append(line.split(None, 1) if line.strip() else ['', ''])
    last = [(words[0].upper(), words[1] if len(words) > 1 else '') for words in stages[-1]]
    users = [rest.split(':')[0].strip() for word, rest in last if word == 'USER']
    made = [name for word, rest in last if word == 'RUN' for name in re.findall(r'useradd(?: -\S+(?: \d+)?)* (\w+)', rest)]
    if 'hardening=+all' not in text:
        yield 'it is built without the hardening flags of packages'
    if not users:
        yield 'it runs as root: no USER in the last stage'
    elif users[-1] in ('root', '0') or users[-1] not in made:
        yield f'USER {users[-1]} is not a user that it creates'
    for place, (word, rest) in enumerate(last):
        if word == 'USER' and any(later in ('RUN', 'COPY', 'ADD') for later, _ in last[place:]):
            yield 'it builds something after USER'
        if word == 'RUN' and re.search(r'\bsudo\b|chmod (-R )?(777|a\+w|u\+s)|chown -R \w+ /(usr|etc|bin)?\b(?!\w)', rest):
            yield f'unnecessary permissions: {rest}'
        if word == 'ADD' or (word == 'RUN' and re.search(r'\b(curl|wget)\b', rest)):
            yield f'a download without a package manager: {rest}'


GOOD = 'FROM debian AS build\nUSER root\nRUN DEB_BUILD_MAINT_OPTIONS=hardening=+all make\nFROM debian\nRUN useradd --uid 1000 me \\\n  && install -d -o me /videos\nUSER me\nCMD ["x"]\n'
BAD = [GOOD.replace('USER me\n', ''), GOOD.replace('hardening=+all', ''), GOOD.replace('USER me', 'USER root'), GOOD.replace('USER me', 'USER 0'), GOOD.replace('USER me', 'USER you'),
       GOOD + 'RUN make\n', GOOD.replace('-d', '-d && chmod 777 /'), GOOD.replace('CMD', 'USER root\nCMD'),
       GOOD.replace('RUN useradd', 'RUN wget x && useradd')]


def main(root):
    assert not list(faults(GOOD)), list(faults(GOOD))
    for text in BAD:
        assert list(faults(text)), text
    files = sorted(pathlib.Path(root, 'packaging', 'docker').glob('*Dockerfile'))
    found = [f'{path.name}: {fault}' for path in files for fault in faults(path.read_text(encoding='utf-8'))]
    print('\n'.join(found + [f'{len(files)} containers']))
    return bool(found) or not files


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
