// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter convolve: the sum of what is around a pixel, weighed by a matrix
//! list matrix = [0 1 0; 1 4 1; 0 1 0]: an odd number of rows and columns; divided by its sum unless that is 0
//! param factor -16..16 = 1: times the sum
//! param plus -1..1 = 0: added to it, in parts of full scale
//! radius (max(matrix_width, matrix_height) - 1) / 2
//! weights matrix(dx, dy)
//! gain factor
//! offset plus
