"""What people send each other: state files, links, launch sheets and lessons, mutated."""
import base64
import glob
import json
import os
import re
import zlib

from file_ordeals import change_one, mutated
from world import Failed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBERS = ['0', '-1', '1', '2147483647', '-2147483648', '1e308', '4294967296', 'null', '"x"', '[]', '{}', '0.5', 'true',
           '"../../x"', '[0, 0, 0]', '[1e9, 1, 1]']
BATCH = 500  # files of one process

# Adds n to what lies there; each of its parameters has a kind of its own.
KERNEL = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 n) {
  .reg .u64 %rd<2>;
  .reg .u32 %r<4>;
  ld.param.u64 %rd0, [to];
  ld.param.u32 %r0, [n];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r2, [%rd0];
  add.u32 %r2, %r2, %r0;
  st.global.u32 [%rd0], %r2;
  ret;
}
'''
SHEET = {'entry': 'add', 'grid': [1, 1, 1], 'block': [32, 1, 1], 'shared': 0, 'args': ['buf:i32:1x32:index:inout', 'i32:7'],
         'expect': {'kernel': {'entry': 'add', 'grid': [1, 1, 1], 'block': [32, 1, 1]}}}


def links(world, count):
    """State files, links, launch sheets and lessons, mutated: each opens or is refused in a sentence; no reader dies."""
    sent = world.path('sent')
    os.makedirs(sent)
    with open(os.path.join(sent, 'add.ptx'), 'w', encoding='utf-8') as file:
        file.write(KERNEL)
    whole = as_they_are_sent(world, sent)
    for begin in range(0, count, BATCH):
        names = [write_one(world.chance, sent, number, whole) for number in range(min(BATCH, count - begin))]
        opened = tell(world, sent, names)
        if not opened and len(names) > 100:
            raise Failed(f'none of {len(names)} opens: the mutations are too many')
        run_a_sheet(world, sent)
        if count > BATCH and begin % (20 * BATCH) == 0:
            draw_one(world, sent, opened)
        for name in names:
            os.remove(os.path.join(sent, name))
    world.nobody_left()


def as_they_are_sent(world, folder):
    """Of each kind what opens: states and links of all kernels as a window shows them, and ours of the others."""
    names = []
    for kernel in world.kernels():
        names.append(f'{kernel}.json')
        with open(os.path.join(folder, names[-1]), 'w', encoding='utf-8') as file:
            json.dump({'tilescope': 1, 'edit': {'kernel': kernel}}, file)
    done = world.run('--opens', *names, '--json', program='tilescope-draw', cwd=folder)
    if done.returncode != 0:
        raise Failed(f'states of the ladder do not open: {done.stdout[-300:]!r}')
    states = [told['state'] for told in json.loads(done.stdout)]
    whole = {'.json': [json.dumps(state) for state in states],
             '.link': [told['link'] for told in json.loads(done.stdout)],
             '.sheet.json': [json.dumps(SHEET)] + texts('gallery/*.sheet.json') + texts('examples/*.sheet.json'),
             '.md': texts('lessons/*.md')}
    for name in names:
        os.remove(os.path.join(folder, name))
    names = []
    for ending, all_of_it in whole.items():
        for number, text in enumerate(world.chance.sample(all_of_it, 5)):
            names.append(f'whole{number}{ending}')
            with open(os.path.join(folder, names[-1]), 'w', encoding='utf-8') as file:
                file.write(text)
    done = world.run('--opens', *names, program='tilescope-draw', cwd=folder)
    if done.returncode != 0:
        raise Failed(f'what nobody has mutated does not open: {done.stdout[-300:]!r}')
    for name in names:
        os.remove(os.path.join(folder, name))
    return whole


def texts(pattern):
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, 'assets', pattern))):
        with open(path, encoding='utf-8') as file:
            found.append(file.read())
    return found


def write_one(chance, folder, number, whole):
    """A mutated file; its name."""
    ending = chance.choices(['.json', '.link', '.sheet.json', '.md'], [4, 3, 2, 1])[0]
    text = chance.choice(whole[ending])
    if ending == '.link':
        text = mutated_link(chance, text)
    elif ending == '.md':
        text = mutated_lines(chance, text)
    else:
        text = changed(chance, text)
    data = text.encode()
    if data and chance.random() < 0.1:  # bytes that no text has
        data = bytearray(data)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    name = f'{number}{ending}'
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data)
    return name


def changed(chance, text):
    """JSON with other values, and parts of texts; or none any more."""
    if chance.random() < 0.25:
        return mutated(chance, text, NUMBERS)
    said = json.loads(text)
    for _ in range(chance.randrange(1, 4)):
        if chance.random() < 0.5:
            change_one(chance, said, NUMBERS)
        else:
            change_a_text(chance, said)
    return json.dumps(said)


WORDS = ['', '-1', '0', '3', '99999999999999999999', '1e300', 'in', 'out', 'f64', 'i8', 'random', 'tensormap', '@0', '/dev/zero', '\n']


def change_a_text(chance, entry):
    """A word of a text somewhere inside: SPECs of arguments, names."""
    while isinstance(entry, (dict, list)) and entry:
        keys = list(entry) if isinstance(entry, dict) else list(range(len(entry)))
        key = chance.choice(keys)
        if isinstance(entry[key], str):
            words = re.split('([:x,_])', entry[key])
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            entry[key] = ''.join(words)
        entry = entry[key]


def mutated_link(chance, link):
    """What it says, packed anew; or its digits."""
    head, digits = link.split('.', 1)
    if chance.random() < 0.3:
        return head + '.' + mutated(chance, digits, NUMBERS)
    said = zlib.decompress(base64.urlsafe_b64decode(digits + '=' * (-len(digits) % 4))).decode()
    packed = base64.urlsafe_b64encode(zlib.compress(changed(chance, said).encode(), 9)).decode().rstrip('=')
    where = chance.choice(['tilescope:', 'https://somewhere.example/#', '#', ' tilescope:', 'tilescope'])
    return f'{where}{chance.choice([1, 1, 1, 1, 0, 2, 99999])}.{packed}\n'


def mutated_lines(chance, text):
    lines = text.split('\n')
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(lines))
        way = chance.randrange(4)
        if way == 0:
            lines.insert(chance.randrange(len(lines)), lines[at])
        elif way == 1 and len(lines) > 1:
            del lines[at]
        elif way == 2 and lines[at]:
            lines[at] = mutated(chance, lines[at], NUMBERS)
        else:
            words = lines[at].split(' ')
            words[chance.randrange(len(words))] = chance.choice(['', '-1', '1e300', '```', '##', ':', 'x' * 5000])
            lines[at] = ' '.join(words)
    return '\n'.join(lines)


def tell(world, folder, names):
    """A line for each, in their order; which of them open."""
    done = world.run('--opens', *names, program='tilescope-draw', cwd=folder)
    for line in done.stdout.decode(errors='replace').split('\n'):
        if 'what would then be saved' in line:
            with open(os.path.join(folder, line.split(': ')[0]), encoding='utf-8', errors='replace') as file:
                raise Failed(f'{line[:300]}\n{file.read()[:2000]}')
    if done.returncode not in (0, 1):
        raise Failed(f'--opens ended with {done.returncode}: {done.stdout[-300:]!r} {done.stderr[-300:]!r}')
    lines = done.stdout.decode(errors='replace').rstrip('\n').split('\n')
    if len(lines) != len(names):
        raise Failed(f'{len(lines)} lines of {len(names)} files')
    opened = []
    for line, name in zip(lines, names):
        told, colon, why = line.partition(': ')
        if told != name or not colon or not why.strip():
            raise Failed(f'of {name} it says {line[:300]!r}')
        if why == 'opens':
            opened.append(name)
    return opened


def run_a_sheet(world, folder):
    """One that is mutated, for a kernel that is there: it is run, or refused in a sentence."""
    sheet = os.path.join(folder, 'add.sheet.json')
    with open(sheet, 'w', encoding='utf-8') as file:
        file.write(changed(world.chance, json.dumps(SHEET)))
    done = world.run('emulate', '--ptx', os.path.join(folder, 'add.ptx'), '--sheet', sheet, '--max-instructions', '1000000')
    if done.returncode not in (0, 1, 2, 4):
        raise Failed(f'emulate --sheet ended with {done.returncode}: {world.one_sentence(done)}')
    world.one_sentence(done)
    os.remove(sheet)


def draw_one(world, folder, opened):
    """Of the states that open: drawn, or why not."""
    states = [name for name in opened if name.endswith('.json') and not name.endswith('.sheet.json')]
    if not states:
        return
    picture = os.path.join(folder, 'drawn.svg')
    done = world.run('render', '--panel', 'fragment', '--state', os.path.join(folder, world.chance.choice(states)),
                     '--out', picture, seconds=180)
    if (done.returncode == 0) != os.path.exists(picture):
        raise Failed(f'render ended with {done.returncode}, and there is {"a" if done.returncode else "no"} picture')
    world.one_sentence(done)
    if os.path.exists(picture):
        os.remove(picture)
