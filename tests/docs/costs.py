#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""costs.py ROOT LIST: fails if a cost on a page differs from research/results/costs.json

`glcl-bench --costs` writes that file. LIST has names of devices, NAME = DEVICE, and statements, one
per line:

    PAGE: TEXT = ELEMENT: WORK

In TEXT, <NAME SIZE> stands for the wall-clock time of the work in µs, <NAME SIZE ms> for the time in
ms. <NAME SIZE, MORE> stands for the time of the work named "WORK, MORE", and <NAME SIZE: OTHER> for
that of the work OTHER. WORK may be a sum: WORK + WORK. A figure is right if the time rounds to it.
White space counts as one space. If LIST has one row of a table, it must have all rows.

Tables of research/results/h100.md with a column `work` are compared completely.
"""
import json
import re
import sys
from pathlib import Path

PLACE = re.compile(r'<(\w+) (\d+x\d+)( ms)?(?:(, |: )([^<>]+))?>')


def read_costs(path):
    """rows of the file, by (device, element, work, size)"""
    costs = {}
    for run in json.loads(path.read_text(encoding='utf-8')):
        for row in run['costs']:
            costs[run['device'], row['element'], row['work'], row['size']] = row
    return costs


def rounds_to(value, figure):
    """whether a value rounds to the figure of a page"""
    digits = len(figure.split('.')[1]) if '.' in figure else 0
    return abs(value - float(figure)) <= 0.5 * 10 ** -digits + 1e-9


def cost(costs, device, element, work, place):
    """the time for a placeholder in a text, in its unit. Raises ValueError if costs.json lacks it"""
    total = 0
    for part in [place[5]] if place[4] == ': ' else work.split(' + '):
        name = part + ', ' + place[5] if place[4] == ', ' else part
        row = costs.get((device, element, name, place[2]))
        if not row:
            raise ValueError(f'costs.json has no “{name}” of {element} at {place[2]} on {device}')
        total += row['wall-us']
    return total / 1000 if place[3] else total


def check_statement(root, costs, devices, line):
    """the page, its text that matches the statement, and faults"""
    page, statement = line.split(': ', 1)
    text, subject = statement.rsplit(' = ', 1)
    element, work = subject.split(': ', 1)
    pattern = re.escape(PLACE.sub('\0', text)).replace(re.escape('\0'), r'([\d.]*\d)')
    content = ' '.join((root / page).read_text(encoding='utf-8').split())
    found = re.search(pattern, content)
    if not found:
        return page, '', [f'{page} does not state “{text}”']
    wrong = []
    for figure, place in zip(found.groups(), PLACE.finditer(text)):
        value = cost(costs, devices[place[1]], element, work, place)
        if not rounds_to(value, figure):
            wrong.append(f'{page}: “{found[0]}” has {figure}, costs.json {value:.4g}')
    return page, found[0], wrong


def missing_rows(root, page, stated):
    """faults for rows that the list lacks in tables of which it has other rows"""
    wrong = []
    for table in re.findall(r'(?:^\|.*\n)+', (root / page).read_text(encoding='utf-8'), re.MULTILINE):
        rows = [' '.join(row.split()) for row in table.splitlines()[2:]]
        if any(row in stated for row in rows):
            wrong += [f'{page}: the list lacks “{row}”' for row in rows if row not in stated]
    return wrong


def check_results(root, costs, device, page):
    """number of figures in the tables of a page with exact figures of glcl-bench, and faults"""
    wrong, element, sizes, count = [], '', [], 0
    for line in (root / page).read_text(encoding='utf-8').splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if line.startswith('#'):
            element, sizes = line.strip('# '), []
        elif line.startswith('| work |') and 'clock' in line:
            sizes = [re.sub('×', 'x', size) for size in re.findall(r'(\d+×\d+), clock', line)]
        elif sizes and line.startswith('| '):
            for size, clock, events in zip(sizes, cells[1::2], cells[2::2]):
                row = costs.get((device, element, cells[0], size), {})
                count += 1
                if (row.get('wall-us'), row.get('events-us')) != (float(clock), float(events)):
                    wrong.append(f'{page}: {element}, {cells[0]}, {size}: {clock} and {events}, costs.json '
                                 f'{row.get("wall-us")} and {row.get("events-us")}')
    return count, wrong


def main(root, statements):
    root = Path(root)
    costs = read_costs(root / 'research/results/costs.json')
    lines = [line for line in Path(statements).read_text(encoding='utf-8').splitlines() if line and not line.startswith('#')]
    devices = dict(line.split(' = ', 1) for line in lines if ': ' not in line)
    lines = [line for line in lines if ': ' in line]
    stated, wrong = {}, []
    for line in lines:
        try:
            page, text, faults = check_statement(root, costs, devices, line)
        except (ValueError, KeyError) as error:
            wrong.append(f'{line}: {error}')
            continue
        stated.setdefault(page, set()).add(text)
        wrong += faults
    for page, texts in stated.items():
        wrong += missing_rows(root, page, texts)
    count, faults = check_results(root, costs, devices['h100'], 'research/results/h100.md')
    wrong += faults
    print('\n'.join(wrong + [f'{len(lines)} statements, {count} measurements of the results, {len(wrong)} wrong']))
    return 1 if wrong or not lines or not count else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
