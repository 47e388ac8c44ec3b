// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter convolve: convolves the picture with a matrix
//! list matrix = [0 1 0; 1 4 1; 0 1 0]: weights, with odd numbers of rows and columns; divided by their sum unless that is 0
//! param factor -16..16 = 1: multiplies the result
//! param plus -1..1 = 0: added to the result, as a fraction of full scale
//! radius (max(matrix_width, matrix_height) - 1) / 2
//! weights matrix(dx, dy)
//! gain factor
//! offset plus
