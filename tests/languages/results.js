// SPDX-License-Identifier: LGPL-2.1-or-later
// JavaScript (gjs) reads messages and results of the analysers through GObject introspection alone.
// gjs copies a GstCustomMeta without its structure, so the element returns the result. Regions of interest are read
// directly. Tensors are read if the argument is 1 and their bindings are installed. gjs cannot read a
// GstAnalyticsRelationMeta: "no way to copy".
const {Gst, GstVideo} = imports.gi;
const System = imports.system;
const GLib = imports.gi.GLib;

const WIDTH = 320, HEIGHT = 240, FRAMES = 20;
const PIPELINE = `videotestsrc pattern=ball num-buffers=${FRAMES} !
  video/x-raw,width=${WIDTH},height=${HEIGHT},framerate=25/1 ! glupload ! glcolorconvert !
  glclhistogram name=histogram mode=rgb bins=64 interval=0 attach-meta=true !
  glclhough name=shape attach-meta=true post-messages=false ! glclklt name=tracks attach-meta=true post-messages=false !
  glclmotion name=motion detect=true interval=0 attach-meta=true !
  glopenclflow name=flow grid=4 display=none attach-meta=true post-messages=false !
  appsink name=sink sync=false`;
function check(condition, what) {
  if (!condition) throw new Error(what);
}

let GstAnalytics = null;
try {
  if (ARGV[0] === '1') GstAnalytics = imports.gi.GstAnalytics;
} catch (error) {
  print(`tensors are not read: ${error.message}`);
}

// Returns the numbers of a list in a message or result.
function numbers(list) {
  return Array.from({length: list.n_values}, (_, i) => list.get_nth(i));
}

// Reads an array of a result back from the device, and returns a copy.
function array(fields, name) {
  const types = {
    uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, float32: Float32Array,
  };
  const buffer = fields.get_value(name), bytes = buffer.extract_dup(0, buffer.get_size());
  return {data: new types[fields.get_value(`${name}-type`)](Uint8Array.from(bytes).buffer), shape: numbers(fields.get_value(`${name}-shape`))};
}

// Returns the positions in the valid rows: their first two numbers.
function places(fields, name) {
  const {data, shape} = array(fields, name), count = array(fields, `${name}-count`).data[0];
  return Array.from({length: count}, (_, i) => Array.from(data.slice(i * shape[1], i * shape[1] + 2)));
}

// Returns a picture of the ball as a sample in memory.
function picture() {
  const pipeline = Gst.parse_launch(
    'videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=64,height=64 ! appsink name=sink');
  pipeline.set_state(Gst.State.PLAYING);
  const sample = pipeline.get_by_name('sink').emit('pull-sample');
  pipeline.set_state(Gst.State.NULL);
  return sample;
}

function readFrame(elements, frame, first, seen) {
  const result = element => elements[element].emit('get-result', frame);
  const counts = array(result('histogram'), 'counts');
  check(String(counts.shape) === '3,64' && counts.data.reduce((a, b) => a + b) === 3 * WIDTH * HEIGHT, 'the counts');
  if (first) return;
  const motion = result('motion'), vectors = array(motion, 'vectors');
  check(String(vectors.shape) === `${HEIGHT / 16},${WIDTH / 16},2` && vectors.data.some(x => x) && motion.get_value('width') === WIDTH,
    'the vectors');
  const flow = array(result('flow'), 'vectors'), confidence = array(result('flow'), 'confidence');
  check(String(flow.shape) === `${HEIGHT / 4},${WIDTH / 4},2` && flow.data.some(x => Math.abs(x) > 1) &&
    confidence.data.every(x => x >= 0 && x <= 1) && confidence.data.some(x => x > 0.5), 'the flow');
  if (GstAnalytics) {
    const tensors = GstAnalytics.buffer_get_tensor_meta(frame), quark = GLib.quark_from_string('glopenclflow-confidence');
    const tensor = tensors.get(tensors.get_index_from_id(quark)), bytes = tensor.data.extract_dup(0, tensor.data.get_size());
    const read = new Float32Array(Uint8Array.from(bytes).buffer);
    check(tensors.num_tensors === 2 && String(tensor.get_dims()) === String(confidence.shape) &&
      read.every((x, i) => x === confidence.data[i]), 'a tensor');
    seen.tensors++;
  }
  for (const object of numbers(motion.get_value('objects'))) {
    // gjs can read all fields of the object as a region of interest.
    const region = GstVideo.buffer_get_video_region_of_interest_meta_id(frame, object.get_value('id'));
    check(region && region.w > 10 && region.w < 150 && Math.abs(region.x - object.get_value('x')) <= 1 &&
      region.get_param('glclmotion').get_value('id') === object.get_value('id'), 'a region');
    seen.regions++;
    const near = ([x, y]) => Math.hypot(x - object.get_value('x') - object.get_value('width') / 2,
      y - object.get_value('y') - object.get_value('height') / 2) < 50;
    seen.shapes += places(result('shape'), 'list').some(near);
    seen.tracks += places(result('tracks'), 'points').some(near);
  }
  seen.frames++;
}

function main() {
  Gst.init(null);
  const pipeline = Gst.parse_launch(PIPELINE);
  const bus = pipeline.get_bus(), names = {}, elements = {}, seen = {frames: 0, regions: 0, shapes: 0, tracks: 0, tensors: 0};
  for (const name of ['histogram', 'shape', 'tracks', 'motion', 'flow', 'sink']) elements[name] = pipeline.get_by_name(name);
  check(elements.shape.emit('learn-picture', 'ball', picture()), 'the picture does not work as a template');
  pipeline.set_state(Gst.State.PLAYING);
  try {
    for (let i = 0; i < FRAMES; i++) {
      const sample = elements.sink.emit('try-pull-sample', 240 * Gst.SECOND);
      check(sample, `no frame ${i}`);
      readFrame(elements, sample.get_buffer(), i === 0, seen);
    }
    check(elements.motion.emit('get-result', Gst.Buffer.new()) === null, 'no result and no error');
    for (;;) {
      const message = bus.timed_pop(240 * Gst.SECOND);
      check(message, 'no message for four minutes');
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
    check(seen.frames === FRAMES - 1 && Math.min(seen.regions, seen.shapes, seen.tracks) >= FRAMES / 2, JSON.stringify(seen));
    print(JSON.stringify(names), JSON.stringify(seen));
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
