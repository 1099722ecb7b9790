"""Ranks of a sweep killed, and the link to a worker on another machine cut, slowed down and spoilt."""
import fcntl
import glob
import json
import os
import signal
import subprocess
import time

from world import SECONDS, Failed

TILES = ['--axis', 'block_m=8,16,32', '--axis', 'block_n=4,8']  # six, all legal


def killed_ranks(world, count):
    """Ranks of one sweep killed at random moments, the shared file locked meanwhile: every tile once, nothing lost."""
    for i in range(count):
        out = world.path(f'ranks{i}.jsonl')
        size = world.chance.randrange(2, 5)
        ranks = []
        for rank in world.chance.sample(range(size), size):
            ranks.append(start_rank(world, out, rank, size, f'{i}.1'))
            time.sleep(world.chance.random() * 0.1)
        time.sleep(world.chance.random() * 0.8)
        if world.chance.random() < 0.3:
            hold(out + '.ranks', world.chance.random() * 0.3)
        for process in world.chance.sample(ranks, world.chance.randrange(1, size + 1)):
            process.send_signal(signal.SIGKILL)
        for process in ranks:
            _, said = process.communicate(timeout=SECONDS)
            if process.returncode not in (0, 4, -signal.SIGKILL) or (process.returncode == 4 and not said.strip()):
                raise Failed(f'a rank ended with {process.returncode}: {said[-300:]!r}')
        before = results(out, *glob.glob(out + '.rank*'))
        again = world.chance.randrange(1, 3)
        for rank in range(again):
            process = start_rank(world, out, rank, again, f'{i}.2')
            _, said = process.communicate(timeout=SECONDS)
            if process.returncode != 0:
                raise Failed(f'it does not go on: {said[-300:]!r}')
        every_tile_once(out, before)
        for left in glob.glob(out + '*'):
            os.remove(left)
        world.nobody_left()


def every_tile_once(out, before):
    """Of a sweep that is over: all of TILES, and what was measured before as it was."""
    after = results(out)
    keys = [entry['sweep_key'] for entry in after]
    if len(keys) != 6 or len(set(keys)) != 6:
        raise Failed(f'{len(keys)} results of {len(set(keys))} tiles, of 6')
    lost = {entry['sweep_key'] for entry in before if entry not in after}
    if lost:
        raise Failed(f'measured before, and not kept: {sorted(lost)[0]}')


def start_rank(world, out, rank, size, run):
    environment = dict(world.environment, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE=str(size),
                       OMPI_COMM_WORLD_LOCAL_RANK=str(rank), PMIX_NAMESPACE=run)
    return subprocess.Popen([world.program(), 'sweep', '--launch', 'mpirun', '--device', 'emulator', '--kernel', 'naive',
                             '--size', '16', *TILES, '--out', out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env=environment, cwd=world.folder)


def hold(file, seconds):
    """What ranks tell each other by, locked as another program does."""
    try:
        with open(file, encoding='utf-8') as locked:
            fcntl.flock(locked, fcntl.LOCK_EX)
            time.sleep(seconds)
    except FileNotFoundError:
        pass


def results(*files):
    found = []
    for file in files:
        try:
            with open(file, encoding='utf-8') as lines:
                text = lines.read()
        except FileNotFoundError:
            continue
        for line in text.split('\n'):
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # cut short
            if 'sweep_key' in entry:  # what ranks tell each other is none
                found.append(entry)
    return found


# In the place of ssh: runs what it is told to here, and lets through what the ordeal grants. One way after the other,
# each for one connection.
LINK = r'''#!/usr/bin/env python3
import json, os, subprocess, sys, threading, time
with open(os.environ['ORDEAL_WAYS'], encoding='ascii') as file:
    ways = json.load(file)
for number in range(1000):
    try:
        os.close(os.open(f"{os.environ['ORDEAL_WAYS']}.{number}", os.O_CREAT | os.O_EXCL))
        break
    except FileExistsError:
        pass
way = ways[min(number, len(ways) - 1)]
there = subprocess.Popen(['sh', '-c', sys.argv[-1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
os.write(1, way['said'].encode('latin-1'))

def carry(source, to, most):
    done = 0
    while True:
        data = os.read(source, 4096 if not way['slow'] else 256)
        if most is not None and done + len(data) >= most:
            try:
                os.write(to, data[:max(0, most - done)])
            finally:
                os._exit(255)  # the link is down: both ends see it
        if not data:
            break
        if way['slow']:
            time.sleep(0.002)
        view = memoryview(data)
        while view:
            view = view[os.write(to, view):]
        done += len(data)
    os.close(to)

down = threading.Thread(target=carry, args=(there.stdout.fileno(), 1, way['down']))
down.start()
up = threading.Thread(target=carry, args=(0, there.stdin.fileno(), way['up']), daemon=True)
up.start()
down.join()
os._exit(there.wait() & 255)
'''


def any_way(chance):
    way = {'up': None, 'down': None, 'slow': chance.random() < 0.2, 'said': ''}
    kind = chance.random()
    if kind < 0.4:
        way['down'] = int(10 ** (5 * chance.random()))
    elif kind < 0.7:
        way['up'] = int(10 ** (4 * chance.random()))
    elif kind < 0.85:
        way['said'] = ''.join(chr(chance.randrange(256)) for _ in range(int(10 ** (5 * chance.random()))))
    return way


def cut_link(world, count):
    """The link to another machine cut at any byte, slow, or with garbage before it: the right answer or one sentence."""
    link = world.path('link')
    with open(link, 'w', encoding='ascii') as file:
        file.write(LINK)
    os.chmod(link, 0o755)
    ways = world.path('ways')
    environment = dict(world.environment, TILESCOPE_SSH=link, TILESCOPE_REMOTE_CLI=world.program(), ORDEAL_WAYS=ways)
    asked = ['emulate', '--kernel', 'naive', '--size', '32', '--json', '--device']
    right = answer(world.run(*asked, 'emulator'))
    well = 0
    for _ in range(count):
        for old in glob.glob(ways + '*'):
            os.remove(old)
        with open(ways, 'w', encoding='ascii') as file:
            json.dump([any_way(world.chance) for _ in range(world.chance.randrange(1, 5))] +
                      [{'up': None, 'down': None, 'slow': False, 'said': ''}], file)
        done = world.run(*asked, 'ssh:far/emulator', env=environment)
        if done.returncode == 0:
            well += 1
            other = [name for name, value in answer(done).items() if value != right[name]]
            if other:
                raise Failed(f'otherwise than here: {other}: {answer(done)[other[0]]}, here {right[other[0]]}')
        elif done.returncode not in (3, 4) or not world.one_sentence(done).strip():
            raise Failed(f'ended with {done.returncode}: {done.stderr[-300:]!r}')
        world.nobody_left()
    if 4 * well < count:
        raise Failed(f'{well} of {count} were answered: links are made anew')


def answer(done):
    """Of an emulated kernel what does not hang on the time that it took, nor on its random operands."""
    if done.returncode != 0:
        raise Failed(f'no answer: {done.stderr[-300:]!r}')
    found = json.loads(done.stdout)
    found.update(found.pop('verified'))
    return {name: found[name] for name in ('ok', 'of', 'untouched', 'checks', 'ctas', 'exact', 'by_opcode')}
