// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter gauss: blurs by a Gaussian
//! param sigma 0.2..20 = 2: standard deviation, px
//! param radius 0..64 = 64: how far it reads at most, px; never further than 3 sigma
//! radius ceil(min(radius, 3 * sigma))
//! weights exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))
