#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""x264.py [OPTIONS OF x264 …]: measures false motion in static, noisy scenes after coding by x264

It needs ffmpeg, gst-launch-1.0 with the plugin, the Python modules numpy and cv2, and photographs in
GLCL_DATA/images; it generates scenes of walls. For each preset of glopenclflow it prints the moving
fraction: the mean over all frames but the first two, and that of the worst frame. It prints the same
for Farneback's method of OpenCV, and the mean and the lowest fraction of zero vectors in glclmotion.
"""
import os
import re
import subprocess
import sys
import tempfile

import cv2
import numpy as np

WIDTH, HEIGHT, FRAMES = 640, 360, 26
SIGMAS = 4, 8, 16  # levels
CODINGS = "-crf 18 -g 250", "-crf 23 -g 12", "-crf 28 -g 6", "-crf 33 -g 6", "-b:v 300k -g 12 -tune zerolatency"
SOURCE = f"rawvideoparse width={WIDTH} height={HEIGHT} format=i420 framerate=25/1 ! glupload ! glcolorconvert"


def scenes():
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    yield "flat", np.full((HEIGHT, WIDTH), 112.0)
    yield "gradient", 104 + x / WIDTH * 16
    yield "dark corners", 130 - 40 * (((x - 320) / 400) ** 2 + ((y - 180) / 300) ** 2)
    folder = os.path.join(os.environ["GLCL_DATA"], "images")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        picture = cv2.imread(os.path.join(folder, name), cv2.IMREAD_GRAYSCALE)
        yield name, picture[76 : 76 + HEIGHT, 64 : 64 + WIDTH].astype(float)


def code(scene, sigma, options, file):
    random = np.random.default_rng(1)
    size = f"{WIDTH}x{HEIGHT}"
    raw = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", size, "-r", "25", "-i", "-"]
    frames = [np.clip(np.rint(scene + random.normal(size=scene.shape) * sigma), 0, 255) for _ in range(FRAMES)]
    subprocess.run(raw + ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-threads", "1", *options.split(), file + ".mkv"],
                   input=b"".join(frame.astype(np.uint8).tobytes() for frame in frames), check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", file + ".mkv", "-f", "rawvideo", "-pix_fmt", "yuv420p",
                    file], stdin=subprocess.DEVNULL, check=True)


def reported(file, element, field):
    """The values of a field in all messages but the first one."""
    line = f"gst-launch-1.0 -m filesrc location={file} ! {SOURCE} ! {element} interval=0 ! fakesink sync=false"
    text = subprocess.run(line.split(), capture_output=True, text=True, check=True).stdout
    return [float(value) for value in re.findall(field + r"=\(double\)([-0-9.e+]+)", text)][1:]


def farneback(file):
    planes = np.fromfile(file, np.uint8).reshape(-1, HEIGHT * 3 // 2, WIDTH)[:, :HEIGHT]
    moving = []
    for before, after in zip(planes[1:], planes[2:]):
        flow = cv2.calcOpticalFlowFarneback(before, after, None, 0.5, 3, 15, 3, 5, 1.2, 0)
        moving.append((np.hypot(flow[..., 0], flow[..., 1]) > 0.5).mean())
    return moving


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "coded")
        for name, scene in scenes():
            for sigma in SIGMAS:
                for options in [" ".join(sys.argv[1:])] if len(sys.argv) > 1 else CODINGS:
                    code(scene, sigma, options, file)
                    line = f"{name:13} {sigma:2} levels  {options:35}"
                    for preset in "fast", "balanced":
                        moving = reported(file, f"glopenclflow preset={preset}", "moving")
                        line += f"  {preset} {np.mean(moving):.3f} {max(moving):.3f}"
                    moving, zero = farneback(file), reported(file, "glclmotion", "zero")
                    line += f"  Farneback {np.mean(moving):.3f} {max(moving):.3f}"
                    print(f"{line}  blocks {np.mean(zero):.3f} {min(zero):.3f}", flush=True)


main()
