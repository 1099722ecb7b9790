"""A headless Chromium, spoken to over its DevTools protocol through a pair of pipes: no port, no
library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from browser import Browser, BrowserError, found


class Chromium(Browser):
    """`width` and `height` of the page in pixels, `scale` device pixels for each."""

    def __init__(self, width=1280, height=800, scale=1):
        self._profile = tempfile.mkdtemp(prefix='tilescope-chromium-')
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def keep_pipes():  # the protocol's are 3 and 4
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(
            [found('chromium', 'chromium-browser', 'google-chrome'), '--headless=new', '--remote-debugging-pipe', '--no-sandbox',
             '--no-first-run', '--disable-extensions', '--disable-background-networking',
             '--disable-dev-shm-usage', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
             '--hide-scrollbars', f'--user-data-dir={self._profile}',
             f'--window-size={width},{height}', 'about:blank'],
            # Whatever the machine speaks, the page begins in English.
            env={**os.environ, 'LC_ALL': 'C.UTF-8', 'LANGUAGE': 'en'}, preexec_fn=keep_pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b''
        self._next = 1
        self.events = []
        self.session = None
        target = self.send('Target.createTarget', url='about:blank')['targetId']
        self.session = self.send('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')
        self.resize(width, height, scale)

    def close(self):
        if self._process.returncode is not None:
            return
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    # The protocol.
    def _read(self, seconds):
        """The next message; None if there is none in time."""
        until = time.monotonic() + seconds
        while b'\0' not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise BrowserError('Chromium ended')
            self._buffer += piece
        text, self._buffer = self._buffer.split(b'\0', 1)
        return json.loads(text)

    def send(self, method, seconds=120, **params):
        message = {'id': self._next, 'method': method, 'params': params}
        self._next += 1
        if self.session:
            message['sessionId'] = self.session
        os.write(self._out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self._read(seconds)
            if answer is None:
                raise BrowserError(f'{method}: no answer within {seconds} s')
            if answer.get('id') == message['id']:
                if 'error' in answer:
                    raise BrowserError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            self.events.append(answer)

    def listen(self, seconds):
        """Takes in events for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            event = self._read(left)
            if event:
                self.events.append(event)

    # What a person does.
    def resize(self, width, height, scale=1):
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def go(self, url):
        self.send('Page.navigate', url=url)

    def run(self, expression, seconds=120):
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.send('Runtime.evaluate', seconds, expression=expression, awaitPromise=True,
                           returnByValue=True)
        if 'exceptionDetails' in answer:
            details = answer['exceptionDetails']
            raise BrowserError(details.get('exception', {}).get('description', details['text']))
        return answer['result'].get('value')

    def mouse(self, kind, x, y, button='none', buttons=0):
        self.send('Input.dispatchMouseEvent', type=kind, x=x, y=y, button=button, buttons=buttons,
                  clickCount=1 if button != 'none' else 0)

    def key(self, character):
        self.send('Input.dispatchKeyEvent', type='keyDown', text=character, key=character)
        self.send('Input.dispatchKeyEvent', type='keyUp', key=character)

    def picture(self, path):
        data = self.send('Page.captureScreenshot', format='png')['data']
        with open(path, 'wb') as out:
            out.write(base64.b64decode(data))

    # What went wrong in the page.
    def complaints(self):
        """Exceptions, errors in the console and what the security policy stopped."""
        words = []
        for event in self.events:
            params = event.get('params', {})
            if event.get('method') == 'Runtime.exceptionThrown':
                details = params['exceptionDetails']
                words.append(details.get('exception', {}).get('description', details['text']))
            elif event.get('method') == 'Log.entryAdded' and params['entry']['level'] == 'error':
                words.append(params['entry']['text'] + ' ' + params['entry'].get('url', ''))
            elif event.get('method') == 'Runtime.consoleAPICalled' and params['type'] == 'error':
                words.append(' '.join(str(a.get('value', a.get('description')))
                                      for a in params['args']))
        return words

    def requested(self):
        """The addresses that the page asked for."""
        return [event['params']['request']['url'] for event in self.events
                if event.get('method') == 'Network.requestWillBeSent']
