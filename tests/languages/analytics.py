#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python reads results from GStreamer's own metas (1.26 and later) through GObject introspection alone

Tensors, detections, tracking and segmentation have to equal the results of the elements."""
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstAnalytics', '1.0')
    from gi.repository import GLib, Gst, GstAnalytics
except (ImportError, ValueError) as missing:
    print(f'SKIP: no bindings for GStreamer\'s analytics (package gir1.2-gst-plugins-bad-1.0): {missing}')
    sys.exit(77)

FRAMES = 20
PIPELINE = f'''videotestsrc pattern=ball num-buffers={FRAMES} ! video/x-raw,width=320,height=240,framerate=25/1 ! glupload !
  glcolorconvert ! glclmotion detect=true attach-meta=true post-messages=false !
  glopenclflow grid=4 display=none attach-meta=true post-messages=false ! appsink name=sink sync=false'''


def content(buffer):
    return buffer.extract_dup(0, buffer.get_size())


def check_tensors(frame):
    meta, flow = GstAnalytics.buffer_get_tensor_meta(frame), frame.get_custom_meta('glopenclflow').get_structure()
    assert meta.num_tensors == 2, meta.num_tensors
    for field in ('vectors', 'confidence'):
        tensor = meta.get(meta.get_index_from_id(GLib.quark_from_string('glopenclflow-' + field)))
        assert list(tensor.get_dims()) == flow.get_value(field + '-shape'), tensor.get_dims()
        assert tensor.data_type == GstAnalytics.TensorDataType.FLOAT32, tensor.data_type
        assert content(tensor.data) == content(flow.get_value(field)), field


def related(meta):
    """boxes and ids of the objects in the meta, and the mask of its segmentation"""
    boxes, numbers, mask = [], [], None
    for i in range(GstAnalytics.relation_get_length(meta)):
        found, detection = meta.get_od_mtd(i)
        if found:
            _, x, y, width, height, sure = detection.get_location()
            assert GLib.quark_to_string(detection.get_obj_type()) == 'moving-object' and 0 <= sure <= 1, sure
            boxes.append((x, y, width, height))
        found, tracking = meta.get_tracking_mtd(i)
        if found:
            _, number, first, last, lost = tracking.get_info()
            assert first <= last and not lost, (first, last, lost)
            numbers.append(number)
        found, segmentation = meta.get_segmentation_mtd(i)
        if found:
            assert segmentation.get_region_count() == 4
            mask = segmentation.get_mask()[0]
    return boxes, numbers, mask


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(PIPELINE)
    pipeline.set_state(Gst.State.PLAYING)
    sink = pipeline.get_by_name('sink')
    seen = 0
    for frame in range(FRAMES):
        sample = sink.emit('try-pull-sample', 240 * Gst.SECOND)
        assert sample, f'no frame {frame}'
        if not frame:  # the first frame has no results
            continue
        buffer = sample.get_buffer()
        check_tensors(buffer)
        motion = buffer.get_custom_meta('glclmotion').get_structure()
        objects = [tuple(map(thing.get_value, ('x', 'y', 'width', 'height', 'id'))) for thing in motion.get_value('objects')]
        boxes, numbers, mask = related(GstAnalytics.buffer_get_analytics_relation_meta(buffer))
        assert boxes == [thing[:4] for thing in objects] and numbers == [thing[4] for thing in objects], (boxes, numbers, objects)
        assert content(mask) == content(motion.get_value('mask'))
        seen += bool(objects and any(content(mask)))
    pipeline.set_state(Gst.State.NULL)
    assert seen >= FRAMES / 2, seen
    print(f'{FRAMES} frames, {seen} with an object')


main()
