# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions that the examples in Python share: pipelines, messages, results, and errors that name a remedy."""
import os
import sys

import __main__


def print_help():
    """ends the program with its docstring after -h or --help"""
    if sys.argv[1:] in (['-h'], ['--help']):
        print(__main__.__doc__.strip())
        sys.exit()


def need(package, error):
    """ends the program with its help, or with an error that names the package to install"""
    print_help()
    sys.exit(f'{sys.argv[0]}: {error}; install {package}, and run it with /usr/bin/python3.')


try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as missing:
    need('python3-gi and gir1.2-gstreamer-1.0', missing)

# The Debian packages of elements, by the start of the element's name.
PACKAGES = {
    'glcl': 'gst-glcl itself: run inside `meson devenv -C build`, or install gstreamer1.0-glcl',
    'glopenclflow': 'gst-glcl itself: run inside `meson devenv -C build`, or install gstreamer1.0-glcl',
    'textoverlay': 'gstreamer1.0-x',
    'gl': 'gstreamer1.0-gl',
    'v4l2src': 'gstreamer1.0-plugins-good',
    'decodebin': 'gstreamer1.0-plugins-base',
    'videotestsrc': 'gstreamer1.0-plugins-base',
    'appsink': 'gstreamer1.0-plugins-base',
}


def version():
    """the name of the program and the version of the plugin"""
    Gst.init(None)
    plugin = Gst.Registry.get().find_plugin('glcl')
    return f'{os.path.basename(sys.argv[0])} {plugin.get_version() if plugin else "(plugin not found)"}'


def headless():
    return not os.environ.get('DISPLAY') and not os.environ.get('WAYLAND_DISPLAY')


def argument():
    """the first argument of the command line, or None; -h prints the docstring of the program, --version that of the plugin"""
    if sys.argv[1:] == ['--version']:
        print(version())
        sys.exit()
    print_help()
    return sys.argv[1] if len(sys.argv) > 1 else None


def pipeline(source, rest, frames=60):
    """the pipeline `source ! rest`; source is a file, a camera (/dev/video0), or None for a moving ball"""
    if headless() and 'imagesink' not in rest and not os.environ.get('GST_GL_WINDOW'):
        os.environ.update(GST_GL_WINDOW='egl-device', GST_GL_PLATFORM='egl')  # without a window no display is needed
    Gst.init(None)
    camera = bool(source) and source.startswith('/dev/')
    if source and not os.path.exists(source):
        sys.exit(f'{sys.argv[0]}: there is no ' + (f'camera {source}; v4l2-ctl --list-devices (v4l-utils) lists the cameras.'
                                                   if camera else f'file {source}.'))
    if not source:
        begin = f'videotestsrc pattern=ball num-buffers={frames} ! video/x-raw,width=320,height=240,framerate=25/1'
    elif camera:  # a camera does not wait: frames that arrive while the device is busy are dropped
        begin = 'v4l2src name=source ! decodebin ! queue leaky=downstream max-size-buffers=2'
    else:
        begin = 'filesrc name=source ! decodebin caps=video/x-raw(ANY) expose-all-streams=false'
    try:
        made = Gst.parse_launch(f'{begin} ! videoconvert ! videoflip video-direction=auto ! glupload ! glcolorconvert ! {rest}')
    except GLib.Error as error:
        for element, package in PACKAGES.items():
            if f'"{element}' in error.message:
                sys.exit(f'{sys.argv[0]}: {error.message}; it is in {package}.')
        sys.exit(f'{sys.argv[0]}: {error.message}')
    if source:
        made.get_by_name('source').set_property('device' if camera else 'location', source)
    return made


def next_message(playing, wait):
    """the next element message or EOS, or None after `wait` ns; ends the program on an error message"""
    message = playing.get_bus().timed_pop_filtered(wait, Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message and message.type == Gst.MessageType.ERROR:
        error, _ = message.parse_error()
        hint = '; most decoders are in gstreamer1.0-libav.' if 'plug-in' in error.message else ''
        if not hint and headless() and not os.environ.get('GST_GL_WINDOW'):
            hint = ('; no screen here (DISPLAY and WAYLAND_DISPLAY are not set): over ssh set one, or run without a window: '
                    'GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device')
        sys.exit(f'{sys.argv[0]}: {error.message}{hint}')
    return message


def messages(playing):
    """plays, and yields the name and the structure of every element message, until the end or Ctrl+C"""
    playing.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = next_message(playing, Gst.SECOND // 5)  # short, so that Ctrl+C is noticed
            if message and message.type == Gst.MessageType.EOS:
                break
            if message:
                yield message.get_structure().get_name(), message.get_structure()
    except KeyboardInterrupt:
        pass
    finally:
        playing.set_state(Gst.State.NULL)


def samples(playing, sink):
    """plays, and yields every sample that reaches this appsink, until the end or Ctrl+C"""
    playing.set_state(Gst.State.PLAYING)
    try:
        while not sink.get_property('eos'):
            sample = sink.emit('try-pull-sample', Gst.SECOND // 5)
            if sample:
                yield sample
            else:
                next_message(playing, 0)
    except KeyboardInterrupt:
        pass
    finally:
        playing.set_state(Gst.State.NULL)


def result(frame, kind):
    """the structure of the result that an analyser attached to a frame (attach-meta=true), or None"""
    meta = frame.get_custom_meta(kind)
    return meta.get_structure() if meta else None


def array(structure, field):
    """an array of a result as a numpy array; it is copied once, from the buffer of the read-back"""
    try:
        import numpy
    except ImportError as missing:
        need('python3-numpy', missing)
    shape, kind = structure.get_value(field + '-shape'), structure.get_value(field + '-type')
    mapped, info = structure.get_value(field).map(Gst.MapFlags.READ)
    if not mapped:
        raise RuntimeError(f'{field} could not be read back from the device')
    # In plain PyGObject `data` is a copy, which bytes() does not copy again; with the overrides of
    # python3-gst-1.0 it is a view.
    data = bytes(info.data)
    structure.get_value(field).unmap(info)
    return numpy.frombuffer(data, numpy.dtype(kind)).reshape(shape)
