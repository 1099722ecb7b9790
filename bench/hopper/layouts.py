#!/usr/bin/env python3
"""wgmma of every kind on a card against the emulator: where descriptors point to, bit for bit.

  layouts.py make CLI DIR [COUNT]   random forms, layouts and operands, and what the emulator makes of them
  layouts.py ask CLI DIR            the same on the card (cuda:0); ends with 1 if one differs

All of shared memory holds small whole numbers, whose sums are exact in every order; so a result tells where
each operand was looked for, and this script knows nothing of layouts.
"""
import json
import os
import random
import struct
import subprocess
import sys

A_BYTES, B_BYTES = 16384, 65536
E4M3 = [0x00, 0x38, 0x40, 0x44, 0xB8, 0xC0, 0xC4, 0x48]  # 0 1 2 3 -1 -2 -3 4
E5M2 = [0x00, 0x3C, 0x40, 0x42, 0xBC, 0xC0, 0xC2, 0x44]


def some(kind, count_bytes, rng):
    numbers = lambda n: [rng.randint(-4, 4) for _ in range(n)]
    if kind in ("f16",):
        return struct.pack(f"<{count_bytes // 2}e", *numbers(count_bytes // 2))
    if kind == "bf16":
        return b"".join(struct.pack("<f", x)[2:] for x in numbers(count_bytes // 2))
    if kind in ("tf32", "f32"):
        return struct.pack(f"<{count_bytes // 4}f", *numbers(count_bytes // 4))
    if kind == "s32":
        return struct.pack(f"<{count_bytes // 4}i", *numbers(count_bytes // 4))
    if kind in ("e4m3", "e5m2"):
        table = E4M3 if kind == "e4m3" else E5M2
        return bytes(rng.choice(table) for _ in range(count_bytes))
    if kind == "s8":
        return struct.pack(f"<{count_bytes}b", *numbers(count_bytes))
    if kind == "u8":
        return bytes(rng.randint(0, 8) for _ in range(count_bytes))
    return rng.randbytes(count_bytes)  # b1


FORMS = [("f32", "f16", "f16", 16), ("f16", "f16", "f16", 16), ("f32", "bf16", "bf16", 16),
         ("f32", "tf32", "tf32", 8), ("s32", "b1", "b1", 256)]
FORMS += [(d, a, b, 32) for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
FORMS += [("s32", a, b, 32) for a in ("s8", "u8") for b in ("s8", "u8")]


def descriptor(base, lines, span, across, rng):
    mode = {0: 0, 128: 1, 64: 2, 32: 3}[span]
    if not across:
        stride = 128 if span == 0 else 8 * span
        leading = lines * 16 if span == 0 else 16
        if span == 128 and rng.random() < 0.5:
            base += 32 * rng.randint(1, 3)  # a step along k inside of a line
    elif span == 0:
        leading, stride = 128, 256
    else:
        stride, leading = 8 * span, 16 * span
    return base >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62


def kernel(rng):
    d, a, b, k = rng.choice(FORMS)
    real = a not in ("s8", "u8", "b1")
    sixteen = a in ("f16", "bf16")
    ns = list(range(8, 257, 8)) if real else [8, 16, 24] + list(range(32, 257, 16))
    n = rng.choice(ns)
    registers = n // 4 if d == "f16" else n // 2
    from_registers = rng.random() < 0.3
    across = [sixteen and rng.random() < 0.5 for _ in range(2)]
    spans = [rng.choice([0, 32, 64, 128]) for _ in range(2)]
    at_a = descriptor(0, 64, spans[0], across[0], rng)
    at_b = descriptor(A_BYTES, n, spans[1], across[1], rng)
    total = A_BYTES + B_BYTES
    kind, name = ("f32", "%acc") if d == "f32" else ("u32", "%sum")
    text = [".version 9.0", ".target sm_90a", ".address_size 64", ".extern .shared .align 1024 .b8 smem[];",
            ".visible .entry k(.param .u64 .ptr .global in, .param .u64 .ptr .global out)", "{", ".reg .pred %p<4>;",
            ".reg .b32 %r<40>;", ".reg .b64 %rd<12>;", ".reg .f32 %acc<128>;", ".reg .b32 %sum<128>;",
            "ld.param.u64 %rd0, [in];", "ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;", "mov.u32 %r1, smem;",
            "mov.u32 %r10, %r0;", "copy:", "mul.wide.u32 %rd2, %r10, 4;", "add.s64 %rd3, %rd0, %rd2;",
            "ld.global.u32 %r11, [%rd3];", "shl.b32 %r12, %r10, 2;", "add.u32 %r12, %r12, %r1;",
            "st.shared.u32 [%r12], %r11;", "add.u32 %r10, %r10, 128;", f"setp.lt.u32 %p0, %r10, {total // 4};",
            "@%p0 bra copy;", "fence.proxy.async.shared::cta;", "bar.sync 0;", "mul.wide.u32 %rd4, %r0, 16;",
            "add.s64 %rd4, %rd4, %rd0;", f"ld.global.v4.u32 {{%r20,%r21,%r22,%r23}}, [%rd4+{total}];",
            f"mul.wide.u32 %rd5, %r0, {4 * registers};", "add.s64 %rd6, %rd5, %rd0;", "add.s64 %rd7, %rd5, %rd1;",
            # Where shared memory begins is not 0 on a card.
            "shr.u32 %r13, %r1, 4;", "cvt.u64.u32 %rd10, %r13;", f"add.u64 %rd8, %rd10, {at_a};",
            f"add.u64 %rd9, %rd10, {at_b};"]
    names = [f"{name}{i}" for i in range(registers)]
    text += [f"ld.global.{kind} {r}, [%rd6+{total + 2048 + 4 * i}];" for i, r in enumerate(names)]
    keep = rng.random() < 0.7
    text += [f"setp.ne.u32 %p1, {int(keep)}, 0;", "wgmma.fence.sync.aligned;"]
    satfinite = ".satfinite" if a in ("s8", "u8") and rng.random() < 0.5 else ""
    line = (f"wgmma.mma_async.sync.aligned.m64n{n}k{k}{satfinite}.{d}.{a}.{b}{'.and.popc' if a == 'b1' else ''} "
            f"{{{', '.join(names)}}}, {'{%r20,%r21,%r22,%r23}' if from_registers else '%rd8'}, %rd9, %p1")
    if real:
        line += f", {rng.choice([1, 1, -1])}, {rng.choice([1, 1, -1])}"
    if sixteen:
        line += ("" if from_registers else f", {int(across[0])}") + f", {int(across[1])}"
    text += [line + ";", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    text += [f"st.global.{kind} [%rd7+{4 * i}], {r};" for i, r in enumerate(names)]
    text += ["ret;", "}", ""]
    data = some(a, A_BYTES, rng) + some(b, B_BYTES, rng) + some(a, 2048, rng) + some(d, 512 * registers, rng)
    what = f"{line.split(' ')[0]} {'RS' if from_registers else 'SS'} spans {spans} across {across}"
    return "\n".join(text), data, 512 * registers, what


def make(cli, folder, count):
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(29)
    cases = []
    for i in range(count):
        text, data, out, what = kernel(rng)
        files = {end: os.path.join(folder, f"{i}.{end}") for end in ("ptx", "in", "right", "json")}
        with open(files["ptx"], "w", encoding="ascii") as f:
            f.write(text)
        with open(files["in"], "wb") as f:
            f.write(data)
        sheet = {"entry": "k", "grid": [1, 1, 1], "block": [128, 1, 1], "shared": A_BYTES + B_BYTES,
                 "args": [f"in:{i}.in", f"out:{out}"]}
        with open(files["json"], "w", encoding="ascii") as f:
            json.dump(sheet, f)
        subprocess.run([cli, "emulate", "--ptx", files["ptx"], "--sheet", files["json"], "--dump",
                        f"1={files['right']}"], check=True, stdout=subprocess.DEVNULL)
        cases.append(what)
    with open(os.path.join(folder, "cases.json"), "w", encoding="ascii") as f:
        json.dump(cases, f)
    print(f"{count} cases in {folder}")


def ask(cli, folder):
    with open(os.path.join(folder, "cases.json"), encoding="ascii") as f:
        cases = json.load(f)
    wrong = 0
    for i, what in enumerate(cases):
        at = os.path.join(folder, str(i))
        done = subprocess.run([cli, "bench", "--device", "cuda:0", "--ptx", at + ".ptx", "--sheet", at + ".json",
                               "--expect", f"1={at}.right", "--seconds", "0.01", "--no-counts"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            wrong += 1
            if wrong <= 8:
                print(f"case {i}, {what}: ends with {done.returncode}\n{(done.stdout + done.stderr)[-600:]}")
    print(f"{len(cases) - wrong} of {len(cases)} equal the emulator's in every bit")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 150)
    else:
        sys.exit(ask(sys.argv[2], sys.argv[3]))
