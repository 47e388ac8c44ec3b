#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench.sh: rows of glcl-bench from research/ are printed and checked, and fail if a kernel is wrong
set -euo pipefail
# shellcheck source=tests/tools/common.sh
. "$GLCL_SOURCE/tests/tools/common.sh"

small=(--size 48x32 --seconds 0.001)

expect 0 glcl-bench glclbilateral --ablation "${small[@]}"
says 'the equation, three weights'
says 'ours, color'
expect 0 glcl-bench glopenclflow --ablation --kernels "${small[@]}"
says 'the scalar reference, on the host'
says 'pinned memory, written to'
says 'ours, RGBA'
says upload
! grep -q 'not on this device' output || die 'a step of the ablation is missing'
expect 0 glcl-bench glclmotion --ablation --only W=31 "${small[@]}"
says 'collaborative, one launch'
expect 0 glcl-bench glclhistogram --ablation --only '512 bins' "${small[@]}"
says 'sorted and counted'
says 'R = most, side by side, interleaved'
expect 0 glcl-bench glclhistogram --ablation --only '12 bits, 1024' "${small[@]}"
says '8, R = most, padded'
expect 0 glcl-bench glclhistogram --ablation --only votes "${small[@]}"
says 'R = 64'
expect 0 glcl-bench primitives "${small[@]}"
says 'radix sort'
expect 0 glcl-bench --hough "${small[@]}"
says 'BASE'
says 'of an evenly divided list, 1024 tuples in all, equal'

expect 0 glcl-bench --thesis --device 0:0 --size 48x32 --seconds 0.01
says 'W=70: 55 × 55 candidates, -27 … 27 px'
expect 0 glcl-bench --driving --devices 0:0 --size 48x32 --seconds 0.001
says events
expect 0 glcl-bench --conflicts
says 'all lanes in one bin of 256'
says 'the latency model, fitted to'
expect 0 glcl-bench --streams --size 64x48
says 'adaptive'
expect 0 glcl-bench --queues --size 65x33 --seconds 0.01
says 'glopenclflow 65×33 8'
says 'equal'
! grep -q WRONG output || die 'a queue has other results'
expect 0 glcl-bench --overlap --size 64x48
says 'RGB to grey, 256 bins, 64x48'
says 'both ways'

expect 0 glcl-bench device --only taps
says 'five taps along y'
expect 0 glcl-bench device --only 'image writes'
says 'down a column'
expect 0 glcl-bench device --only 'concurrent kernels'
says '4 queues, 8 groups'
expect 0 glcl-bench device --only 'values '
says 'uchar4, image, 2D'
expect 0 glcl-bench device --only 'texture handed'
says 'copy'
expect 0 glcl-bench device --only 'frame to the'
says 'OpenGL texture'

# expect_wrong FOLDER FILE SED-SCRIPT [OPTIONS…]: glcl-bench exits with 1 after the script has broken a
# kernel. FILE is the name of the kernel in the plugin's resources; the sources have it in FOLDER.
expect_wrong() {
  rm -rf changed && mkdir -p "changed/${2%/*}"
  sed "$3" "$GLCL_SOURCE/$1/$2" >"changed/$2"
  ! cmp -s "$GLCL_SOURCE/$1/$2" "changed/$2" || die "the script does not change $2"
  G_RESOURCE_OVERLAYS=/org/gst-glcl/kernels=$PWD/changed expect 1 glcl-bench "${@:4}"
  says WRONG
}
expect_wrong . research/bilateral/steps.cl 's/sum\[o\] += w \* q/sum[o] += 0.9f * w * q/' glclbilateral --ablation "${small[@]}"
expect_wrong . research/opticalflow/forms.cl 's/vectors\[at.y \* size.x + at.x\] = v.xy/vectors[at.y * size.x + at.x] = v.yx/' glopenclflow --ablation "${small[@]}"
expect_wrong . research/motion/forms.cl 's/lambda \* vector_bits/(1 + lambda) * vector_bits/' glclmotion --ablation --only W=31 "${small[@]}"
expect_wrong . research/motion/forms.cl 's/lambda \* vector_bits/(1 + lambda) * vector_bits/' --thesis --device 0:0 --size 48x32 --seconds 0.01
expect_wrong . research/histogram/sort.cl 's/+ 1 - first/- first/' glclhistogram --ablation --only '512 bins' "${small[@]}"
expect_wrong . research/histogram/layout.cl 's/if (sum) atomic_add(sums + counter, sum)/if (sum) atomic_add(sums + counter, 1)/' glclhistogram --ablation --only '12 bits, 256' "${small[@]}"
expect_wrong . research/histogram/votes.cl 's/uint sum = 0/uint sum = 1/' glclhistogram --ablation --only votes "${small[@]}"
expect_wrong . research/device/access.cl 's/at.y \& 255/at.x \& 255/' device --only 'image writes'
expect_wrong . research/device/images.cl 's/k == 0 ? 4/k == 0 ? 5/' device --only 'values of five'
expect_wrong . research/device/concurrent.cl 's/1013904223u/1013904222u/' device --only concurrent
expect_wrong . research/histogram/conflicts.cl 's/\& 1) + 1/\& 1) + 2/' --conflicts
expect_wrong . research/klt/sort.cl 's/(a < b) != /(a < b) == /' glclklt --ablation "${small[@]}"
expect_wrong . research/hough/base.cl 's/const int scale = scale_bin_of(own\[i\].y, length)/const int scale = scale_bin_of(length, own[i].y)/' --hough "${small[@]}"
expect_wrong . research/hough/classic.cl 's/(direction - rotation + STEPS)/(direction + rotation)/' --hough "${small[@]}"
expect_wrong kernels histogram/item.cl 's/counter_of(pixel, vote)\]++/counter_of(pixel, vote)] += 2/' --streams --size 64x48
expect_wrong tools/kernels bench/device.cl 's/a = F(a), b/a = F(a) + 0.25f, b/' device --only 'build options'
