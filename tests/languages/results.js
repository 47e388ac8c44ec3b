// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages of the analysers in JavaScript (gjs), by GObject introspection alone. Results on frames it can't read: gjs makes
// a copy of a GstCustomMeta by its public fields, and the structure is none of them.
const {Gst} = imports.gi;
const System = imports.system;

const WIDTH = 320, HEIGHT = 240, FRAMES = 20;
const PIPELINE = `videotestsrc pattern=ball num-buffers=${FRAMES} !
  video/x-raw,width=${WIDTH},height=${HEIGHT},framerate=25/1 ! glupload ! glcolorconvert !
  glclhistogram mode=rgb bins=64 interval=0 ! glclmotion detect=true interval=0 !
  fakesink name=sink sync=false`;
function check(condition, what) {
  if (!condition) throw new Error(what);
}

// The numbers of a list in a message.
function numbers(list) {
  return Array.from({length: list.n_values}, (_, i) => list.get_nth(i));
}

function main() {
  Gst.init(null);
  const pipeline = Gst.parse_launch(PIPELINE);
  const bus = pipeline.get_bus(), names = {};
  pipeline.set_state(Gst.State.PLAYING);
  try {
    for (;;) {
      const message = bus.timed_pop(60 * Gst.SECOND);
      check(message, 'nothing for a minute');
      check(message.type !== Gst.MessageType.ERROR, 'an error');
      if (message.type === Gst.MessageType.EOS) break;
      if (message.type !== Gst.MessageType.ELEMENT) continue;
      const fields = message.get_structure(), name = fields.get_name();
      names[name] = (names[name] || 0) + 1;
      if (name === 'glclmotion') check(fields.get_value('psnr') > 20 && fields.get_value('timestamp') >= 0, 'its numbers');
      if (name === 'glclhistogram')
        check(fields.get_value('mode') === 'rgb' && numbers(fields.get_value('mean')).every(level => level > 0 && level < 255) &&
          numbers(numbers(fields.get_value('counts'))[2]).reduce((a, b) => a + b) === WIDTH * HEIGHT, 'its fields');
    }
    check(names.glclhistogram === FRAMES && names.glclmotion === FRAMES - 1 && names['motion-begin'] >= 1, JSON.stringify(names));
    print(JSON.stringify(names));
  } finally {
    pipeline.set_state(Gst.State.NULL);
  }
}

try {
  main();
} catch (error) {
  printerr(error.message, error.stack);
  System.exit(1);
}
