"""The program's window as other X11 programs see it: for the tests that go through the real keyboard
and the real pointer, which the test engine goes around. Needs the distribution's python3-xlib.
"""
import os
import subprocess
import sys
import time

from Xlib import X, display
from Xlib.error import BadDrawable, BadWindow
from Xlib.protocol import event


def inside_a_display(program, with_display, *more):
    """Starts this script again on a display of its own, unless it is there already."""
    if sys.argv[-1] != "inside":
        os.execv(with_display, [with_display, "-s", "1400x900", sys.argv[0], program, with_display,
                                *more, "inside"])


def until(what, seconds, look):
    """What `look` answers once that is something; ends the test where it does not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"{what} did not come in {seconds} s")


class Window:
    """A running program and its window; `with` ends it, whatever happens."""

    def __init__(self, program, config):
        self.display = display.Display()
        self.process = subprocess.Popen([program], env={**os.environ, "XDG_CONFIG_HOME": config})
        self.window = until("the window", 300, self._shown)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()

    def atom(self, name):
        return self.display.intern_atom(name)

    def _shown(self):
        """Once it can be seen and says that it takes drops. Others come and go before it: what the
        toolkit tries out."""
        for window in self.display.screen().root.query_tree().children:
            try:
                if (window.get_wm_name() == "Tilescope" and
                        window.get_attributes().map_state == X.IsViewable and
                        window.get_full_property(self.atom("XdndAware"), X.AnyPropertyType)):
                    return window
            except (BadWindow, BadDrawable):
                pass
        return None

    def brightness(self):
        """The mean of its bytes, 0 to 255: dark and light are far apart."""
        size = self.window.get_geometry()
        image = self.window.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xffffff)
        some = image.data[::61]
        return sum(some) / len(some)

    def send(self, kind, *numbers):
        """A client message of five numbers at most."""
        numbers = [*numbers] + [0] * (5 - len(numbers))
        self.window.send_event(event.ClientMessage(window=self.window, client_type=self.atom(kind),
                                                   data=(32, numbers)))
        self.display.flush()

    def close(self):
        """As its title bar's cross does; it must end well."""
        self.send("WM_PROTOCOLS", self.atom("WM_DELETE_WINDOW"), X.CurrentTime)
        self.ends()

    def ends(self):
        if self.process.wait(300) != 0:
            sys.exit(f"the window ended with {self.process.returncode}")
