// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclframecontinuity.h"

#include <gst/gl/gl.h>

#include <algorithm>
#include <utility>

#include "glcltime.h"

namespace glcl {

namespace {

/// The most frame durations between frames that follow each other.
constexpr GstClockTime gap_frames = 4;
/// The time that downstream elements still need before a frame is in time again.
constexpr GstClockTime under_way = GST_SECOND;

}  // namespace

void FrameContinuity::start() {
  late_until_ = 0;
  last_ = GST_CLOCK_TIME_NONE;
  warned_of_fields_ = warned_of_sizes_ = warned_of_pixels_ = false;
}

void FrameContinuity::late(GstClockTime time, GstClockTimeDiff late) {
  // After a late frame decoders drop frames until its time plus twice its lateness. A wrong
  // timestamp can be late by hours.
  late_until_ =
      late > 0 ? time + 2 * GstClockTime(late) : std::min(late_until_.load(), time + under_way);
}

bool FrameContinuity::breaks(const GstSegment &segment, GstBuffer *buffer, bool gaps_break) {
  const bool marked = GST_BUFFER_IS_DISCONT(buffer), backward = segment.rate < 0;
  const GstClockTime time = GST_BUFFER_PTS(buffer), duration = GST_BUFFER_DURATION(buffer);
  const GstClockTime last = std::exchange(last_, time);
  if (!GST_CLOCK_TIME_IS_VALID(last) || !GST_CLOCK_TIME_IS_VALID(time)) return marked;
  const bool known = GST_CLOCK_TIME_IS_VALID(duration) && duration > 0;
  const bool ahead = backward ? time <= last : time >= last;
  const bool gap =
      !ahead || (known && (std::max(time, last) - std::min(time, last)) / gap_frames > duration);
  if (gaps_break && gap) return true;
  if (!marked) return false;
  // Decoders play backward by groups of frames and mark the first of each.
  if (backward && known && !gap) return false;
  // Upstream elements that drop late frames mark the next frame as DISCONT: that is no break.
  const GstClockTime running = running_time(segment, last);
  return !ahead || !(GST_CLOCK_TIME_IS_VALID(running) && running < late_until_);
}

bool FrameContinuity::has_fields(const GstVideoInfo &info, GstBuffer *buffer) const {
  if (warned_of_fields_ || !GST_VIDEO_INFO_IS_INTERLACED(&info)) return false;
  return GST_VIDEO_INFO_INTERLACE_MODE(&info) != GST_VIDEO_INTERLACE_MODE_MIXED ||
         GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
}

void FrameContinuity::warn_of_fields(GstElement *element, const GstVideoInfo &info) {
  warned_of_fields_ = true;
  GST_ELEMENT_WARNING(
      element, STREAM, FORMAT,
      ("Frames are interlaced (interlace-mode=%s), but the element treats both fields as one "
       "moment. Add \"gldeinterlace !\" before the element, or \"deinterlace !\" before glupload.",
       gst_video_interlace_mode_to_string(GST_VIDEO_INFO_INTERLACE_MODE(&info))),
      ("the stream continues; edges of moving objects are torn"));
}

void FrameContinuity::warn_of_pixels(GstElement *element, const GstVideoInfo &info,
                                     const char *what) {
  const int n = GST_VIDEO_INFO_PAR_N(&info), d = GST_VIDEO_INFO_PAR_D(&info);
  if (n == d || std::exchange(warned_of_pixels_, true)) return;
  GST_ELEMENT_WARNING(element, STREAM, FORMAT,
                      ("Pixels are not square (pixel-aspect-ratio=%d/%d), but the element computes "
                       "%s as if they were. Add \"glcolorscale ! "
                       "video/x-raw(memory:GLMemory),pixel-aspect-ratio=1/1 !\" before the "
                       "element.",
                       n, d, what),
                      ("the stream continues; objects that rotate seem to change their shape"));
}

bool FrameContinuity::has_size_of_caps(GstElement *element, const GstVideoInfo &info,
                                       GstBuffer *buffer) {
  GstMemory *memory = gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  if (!memory || !gst_is_gl_memory(memory)) return true;  // other elements warn about these frames
  GstGLMemory *texture = GST_GL_MEMORY_CAST(memory);
  const int width = gst_gl_memory_get_texture_width(texture),
            height = gst_gl_memory_get_texture_height(texture);
  if (width == GST_VIDEO_INFO_WIDTH(&info) && height == GST_VIDEO_INFO_HEIGHT(&info)) return true;
  if (!std::exchange(warned_of_sizes_, true))
    GST_ELEMENT_WARNING(element, STREAM, FORMAT,
                        ("A frame of %d×%d px was dropped because its caps say %d×%d px. Fix the "
                         "upstream element: its caps must match its frames.",
                         width, height, GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)),
                        ("further frames like it are dropped without a warning"));
  return false;
}

}  // namespace glcl
