#!/usr/bin/python3
"""real_drop.py TILESCOPE WITH_DISPLAY: a file is dragged onto the window as a file manager does it
(XDND version 5), and is what the next start opens.
"""
import os
import sys
import tempfile

from Xlib import X
from Xlib.protocol import event

from x11_window import Window, inside_a_display, until

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry dropped() { ret; }
"""


class Source:
    """The side of a drag that has the file."""

    def __init__(self, target, uri):
        self.target, self.uri, self.display = target, uri.encode(), target.display
        root = self.display.screen().root
        self.window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self.window.set_selection_owner(target.atom("XdndSelection"), X.CurrentTime)

    def serve(self, name):
        """Gives the file to who asks for it, until the message `name` has come: its numbers."""
        def look():
            while self.display.pending_events():
                e = self.display.next_event()
                if e.type == X.SelectionRequest:
                    e.requestor.change_property(e.property, e.target, 8, self.uri + b"\r\n")
                    e.requestor.send_event(event.SelectionNotify(
                        time=e.time, requestor=e.requestor, selection=e.selection,
                        target=e.target, property=e.property))
                    self.display.flush()
                elif e.type == X.ClientMessage and e.client_type == self.target.atom(name):
                    return e.data[1]
            return None
        return until(name, 300, look)

    def drop(self):
        atom, send, mine = self.target.atom, self.target.send, self.window.id
        place = self.target.window.get_geometry()
        send("XdndEnter", mine, 5 << 24, atom("text/uri-list"))
        send("XdndPosition", mine, 0, (place.width // 2) << 16 | place.height // 2, X.CurrentTime,
             atom("XdndActionCopy"))
        if not self.serve("XdndStatus")[1] & 1:
            sys.exit("real_drop: the window does not take the file")
        send("XdndDrop", mine, 0, X.CurrentTime)
        self.serve("XdndFinished")


def main():
    inside_a_display(*sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "dropped by hand.ptx")
        with open(file, "w", encoding="utf-8") as text:
            text.write(PTX)
        with Window(sys.argv[1], folder) as window:
            Source(window, "file://" + file.replace(" ", "%20")).drop()
            window.close()
        kept = os.path.join(folder, "tilescope")
        for name in os.listdir(kept):
            with open(os.path.join(kept, name), "rb") as session:
                if file.encode() in session.read():
                    return
        sys.exit(f"real_drop: {file} is in no file of {os.listdir(kept)}")


if __name__ == "__main__":
    main()
