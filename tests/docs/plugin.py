# SPDX-License-Identifier: LGPL-2.1-or-later
"""Describes the built plugin: its elements, properties, pads, signals, and what a run posts and attaches."""
import functools
import os
import re
import sys

os.environ['LC_ALL'] = 'C.UTF-8'  # GStreamer translates its errors
try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import GLib, GObject, Gst
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer: {missing}')
    sys.exit(77)

TYPES = {'gdouble': 'double', 'gint': 'int', 'guint': 'uint', 'guint64': 'uint64', 'gboolean': 'boolean', 'gchararray': 'string',
         'GstStructure': 'structure', 'GstValueArray': 'array', 'GValueArray': 'list'}
MUTABLE_READY = 1 << 10  # GST_PARAM_MUTABLE_READY
# A ball on black, then a cut to another pattern, in luma of limited range.
SOURCE = '''videotestsrc name=source pattern=ball num-buffers=60 ! video/x-raw,format=I420,width=160,height=120 ! glupload !
  {} name=element sharing=copy {} ! fakesink name=sink'''
FRAMES_BEFORE_CUT = 40
ENDS = Gst.MessageType.EOS | Gst.MessageType.ERROR

Gst.init(None)
features = Gst.Registry.get().get_feature_list_by_plugin('glcl')
elements = {feature.get_name(): feature.create(None) for feature in features if isinstance(feature, Gst.ElementFactory)}


def exists(name):
    """whether GStreamer has an element of this name"""
    return Gst.ElementFactory.find(name) is not None


def uses_opencl(name):
    """whether an element has the properties and the pads of elements that run OpenCL"""
    return elements[name].find_property('device') is not None


def is_analyser(name):
    return 'Analyzer' in Gst.ElementFactory.find(name).get_metadata('klass')


@functools.lru_cache(maxsize=None)
def formats(name):
    """{name of pad: formats}; pads have to be always present"""
    pads = {}
    for template in Gst.ElementFactory.find(name).get_static_pad_templates():
        listed = re.search(r'\(memory:GLMemory\), format=\(string\)\{ (.*?) \}.*?texture-target=\(string\)2D', template.get_caps().to_string())
        assert listed and template.presence == Gst.PadPresence.ALWAYS, name
        pads[template.name_template] = listed[1].split(', ')
    return pads


def named(flags):
    """flags as text; a name of no flags is in the list of every value"""
    nicks = flags.value_nicks
    return '+'.join(nicks[int(flags != 0 and nicks[0] == 'none'):])


@functools.lru_cache(maxsize=None)
def nicks(element, name):
    """the values of an enumeration or flags; empty if the property is another type or does not exist"""
    spec = elements[element].find_property(name)
    if hasattr(spec, 'flags_class'):
        return [named(value) for value in spec.flags_class.__flags_values__.values()]
    if not hasattr(spec, 'enum_class'):
        return []
    return [value.value_nick for value in spec.enum_class.__enum_values__.values()]


def default(element, spec):
    """the value of a new element, as text"""
    if spec.value_type.name == 'GstValueArray':
        values = Gst.util_get_object_array(elements[element], spec.name)[1]
        return f'<{", ".join(str(values.get_nth(index)) for index in range(values.n_values))}>'
    value = elements[element].get_property(spec.name)
    if hasattr(value, 'value_nick'):
        return value.value_nick
    if hasattr(value, 'value_nicks'):
        return named(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f'{value:.12g}' if isinstance(value, float) else str(value or ('""' if spec.value_type.name == 'gchararray' else 0))


@functools.lru_cache(maxsize=None)
def described(element, name):
    """type, range, default and restriction, for example `int 0..128 = 0, READY`; None if there is no such property"""
    spec = elements[element].find_property(name)
    if spec is None:
        return None
    values = nicks(element, name)
    kind = 'flags' if hasattr(spec, 'flags_class') else 'enum' if values else TYPES.get(spec.value_type.name, spec.value_type.name)
    text = f'{kind} ' + '|'.join(f'`{value}`' for value in values) if values else kind
    if hasattr(spec, 'minimum') and not values:
        text += f' {spec.minimum:.12g}..{spec.maximum:.12g}' if text == 'double' else f' {spec.minimum}..{spec.maximum}'
    if not spec.flags & GObject.ParamFlags.WRITABLE:
        return text + ', read-only'
    return f'{text} = {default(element, spec)}' + (', READY' if spec.flags & MUTABLE_READY else '')


def signal_arguments(element, name):
    """the number of arguments of a signal; None if there is no such signal"""
    number = GObject.signal_lookup(name, elements[element])
    return len(GObject.signal_query(number).param_types) if number else None


def content(structure):
    """{field: type}; arrays on the device are (type of numbers, shape)"""
    fields = {}
    for index in range(structure.n_fields()):
        name = structure.nth_field_name(index)
        kind = structure.get_field_type(name).name
        fields[name] = TYPES.get(kind, kind)
        if kind == 'GstBuffer':
            fields[name] = (structure.get_value(name + '-type'), structure.get_value(name + '-shape'))
    return fields


def run(pipeline, on_message=lambda message: None):
    """Runs a pipeline until its end, and calls a function for each message. Returns the text of an error, or ''."""
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.ELEMENT | ENDS)
            if message is None:
                return 'no end of stream within a minute'
            if message.type == Gst.MessageType.ERROR:
                return message.parse_error().gerror.message
            if message.type == Gst.MessageType.EOS:
                return ''
            on_message(message)
    finally:
        pipeline.set_state(Gst.State.NULL)


@functools.lru_cache(maxsize=None)
def error(words):
    """the error of a pipeline, a tuple of words as for gst-launch-1.0, when it is made or run; '' if it works"""
    try:
        pipeline = Gst.parse_launchv(words)
        return run(pipeline if isinstance(pipeline, Gst.Pipeline) else Gst.parse_launchv(['pipeline.(', *words, ')']))
    except GLib.Error as failure:
        return failure.message


@functools.lru_cache(maxsize=None)
def observed(element, settings=''):
    """({message: its fields}, fields of the result) of an analyser with these settings, in a run over a moving ball and a cut"""
    pipeline = Gst.parse_launch(SOURCE.format(element, settings + ' interval=0 attach-meta=true'))
    source, messages, frames, last = pipeline.get_by_name('source'), {}, [0], []

    def on_frame(_pad, _info):
        frames[0] += 1
        if frames[0] == FRAMES_BEFORE_CUT:
            Gst.util_set_object_arg(source, 'pattern', 'smpte')
        return Gst.PadProbeReturn.OK

    def on_result(_pad, info):
        last[:] = [info.get_buffer()]
        return Gst.PadProbeReturn.OK

    def on_message(message):
        structure = message.get_structure()
        messages.setdefault(structure.get_name(), {}).update(content(structure))

    source.get_static_pad('src').add_probe(Gst.PadProbeType.BUFFER, on_frame)
    pipeline.get_by_name('sink').get_static_pad('sink').add_probe(Gst.PadProbeType.BUFFER, on_result)
    failure = run(pipeline, on_message)
    assert not failure, failure
    meta = last[0].get_custom_meta(element)
    return messages, content(meta.get_structure()) if meta else {}
