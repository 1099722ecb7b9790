"""What an ordeal works in: the programs of a build, a folder of its own, and a count of what was left behind."""
import ctypes
import glob
import json
import os
import random
import signal
import subprocess
import tempfile
import time

SECONDS = 60  # after which a program is taken to hang


class Failed(Exception):
    """What was found, in a sentence."""


class World:
    def __init__(self, programs, seed):
        self.programs = os.path.abspath(programs)
        self.chance = random.Random(seed)
        self._folder = tempfile.TemporaryDirectory(prefix='tilescope-ordeal-')
        self.folder = self._folder.name
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(('TILESCOPE_', 'XDG_'))}
        self.environment['HOME'] = self.path('home')
        os.makedirs(self.environment['HOME'])
        # Whoever loses their parent becomes ours, and is found.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name='tilescope-cli'):
        return os.path.join(self.programs, name)

    def driver(self):
        """That of the tests, whose cards are the emulator's."""
        return os.path.join(self.programs, '..', 'tests', 'driver', 'libemulated_driver.so')

    def run(self, *arguments, program='tilescope-cli', seconds=SECONDS, **options):
        """Its end; a signal that it did not ask for, or no end, is a failure."""
        options.setdefault('env', self.environment)
        try:
            done = subprocess.run([self.program(program), *arguments], capture_output=True, timeout=seconds,
                                  cwd=options.pop('cwd', self.folder), check=False, **options)
        except subprocess.TimeoutExpired:
            raise Failed(f'{program} {" ".join(arguments)[:200]} did not end within {seconds} s') from None
        if done.returncode < 0:
            raise Failed(f'{program} {" ".join(arguments)[:200]} was ended by signal {-done.returncode}: '
                         f'{done.stderr[-300:]!r}')
        return done

    def kernels(self):
        """The ladder's, as the program has it."""
        return [kernel['id'] for kernel in json.loads(self.run('kernels', '--json').stdout)]

    def one_sentence(self, done):
        """A failed program's last words."""
        lines = done.stderr.decode(errors='replace').strip().split('\n')
        if done.returncode != 0 and not lines[-1].strip():
            raise Failed(f'{done.args} ended with {done.returncode} and said nothing')
        return lines[-1]

    def nobody_left(self, seconds=10):
        """Waits for what programs of the case have started to end; what does not is an orphan."""
        until = time.monotonic() + seconds
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                if time.monotonic() > until:
                    left = subprocess.run(['ps', '--ppid', str(os.getpid()), '-o', 'pid=,args='],
                                          capture_output=True, text=True, check=False).stdout
                    raise Failed(f'left behind: {left.strip()[:400]}')
                time.sleep(0.005)


def frame(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b'Content-Length: %d\r\n\r\n' % len(body) + body


class Worker:
    """A worker process that is spoken to by hand."""

    def __init__(self, world):
        self.process = subprocess.Popen([world.program(), 'worker'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=world.environment, cwd=world.folder)
        self.next = 1

    def send(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
            return True
        except OSError:
            return False

    def call(self, method, params):
        """Its answer by its id, or None where the worker is gone."""
        number = self.next
        self.next += 1
        if not self.send(frame({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params})):
            return None
        while (message := self.read()) is not None:
            if message.get('id') == number:
                return message
        return None

    def read(self):
        length, binary = None, False
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            if line.startswith(b'Content-Length:'):
                length = int(line.split(b':')[1])
            if line.startswith(b'Content-Type:'):
                binary = True
            if line == b'\r\n' and length is not None:
                break
        body = self.process.stdout.read(length)
        if len(body) < length:
            return None
        return {} if binary else json.loads(body)

    def children(self):
        found = []
        for path in glob.glob(f'/proc/{self.process.pid}/task/*/children'):
            try:
                with open(path, encoding='ascii') as file:
                    found += [int(pid) for pid in file.read().split()]
            except OSError:
                pass
        return found

    def end(self, seconds=SECONDS):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            raise Failed(f'the worker did not end within {seconds} s after its input did') from None
        finally:
            self.process.stdout.close()
        if self.process.returncode < 0:
            raise Failed(f'the worker was ended by signal {-self.process.returncode}')
