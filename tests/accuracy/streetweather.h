// SPDX-License-Identifier: LGPL-2.1-or-later
// Light, weather, and what comes before the lens of accuracy-street. `t`: s since it began.
#pragma once

#include "reference/frames.h"

namespace street::weather {

using reference::Frame;

/// So much of the light is left.
void dim(Frame &frame, double light);
/// The frame as a camera for the night sees it.
void infrared(Frame &frame);
/// The shadow of a cloud, every 20 s.
void cloud(Frame &frame, double t);
/// Headlights that sweep over the walls, every 10 s.
void headlights(Frame &frame, double t);
/// Streaks, each in one frame only.
void rain(Frame &frame, unsigned seed);
/// Flakes that fall and sway.
void snow(Frame &frame, int number);
/// An insect close to the lens, out of focus, every 12 s.
void insect(Frame &frame, double t);
/// A lens out of focus.
void blur(Frame &frame, int radius);
/// A hand that covers this part of the frame.
void cover(Frame &frame, double part);
/// A clock that the camera draws into the picture.
void clock(Frame &frame, int seconds);

}  // namespace street::weather
