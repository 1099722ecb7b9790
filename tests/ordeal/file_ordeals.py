"""Files: killed in the middle of a save, a disk that is full, and what strangers send."""
import glob
import json
import os
import signal
import subprocess
import time

from world import Failed


def killed_sweeps(world, count):
    """A sweep killed at a random moment: every line that was written is whole, and it goes on where it ended."""
    for i in range(count):
        out = world.path(f'sweep{i}.jsonl')
        command = [world.program(), 'sweep', '--device', 'emulator', '--kernel', 'naive', '--size', '16',
                   '--axis', 'block_m=8,16,32', '--out', out]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=world.environment, cwd=world.folder)
        time.sleep(world.chance.random() * 0.8)
        process.send_signal(signal.SIGKILL)
        process.wait()
        world.nobody_left()
        before = whole_lines(out)
        done = world.run(*command[1:])
        if done.returncode != 0:
            raise Failed(f'it does not go on: {world.one_sentence(done)}')
        after = whole_lines(out)
        missing = [line for line in before if line not in after]
        if missing or len(after) != 3:
            raise Failed(f'{len(before)} results before, {len(after)} after, {len(missing)} of them lost')
        for left in glob.glob(out + '*'):
            os.remove(left)


def killed_layers(world, count):
    """A layer's run killed at a random moment: its ranks end with it, what is kept is whole, the next run is right."""
    for _ in range(count):
        command = ['layer', world.chance.choice(['column', 'row', 'mlp', 'linear']), '--tokens', '32', '--in', '32', '--out',
                   '64', '--ranks', str(world.chance.choice([1, 2, 3])), '--device', 'emulator']
        process = subprocess.Popen([world.program(), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=world.environment, cwd=world.folder)
        time.sleep(world.chance.random() * 1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        world.nobody_left()
        if world.chance.random() < 0.2:
            done = world.run(*command)
            if done.returncode != 0:
                raise Failed(f'after it: {world.one_sentence(done)}')
            done = world.run('doctor')
            if b'damaged' in done.stdout:
                raise Failed(f'doctor: {done.stdout[-500:]!r}')
    world.nobody_left()


def whole_lines(file):
    try:
        with open(file, encoding='utf-8') as lines:
            text = lines.read()
    except FileNotFoundError:
        return []
    results = {}
    for line in text.split('\n'):
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the one that was cut short
        results[entry['sweep_key']] = entry
    return list(results)


def no_room(world, count):
    """Where nothing can be written: a sentence, an exit code, and nothing half written."""
    small = world.path('small')
    os.makedirs(small, exist_ok=True)
    cases = [
        (['kernels', '--json'], {'stdout': '/dev/full'}),
        (['export', '--kernel', 'naive', '--size', '64'], {'stdout': '/dev/full'}),
        (['export', '--kernel', 'naive', '--size', '64', '--out', os.path.join(small, 'e.cu')], {'limit': 1}),
        (['sweep', '--device', 'emulator', '--kernel', 'naive', '--size', '16', '--axis', 'block_m=8',
          '--out', os.path.join(small, 's.jsonl')], {'limit': 1}),
        (['export', '--kernel', 'naive', '--size', '64', '--out', '/proc/none/e.cu'], {}),
    ]
    for _ in range(count):
        arguments, how = world.chance.choice(cases)
        command = [world.program(), *arguments]
        if 'limit' in how:  # kilobytes that a file may have
            command = ['bash', '-c', f'ulimit -f {how["limit"]}; exec "$@"', 'bash', *command]
        with open(how.get('stdout', os.devnull), 'wb') as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=world.environment,
                                  cwd=world.folder, timeout=60, check=False)
        if done.returncode <= 0 or not done.stderr.strip():
            raise Failed(f'{arguments} ended with {done.returncode}, and said {done.stderr!r}')
        left = os.listdir(small)
        if [name for name in left if '.new-' in name or name.endswith('.cu')]:
            raise Failed(f'{arguments} left {left}')
        for name in left:
            os.remove(os.path.join(small, name))
    world.nobody_left()


SECRET = 'SECRET-OF-SOMEBODY-ELSE'


def hostile_kernels(world, count):
    """Kernel folders whose includes lead out: nothing of what lies outside is ever said or written."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, 'kernels', '01_naive.cuh'), encoding='utf-8') as file:
        kernel = file.read()
    secret = world.path('secret.txt')
    with open(secret, 'w', encoding='utf-8') as file:
        file.write(f'#define {SECRET.replace("-", "_")} 1\n// {SECRET}\n')
    folder = world.path('kernels')
    os.makedirs(os.path.join(folder, 'below'), exist_ok=True)
    link = os.path.join(folder, 'link.h')
    if not os.path.islink(link):
        os.symlink(secret, link)
    ways = ['../secret.txt', secret, 'kernels/../../secret.txt', 'below/../../secret.txt', 'link.h', 'secret.txt',
            './../secret.txt', '/proc/self/environ', '/dev/zero']
    frames = ['#include "{}"\n{}', '#if 0\n#include "{}"\n#endif\n{}', '#include <{}>\n{}',
              '#define WHERE "{}"\n#include WHERE\n{}', '/* {} */ {}']
    for _ in range(count):
        text = world.chance.choice(frames).format(world.chance.choice(ways), kernel)
        with open(os.path.join(folder, '01_naive.cuh'), 'w', encoding='utf-8') as file:
            file.write(text)
        out = world.path('out.cu')
        done = world.run('export', '--kernel', 'naive', '--size', '16', '--kernel-dir', folder, '--out', out)
        said = done.stdout + done.stderr
        if os.path.exists(out):
            with open(out, 'rb') as file:
                said += file.read()
            os.remove(out)
        # A path of a file may be named in a sentence; what is in it may not.
        if SECRET.encode() in said or b'HOME=' in said:
            raise Failed(f'read from outside: {text[:120]!r}')
    world.nobody_left()


def broken_recordings(world, count):
    """Lines of recordings, mutated: a table of what stands, or a sentence; no reader dies of any."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    lines = []
    for file in sorted(glob.glob(os.path.join(root, 'assets', 'recordings', '*.jsonl'))):
        with open(file, encoding='utf-8') as text:
            lines += text.read().split('\n')[:400]
    lines = [line for line in lines if line]
    kernels = world.kernels()
    numbers = ['0', '-1', '1', '2147483647', '-2147483648', '1e308', '4294967296', 'null', '"x"', '[]', '{}', '0.5']
    batch = 2000
    for begin in range(0, count, batch):
        folder = world.path(f'recordings{begin}')
        os.makedirs(folder)
        with open(os.path.join(folder, 'stranger.jsonl'), 'w', encoding='utf-8') as file:
            for _ in range(min(batch, count - begin)):
                file.write(mutated(world.chance, world.chance.choice(lines), numbers) + '\n')
        environment = dict(world.environment, TILESCOPE_RECORDINGS=folder)
        for kernel in world.chance.sample(kernels, 3):
            done = world.run('bench', '--device', 'recorded', '--kernel', kernel, '--size', '4096',
                             env=environment)
            world.one_sentence(done)
            if b'stopped after' in done.stderr or b'restarts' in done.stderr:
                raise Failed(f'a reader died: {done.stderr[-300:]!r}')
        for file in glob.glob(os.path.join(folder, '*')):
            os.remove(file)
    world.nobody_left()


def mutated(chance, line, numbers):
    way = chance.randrange(4)
    if way == 0:  # a value
        try:
            entry = json.loads(line)
        except ValueError:
            return line
        if not isinstance(entry, (dict, list)):  # a line of Markdown that is a number
            return chance.choice(numbers)
        change_one(chance, entry, numbers)
        return json.dumps(entry)
    if way == 1:
        return line[:chance.randrange(len(line))]
    data = list(line)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] = chance.choice('0123456789{}[]",:-eE\\x')
    return ''.join(data)


def change_one(chance, entry, numbers):
    """A value somewhere inside."""
    while True:
        keys = list(entry) if isinstance(entry, dict) else range(len(entry))
        if not keys:
            return
        key = chance.choice(list(keys))
        if isinstance(entry[key], (dict, list)) and entry[key] and chance.random() < 0.8:
            entry = entry[key]
            continue
        entry[key] = json.loads(chance.choice(numbers))
        return
