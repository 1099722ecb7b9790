"""A card that is lost in the middle of work, as the driver of the tests (tests/driver) loses it, and comes back."""
import os
import shutil
import time

from card_ordeals import emulator_works, right_result, tell
from elsewhere_ordeals import TILES, every_tile_once, results
from world import Failed, Worker, frame
from worker_ordeals import HELLO, small_request

# What calls answer from then on: a card off the bus, one with a broken memory or link, a driver that is none any more.
ERRORS = [46, 214, 220, 802, 999]
QUICK = ['--seconds', '0.02', '--rest', '0', '--no-counts', '--device', 'cuda:0']
OWN = '__global__ void own(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }\n'


class Card:
    """The one card of the tests' driver, lost with a call of a random kind. `calls`: kinds, and how many of each the
    work makes at least."""

    def __init__(self, world, calls):
        self.call = world.chance.choice(list(calls))
        self.state, self.scratch = world.path('state'), world.path('scratch')
        self.environment = dict(
            world.environment, TILESCOPE_CUDA_DRIVER=world.driver(), TILESCOPE_EMULATED_STATE=self.state,
            TILESCOPE_CUBLASLT='/nowhere/libcublasLt.so.13', TMPDIR=self.scratch,
            TILESCOPE_EMULATED_FAULT=f'lost:{self.call}:{world.chance.randrange(calls[self.call])}:'
                                     f'{world.chance.choice(ERRORS)}')
        for folder in self.state, self.scratch:
            os.makedirs(folder)

    def is_lost(self):
        return os.path.exists(os.path.join(self.state, 'lost-0'))

    def comes_back(self):
        with open(os.path.join(self.state, 'back-0'), 'w', encoding='ascii'):
            pass

    def may_be_lost_again(self):
        for name in 'lost-0', 'back-0':
            os.remove(os.path.join(self.state, name))

    def is_left(self):
        if left := os.listdir(self.scratch):
            raise Failed(f'left in the folder for scratch files: {sorted(left)[:5]}')
        for folder in self.state, self.scratch:
            shutil.rmtree(folder)


def what_is_said(said, of, names=('GPU 0', 'cuda:0')):
    """The one sentence of a loss: which card, and what goes on."""
    lines = [line for line in said.strip().split('\n') if any(name in line for name in names)]
    if len(lines) != 1 or not said.strip().endswith(lines[0]) or 'emulator' not in lines[0]:
        raise Failed(f'{of}: no one sentence of the card and of what goes on: {said[-400:]!r}')
    return lines[0]


class Command:
    """The command line, each time in processes of its own."""

    def __init__(self, *arguments, **calls):
        self.arguments, self.calls = [*arguments, *QUICK], calls

    def begin(self, world):
        pass

    def work(self, world):
        """What it says, if it does not go well."""
        done = world.run(*self.arguments)
        if done.returncode not in (0, 4):
            raise Failed(f'{" ".join(self.arguments)} ended with {done.returncode}: {done.stderr[-300:]!r}')
        return done.stderr.decode(errors='replace') if done.returncode else None

    def while_lost(self, world, of):
        done = world.run('bench', '--kernel', 'naive', '--size', '64', *QUICK)
        if done.returncode != 3:
            raise Failed(f'{of}: the next call ended with {done.returncode}: {done.stderr[-300:]!r}')
        what_is_said(done.stderr.decode(errors='replace'), f'{of}: the next call')
        emulator_works(world, of)

    def once_back(self, world, slowest):
        return right_result(world, slowest, '64')

    def end(self):
        pass


class Proofs(Command):
    def __init__(self, **calls):
        super().__init__(**calls)
        self.arguments = ['fragments', '--prove', '--search', 'm16n8k8', '--device', 'cuda:0']


class Own(Command):
    """A kernel of somebody's own: its output is waited for otherwise."""

    def begin(self, world):
        with open(world.path('own.cu'), 'w', encoding='ascii') as file:
            file.write(OWN)


class Sweep(Command):
    """What it measured before is kept, and the same command goes on."""

    def begin(self, world):
        self.out = world.path('lost.jsonl')
        self.arguments = ['sweep', '--kernel', 'naive', '--size', '16', *TILES, '--out', self.out, *QUICK]

    def once_back(self, world, slowest):
        before = results(self.out)
        begin = time.monotonic()
        done = world.run(*self.arguments)
        if done.returncode != 0:
            raise Failed(f'the sweep does not go on: {world.one_sentence(done)}')
        every_tile_once(self.out, before)
        return max(slowest, time.monotonic() - begin)

    def end(self):
        os.remove(self.out)


class Spoken:
    """A worker that lives on, as the window's."""

    def __init__(self, **calls):
        self.calls = calls

    def begin(self, world):
        self.request = small_request(world)
        self.worker = Worker(world)
        self.worker.send(frame(HELLO))

    def ask(self, method, device, **more):
        answer = self.worker.call(method, dict(self.request, device=device, **more))
        if answer is None:
            raise Failed('the worker ended with the card')
        return answer

    def work(self, world):
        del world
        return self.ask('measure', 'cuda:0', seconds=0.02, rest=0).get('error', {}).get('message')

    def while_lost(self, world, of):
        said = self.ask('verify', 'cuda:0').get('error', {}).get('message', '')
        what_is_said(said, f'{of}: the next call', ('cuda:0', 'NVIDIA\'s driver does not start'))
        if not self.ask('emulate', 'emulator').get('result', {}).get('verified', {}).get('ok'):
            raise Failed(f'{of}: the emulator beside it is not right')
        devices = self.worker.call('devices', {})['result']['devices']
        if {device['id']: device['available'] for device in devices} != {'cuda:0': False, 'emulator': True}:
            raise Failed(f'{of}: what devices there are: {str(devices)[:300]}')
        del world

    def once_back(self, world, slowest):
        del world
        begin = time.monotonic()
        answer = self.ask('verify', 'cuda:0')
        if not answer.get('result', {}).get('ok'):
            raise Failed(f'the card is back, and the next call does not use it: {str(answer)[:300]}')
        return max(slowest, time.monotonic() - begin)

    def end(self):
        self.worker.end()


KERNEL = {'launch': 25, 'copy': 8, 'query': 15, 'load': 2}
WAYS = {
    'bench': lambda: Command('bench', '--kernel', 'naive', '--size', '64', **KERNEL),
    'a worker': lambda: Spoken(**KERNEL),
    'a kernel of one\'s own': lambda: Own('bench', '--cu', 'own.cu', '--entry', 'own', '--grid', '2', '--block', '64',
                                          '--arg', 'out:4096', launch=10, copy=3, query=8, synchronize=2, load=1),
    'a sweep': lambda: Sweep(launch=100, copy=30, query=60, load=6),
    'proofs of instructions': lambda: Proofs(launch=5, copy=10, query=5, load=4),
}


def once(world, card, way, sentences, slowest):
    """Whether the card was lost, and the slowest time yet until a right result after that."""
    of = f'{way}, {card.environment["TILESCOPE_EMULATED_FAULT"]}'
    side = WAYS[way]()
    side.begin(world)
    try:
        # A worker may lose it more often than it would restart a process that crashes.
        for times in range(world.chance.randrange(1, 6) if isinstance(side, Spoken) else 1):
            said = side.work(world)
            if card.is_lost() != (said is not None):
                raise Failed(f'{of}: {"the card is lost, and nothing is said" if said is None else said[-300:]}')
            if said is None:
                return times > 0, slowest
            sentences.setdefault(f'{way}, {card.call}', what_is_said(said, of))
            side.while_lost(world, of)
            card.comes_back()
            slowest = side.once_back(world, slowest)
            if isinstance(side, Spoken):
                card.may_be_lost_again()
        return True, slowest
    finally:
        side.end()


def lost_while_it_works(world, count):
    """A card lost with a call of any kind (the tests' driver): one sentence, the emulator works, used again once back."""
    there, lost, slowest, sentences = world.environment, 0, 0, {}
    for i in range(count):
        way = list(WAYS)[i % len(WAYS)]
        card = Card(world, WAYS[way]().calls)
        world.environment = card.environment
        try:
            was_lost, slowest = once(world, card, way, sentences, slowest)
        finally:
            world.environment = there
        lost += was_lost
        world.nobody_left()
        card.is_left()
    tell(sentences, slowest)
    if 2 * lost < count:  # work that is over before is none in which it can be lost
        raise Failed(f'the card was lost in {lost} of {count} cases')
