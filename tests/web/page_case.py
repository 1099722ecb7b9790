"""What the page's tests share: the page in a headless browser, and what it says of itself. Their programs take
PAGE_FOLDER PICTURES_FOLDER [--firefox] [TEST...]; the browser is Chromium unless told."""
import json
import os
import sys
import unittest
from urllib.parse import urlparse

from browser import serve
from chromium import Chromium
from firefox import Firefox

PAGE, PICTURES = sys.argv[1], sys.argv[2]
FIREFOX = '--firefox' in sys.argv


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serve(PAGE)
        cls.url = f'http://localhost:{cls.server.server_port}/'
        os.makedirs(PICTURES, exist_ok=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def open(self, address='?layout=explore', width=1280, height=800, scale=1):
        self.browser = (Firefox if FIREFOX else Chromium)(width, height, scale)
        self.addCleanup(self.browser.close)
        self.go(address)
        return self.browser

    def go(self, address):
        self.browser.run('window.before = true')
        self.browser.go('about:blank')  # or an address that differs behind # loads nothing
        self.browser.go(self.url + address)
        self.browser.wait_for('window.tilescope && !window.before')
        self.browser.frames(10)  # docking settles

    def tearDown(self):
        if getattr(self, 'browser', None):
            name = self.id().split('.')[-1].removeprefix('test_')
            self.browser.picture(os.path.join(PICTURES, f'{name}.png'))
            self.assertEqual(self.browser.complaints(), [])
            foreign = [url for url in self.browser.requested()
                       if urlparse(url).scheme not in ('data', 'blob')
                       and not url.startswith(self.url)]
            self.assertEqual(foreign, [], 'the page asked for what is not its own')

    def settle(self):
        """Until nothing runs that was asked for."""
        self.browser.frames(5)
        self.browser.wait_for('tilescope._tilescope_busy() === 0')
        self.browser.frames(3)

    def text(self, function):
        return self.browser.run(f'tilescope.UTF8ToString(tilescope._tilescope_{function}())')

    def command(self, name):
        self.browser.run(f'''(() => {{ const at = tilescope._malloc(200);
            tilescope.stringToUTF8({json.dumps(name)}, at, 200);
            tilescope._tilescope_command(at); tilescope._free(at); }})()''')
        self.browser.frames(4)

    def state(self):
        self.command('file.copy_state')
        return json.loads(self.text('clipboard'))

    def rung(self):
        """Kernel, tile and problem, without what other kernels were left with."""
        edit = self.state()['edit']
        return {name: edit[name] for name in edit if name not in ('tiles', 'layouts')}


def main():
    unittest.main(argv=sys.argv[:1] + [a for a in sys.argv[3:] if a != '--firefox'], verbosity=2)
