#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The module gst_glcl returns arrays by name, in their type and shape, and lists whose values outlive their message"""
import gc
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
    import numpy
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer, or no numpy: {missing}')
    sys.exit(77)

import gst_glcl

SOURCE = 'videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=320,height=240,framerate=25/1 ! glupload ! glcolorconvert ! '


def check_messages():
    pipeline = Gst.parse_launch(SOURCE + 'glclmotion detect=true interval=0 ! fakesink sync=false')
    all_of = list(gst_glcl.messages(pipeline, 'glclmotion', 'objects'))
    gc.collect()
    assert {fields.name for fields in all_of} == {'glclmotion', 'objects'}, all_of
    objects = [fields for fields in all_of if fields.name == 'objects' and fields['objects']]
    assert objects, 'no object was found'
    for fields in objects:
        for number, each in enumerate(fields['objects']):
            for column in ('id', 'x', 'y', 'width', 'height', 'state'):
                assert each[column] == fields['objects-' + column][number], (each, column)
    psnr = [fields['psnr'] for fields in all_of if fields.name == 'glclmotion' and 'psnr' in fields]
    assert psnr and all(isinstance(value, float) for value in psnr), psnr
    assert pipeline.get_state(0)[1] == Gst.State.NULL


def check_result():
    pipeline = Gst.parse_launch(SOURCE + 'glopenclflow grid=4 display=none attach-meta=true post-messages=false ! '
                                'appsink name=sink sync=false')
    pipeline.set_state(Gst.State.PLAYING)
    sink, results, raw = pipeline.get_by_name('sink'), [], []
    while sample := sink.emit('pull-sample'):
        frame = sample.get_buffer()
        results.append(gst_glcl.result(frame, 'glopenclflow'))
        meta = frame.get_custom_meta('glopenclflow')
        if meta:
            structure = meta.get_structure()
            data = structure.get_value('vectors')
            raw.append((data.extract_dup(0, data.get_size()), list(structure.get_value('vectors-shape'))))
        assert gst_glcl.result(frame, 'glclmotion') is None
    pipeline.set_state(Gst.State.NULL)
    results = [fields for fields in results if fields]
    assert len(results) == len(raw) == 19, (len(results), len(raw))
    for fields, (numbers, shape) in zip(results, raw):
        vectors = fields['vectors']
        assert vectors.dtype == numpy.float32 and vectors.shape == (60, 80, 2) and list(vectors.shape) == shape, vectors.shape
        assert vectors.tobytes() == numbers
        assert fields['confidence'].shape == (60, 80)
        assert 'vectors-type' not in fields and 'vectors-shape' not in fields
    assert max(numpy.abs(fields['vectors']).max() for fields in results) > 1


def check_errors():
    pipeline = Gst.parse_launch('filesrc location=/nonexistent/film name=reader ! fakesink')
    try:
        list(gst_glcl.messages(pipeline))
    except gst_glcl.PipelineError as error:
        assert 'reader' in str(error) and 'film' in error.debug, (error, error.debug)
        return
    raise AssertionError('an error of the pipeline is not raised')


Gst.init(None)
check_messages()
check_result()
check_errors()
print('passed')
