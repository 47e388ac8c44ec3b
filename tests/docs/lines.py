#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""lines.py ROOT PARSE TOOLS: checks the command lines of the Markdown pages

PARSE constructs the pipelines of gst-launch-1.0, and parts of pipelines between ellipses, without
running them. Options of the project's tools have to be in their --help; TOOLS is the folder of the
tools, or '' if they are not built. Scripts of the sources have to exist."""
import pathlib
import re
import shlex
import subprocess
import sys

import pages

OPERATORS = {'|', '||', '&', '&&', ';', '>', '<', '>>'}
LAUNCH_OPTIONS = re.compile(r'-[a-z]+$|--[a-z-]+$')


def words(command):
    """the words of a command line without comments; operators of the shell are separate words"""
    lexer = shlex.shlex(command.replace('…', ' … '), posix=True, punctuation_chars='|&;<>')
    lexer.whitespace_split = True
    lexer.commenters = '#'
    return list(lexer)


def commands(line):
    """lists of words, one for each command of the line, without leading assignments of variables"""
    part, found = [], []
    for word in words(line) + [';']:
        if word in OPERATORS:
            while part and re.match(r'\w+=', part[0]):
                part.pop(0)
            if part:
                found.append(part)
            part = []
        else:
            part.append(word)
    return found


def pipeline(command):
    """the pipeline of a gst-launch-1.0 command, or None; an ellipsis becomes an identity element"""
    if 'gst-launch-1.0' in command:
        arguments = command[command.index('gst-launch-1.0') + 1:]
        while arguments and LAUNCH_OPTIONS.match(arguments[0]):
            arguments.pop(0)
    elif command[0] == '…':
        arguments = command
    else:
        return None
    return ['identity' if word == '…' else word for word in arguments]


def main(root, parse, tools):
    root = pathlib.Path(root)
    faults, pipelines, places, help_of, checked = [], [], [], {}, 0
    for page in pages.pages(root):
        for block in page.blocks:
            if block.language not in ('', 'sh', 'bash', 'shell', 'console'):
                continue
            for number, line in block.commands():
                line = line.replace('$PWD/', '')
                if '$' in line.split("'")[0] and 'gst-launch' not in line:
                    continue
                try:
                    every = commands(line)
                except ValueError:
                    if 'gst-launch-1.0' in line:
                        faults.append(f'{page.path}:{number}: not a valid command line: {line}')
                    continue
                for command in every:
                    made = pipeline(command)
                    if made:
                        pipelines.append(made)
                        places.append(f'{page.path}:{number}')
                    elif re.fullmatch(r'(examples|pipelines|tests|tools)/[\w./-]+', command[0]):
                        checked += 1
                        if not (root / command[0]).is_file():
                            faults.append(f'{page.path}:{number}: no script {command[0]}')
                    elif tools and (pathlib.Path(tools) / command[0]).is_file():
                        checked += 1
                        if command[0] not in help_of:
                            help_of[command[0]] = subprocess.run([f'{tools}/{command[0]}', '--help'], capture_output=True,
                                                                 text=True, check=False).stdout
                        for option in command[1:]:
                            if re.match(r'--\w', option) and option.split('=')[0] not in help_of[command[0]]:
                                faults.append(f'{page.path}:{number}: {command[0]} has no option {option}')
    text = ''.join(''.join(word + '\n' for word in made) + '\n' for made in pipelines)
    result = subprocess.run([parse], input=text, capture_output=True, text=True, check=False)
    answers = result.stdout.splitlines()
    if result.returncode or len(answers) != len(pipelines):
        faults.append(f'{parse} failed: {result.stderr}')
    missing = 0
    for place, made, answer in zip(places, pipelines, answers):
        if answer.startswith('missing '):
            missing += 1
            print(f'{place}: not checked, {answer}')
        elif answer != 'good':
            faults.append(f'{place}: {" ".join(made)}: {answer}')
    print(f'{len(pipelines)} pipelines, {missing} of them not checked; {checked} other commands')
    print('\n'.join(faults))
    return bool(faults) or not pipelines


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
