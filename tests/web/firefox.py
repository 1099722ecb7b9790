"""A headless Firefox, spoken to over Marionette, which it brings along: lines of JSON with their length on
a port of this machine. Needs a display for its software GL (tools/with_display)."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from browser import Browser, BrowserError, found

PREFERENCES = {
    'marionette.port': 0,  # a free one
    'app.update.disabledForTesting': True,
    'browser.shell.checkDefaultBrowser': False,
    'browser.startup.page': 0,
    'datareporting.policy.dataSubmissionEnabled': False,
    'intl.accept_languages': 'en',  # whatever the machine speaks, the page begins in English
    'network.captive-portal-service.enabled': False,
    'network.connectivity-service.enabled': False,
    'toolkit.telemetry.reportingpolicy.firstRun': False,
    'webgl.force-enabled': True,
}

# From the page's first moment on: what goes wrong in it.
WATCH = '''window.complaints ??= (() => {
  const said = [];
  addEventListener('error', (event) => said.push(event.message));
  addEventListener('unhandledrejection', (event) => said.push(String(event.reason)));
  addEventListener('securitypolicyviolation', (event) => said.push('policy: ' + event.blockedURI));
  return said;
})()'''


class Firefox(Browser):
    """`width` and `height` of the page in pixels, `scale` device pixels for each."""

    def __init__(self, width=1280, height=800, scale=1):
        self._profile = tempfile.mkdtemp(prefix='tilescope-firefox-')
        with open(os.path.join(self._profile, 'user.js'), 'w') as out:
            for name, value in {**PREFERENCES, 'layout.css.devPixelsPerPx': str(scale)}.items():
                out.write(f'user_pref({json.dumps(name)}, {json.dumps(value)});\n')
        self._scale = scale
        self._process = subprocess.Popen(
            [found('firefox-esr', 'firefox'), '--marionette', '--no-remote', '--profile', self._profile, 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = self._connected()
        self._buffer, self._next = b'', 1
        self._read()  # it greets
        self._send('WebDriver:NewSession', capabilities={'alwaysMatch': {}})
        self._send('WebDriver:SetTimeouts', script=120000, pageLoad=60000)
        self.resize(width, height, scale)

    @staticmethod
    def _read_port(path):
        try:
            with open(path) as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def _connected(self):
        path = os.path.join(self._profile, 'MarionetteActivePort')
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise BrowserError(f'Firefox ended with {self._process.returncode}')
            port = self._read_port(path)
            if port:
                return socket.create_connection(('localhost', int(port)), timeout=180)
            time.sleep(0.05)
        raise BrowserError('Firefox opened no port')

    def close(self):
        if self._process.returncode is not None:
            return
        self._socket.close()
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    # The protocol.
    def _fill(self):
        piece = self._socket.recv(1 << 20)
        if not piece:
            raise BrowserError('Firefox ended')
        self._buffer += piece

    def _read(self):
        while b':' not in self._buffer:
            self._fill()
        length, self._buffer = self._buffer.split(b':', 1)
        while len(self._buffer) < int(length):
            self._fill()
        text, self._buffer = self._buffer[:int(length)], self._buffer[int(length):]
        return json.loads(text)

    def _send(self, command, **params):
        text = json.dumps([0, self._next, command, params]).encode()
        self._next += 1
        self._socket.sendall(str(len(text)).encode() + b':' + text)
        _, _, error, result = self._read()
        if error:
            raise BrowserError(f'{command}: {error["message"]}')
        return result

    def listen(self, seconds):
        time.sleep(seconds)

    # What a person does.
    def resize(self, width, height, scale=1):
        if scale != self._scale:
            raise BrowserError('a Firefox keeps the scale that it began with')
        chrome = self.run('[outerWidth - innerWidth, outerHeight - innerHeight]')
        self._send('WebDriver:SetWindowRect', width=width + chrome[0], height=height + chrome[1])

    def go(self, url):
        self._send('WebDriver:Navigate', url=url)
        self.run(WATCH)

    def run(self, expression, seconds=120):
        """The value of a JavaScript expression; a promise is waited for."""
        # Not by eval(), which the page's security policy forbids.
        script = f'''const done = arguments[arguments.length - 1];
            new Promise((now) => now({expression})).then((value) => done({{value}}),
                (error) => done({{error: String(error)}}));'''
        answer = self._send('WebDriver:ExecuteAsyncScript', script=script, args=[])['value']
        if answer and 'error' in answer:
            raise BrowserError(answer['error'])
        return (answer or {}).get('value')

    def _pointer(self, *actions):
        self._send('WebDriver:PerformActions', actions=[
            {'type': 'pointer', 'id': 'mouse', 'parameters': {'pointerType': 'mouse'},
             'actions': list(actions)}])

    def mouse(self, kind, x, y, button='none', buttons=0):
        move = {'type': 'pointerMove', 'x': round(x), 'y': round(y), 'duration': 0}
        if kind == 'mouseMoved':
            self._pointer(move)
        else:
            self._pointer({'type': 'pointerDown' if kind == 'mousePressed' else 'pointerUp', 'button': 0})

    def key(self, character):
        self._send('WebDriver:PerformActions', actions=[
            {'type': 'key', 'id': 'keys', 'actions': [{'type': 'keyDown', 'value': character},
                                                     {'type': 'keyUp', 'value': character}]}])

    def picture(self, path):
        data = self._send('WebDriver:TakeScreenshot', full=False)['value']
        with open(path, 'wb') as out:
            out.write(base64.b64decode(data))

    # What went wrong in the page.
    def complaints(self):
        return self.run('window.complaints ?? []')

    def requested(self):
        """The addresses that the page asked for."""
        return self.run('performance.getEntriesByType("resource").map((entry) => entry.name)')
