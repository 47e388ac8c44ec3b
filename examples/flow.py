#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""flow.py [FILE | /dev/video0]: the optical flow of every frame as a numpy array

An array is copied once: from the buffer of the read-back to Python's memory, which numpy uses directly.
Nothing is read back before common.array() asks for it; the pixels of the frame stay on the GPU.
"""

import common
from common import Gst


def main():
    # grid=4: one vector per 4 × 4 px, a sixteenth of the memory. sync=false: as fast as possible.
    pipeline = common.pipeline(common.argument(),
                               'glopenclflow display=none post-messages=false attach-meta=true grid=4 ! '
                               'appsink name=sink sync=false max-buffers=4')
    sink = pipeline.get_by_name('sink')
    frames = 0
    for sample in common.samples(pipeline, sink):
        frame = sample.get_buffer()
        fields = common.result(frame, 'glopenclflow')
        if not fields:
            continue  # the first frame has no previous frame
        vectors = common.array(fields, 'vectors')  # [rows, columns, 2]: x and y in px per frame, +x right, +y down
        sure = common.array(fields, 'confidence') > 0.02  # without noise of plain areas
        speed = (vectors[..., 0] ** 2 + vectors[..., 1] ** 2) ** 0.5 * sure
        row, column = divmod(int(speed.argmax()), speed.shape[1])
        grid = fields.get_value('grid')
        print(f'{frame.pts / Gst.SECOND:.2f} s: {(speed > 0.5).mean():.1%} moves, the fastest by {speed.max():.2f} px '
              f'at ({column * grid + grid // 2}, {row * grid + grid // 2})')
        frames += 1
    print(f'{frames} frames with a flow of {vectors.shape} {vectors.dtype}' if frames else 'no frame had a flow result')


main()
