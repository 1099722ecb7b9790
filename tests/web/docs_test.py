#!/usr/bin/env python3
"""docs_test.py: the commands in docs/web.md do what it says they do: what builds, builds; what serves, serves
the page."""
import os
import re
import shlex
import signal
import subprocess
import unittest
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILE = os.path.join(ROOT, 'docs/web.md')


def commands():
    """The indented lines, without what is said of them behind a #."""
    with open(FILE, encoding='utf-8') as text:
        for line in text:
            if line.startswith('    ') and line.strip():
                yield shlex.split(line, comments=True)


def serves(command):
    return 'http.server' in command or command == ['./web']


class DocsTest(unittest.TestCase):
    def test_there_are_commands(self):
        self.assertGreater(len(list(commands())), 3)

    def test_what_builds_builds(self):
        for command in commands():
            # The whole page last: others leave few packs behind.
            if serves(command) or '--few' in command:
                continue
            with self.subTest(command=command):
                self.assertEqual(subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL).returncode, 0)

    def test_what_serves_serves_the_page(self):
        environment = {name: value for name, value in os.environ.items() if 'DISPLAY' not in name}
        for command in filter(serves, commands()):
            with self.subTest(command=command):
                if 'http.server' in command:
                    command = [*command, '--bind', 'localhost', '0']  # any free port
                server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                                          env={**environment, 'PYTHONUNBUFFERED': '1'})
                self.addCleanup(server.stdout.close)
                self.addCleanup(server.wait)
                self.addCleanup(server.send_signal, signal.SIGINT)
                for line in server.stdout:
                    if found := re.search(r'http://[^ )]+', line):
                        with urllib.request.urlopen(found.group(0)) as answer:
                            self.assertIn(b'<title>Tilescope</title>', answer.read())
                        break
                else:
                    self.fail('it said no address')


if __name__ == '__main__':
    unittest.main(verbosity=2)
