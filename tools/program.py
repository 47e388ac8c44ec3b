# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line of the tools in Python: help, version, and errors that name the package to install."""
import pathlib
import re
import sys

NAME = pathlib.Path(sys.argv[0]).name


def arguments(text, least, most):
    """the arguments of the program, whose docstring is `text`

    Ends the program after -h, --help and --version, and with status 2 for a wrong number of arguments."""
    given = sys.argv[1:]
    if given in (['-h'], ['--help']):
        print(text.strip())
        sys.exit()
    if given == ['--version']:
        build = pathlib.Path(__file__).parent.parent / 'meson.build'
        print(NAME, re.search(r"version: '(.*)'", build.read_text(encoding='utf-8'))[1])
        sys.exit()
    if not least <= len(given) <= most:
        print('usage:', text.split(':')[0], file=sys.stderr)
        sys.exit(2)
    return given


def need(package, error):
    """ends the program with an error that names the package to install"""
    sys.exit(f'{NAME}: {error}; install {package}, and run it with /usr/bin/python3.')
