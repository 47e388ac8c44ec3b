#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""reproducible.py SOURCE BUILD: checks that builds are reproducible and hardened

It builds some objects of the plugin, the resource of its kernels, and a library of these in two
folders. It uses the flags of packages and containers, and no ccache. The files have to be equal. It
also checks hardening flags of the plugin and the tools of BUILD."""
import hashlib, json, os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

OBJECTS = ('opencl/source.cpp', 'chain/words.cpp', 'base/glclerrorreporter.cpp', 'unwind.cpp')


def output_of(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **options).stdout


def compile_words(build, path):
    """the command that compiled the file, without input, output and ccache"""
    for entry in json.loads((build / 'compile_commands.json').read_text(encoding='utf-8')):
        if os.path.realpath(os.path.join(entry['directory'], entry['file'])) != str(path):
            continue
        words = shlex.split(entry['command'])
        for option in ('-o', '-MF', '-MQ'):
            at = words.index(option)
            del words[at:at + 2]
        return [word for word in words if word not in ('-c', '-MD', entry['file']) and not word.endswith('ccache')]
    sys.exit(f'{path} was not compiled')


def make(source, build, folder):
    """builds in the folder; returns hashes of the built files, by name"""
    place = folder / 'build'
    place.mkdir(parents=True)
    for name in ('gst', 'kernels', 'pipelines', 'reference'):
        shutil.copytree(source / name, folder / name)
    (place / 'kernels').mkdir()
    shutil.copy(build / 'config.h', place)
    shutil.copy(build / 'kernels' / 'kernels.gresource.xml', place / 'kernels')
    for kind in ('source', 'header'):
        subprocess.run(['glib-compile-resources', 'kernels/kernels.gresource.xml', '--sourcedir=../kernels', '--c-name=glcl_kernels',
                        '--internal', f'--generate-{kind}', f'--target=kernels/kernels.{"c" if kind == "source" else "h"}'],
                       cwd=place, check=True)
    hardening = re.search(r'DEB_BUILD_MAINT_OPTIONS = (.*)', (source / 'debian' / 'rules').read_text(encoding='utf-8'))[1]
    environment = {**os.environ, 'DEB_BUILD_MAINT_OPTIONS': hardening, 'DEB_BUILD_PATH': str(folder)}
    flags = {name: shlex.split(output_of('dpkg-buildflags', '--get', name, cwd=folder, env=environment))
             for name in ('CPPFLAGS', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS')}
    objects = []
    for path, known, own in [(f'../gst/{name}', source / 'gst' / name, 'CXXFLAGS') for name in OBJECTS] + [
            ('kernels/kernels.c', build / 'kernels' / 'kernels.c', 'CFLAGS')]:
        objects.append(path.replace('/', '_').strip('._') + '.o')
        subprocess.run([*compile_words(build, known), '-Ikernels', *flags['CPPFLAGS'], *flags[own], '-c', path, '-o', objects[-1]],
                       cwd=place, check=True)
    subprocess.run(['c++', '-shared', '-o', 'some.so', *objects, *flags['LDFLAGS']], cwd=place, check=True)
    return {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(place.rglob('*')) if path.is_file()}


def hardening_of(path):
    """whether a program or library has each kind of hardening, by its description"""
    segments = output_of('readelf', '--wide', '--segments', '--dynamic', path)
    header = output_of('readelf', '--wide', '--file-header', path)
    return {'relocations are read-only': 'GNU_RELRO' in segments,
            'all symbols are bound at start': bool(re.search(r'FLAGS.*\bNOW\b|BIND_NOW', segments)),
            'the stack is not executable': bool(re.search(r'GNU_STACK\b.* RW +0x', segments)),
            'the code is position-independent': bool(re.search(r'DYN \(', header))}


def main(source, build):
    source, build = pathlib.Path(source).resolve(), pathlib.Path(build).resolve()
    for tool in ('dpkg-buildflags', 'readelf', 'glib-compile-resources'):
        if not shutil.which(tool):
            print(f'SKIP: {tool} is not installed')
            return 77
    if '-fsanitize' in (build / 'compile_commands.json').read_text(encoding='utf-8'):
        print('SKIP: builds with a sanitizer have other flags')
        return 77
    faults = []
    with tempfile.TemporaryDirectory() as work:
        made = [make(source, build, pathlib.Path(work, *name.split('/'))) for name in ('one', 'another/further/down')]
        faults += [f'{name} differs' for name in sorted({*made[0], *made[1]}) if made[0].get(name) != made[1].get(name)]
        some = pathlib.Path(work, 'one', 'build', 'some.so')
        found = hardening_of(some)
        names = output_of('readelf', '--wide', '--dyn-syms', some)
        found['the stack is protected'] = '__stack_chk_fail' in names
        faults += [f'packages: not true: {what}' for what, good in found.items() if not good]
    print(f'{len(made[0])} files were built twice')
    programs = [build / 'gst' / 'libgstglcl.so', *sorted(path for path in (build / 'tools').glob('glcl-*') if path.is_file() and os.access(path, os.X_OK))]
    for path in programs:
        faults += [f'{path.name}: not true: {what}' for what, good in hardening_of(path).items() if not good]
    print(f'{len(programs)} programs and libraries are hardened' if not faults else '\n'.join(faults))
    return bool(faults) or len(made[0]) < len(OBJECTS) + 3


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
