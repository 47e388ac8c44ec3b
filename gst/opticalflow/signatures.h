// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "signaturetable.h"

namespace glcl::opticalflow {

/// Matches single pixels of two frames by census signatures (Stein 2004; Claus 2009). It finds
/// vectors up to 63 px along each axis, even if the motion is large relative to the texture.
///
/// The frames are smoothed by (1 4 6 4 1) / 16. A signature is 20 differences of neighbours in a
/// lattice of 5×5 points 3 px apart. Each difference is steep up, steep down or neither. The
/// threshold is 0.8 of their mean magnitude, so brightness does not matter. A pixel has no
/// signature if that mean is below half a level, or within 8 px of the frame's edge. Signatures are
/// hashed to 32 bits.
///
/// Two pixels match if they have the same signature and no other pixel of either frame has it. Two
/// signatures in one slot of the hash table drop both. Each cell of 4×2 px keeps its first match if
/// two other matches agree with it within 1 px. Those are within 2 cells to each side and 4 cells
/// above and below. Pure noise, repeated texture and unrelated scenes give almost no vectors.
///
/// The result depends on the frames alone, not on the order in which the device works.
class Signatures {
 public:
  /// At most one vector per cell; x is -1 in an empty cell.
  struct Match {
    cl_short x, y, vx, vy;  ///< px
  };

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  Signatures(Context &context, int width, int height);
  /// The same with these work-groups. `lanes`: pixels that an item processes at a time, 1, 4, 8 or
  /// 16.
  Signatures(Context &context, int width, int height, Size find_group, Size pick_group, int lanes);

  /// Enqueues the search for pixels of `before` in `after`, planes of grey: float, levels 0..255.
  /// `known`: `before` equals `after` of the last call, so that its signatures are reused. Never
  /// waits.
  void match(Queue &queue, const Plane &before, const Plane &after, bool known = false);

  /// A Match per cell, in rows; the next match() overwrites them.
  const cl::Buffer &matches() const { return picked_; }
  int width() const { return table_.width(); }
  int height() const { return table_.height(); }
  int columns() const { return columns_; }
  int rows() const { return rows_; }

  /// Enqueues the matches as a list in raster order of the cells. It begins at `offset` bytes of
  /// `result`, a multiple of 16: their number as an int, padded to 16 bytes, then a float4
  /// (x, y, vx, vy) per match, px.
  void list(Queue &queue, const cl::Buffer &result, size_t offset);
  /// The size of a list with a match in every cell.
  static size_t list_bytes(int width, int height) {
    return (1 + size_t(columns(width)) * rows(height)) * sizeof(cl_float4);
  }
  static int columns(int width) { return SignatureTable::columns(width); }
  static int rows(int height) { return SignatureTable::rows(height); }

 private:
  int columns_, rows_;  // cells
  SignatureTable table_;
  Kernel pick_, list_;
  cl::Buffer picked_;
};

}  // namespace glcl::opticalflow
