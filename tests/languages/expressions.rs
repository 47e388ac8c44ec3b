// SPDX-License-Identifier: LGPL-2.1-or-later
//! expressions: Rust can read every field of messages and metas in one expression, from copies that
//! end with it. The values equal those that are read while a variable holds the structure.
use gst::glib;
use gst::meta::CustomMeta;
use gst::prelude::*;
use std::sync::{Arc, Mutex};

const PIPELINE: &str = "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
                        glupload ! glcolorconvert ! glclhistogram interval=0 attach-meta=true mode=rgb bins=64 ! \
                        glclklt interval=0 attach-meta=true ! \
                        glclmotion detect=true interval=0 attach-meta=true ! \
                        glopenclflow grid=4 display=none interval=0 attach-meta=true ! fakesink name=sink";
const METAS: [&str; 4] = ["glclhistogram", "glclklt", "glclmotion", "glopenclflow"];

#[derive(Default)]
struct Counts {
    fields: usize,
    objects: usize,
}

/// Returns what a value holds as text: the bytes of a buffer, fields of a structure, values of a list.
fn content(value: &glib::Value) -> String {
    if let Ok(buffer) = value.get::<gst::Buffer>() {
        return format!("{:?}", buffer.map_readable().expect("buffers can be read").as_slice());
    }
    if let Ok(list) = value.get::<glib::ValueArray>() {
        return format!("[{}]", list.iter().map(content).collect::<Vec<_>>().join(", "));
    }
    if let Ok(inner) = value.get::<gst::Structure>() {
        let fields = inner.iter().map(|(name, value)| format!("{name} {}", content(value)));
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    let text = value.transform::<String>().ok().and_then(|text| text.get().ok().flatten());
    text.unwrap_or_else(|| value.type_().to_string())
}

/// Reads the numbers of all objects in one expression.
fn ids(copy: impl Fn() -> gst::Structure) -> Vec<String> {
    copy()
        .get::<glib::ValueArray>("objects")
        .unwrap()
        .iter()
        .map(|object| content(object.get::<gst::Structure>().unwrap().value("id").unwrap()))
        .collect()
}

/// Compares each field of a structure with the same field of a copy that ends at once.
fn compare(held: &gst::StructureRef, copy: impl Fn() -> gst::Structure, counts: &mut Counts) {
    for (name, value) in held.iter() {
        let read = copy().value(name).unwrap().clone();
        assert_eq!(content(&read), content(value), "{}, {name}", held.name());
        counts.fields += 1;
    }
    if held.has_field("objects") {
        let objects = held.get::<glib::ValueArray>("objects").unwrap();
        let all = ids(copy);
        assert_eq!(all.len(), objects.len());
        for (object, id) in objects.iter().zip(&all) {
            assert_eq!(&content(object.get::<gst::Structure>().unwrap().value("id").unwrap()), id);
        }
        counts.objects += all.len();
    }
}

fn compare_metas(frame: &gst::BufferRef, counts: &mut Counts) {
    for name in METAS {
        let Ok(meta) = CustomMeta::from_buffer(frame, name) else { continue };
        let copy = || CustomMeta::from_buffer(&frame.to_owned(), name).unwrap().structure().to_owned();
        compare(meta.structure(), copy, counts);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gst::init()?;
    let pipeline = gst::parse::launch(PIPELINE)?.downcast::<gst::Pipeline>().unwrap();
    let in_metas = Arc::new(Mutex::new(Counts::default()));
    let counts = in_metas.clone();
    let sink = pipeline.by_name("sink").unwrap().static_pad("sink").unwrap();
    sink.add_probe(gst::PadProbeType::BUFFER, move |_, info| {
        if let Some(frame) = info.buffer() {
            compare_metas(frame, &mut counts.lock().unwrap());
        }
        gst::PadProbeReturn::Ok
    });
    let mut in_messages = Counts::default();
    pipeline.set_state(gst::State::Playing)?;
    for message in pipeline.bus().unwrap().iter_timed(gst::ClockTime::from_seconds(240)) {
        match message.view() {
            gst::MessageView::Eos(_) => break,
            gst::MessageView::Error(error) => return Err(error.error().into()),
            gst::MessageView::Element(_) => {
                let copy = || message.copy().structure().unwrap().to_owned();
                compare(message.structure().unwrap(), copy, &mut in_messages);
            }
            _ => {}
        }
    }
    pipeline.set_state(gst::State::Null)?;
    let in_metas = in_metas.lock().unwrap();
    for counts in [&in_metas, &in_messages] {
        assert!(counts.fields >= 500 && counts.objects >= 3, "{} fields, {} objects", counts.fields, counts.objects);
    }
    println!("{} fields of metas, {} of messages", in_metas.fields, in_messages.fields);
    Ok(())
}
