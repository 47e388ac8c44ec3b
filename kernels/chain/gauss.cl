// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter gauss: blurs with a Gaussian
//! param sigma 0.2..20 = 2: standard deviation, px
//! param radius 0..64 = 64: maximum radius of the window, px; never more than 3 sigma
//! radius ceil(min(radius, 3 * sigma))
//! weights exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))
