"""A card: kernels that fault, and kernels that never end."""
import json
import os
import re
import subprocess
import sys
import time

from world import Failed

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'faults.cu')
LIMIT = 1  # seconds of a launch
START = 5  # seconds that a process may take to begin, compile and say what it came to


def entries(hang):
    with open(SOURCE, encoding='utf-8') as file:
        parts = file.read().split('// Hangs.')
    return re.findall(r'__global__ void (\w+)', parts[1 if hang else 0])


def launch(world, entry):
    begin = time.monotonic()
    done = world.run('bench', '--cu', SOURCE, '--entry', entry, '--grid', '2', '--block', '64', '--arg', 'out:4096',
                     '--shared', '400000' if entry == 'much_shared' else '1024', '--time-limit', str(LIMIT),
                     '--device', 'cuda', '--no-counts')
    sentence = world.one_sentence(done)
    if done.returncode == 0:
        raise Failed(f'{entry} went well')
    return time.monotonic() - begin, sentence


def right_result(world, slowest, size='256'):
    begin = time.monotonic()
    done = world.run('bench', '--kernel', 'block_tile', '--size', size, '--device', 'cuda', '--seconds', '0.02',
                     '--no-counts', '--json')
    took = time.monotonic() - begin
    result = json.loads(done.stdout) if done.returncode == 0 else None
    if not result or not result[0]['verified']['ok']:
        raise Failed(f'the kernel after it: {world.one_sentence(done)}')
    return max(slowest, took)


def emulator_works(world, beside, **options):
    emulated = world.run('emulate', '--kernel', 'block_tile', '--size', '128', '--json', **options)
    if emulated.returncode != 0 or not json.loads(emulated.stdout)['verified']['ok']:
        raise Failed(f'{beside}: the emulator beside it: {world.one_sentence(emulated)}')


def memory_used():
    return int(subprocess.run(['nvidia-smi', '--query-gpu=memory.used', '--format=csv,noheader,nounits', '-i', '0'],
                              capture_output=True, text=True, check=True).stdout.split('\n')[0])


def processes():
    return subprocess.run(['nvidia-smi', '--query-compute-apps=pid', '--format=csv,noheader'], capture_output=True,
                          text=True, check=True).stdout.strip()


def tell(sentences, slowest):
    """What was said, each by what it was said of."""
    for of, sentence in sorted(sentences.items()):
        print(f'  {of}: {sentence[:160]}')
    print(f'  the slowest right result after one, with the start of its process: {slowest:.2f} s')


def tried(world, count, names):
    slowest, sentences = 0, {}
    for _ in range(count):
        entry = world.chance.choice(names)
        took, sentence = launch(world, entry)
        sentences.setdefault(entry, sentence)
        if took > LIMIT + 1 + START:
            raise Failed(f'{entry} took {took:.1f} s, and its launch may take {LIMIT}')
        slowest = right_result(world, slowest)
        world.nobody_left()
    tell(sentences, slowest)


def faults(world, count):
    """Kernels that fault on a card: one sentence each, the next one is right, nothing is left on the card."""
    tried(world, count, entries(hang=False))


def hangs(world, count):
    """Kernels that never end on a card: ended within their limit, the next one is right."""
    tried(world, count, entries(hang=True))


def card_is_free(world, count):
    """After them: no process and no memory is left on the card (run alone)."""
    del world, count
    if processes():
        raise Failed(f'processes on the card: {processes()}')
    used = memory_used()
    if used > 1000:
        raise Failed(f'{used} MiB of the card are in use')


HOLDER = '''
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, at = ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
size = 1 << 36
while size >= 1 << 20:
    if cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)) != 0:
        size //= 2
print("held", flush=True)
sys.stdin.read()
'''


def card_is_full(world, count):
    """Another process holds all memory of the card: one sentence, the emulator works on; right again when it is free."""
    slowest, sentences = 0, {}
    for _ in range(count):
        with subprocess.Popen([sys.executable, '-c', HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as holder:
            try:
                if holder.stdout.readline().strip() != 'held':
                    raise Failed('the card\'s memory could not be held')
                size = world.chance.choice(['1024', '4096', '8192x64x512'])
                asked = ['bench', '--kernel', world.chance.choice(['mma_multistage', 'warp_tile', 'mma_stream_k']),
                         '--size', size, '--no-counts', '--seconds', '0.02']
                done = world.run(*asked, '--device', 'cuda')
                sentence = world.one_sentence(done)
                if done.returncode == 0:
                    raise Failed(f'{size} went well on a card without memory')
                sentences[size] = sentence
                emulator_works(world, size)
            finally:
                holder.kill()
        slowest = right_result(world, slowest)
        world.nobody_left()
    tell(sentences, slowest)


def card_goes_away(world, count):
    """A card that a process sees no more, its driver, NVML: a sentence or a list without it, and back when it is."""
    ways = {'no card is visible': {'CUDA_VISIBLE_DEVICES': ''},
            'one that is not there': {'CUDA_VISIBLE_DEVICES': 'GPU-00000000-0000-0000-0000-000000000000'},
            'no driver': {'TILESCOPE_CUDA_DRIVER': '/nowhere/libcuda.so.1'},
            'MPS without its server': {'CUDA_MPS_PIPE_DIRECTORY': world.path('no-mps')}}
    slowest, sentences = 0, {}
    for _ in range(count):
        name = world.chance.choice(list(ways))
        there = world.environment
        away = {**there, **ways[name]}
        done = world.run('bench', '--kernel', 'block_tile', '--size', '256', '--device', 'cuda', '--no-counts',
                         '--seconds', '0.02', '--json', env=away)
        if done.returncode == 0 and not json.loads(done.stdout)[0]['verified']['ok']:
            raise Failed(f'{name}: a wrong result')
        sentences[name] = world.one_sentence(done) if done.returncode != 0 else 'it works all the same'
        emulator_works(world, name, env=away)
        slowest = right_result(world, slowest)
        world.nobody_left()
    tell(sentences, slowest)
