# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of the gst-glcl elements, as dictionaries with numpy arrays.

    for message in gst_glcl.messages(pipeline):
        print(message.name, message['psnr'])

    fields = gst_glcl.result(sample.get_buffer(), 'glopenclflow')
    if fields:
        vectors = fields['vectors']  # float32 [rows, columns, 2]

All values are copies that outlive the message, the frame and the pipeline."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import gi
import numpy

gi.require_version('Gst', '1.0')
# pylint: disable-next=wrong-import-position
from gi.repository import Gst  # noqa: E402

__all__ = ['Fields', 'PipelineError', 'fields_of', 'message_fields', 'messages', 'result']


class Fields(dict[str, Any]):
    """The fields of a message or a result by name. Arrays are numpy arrays of their type and shape, lists of
    structures are lists of dictionaries, and lists of numbers are lists."""

    def __init__(self, name: str, values: dict[str, Any]):
        super().__init__(values)
        self.name = name


class PipelineError(RuntimeError):
    """The error of an element; `debug` is its debug text."""

    def __init__(self, message: Gst.Message):
        error, self.debug = message.parse_error()
        super().__init__(f'{message.src.get_name() if message.src else "pipeline"}: {error.message}')


def _array(data: Gst.Buffer, kind: str, shape: list[int]) -> numpy.ndarray:
    numbers = numpy.frombuffer(data.extract_dup(0, data.get_size()), kind)
    return numbers.reshape(shape)


def fields_of(structure: Gst.Structure) -> Fields:
    """The fields of a structure. The types and shapes of its arrays are no fields of their own."""
    values = {name: structure.get_value(name) for name in
              (structure.nth_field_name(number) for number in range(structure.n_fields()))}
    for name in [name for name, value in values.items() if isinstance(value, Gst.Buffer)]:
        kind, shape = values.pop(name + '-type', None), values.pop(name + '-shape', None)
        if kind and shape:
            values[name] = _array(values[name], kind, list(shape))
    for name, value in values.items():
        if isinstance(value, list) and value and isinstance(value[0], Gst.Structure):
            values[name] = [dict(fields_of(inner)) for inner in value]
    return Fields(structure.get_name(), values)


def result(frame: Gst.Buffer, element: str) -> Optional[Fields]:
    """The result that an element with attach-meta=true attached to a frame, by the name of its type; None without one."""
    meta = frame.get_custom_meta(element)
    return fields_of(meta.get_structure()) if meta else None


def message_fields(message: Gst.Message) -> Optional[Fields]:
    """The fields of an element message; None for other messages."""
    if message.type != Gst.MessageType.ELEMENT:
        return None
    structure = message.get_structure()  # holds the structures in its lists
    return fields_of(structure)


def messages(pipeline: Gst.Pipeline, *names: str) -> Iterator[Fields]:
    """Plays a pipeline to its end and yields its element messages, or only those of some names. Afterwards, also if the
    loop is left early, the pipeline is in NULL. An error of the pipeline is a PipelineError."""
    wanted = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = bus.timed_pop_filtered(100 * Gst.MSECOND, wanted)  # not endless, so that Ctrl+C works
            if message is None:
                continue
            if message.type == Gst.MessageType.ERROR:
                raise PipelineError(message)
            if message.type == Gst.MessageType.EOS:
                return
            fields = message_fields(message)
            if fields and (not names or fields.name in names):
                yield fields
    finally:
        pipeline.set_state(Gst.State.NULL)
