#!/usr/bin/env python3
"""packs_test.py FOLDER: all that a page's packs say they have, out of them, as the page takes it: PTX for each
position that is listed, which the emulator reads; of some the steps. FOLDER: of the page."""
import json
import os
import random
import subprocess
import sys
import unittest

from engine_test import FOLDER, Engine

MOST = 40e6  # bytes of all packs together
STEPPED = 3  # positions a kernel


def files_of_pack(path):
    """A pack's files by name (page/pack/pack.h)."""
    text = subprocess.run(['zstd', '-dc', path], check=True, stdout=subprocess.PIPE).stdout
    magic, count, rest = text.split(b'\n', 2)
    assert magic == b'tilescope pack 1', magic
    listed = []
    for _ in range(int(count)):
        line, rest = rest.split(b'\n', 1)
        size, name = line.decode().split(' ', 1)
        listed.append((name, int(size)))
    files = {}
    for name, size in listed:
        files[name], rest = rest[:size], rest[size:]
    return files


class PacksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lists = files_of_pack(os.path.join(FOLDER, 'packs/list.pack'))
        cls.requests = {kernel: json.loads(text) for kernel, text in lists.items()}

    def test_they_are_no_larger_than_they_may(self):
        sizes = [os.path.getsize(os.path.join(where, name))
                 for where, _, names in os.walk(os.path.join(FOLDER, 'packs')) for name in names]
        print(f'{sum(map(len, self.requests.values()))} positions, {sum(sizes) / 1e6:.1f} MB')
        self.assertLess(sum(sizes), MOST)

    def test_each_position_has_code(self):
        engine = Engine('compiler')
        self.addCleanup(engine.close)
        for kernel, requests in self.requests.items():
            for request in requests:
                with self.subTest(kernel=kernel, tile=request['tile']):
                    value, _ = engine.call('compile', {**request, 'device': 'compiler'})
                    self.assertNotIn('failed', value, value.get('failed'))

    def test_some_are_stepped(self):
        compiler, emulator = Engine('compiler'), Engine()
        self.addCleanup(compiler.close)
        self.addCleanup(emulator.close)
        chosen = random.Random(11)
        for kernel, requests in self.requests.items():
            for request in chosen.sample(requests, min(STEPPED, len(requests))):
                with self.subTest(kernel=kernel, tile=request['tile']):
                    ptx = compiler.call('compile', {**request, 'device': 'compiler'})[0]['ptx']
                    value, _ = emulator.call('trace', {**request, 'device': 'emulator', 'ptx': ptx,
                                                       'cta': [0, 0, 0], 'k_step': 0})
                    self.assertNotIn('failed', value, value.get('failed'))
                    self.assertGreater(value['event_count'], 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
