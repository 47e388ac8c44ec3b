#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""windows.py ROOT: runs the program for GTK 4 of docs/windows.md with stand-ins for GTK and its sink

The stand-in for gtk4paintablesink takes the caps of the original. The program has to show its paintable, to bring
frames to it as OpenGL textures, and to stop."""
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(sys.argv[1], 'tests', 'docs')))
import pages  # noqa: E402, pylint: disable=wrong-import-position

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstBase', '1.0')
    from gi.repository import GObject, Gst, GstBase
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

Gst.init(None)  # a class with pads needs it
FRAMES = 20
CAPS = ('video/x-raw(memory:GLMemory,meta:GstVideoOverlayComposition),format=RGBA,texture-target=2D; '
        'video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D; video/x-raw,format={BGRA,ARGB,RGBA,RGB}')


class Sink(GstBase.BaseSink):
    """the stand-in for gtk4paintablesink"""
    paintable = GObject.Property(type=GObject.Object)
    made = []

    def __init__(self):
        super().__init__()
        self.paintable, self.textures, self.frames = GObject.Object(), 0, 0
        self.set_sync(False)
        Sink.made.append(self)

    def do_render(self, frame):  # pylint: disable=unused-argument
        self.frames += 1
        self.textures += self.get_static_pad('sink').get_current_caps().get_features(0).contains('memory:GLMemory')
        return Gst.FlowReturn.OK


class Picture:
    """a widget that shows a paintable"""

    def __init__(self, paintable):
        self.paintable = paintable


class ApplicationWindow:
    """a window, which keeps what it shows"""
    shown = []

    def __init__(self, application, title, default_width, default_height):
        assert isinstance(application, Application) and title and default_width > 0 and default_height > 0
        self.child = None

    def set_child(self, child):
        self.child = child

    def present(self):
        self.shown.append(self.child)


class Application:
    """a main loop that ends when the sink has all frames"""

    def __init__(self, application_id):
        assert '.' in application_id
        self.activate = None

    def connect(self, signal, handler):
        assert signal == 'activate'
        self.activate = handler

    def run(self):
        self.activate(self)
        pipeline = Sink.made[0]
        while pipeline.get_parent():
            pipeline = pipeline.get_parent()
        message = pipeline.get_bus().timed_pop_filtered(240 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()


def main():
    Sink.set_metadata('Stand-in', 'Sink/Video', 'Counts frames', 'The gst-glcl developers')
    Sink.add_pad_template(Gst.PadTemplate.new('sink', Gst.PadDirection.SINK, Gst.PadPresence.ALWAYS, Gst.Caps.from_string(CAPS)))
    Gst.Element.register(None, 'gtk4paintablesink', Gst.Rank.PRIMARY + 1, Sink)
    programs = [block.text for block in pages.Page(pathlib.Path(sys.argv[1]), 'docs/windows.md').blocks if 'gtk4paintablesink' in block.text]
    assert len(programs) == 1, programs
    toolkit = types.ModuleType('gi.repository.Gtk')
    toolkit.Application, toolkit.ApplicationWindow, toolkit.Picture = Application, ApplicationWindow, Picture
    sys.modules['gi.repository.Gtk'] = gi.repository.Gtk = toolkit
    require, gi.require_version = gi.require_version, lambda name, version: name == 'Gtk' or require(name, version)
    program = {'__name__': '__main__'}
    exec(programs[0].replace('v4l2src ! decodebin', f'videotestsrc num-buffers={FRAMES}'), program)  # pylint: disable=exec-used
    sink, = Sink.made
    print(f'{sink.frames} frames, {sink.textures} textures')
    assert sink.frames == sink.textures == FRAMES
    assert [child.paintable for child in ApplicationWindow.shown] == [sink.paintable]
    assert program['pipeline'].get_state(0).state == Gst.State.NULL, 'the program does not stop the pipeline'


main()
