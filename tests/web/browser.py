"""What a page test does with a browser, whichever it is; and a server for the page's folder."""
import functools
import http.server
import shutil
import threading
import time


class BrowserError(Exception):
    """The browser ended, or did not answer in time."""


def found(*names):
    """The program of the first of these names that there is."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise BrowserError(f'there is no {names[0]}; ./test --web installs it, or --long --web')


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        super().do_GET()


def serve(folder):
    server = http.server.ThreadingHTTPServer(('localhost', 0),
                                             functools.partial(Files, directory=folder))
    server.asked = []  # paths, those that the page's workers fetch among them
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Browser:
    """One page at a time. A browser of its own kind says how: close(), go(url), run(expression), resize(),
    mouse(), key(), picture(path), complaints(), requested(), listen(seconds)."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait_for(self, expression, seconds=300):
        """Until the expression is true. A limit for what hangs, not a measure."""
        until = time.monotonic() + seconds
        while not self.run(f'Boolean({expression})'):
            if time.monotonic() > until:
                raise BrowserError(f'not true within {seconds} s: {expression}; the page says: '
                                   + str(self.run('document.getElementById("notice")?.textContent')))
            self.listen(0.05)

    def frames(self, count=3):
        self.run(f'''new Promise((done) => {{ let left = {count};
            const next = () => (left-- ? requestAnimationFrame(next) : done()); next(); }})''')

    def click(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.frames()
        self.mouse('mousePressed', x, y, 'left', 1)
        self.frames()
        self.mouse('mouseReleased', x, y, 'left', 0)
        self.frames()

    def drag(self, start, end, steps=8):
        self.mouse('mouseMoved', *start)
        self.frames()
        self.mouse('mousePressed', *start, 'left', 1)
        for i in range(1, steps + 1):
            self.frames(1)
            self.mouse('mouseMoved', *(a + (b - a) * i / steps for a, b in zip(start, end)),
                       'left', 1)
        self.frames()
        self.mouse('mouseReleased', *end, 'left', 0)
        self.frames()

    def type(self, text):
        for character in text:
            self.key(character)
            self.frames(1)
