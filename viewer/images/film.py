#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Films the page with a sample in it: film.py PROGRAM SAMPLE FILE.gif. Ten seconds, for README.md.

The sample is played from its beginning to its end, then the worst file is lit up and a fragment of it shown. Needs the reader of
pages (make page), chromium-headless-shell and Pillow.
"""
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import browser  # noqa: E402

WINDOW, SCALE = (1280, 760), 0.75
PLAYED, FRAME_MS, STILL_MS, COLORS = 24, 200, 1300, 255
SETTLED = "shown && MOVING.every(key => shown[key] === view[key])"


def main() -> None:
    view, sample, output = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).absolute(), Path(sys.argv[3]).absolute()
    frames: list[Image.Image] = []
    times: list[int] = []
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8")
    # messages of the browser during its end do not matter
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        subprocess.run([view, "page", sample, "-o", "page.html"], check=True)
        chromium = browser.Browser(folder)

        def shoot(ms: int) -> None:
            chromium.until(SETTLED)
            chromium.shot("frame.png")
            frames.append(Image.open(io.BytesIO(Path("frame.png").read_bytes())).convert("RGB"))
            times.append(ms)

        try:
            chromium.new_page()
            chromium.call("Emulation.setDeviceMetricsOverride", width=WINDOW[0], height=WINDOW[1], deviceScaleFactor=SCALE, mobile=False)
            chromium.open(Path("page.html").absolute().as_uri())
            chromium.until(f"document.body.className === '' && {SETTLED} && player.curves.length === player.spans.length && player.spans.length")
            for i in range(PLAYED):
                chromium.js(f"seek(player.first + (player.last - player.first) * {i} / {PLAYED - 1})")
                shoot(FRAME_MS)
            chromium.click_on("#rows tr:nth-child(1) button")
            chromium.until("chosen && shown.lit.some(Boolean)")
            shoot(STILL_MS)
            chromium.click_on("#after")
            chromium.until("steps")
            shoot(STILL_MS)
            chromium.click_on("#toPlot")
            chromium.until("document.querySelector('#plotted img').naturalWidth && document.querySelector('#why').textContent")
            shoot(2 * STILL_MS)
        finally:
            chromium.close()
        # one palette for all frames, so that what stays the same costs nothing
        width, height = frames[0].size
        several = Image.new("RGB", (width, 3 * height))
        for i in range(3):
            several.paste(frames[-2 - i], (0, i * height))
        palette = several.quantize(COLORS)
        packed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
        packed[0].save(output, save_all=True, append_images=packed[1:], duration=times, loop=0, optimize=True)
        os.chdir("/")
    print(f"{output}: {len(frames)} frames, {sum(times) / 1000:.1f} s, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
