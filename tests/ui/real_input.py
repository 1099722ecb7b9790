#!/usr/bin/python3
"""real_input.py TILESCOPE WITH_DISPLAY: the real keyboard, through X11 and GLFW; and what was chosen
is there at the next start.
"""
import os
import subprocess
import sys
import tempfile
import time

from x11_window import Window, inside_a_display, until

TRIES = 12


def keys(*words):
    subprocess.run(["xdotool", *words], check=True)


def choose_light(window):
    """By the palette. Nothing tells when it has opened, so what is typed too soon for a slow machine
    is typed again, slower each time."""
    for attempt in range(TRIES):
        pause = 0.2 * 1.6 ** attempt
        keys("key", "Escape", "key", "ctrl+p")
        time.sleep(pause)
        keys("type", "--delay", "30", "theme light")
        time.sleep(pause)
        keys("key", "Return")
        end = time.monotonic() + 2 + 4 * pause
        while time.monotonic() < end:
            if window.brightness() > 128:
                return
            time.sleep(0.1)
    sys.exit(f"real_input: the window is not light after {TRIES} times")


def main():
    inside_a_display(*sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        with Window(sys.argv[1], folder) as window:
            # Drawn, and dark, as without a desktop's wish.
            until("a picture", 300, lambda: 8 < window.brightness() < 100)
            choose_light(window)
            keys("key", "ctrl+3", "key", "ctrl+q")  # one after the other, in this order
            window.ends()
        kept = os.path.join(folder, "tilescope")
        for name, word in (("window.json", '"theme": "light"'), ("layout.ini", "Tune")):
            with open(os.path.join(kept, name), encoding="utf-8") as file:
                if word not in file.read():
                    sys.exit(f"real_input: {name} does not say {word}")


if __name__ == "__main__":
    main()
