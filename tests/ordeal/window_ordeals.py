"""The window, on a private screen: ended by signals, killed around saves, two on one session, no home."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from world import SECONDS, Failed


class Screen:
    """An X server of our own, and windows on it."""

    def __init__(self, world):
        self.world = world
        self.windows = []
        read, write = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(write), '-screen', '0', '1280x800x24', '-nolisten',
                                        'tcp'], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.display = ':' + number.readline().strip()

    def window(self, *arguments, before=None, **more):
        environment = dict(self.world.environment, DISPLAY=self.display, LIBGL_ALWAYS_SOFTWARE='1', **more)
        self.windows.append(subprocess.Popen(
            [self.world.program('tilescope'), *arguments], env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, cwd=self.world.folder, preexec_fn=before))
        return self.windows[-1]

    def close(self):
        for window in self.windows:
            if window.poll() is None:
                window.kill()
                window.wait()
            window.stderr.close()
        self.server.terminate()
        self.server.wait()


def folder_of(world):
    return os.path.join(world.environment['HOME'], '.config', 'tilescope')


def wait_for(condition, process, what):
    until = time.monotonic() + SECONDS
    while not condition():
        if process.poll() is not None:
            raise Failed(f'the window ended with {process.returncode}: {process.stderr.read()[-300:]!r}')
        if time.monotonic() > until:
            raise Failed(f'no {what} within {SECONDS} s')
        time.sleep(0.02)


def valid(file):
    with open(file, encoding='utf-8') as text:
        return json.load(text)


def forget(world):
    """As before the first start."""
    shutil.rmtree(folder_of(world), ignore_errors=True)


def kept_kernel(world, name, kernel):
    kept = valid(os.path.join(folder_of(world), name))['edit']['kernel']
    if kept != kernel:
        raise Failed(f'{name} has {kept}, and {kernel} was shown')


def docked_layouts(world):
    """Of which it is kept, whole, where the panels are docked."""
    try:
        with open(os.path.join(folder_of(world), 'layout.ini'), encoding='utf-8') as file:
            text = file.read()
    except FileNotFoundError:
        return []
    parts = dict(re.findall(r'^;;;<<<(.*)>>>;;;\n((?:(?!;;;<<<).*\n)*)', text, re.MULTILINE))
    if 'SplitIds' not in parts or not parts['SplitIds'].strip().endswith('}'):
        return []  # the last part of a file that is whole
    return [name.split('_')[-1].lower() for name, part in parts.items()
            if name.startswith('ImGui_') and '[Docking][Data]' in part]


def ended_in_order(world, count):
    """SIGTERM, SIGHUP, SIGINT: the window closes as by its cross, with settings and session saved."""
    screen = Screen(world)
    try:
        for _ in range(count):
            forget(world)
            kernel = world.chance.choice(world.kernels())
            process = screen.window('--change', json.dumps({'edit': {'kernel': kernel}}))
            settings = os.path.join(folder_of(world), 'window.json')
            wait_for(lambda: os.path.exists(settings), process, 'settings')
            time.sleep(world.chance.random())
            number = world.chance.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
            process.send_signal(number)
            if process.wait(SECONDS) != 0:
                raise Failed(f'{number} ended it with {process.returncode}: {process.stderr.read()[-300:]!r}')
            for name in ('session.json', 'window.json', 'layout.ini'):
                if not os.path.exists(os.path.join(folder_of(world), name)):
                    raise Failed(f'no {name} after {number}')
            kept_kernel(world, 'session.json', kernel)
            world_left(world, screen)
    finally:
        screen.close()


def killed(world, count):
    """SIGKILL at a random moment: what lies in the folder is whole, and the next window opens with it."""
    screen = Screen(world)
    try:
        for _ in range(count):
            if world.chance.random() < 0.2:
                forget(world)
            layout = world.chance.choice(['explore', 'learn', 'tune', 'fragment', 'layer', 'step', 'compare'])
            process = screen.window('--layout', layout,
                                    '--change', json.dumps({'edit': {'kernel': world.chance.choice(world.kernels())}}))
            settings = os.path.join(folder_of(world), 'window.json')
            wait_for(lambda: os.path.exists(settings), process, 'settings')
            # Written while the window is open, not at its end alone.
            wait_for(lambda name=layout: name in docked_layouts(world), process, f'docking of the layout {layout}')
            time.sleep(world.chance.random() * 4)
            process.kill()
            process.wait()
            world_left(world, screen)
            for name in ('session.json', 'window.json'):
                path = os.path.join(folder_of(world), name)
                if os.path.exists(path):
                    valid(path)
            if layout not in docked_layouts(world):
                raise Failed(f'layout.ini has {docked_layouts(world)}, and {layout} stood there')
            odd = [name for name in os.listdir(folder_of(world)) if '.corrupt-' in name]
            if odd:
                raise Failed(f'set aside as damaged: {odd}')
    finally:
        screen.close()


def two_windows(world, count):
    """Two windows on one session: each keeps its own, and what the first had stays."""
    screen = Screen(world)
    try:
        for _ in range(count):
            forget(world)
            first = screen.window('--change', '{"edit": {"kernel": "naive"}}')
            session = os.path.join(folder_of(world), 'session.json')
            wait_for(lambda: os.path.exists(session), first, 'session')
            second = screen.window('--change', '{"edit": {"kernel": "block_tile"}}')
            other = os.path.join(folder_of(world), 'session-2.json')
            wait_for(lambda: os.path.exists(other), second, 'session of the second window')
            for process in (second, first):
                process.send_signal(signal.SIGTERM)
                if process.wait(SECONDS) != 0:
                    raise Failed(f'ended with {process.returncode}')
            kept_kernel(world, 'session.json', 'naive')
            kept_kernel(world, 'session-2.json', 'block_tile')
            world_left(world, screen)
    finally:
        screen.close()


def crashed(world, count):
    """A fault of the program leaves a report with the stacks of all threads, and the next start says where."""
    screen = Screen(world)
    try:
        for _ in range(count):
            forget(world)
            process = screen.window()
            settings = os.path.join(folder_of(world), 'window.json')
            wait_for(lambda: os.path.exists(settings), process, 'settings')
            number = world.chance.choice([signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE])
            process.send_signal(number)
            if process.wait(SECONDS) != -number:
                raise Failed(f'ended with {process.returncode}, not by {number}')
            report = os.path.join(folder_of(world), f'crash-{process.pid}.txt')
            with open(report, encoding='utf-8') as text:
                told = text.read()
            for part in ('Tilescope ', 'stack:', 'looked at', 'other threads:'):
                if part not in told:
                    raise Failed(f'no "{part}" in the report')
            each_thread_said(told)
            again = screen.window()
            wait_for(lambda: not os.path.exists(report), again, 'notice of the report')
            again.send_signal(signal.SIGTERM)
            again.wait(SECONDS)
            world_left(world, screen)
    finally:
        screen.close()


def each_thread_said(told):
    """The thread of the fault, and those that every window has; all others have a stack, or a reason why not."""
    if not re.search(r'^thread \d+ \(.*\)\nstack:\n.*\[0x', told, re.MULTILINE):
        raise Failed('no stack of the thread that the fault was in')
    others = told[told.index('other threads:'):]
    for name in ('end-signals', 'worker-link'):
        if not re.search(rf'^thread \d+ \({name}\):\n.*\[0x', others, re.MULTILINE):
            raise Failed(f'no stack of the thread {name} in: {others[:2000]}')
    for head in re.findall(r'^thread .*$(?:\n.*)?', others, re.MULTILINE):
        if '[0x' not in head and 'no stack, ' not in head:
            raise Failed(f'neither stack nor reason: {head}')


def no_home(world, count):
    """Neither HOME nor a folder that can be made: the window opens all the same."""
    screen = Screen(world)
    try:
        for _ in range(count):
            home = world.chance.choice(['', '/proc/none', '/dev/null'])
            process = screen.window(HOME=home)
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            if process.wait(SECONDS) != 0:
                raise Failed(f'HOME={home!r}: ended with {process.returncode}: {process.stderr.read()[-300:]!r}')
            world_left(world, screen)
    finally:
        screen.close()


def full_disk(world, process):
    """No file may have more than some bytes, until there is room again."""
    time.sleep(world.chance.random() * 3)
    if process.poll() is not None:
        raise Failed(f'without room it ended with {process.returncode}: {process.stderr.read()[-300:]!r}')
    kept = os.path.join(folder_of(world), 'session.json')
    if os.path.exists(kept):
        raise Failed(f'a file of {os.path.getsize(kept)} bytes, where there was no room for one')
    _, most = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))


def folder_removed(world, process):
    """What is kept is removed under the window."""
    wait_for(lambda: os.path.exists(os.path.join(folder_of(world), 'session.json')), process, 'session')
    forget(world)


def clock_set_back(world, process):
    """Files of a year that is to come."""
    wait_for(lambda: os.path.exists(os.path.join(folder_of(world), 'session.json')), process, 'session')
    ahead = time.time() + 400 * 86400
    for name in os.listdir(folder_of(world)):
        os.utime(os.path.join(folder_of(world), name), (ahead, ahead))


def no_temporary_folder(world, process):
    """TMPDIR names none."""
    del world, process


def bad_disk(world, count):
    """No room, a folder that is removed, files from the future, no temporary folder: it goes on, and saves again."""
    ways = [full_disk, folder_removed, clock_set_back, no_temporary_folder]
    screen = Screen(world)
    try:
        for number in range(count):
            forget(world)
            way = world.chance.choice(ways) if count > len(ways) else ways[number]
            kernel = world.chance.choice(world.kernels())
            bytes_of_a_file = world.chance.choice([0, 1, 100])
            limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, resource.RLIM_INFINITY))
                     ) if way is full_disk else None
            more = {'TMPDIR': '/nowhere/at/all'} if way is no_temporary_folder else {}
            process = screen.window('--change', json.dumps({'edit': {'kernel': kernel}}), before=limit, **more)
            way(world, process)
            session = os.path.join(folder_of(world), 'session.json')
            wait_for(lambda: os.path.exists(session), process, f'session after {way.__name__}')
            process.send_signal(signal.SIGTERM)
            if process.wait(SECONDS) != 0:
                raise Failed(f'{way.__name__}: ended with {process.returncode}: {process.stderr.read()[-300:]!r}')
            kept_kernel(world, 'session.json', kernel)
            odd = [name for name in os.listdir(folder_of(world)) if '.corrupt-' in name or '.new-' in name]
            if odd:
                raise Failed(f'{way.__name__} left {odd}')
            world_left(world, screen)
    finally:
        screen.close()


def kernels_fault(world, count):
    """Kernels that fault or hang on the card, opened in the window: a sentence each, the next one is right."""
    tests = os.path.join(world.programs, '..', 'tests', 'bin', 'tilescope_ui_tests')
    screen = Screen(world)
    try:
        done = subprocess.run([tests, '--filter', 'with_faults', '--time-limit', '1'], capture_output=True, text=True,
                              check=False, cwd=world.folder,
                              env=dict(world.environment, DISPLAY=screen.display, LIBGL_ALWAYS_SOFTWARE='1',
                                       TILESCOPE_FAULTS=str(count), TILESCOPE_SCREENSHOTS='off',
                                       TILESCOPE_RANDOM_SEED=str(world.chance.randrange(1 << 30))))
        if done.returncode != 0:
            raise Failed(f'{done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}')
        print(''.join(line + '\n' for line in done.stdout.split('\n') if line.startswith('  ') or ' faults; ' in line), end='')
        world_left(world, screen)
    finally:
        screen.close()


def world_left(world, screen):
    """Of the window nobody; the screen stays."""
    until = time.monotonic() + 10
    while True:
        left = subprocess.run(['ps', '--ppid', str(os.getpid()), '-o', 'pid=,args='], capture_output=True, text=True,
                              check=False).stdout.split('\n')
        left = [line for line in left if line.strip() and 'ps --ppid' not in line and 'defunct' not in line
                and str(screen.server.pid) not in line.split()[:1]]
        if not left:
            break
        if time.monotonic() > until:
            raise Failed(f'left behind: {left}')
        time.sleep(0.02)
