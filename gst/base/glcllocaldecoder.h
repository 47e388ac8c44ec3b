// SPDX-License-Identifier: LGPL-2.1-or-later
// Decoding of files that nobody vouches for.
#pragma once

#include <gst/gst.h>

#include <string>

namespace glcl {

/// The largest picture that is decoded, px: a side of it, and all of it.
constexpr int most_pixels_a_side = 16384;
constexpr gint64 most_pixels = gint64(1) << 26;

/// Keeps a decodebin, before it starts, to the bytes that come to it. It takes demuxers, parsers
/// and decoders of video and pictures only: nothing that opens another file or an address, as a
/// playlist does. The width and height that the file, a parser or a decoder names are compared with
/// the limits before the picture gets memory: still pictures that do not name them are refused.
/// What is refused becomes an error of the decodebin that says why.
void decode_local_only(GstElement *decodebin);

/// Why a file is refused of which an element tells that the film is elsewhere ("redirect"), as
/// QuickTime's may; empty for any other message. The decodebin may lose the error behind it.
std::string redirection(GstMessage *message);

}  // namespace glcl
