// SPDX-License-Identifier: LGPL-2.1-or-later
// Decoding of untrusted files.
#pragma once

#include <gst/gst.h>

#include <string>

namespace glcl {

/// Limits of a decoded picture in px: per side and in total.
constexpr int most_pixels_a_side = 16384;
constexpr gint64 most_pixels = gint64(1) << 26;

/// Restricts a decodebin, before it starts, to the bytes of its input. It may only use demuxers,
/// parsers and decoders of video and pictures, and nothing that opens another file or address, such
/// as a playlist. The size given by the file, a parser or a decoder is checked against the limits
/// before memory is allocated; still pictures without a size are refused. A refusal becomes an
/// error of the decodebin with the reason.
void decode_local_only(GstElement *decodebin);

/// Reason to refuse a file if the message is a "redirect" to another file, as QuickTime files may
/// contain; empty for any other message. The decodebin may lose the error that follows it.
std::string redirection(GstMessage *message);

/// Sets a pipeline with a decodebin to NULL. A plain state change would leave the decodebin in
/// READY if an error aborted its change to PAUSED: its next change fails too.
void stop_decoding(GstElement *pipeline);

}  // namespace glcl
