// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter box: blurs by the mean of a square
//! param size 0..32 = 1: half of the side of the square, px
//! radius floor(size + 0.5)
//! weights 1
