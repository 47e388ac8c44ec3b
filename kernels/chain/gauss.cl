// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter gauss: blurs by a Gaussian
//! param sigma 0.2..20 = 2: standard deviation, px
//! radius ceil(2 * sigma)
//! weights exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))
