"""The worker's protocol, cut, flipped and flooded, and its children killed."""
import json
import os
import signal
import time

from world import Failed, Worker, frame

HELLO = {'jsonrpc': '2.0', 'id': 0, 'method': 'initialize', 'params': {'protocol': 1}}


def small_request(world):
    done = world.run('request', '--kernel', 'naive', '--size', '16', '--json')
    return json.loads(done.stdout)


def conversation(world, request):
    calls = [('status', {}), ('compile', dict(request, arch='sm_90')), ('devices', {}), ('emulate', dict(request, arch='sm_90')),
             ('status', {})]
    world.chance.shuffle(calls)
    return b''.join([frame(HELLO)] + [
        frame({'jsonrpc': '2.0', 'id': i + 1, 'method': method, 'params': params})
        for i, (method, params) in enumerate(calls)])


def cut(world, count):
    """What is sent to the worker ends at a random byte, or is flipped there."""
    request = small_request(world)
    for _ in range(count):
        stream = bytearray(conversation(world, request))
        at = world.chance.randrange(len(stream))
        if world.chance.random() < 0.5:
            stream = stream[:at]
        else:
            for _ in range(world.chance.randrange(1, 8)):
                stream[world.chance.randrange(at, len(stream))] = world.chance.randrange(256)
        worker = Worker(world)
        worker.send(bytes(stream))
        worker.end()
        world.nobody_left()


def kill_children(world, count):
    """A child, or several, killed while it works; the next call is answered rightly, and nobody is left."""
    request = small_request(world)
    worker, since, expected, killed = None, 0, None, 0
    for _ in range(count):
        if worker is None or since >= 1:  # three restarts a minute are what a worker grants
            if worker:
                worker.end()
                world.nobody_left()
            worker, since = Worker(world), 0
            worker.send(frame(HELLO))
            expected = expected or answer_of(worker.call('compile', dict(request, arch='sm_90')))
        number = worker.next
        worker.next += 1
        worker.send(frame({'jsonrpc': '2.0', 'id': number, 'method': 'compile', 'params': dict(request, arch='sm_90')}))
        time.sleep(world.chance.random() * 0.02)
        children = worker.children()
        world.chance.shuffle(children)
        for child in children[:world.chance.randrange(1, 3)]:
            since += 1
            try:
                os.kill(child, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        while (message := worker.read()) is not None and message.get('id') != number:
            pass
        if message is None:
            raise Failed('the worker ended with its child')
        if 'error' in message and not message['error'].get('message', '').strip():
            raise Failed(f'no sentence: {message}')
        # Of two that were killed the other one may be known to be gone by the next call alone.
        again = worker.call('compile', dict(request, arch='sm_90'))
        if again is not None and 'error' in again:
            again = worker.call('compile', dict(request, arch='sm_90'))
        if again is None or answer_of(again) != expected:
            raise Failed(f'the calls after it were answered otherwise: {str(again)[:300]}')
    if worker:
        worker.end()
    world.nobody_left()
    if 2 * killed < count:  # one that is not there yet cannot be
        raise Failed(f'{killed} children were killed in {count} cases')


def answer_of(message):
    """Of a compiled kernel what does not hang on the time that it took."""
    if message is None or 'result' not in message:
        raise Failed(f'no compiled kernel: {str(message)[:300]}')
    result = message['result']
    return {name: result.get(name) for name in ('registers', 'spill_bytes', 'shared_bytes')}


def flood(world, count):
    """Frames of many values, deep ones, long strings, wrong types: an error or an answer within ten seconds each."""
    deep = b'{"id":1,"method":"status","params":' + b'[' * 100000 + b']' * 100000 + b'}'
    kinds = [
        lambda n: b'{"id":1,"method":"status","params":{"a":[' + b','.join([b'{}'] * n) + b']}}',
        lambda n: b'{"id":1,"method":"status","params":{"a":"' + b'x' * n + b'"}}',
        lambda n: deep,
        lambda n: b'{"id":1,"method":"layer","params":{"devices":["emulator","emulator"],"time_limit":"abc"}}',
        lambda n: b'{"id":1,"method":"layer","params":{"devices":["emulator","emulator"],"time_limit":1e300}}',
        lambda n: b'{"id":' + b'9' * 400 + b',"method":"status"}',
        lambda n: b'[' + b'1,' * n + b'1]',
        lambda n: b'{"id":1,"method":' + json.dumps('m' * min(n, 2000)).encode() + b'}',
    ]
    for _ in range(count):
        worker = Worker(world)
        worker.send(frame(HELLO))
        begin = time.monotonic()
        for _ in range(world.chance.randrange(1, 4)):
            if not worker.send(frame(world.chance.choice(kinds)(world.chance.choice([1, 100, 20000, 200000])))):
                break
        worker.end()
        if time.monotonic() - begin > 10 + SLOW:
            raise Failed(f'{time.monotonic() - begin:.1f} s for a few frames')
        world.nobody_left()


SLOW = 20  # seconds that a busy machine may add; what is quadratic takes minutes
