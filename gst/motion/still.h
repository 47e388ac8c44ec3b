// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "noise/noise.h"
#include "plane.h"

namespace glcl::motion {

/// A plane as noise::Noise takes it.
glcl::Plane noise_plane(const Plane &plane);

/// Keeps noise from moving blocks: gives a key the vector 0 where that costs no more than the
/// noise of the frames explains. Of all candidates one always fits the noise better than the vector
/// 0 does, by about four standard deviations of a sum of absolute differences, the more where
/// samples between pixels smooth the noise:
///
///   cost(0) ≤ cost + σ (a 4 √n + 0.15 n where vectors end between pixels) + c n + p min(2 SAD, n)
///   + e
///
/// a: 1 and e: 0 where at least three of the eight blocks around have vectors within a pixel, other
/// than 0; else 3 and 0.8 SAD, since what an encoder changes fits somewhere in patches, but not
/// alike from block to block. The vector 0 may also be that of a block whose light changed: its
/// cost is the smaller one, as it is or with both blocks' mean levels made the same. And where the
/// variance of its pixels is below three times that of the noise, or below 5 levels² unless the
/// camera pans, nothing could be seen to move;
/// unless the best candidate leaves less than half of what noise makes two frames differ by.
/// SAD: of the best candidate. What it leaves, up to a level a pixel, changed anyhow, as where an
/// encoder codes all blocks anew, and may have at the vector 0; p: 1, from 1.2 to 2 levels of noise
/// down to 0, since an encoder leaves less. n: the pixels of
/// the block or partition; σ² = 1.33 times the variance that noise::Noise has for their mean luma,
/// since neighbouring pixels share noise; c: the deviation of coding noise. Renewed noise of
/// variance r, of the best vectors in the frames before, gives a pixel √(r / 0.35) · 0.8 levels
/// more, by parts to none where 0.15 to 0.3 of the last frame's blocks moved in spite of that.
///
/// The advantage goes, by parts, where 0.8 to 0.95 of the last frame's blocks of which it is known
/// moved, and 0.25 to 0.4 of all, as when a camera pans: blocks with little texture then move as
/// well. It is known of those that moved in spite of the advantage, and of those that rested: whose
/// best vector is 0 though it leaves an eighth of a level a pixel or more. Noise lets few of the
/// others do that by chance. Those keep the advantage that have no company. Where nothing could be
/// seen to move the vector stays 0, with one and a half times the noise's variance in place of
/// three.
class Still {
 public:
  Still() = default;
  /// `block` as for Search. Throws Error::failed where the device refuses the kernel.
  Still(Context &context, int block);

  /// Enqueues it for `count` keys in rows of `columns` blocks, into `kept`.
  void run(Queue &queue, const Plane &current, const Plane &reference, int lambda,
           const noise::Noise &noise, bool between, const cl::Buffer &keys, const cl::Buffer &kept,
           int columns, size_t count);

 private:
  Kernel kernel_;
};

}  // namespace glcl::motion
