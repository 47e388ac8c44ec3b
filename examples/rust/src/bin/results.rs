// SPDX-License-Identifier: LGPL-2.1-or-later
//! results PIPELINE...: prints all results in the frames of a pipeline, written as for gst-launch-1.0.
//!
//! It works for all kinds of results: a result is a structure, and its field F is an array if there
//! are fields F-type and F-shape. Without arguments it plays a ball that moves over black.
use gst::glib;
use gst::prelude::*;

const BALL: &str = "videotestsrc pattern=ball num-buffers=12 ! video/x-raw,width=320,height=240,framerate=25/1 ! \
                    glupload ! glcolorconvert ! glclhistogram attach-meta=true ! glclklt attach-meta=true ! \
                    glclmotion detect=true attach-meta=true ! \
                    glopenclflow grid=4 display=none attach-meta=true ! fakesink";

/// Returns the numbers of an array, which are in native byte order.
fn numbers(kind: &str, bytes: &[u8]) -> Result<Vec<f64>, String> {
    macro_rules! all {
        ($type:ty) => {
            bytes
                .chunks_exact(std::mem::size_of::<$type>())
                .map(|number| <$type>::from_ne_bytes(number.try_into().unwrap()).into())
                .collect()
        };
    }
    Ok(match kind {
        "uint8" => all!(u8),
        "int16" => all!(i16),
        "uint16" => all!(u16),
        "int32" => all!(i32),
        "uint32" => all!(u32),
        "float32" => all!(f32),
        _ => return Err(format!("numbers are of the unknown type {kind}")),
    })
}

struct Array {
    kind: String,
    shape: Vec<i32>,
    /// The numbers of the valid rows, row by row.
    numbers: Vec<f64>,
}

/// Reads the array of this name back from the device. Returns None if the field is not an array.
fn array(fields: &gst::StructureRef, name: &str) -> Option<Result<Array, String>> {
    let buffer = fields.get::<gst::Buffer>(name).ok()?;
    let kind = fields.get::<String>(format!("{name}-type")).ok()?;
    let lengths = fields.get::<glib::ValueArray>(format!("{name}-shape")).ok()?;
    let shape: Vec<i32> = lengths.iter().filter_map(|length| length.get().ok()).collect();
    let Ok(map) = buffer.map_readable() else {
        return Some(Err("cannot be read back".into()));
    };
    Some(numbers(&kind, &map).and_then(|mut numbers| {
        if let Some(count) = array(fields, &format!("{name}-count")) {
            let row: i32 = shape[1..].iter().product();
            numbers.truncate(count?.numbers[0] as usize * row as usize);
        }
        Ok(Array { kind, shape, numbers })
    }))
}

impl std::fmt::Display for Array {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Array { kind, shape, numbers } = self;
        let row = shape.last().map_or(1, |length| *length as usize).min(4);
        write!(to, "{kind} {shape:?}, {} numbers", numbers.len())?;
        if numbers.is_empty() {
            return Ok(());
        }
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        write!(to, " from {least:.2} to {greatest:.2}, mean {mean:.4}, first {:.2?}", &numbers[..row])
    }
}

/// Formats a field that is not an array: a number, a text, a structure, or a list of these.
fn plain(value: &glib::Value) -> String {
    if let Ok(list) = value.get::<glib::ValueArray>() {
        return format!("[{}]", list.iter().map(plain).collect::<Vec<_>>().join(", "));
    }
    if let Ok(inner) = value.get::<gst::Structure>() {
        let fields = inner.iter().map(|(name, value)| format!("{name} {}", plain(value)));
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    let text = value.transform::<String>().ok().and_then(|text| text.get().ok().flatten());
    text.unwrap_or_else(|| value.type_().to_string())
}

fn print(frame: &gst::BufferRef) {
    let seconds = frame.pts().map_or(-1.0, |pts| pts.nseconds() as f64 / 1e9);
    for meta in frame.iter_meta::<gst::Meta>() {
        let Some(result) = meta.try_as_custom_meta() else { continue };
        let fields = result.structure();
        println!("{seconds:.2} s: {}", fields.name());
        for (name, value) in fields.iter() {
            let beside = |end| name.strip_suffix(end).is_some_and(|of| fields.has_field(of));
            if beside("-type") || beside("-shape") {
                continue;
            }
            match array(fields, name) {
                Some(Ok(array)) => println!("  {name}: {array}"),
                Some(Err(error)) => eprintln!("results: {name}: {error}"),
                None => println!("  {name}: {}", plain(value)),
            }
        }
    }
}

fn run(description: &str) -> Result<(), Box<dyn std::error::Error>> {
    gst::init()?;
    let pipeline = gst::parse::launch(description)?
        .downcast::<gst::Pipeline>()
        .map_err(|_| "one element is not a pipeline")?;
    for sink in pipeline.iterate_sinks() {
        let Some(pad) = sink?.static_pad("sink") else { continue };
        // The probe runs on the streaming thread.
        pad.add_probe(gst::PadProbeType::BUFFER, |_, info| {
            if let Some(frame) = info.buffer() {
                print(frame);
            }
            gst::PadProbeReturn::Ok
        });
    }
    let _ = pipeline.set_state(gst::State::Playing); // the bus gets the reason of a failure
    let mut result = Ok(());
    for message in pipeline.bus().expect("a pipeline has one").iter_timed(gst::ClockTime::NONE) {
        match message.view() {
            gst::MessageView::Eos(_) => break,
            gst::MessageView::Error(error) => {
                result = Err(error.error().to_string().into());
                break;
            }
            _ => (),
        }
    }
    pipeline.set_state(gst::State::Null)?;
    result
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("-h" | "--help") => {
            println!("results PIPELINE...: prints all results in the frames of a pipeline, written as for gst-launch-1.0");
            return;
        }
        Some("--version") => {
            println!("results {}", env!("CARGO_PKG_VERSION"));
            return;
        }
        _ => {}
    }
    let description = if words.is_empty() { BALL.into() } else { words.join(" ") };
    if let Err(error) = run(&description) {
        eprintln!("results: {error}");
        std::process::exit(1);
    }
}
