#!/usr/bin/env python3
"""engine_test.py FOLDER [TILES]: the engine as WebAssembly, under node, beside the native one: the same
counts, verification, findings and traces of every kernel at TILES random tiles (10)."""
import base64
import json
import os
import random
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'python'))
os.environ.setdefault('TILESCOPE_CLI', os.path.join(ROOT, 'build/release/bin/tilescope-cli'))

from tilescope.errors import TilescopeError  # noqa: E402
from tilescope.programs import program  # noqa: E402
from tilescope.worker import Worker  # noqa: E402

FOLDER = sys.argv[1]
TILES = int(sys.argv[2]) if len(sys.argv) > 2 else 10

# What is of the machine, not of the kernel.
OF_THE_MACHINE = {'seconds', 'ms', 'compile_ms', 'threads', 'cached'}


class Engine:
    """The page's engine in a node of its own."""

    def __init__(self, role='emulator'):
        self.process = subprocess.Popen(
            ['node', '--no-experimental-fetch', os.path.join(ROOT, 'tests/web/engine.cjs'), FOLDER, role],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, method, params):
        """(value, binary parts by type); the value of a call that failed is {"failed": message}."""
        self.process.stdin.write(json.dumps({'method': method, 'params': params}) + '\n')
        self.process.stdin.flush()
        parts = {}
        while line := self.process.stdout.readline():
            told = json.loads(line)
            content = base64.b64decode(told['bytes'])
            if told['kind'] == 'binary':
                parts[told['type']] = content
            elif told['kind'] == 'done':
                return json.loads(content), parts
            elif told['kind'] == 'failed':
                return {'failed': json.loads(content)['message']}, parts
        raise AssertionError('the engine ended')

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def without_machine(value):
    if isinstance(value, dict):
        return {k: without_machine(v) for k, v in value.items() if k not in OF_THE_MACHINE}
    if isinstance(value, list):
        return [without_machine(v) for v in value]
    return value


def kernels():
    answer = subprocess.run([program(), 'kernels', '--json'], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def order(letter):
    return 'row_major' if letter == 'T' else 'column_major'


class EngineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.native = Worker()
        cls.engine = Engine()

    @classmethod
    def tearDownClass(cls):
        cls.native.close()
        cls.engine.close()

    def random_request(self, kernel, chance):
        types = chance.choice(kernel['types'])
        layout = chance.choice(kernel['layouts'])
        sizes = [chance.choice([1, 7, 32, 64, 100, 128, 160]) for _ in range(3)]
        problem = dict(zip('mnk', sizes), type_a=types[0], type_b=types[1], type_c=types[2],
                       order_a=order(layout[0]), order_b=order(layout[1]), order_c='row_major',
                       alpha=chance.choice([1.0, 0.5]), beta=chance.choice([0.0, 1.0]))
        tile = {s['name']: chance.choice(s['values']) for s in kernel['sliders']}
        return {'kernel': kernel['id'], 'tile': tile, 'problem': problem}

    def compiled(self, kernel, chance):
        """A legal position with its PTX; the first may take some looking for."""
        for _ in range(2000):
            request = self.random_request(kernel, chance)
            try:
                answer = self.native.call('compile', {**request, 'device': 'compiler',
                                                      'ptx_is_enough': True})
            except TilescopeError:
                continue
            return {**request, 'ptx': answer.value['ptx']}
        raise AssertionError(f'no legal tile of {kernel["id"]} in 2000')

    def same(self, method, params):
        here, parts = self.engine.call(method, params)
        try:
            answer = self.native.call(method, {**params, 'device': 'emulator'})
            there, there_parts = answer.value, answer.parts
        except TilescopeError as error:
            there, there_parts = {'failed': str(error)}, {}
        self.assertEqual(without_machine(here), without_machine(there))
        self.assertEqual(parts, {k: bytes(v) for k, v in there_parts.items()})
        return here

    def test_every_kernel_runs_as_it_does_natively(self):
        for kernel in kernels():
            chance = random.Random(kernel['id'])
            for i in range(TILES):
                request = self.compiled(kernel, chance)
                with self.subTest(kernel=kernel['id'], tile=request['tile'], problem=request['problem']):
                    ran = self.same('emulate', {**request, 'scope': 'whole', 'verify': True, 'seed': i})
                    self.assertIn('counted', ran)
                    self.same('trace', {**request, 'cta': [0, 0]})


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
