#!/usr/bin/python3
"""real_drop.py TILESCOPE WITH_DISPLAY: a file is dragged onto the window as a file manager does it
(XDND version 5, which the test engine goes around), and is what the next start opens.
"""
import os
import subprocess
import sys
import tempfile
import time

from Xlib import X, display
from Xlib.error import BadDrawable, BadWindow
from Xlib.protocol import event

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry dropped() { ret; }
"""


def until(what, seconds, look):
    """What `look` answers once that is something; ends the test where it does not come."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"real_drop: {what} did not come in {seconds} s")


class Source:
    """The side of a drag that has the file."""

    def __init__(self, uri):
        self.uri = uri.encode()
        self.display = display.Display()
        root = self.display.screen().root
        self.window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.window.set_selection_owner(self.atom("XdndSelection"), X.CurrentTime)

    def atom(self, name):
        return self.display.intern_atom(name)

    def target(self):
        """The program's window, once it can be seen and says that it takes drops. Others come and
        go before it: what the toolkit tries out."""
        for window in self.display.screen().root.query_tree().children:
            try:
                if (window.get_wm_name() == "Tilescope" and
                        window.get_attributes().map_state == X.IsViewable and
                        window.get_full_property(self.atom("XdndAware"), X.AnyPropertyType)):
                    return window
            except (BadWindow, BadDrawable):
                pass
        return None

    def send(self, target, name, *numbers):
        numbers = [self.window.id, *numbers] + [0] * (4 - len(numbers))
        target.send_event(event.ClientMessage(window=target, client_type=self.atom(name),
                                              data=(32, numbers)))
        self.display.flush()

    def serve(self, name):
        """Gives the file to who asks for it, until the message `name` has come: its data."""
        def look():
            while self.display.pending_events():
                e = self.display.next_event()
                if e.type == X.SelectionRequest:
                    e.requestor.change_property(e.property, e.target, 8, self.uri + b"\r\n")
                    e.requestor.send_event(event.SelectionNotify(
                        time=e.time, requestor=e.requestor, selection=e.selection,
                        target=e.target, property=e.property))
                    self.display.flush()
                elif e.type == X.ClientMessage and e.client_type == self.atom(name):
                    return e.data[1]
            return None
        return until(name, 60, look)

    def drop_on(self, target):
        place = target.get_geometry()
        self.send(target, "XdndEnter", 5 << 24, self.atom("text/uri-list"), 0, 0)
        self.send(target, "XdndPosition", 0, (place.width // 2) << 16 | place.height // 2,
                  X.CurrentTime, self.atom("XdndActionCopy"))
        if not self.serve("XdndStatus")[1] & 1:
            sys.exit("real_drop: the window does not take the file")
        self.send(target, "XdndDrop", 0, X.CurrentTime)
        self.serve("XdndFinished")

    def close(self, target):
        target.send_event(event.ClientMessage(
            window=target, client_type=self.atom("WM_PROTOCOLS"),
            data=(32, [self.atom("WM_DELETE_WINDOW"), X.CurrentTime, 0, 0, 0])))
        self.display.flush()


def main():
    program, with_display = sys.argv[1:3]
    if sys.argv[3:] != ["inside"]:
        os.execv(with_display, [with_display, "-s", "1400x900", *sys.argv, "inside"])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "dropped by hand.ptx")
        with open(file, "w", encoding="utf-8") as text:
            text.write(PTX)
        window = subprocess.Popen([program], env={**os.environ, "XDG_CONFIG_HOME": folder})
        try:
            source = Source("file://" + file.replace(" ", "%20"))
            target = until("the window", 60, source.target)
            source.drop_on(target)
            source.close(target)
            if window.wait(60) != 0:
                sys.exit(f"real_drop: the window ended with {window.returncode}")
        finally:
            window.kill()
        kept = os.path.join(folder, "tilescope")
        for name in os.listdir(kept):
            with open(os.path.join(kept, name), "rb") as session:
                if file.encode() in session.read():
                    return
        sys.exit(f"real_drop: {file} is in no file of {os.listdir(kept)}")


if __name__ == "__main__":
    main()
