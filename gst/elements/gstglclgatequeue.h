// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames that a gate holds, and the decision which of them pass.
#pragma once

#include <gst/gst.h>

#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace glcl::gate {

/// A frame, or a part of an encoded stream.
struct GateFrame {
  GstBuffer *buffer;  ///< owned
  GstClockTime time;  ///< running time, ns; never decreases
  GstClockTime
      shown;  ///< running time at which it is shown: encoded frames may come in other order
  bool key;   ///< decodable without other frames
};

/// The fate of a held frame.
enum class Fate { pass, drop };

/// Frames that may pass later. A sequence of passed frames begins with a key frame; frames in its
/// middle that no event covers pass if later ones need them. Streaming thread.
class GateQueue {
 public:
  struct Limits {
    GstClockTime pre;  ///< frames of this time before the newest are held
    size_t late;       ///< and so many before these: events come so many frames late
    size_t most;       ///< frames
  };
  /// Takes a frame and its fate. Takes ownership of the buffer.
  using Release = std::function<void(const GateFrame &frame, Fate fate)>;

  ~GateQueue() { clear(); }

  void add(const GateFrame &frame) { frames_.push_back(frame); }
  /// Releases all frames whose fate is known, if `newest` is the time of the stream: those up to
  /// the last one that `covers`, and those that are too old.
  void release(const std::function<bool(GstClockTime)> &covers, GstClockTime newest,
               const Limits &limits, const Release &to);
  /// Releases the others too.
  void settle(const Release &to) { release_first(frames_.size(), Fate::drop, to); }
  void clear();

  size_t size() const { return frames_.size(); }
  /// The earliest time at which a held frame is shown, or `otherwise` without one.
  GstClockTime oldest(GstClockTime otherwise) const;
  /// True if the first held frame directly follows a frame that passed.
  bool continues() const { return continues_; }
  /// True if a frame did not pass because its key frame is missing, since the last call.
  bool take_need_of_key() { return std::exchange(needs_key_, false); }
  /// True if frames were dropped early because of Limits::most, since the last call.
  bool take_overflow() { return std::exchange(overflowed_, false); }

 private:
  std::vector<Fate> fates(const std::vector<bool> &covered);
  void release_one(Fate fate, const Release &to);
  void release_first(size_t count, Fate fate, const Release &to);
  size_t too_old(GstClockTime newest, const Limits &limits);

  std::deque<GateFrame> frames_;
  bool continues_ = false, needs_key_ = false, overflowed_ = false;
};

}  // namespace glcl::gate
