// SPDX-License-Identifier: LGPL-2.1-or-later
//! vectors [FILE | /dev/video0]: reads the motion vectors of every frame, in Rust.
//!
//! It builds without gst-glcl: results are plain structures with a buffer for each array. A buffer
//! is read back from the device when it is mapped; other buffers cost nothing. On Debian 13:
//! apt install cargo librust-gstreamer-dev; README.md shows how to run it.
use gst::meta::CustomMeta;
use gst::prelude::*;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Counts {
    frames: u32,
    moving: u32,
}

/// Returns the vectors of a frame in quarter pixels, row by row, and the number of columns.
/// Returns None for the first frame, which has no previous frame.
fn vectors(frame: &gst::BufferRef) -> Option<(Vec<[i16; 2]>, i32)> {
    let meta = CustomMeta::from_buffer(frame, "glclmotion").ok()?;
    let fields = meta.structure();
    let buffer = fields.get::<gst::Buffer>("vectors").ok()?;
    let shape = fields.get::<gst::glib::ValueArray>("vectors-shape").ok()?;
    let columns = shape.get(1)?.get::<i32>().ok()?;
    let map = buffer.map_readable().ok()?;
    let number = |at: &[u8]| i16::from_ne_bytes([at[0], at[1]]);
    let all = map.chunks_exact(4).map(|v| [number(v), number(&v[2..])]);
    Some((all.collect(), columns))
}

fn source(input: Option<&str>) -> String {
    match input {
        None => "videotestsrc pattern=ball num-buffers=60 ! \
                 video/x-raw,width=320,height=240,framerate=25/1"
            .into(),
        // A camera does not wait: frames that arrive while the device is busy are dropped.
        Some(camera) if camera.starts_with("/dev/") => {
            "v4l2src name=source ! decodebin ! queue leaky=downstream max-size-buffers=2".into()
        }
        Some(_) => "filesrc name=source ! decodebin caps=video/x-raw(ANY) \
                    expose-all-streams=false"
            .into(),
    }
}

fn run(input: Option<&str>) -> Result<(), Box<dyn std::error::Error>> {
    gst::init()?;
    if let Some(missing) = input.filter(|path| !std::path::Path::new(path).exists()) {
        return Err(format!("there is no file or camera {missing}").into());
    }
    let pipeline = gst::parse::launch(&format!(
        "{} ! videoconvert ! glupload ! glcolorconvert ! \
         glclmotion attach-meta=true post-messages=false subpel=quarter ! fakesink name=sink",
        source(input)
    ))
    .map_err(|error| {
        format!("{error}; elements named glcl… are in gst-glcl (meson devenv -C build, or the \
                 package gstreamer1.0-glcl), others in gstreamer1.0-plugins-* and gstreamer1.0-gl")
    })?
    .downcast::<gst::Pipeline>()
    .expect("more than one element makes a pipeline");
    if let (Some(input), Some(source)) = (input, pipeline.by_name("source")) {
        let name = if input.starts_with("/dev/") { "device" } else { "location" };
        source.set_property(name, input);
    }

    let counts = Arc::new(Mutex::new(Counts::default()));
    let sink = pipeline.by_name("sink").expect("it is named above");
    let seen = counts.clone();
    // This runs on the streaming thread: be quick, or send the vectors to another thread.
    sink.static_pad("sink").expect("a sink has one").add_probe(
        gst::PadProbeType::BUFFER,
        move |_, info| {
            if let Some((all, columns)) = info.buffer().and_then(|frame| vectors(frame)) {
                let fastest = all.iter().enumerate().max_by_key(|(_, v)| {
                    i32::from(v[0]) * i32::from(v[0]) + i32::from(v[1]) * i32::from(v[1])
                });
                let mut counts = seen.lock().unwrap();
                counts.frames += 1;
                if let Some((at, v)) = fastest.filter(|(_, v)| **v != [0, 0]) {
                    counts.moving += 1;
                    println!(
                        "block {} of row {} moves by ({}, {}) px",
                        at as i32 % columns,
                        at as i32 / columns,
                        f64::from(v[0]) / 4.0,
                        f64::from(v[1]) / 4.0
                    );
                }
            }
            gst::PadProbeReturn::Ok
        },
    );

    let _ = pipeline.set_state(gst::State::Playing); // the bus gets the reason of a failure
    let bus = pipeline.bus().expect("a pipeline has one");
    let mut result = Ok(());
    for message in bus.iter_timed(gst::ClockTime::NONE) {
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
    let counts = counts.lock().unwrap();
    println!("{} frames with vectors, {} of them with motion", counts.frames, counts.moving);
    result
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("-h" | "--help") => {
            println!("vectors [FILE | /dev/video0]: reads the motion vectors of every frame, in Rust");
            return;
        }
        Some("--version") => {
            println!("vectors {}", env!("CARGO_PKG_VERSION"));
            return;
        }
        _ => {}
    }
    if let Err(error) = run(std::env::args().nth(1).as_deref()) {
        eprintln!("vectors: {error}");
        std::process::exit(1);
    }
}
