// SPDX-License-Identifier: LGPL-2.1-or-later
// JavaScript (gjs) can read every field of messages and results in one expression, without a reference to the structure.
// The values equal those that are read while a variable holds the structure.
const {Gst} = imports.gi;
const System = imports.system;

const FRAMES = 20;
const PIPELINE = `videotestsrc pattern=ball num-buffers=${FRAMES} ! video/x-raw,width=320,height=240,framerate=25/1 ! glupload !
  glcolorconvert ! glclhistogram name=histogram interval=0 attach-meta=true mode=rgb bins=64 !
  glclklt name=tracks interval=0 attach-meta=true ! glclmotion name=motion detect=true interval=0 attach-meta=true !
  glopenclflow name=flow grid=4 display=none interval=0 attach-meta=true ! appsink name=sink sync=false`;

function check(condition, what) {
  if (!condition) throw new Error(what);
}

// Reuses freed memory, so that dangling values change.
function churn() {
  System.gc();
  return Array.from({length: 200}, (_, i) => Gst.Structure.new_empty(`other-${i}`));
}

// Returns what a value holds as text: the bytes of a buffer, the fields of a structure, the values of a list.
function content(value) {
  if (value instanceof Gst.Buffer) return Array.from(value.extract_dup(0, value.get_size())).join();
  if (value instanceof Gst.Structure)
    return `{${Array.from({length: value.n_fields()}, (_, i) => content(value.get_value(value.nth_field_name(i)))).join(' ')}}`;
  if (value !== null && typeof value === 'object' && 'n_values' in value)
    return `[${Array.from({length: value.n_values}, (_, i) => content(value.get_nth(i))).join(' ')}]`;
  return String(value);
}

// Reads each field from a variable and from temporary structures, and compares.
function compare(structure, read) {
  const fields = structure(), kind = fields.get_name();
  for (let i = 0; i < fields.n_fields(); i++) {
    const name = fields.nth_field_name(i), value = structure().get_value(name);
    churn();
    check(content(value) === content(fields.get_value(name)), `${kind}, ${name}`);
    read[`${kind} ${name}`] = (read[`${kind} ${name}`] || 0) + 1;
    if (name !== 'objects') continue;
    const ids = Array.from({length: value.n_values}, (_, at) => structure().get_value('objects').get_nth(at).get_value('id'));
    churn();
    check(String(ids) === String(Array.from({length: value.n_values}, (_, at) => fields.get_value(name).get_nth(at).get_value('id'))),
      `${kind}, ids of objects`);
    read.objects += ids.length;
  }
}

function main() {
  Gst.init(null);
  const pipeline = Gst.parse_launch(PIPELINE), bus = pipeline.get_bus(), sink = pipeline.get_by_name('sink');
  const results = {objects: 0}, messages = {objects: 0};
  pipeline.set_state(Gst.State.PLAYING);
  for (let i = 0; i < FRAMES; i++) {
    const sample = sink.emit('try-pull-sample', 240 * Gst.SECOND);
    check(sample, `no frame ${i}`);
    for (const name of ['histogram', 'tracks', 'motion', 'flow']) {
      const element = pipeline.get_by_name(name);
      if (element.emit('get-result', sample.get_buffer()) !== null) // the first frame has no motion
        compare(() => element.emit('get-result', sample.get_buffer()), results);
    }
  }
  for (;;) {
    const message = bus.timed_pop(240 * Gst.SECOND);
    check(message && message.type !== Gst.MessageType.ERROR, 'no message, or an error');
    if (message.type === Gst.MessageType.EOS) break;
    if (message.type === Gst.MessageType.ELEMENT) compare(() => message.get_structure(), messages);
  }
  pipeline.set_state(Gst.State.NULL);
  for (const [read, most] of [[results, 70], [messages, 90]])
    check(read.objects >= 3 && Object.keys(read).length >= most, JSON.stringify(read));
  print(`${Object.keys(results).length} fields of results, ${Object.keys(messages).length} of messages`);
}

try {
  main();
} catch (error) {
  printerr(error.message, error.stack);
  System.exit(1);
}
