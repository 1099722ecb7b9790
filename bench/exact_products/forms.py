"""Every product instruction of reals as a PTX kernel that knows nothing of layouts: registers and shared memory
hold what the operand file has, word by word, and the result's registers are written the same way."""
from dataclasses import dataclass

HEAD = """.version {version}
.target {target}
.address_size 64
{shared}
.visible .entry k(.param .u64 .ptr .global in, .param .u64 .ptr .global out)
{{
.reg .pred %p<4>;
.reg .b32 %r<300>;
.reg .b64 %rd<16>;
.reg .f32 %f<300>;
ld.param.u64 %rd0, [in];
ld.param.u64 %rd1, [out];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
"""


@dataclass
class Form:
    name: str
    d: str  # types: of the result, A, B and C
    a: str
    b: str
    c: str
    words: tuple  # of D, A, B, C per thread; of wgmma, A and B in bytes per tile
    text: str  # the instruction, with {d}, {a}, {b}, {c}
    n: int = 0  # of wgmma, else 0
    from_registers: bool = False

    @property
    def threads(self):
        return 128 if self.n else 32

    def parts(self):
        """(type, words of a tile) of what the operand file holds, in order."""
        if not self.n:
            return [(t, 32 * w) for t, w in zip((self.a, self.b, self.c), self.words[1:])]
        a_words = 512  # 64 lines of 32 bytes, in registers too
        return [(self.a, a_words), (self.b, 8 * self.n), (self.d, 128 * self.words[0])]

    def in_words(self):
        return sum(words for _, words in self.parts())

    def out_words(self):
        return self.threads * self.words[0]

    def shared(self):
        return 2048 + 32 * self.n if self.n else 0


def registers(kind, first, count):
    letter = "%f" if kind == "f32" else "%r"
    return "{" + ", ".join(f"{letter}{first + i}" for i in range(count)) + "}"


def load(kind, first, count, at, step, base="%rd4"):
    letter, move = ("%f", "f32") if kind == "f32" else ("%r", "u32")
    return [f"ld.global.{move} {letter}{first + i}, [{base}+{at + step * i}];" for i in range(count)]


def kernel_of_warp(form, version, target):
    wd, wa, wb, wc = form.words
    lines = [HEAD.format(version=version, target=target, shared=""),
             f"mul.wide.u32 %rd2, %r1, {4 * form.in_words()};", "mul.wide.u32 %rd3, %r0, 4;",
             "add.u64 %rd4, %rd0, %rd2;", "add.u64 %rd4, %rd4, %rd3;"]
    lines += load("b32", 100, wa, 0, 128) + load("b32", 150, wb, 128 * wa, 128)
    lines += load(form.c, 200, wc, 128 * (wa + wb), 128)
    lines.append(form.text.format(d=registers(form.d, 250, wd), a=registers("b32", 100, wa),
                                  b=registers("b32", 150, wb), c=registers(form.c, 200, wc)) + ";")
    lines += [f"mul.wide.u32 %rd5, %r1, {4 * form.out_words()};", "add.u64 %rd6, %rd1, %rd5;",
              "add.u64 %rd6, %rd6, %rd3;"]
    letter, move = ("%f", "f32") if form.d == "f32" else ("%r", "u32")
    lines += [f"st.global.{move} [%rd6+{128 * i}], {letter}{250 + i};" for i in range(wd)]
    return "\n".join(lines + ["ret;", "}", ""])


def kernel_of_warpgroup(form, version, target):
    n, wd = form.n, form.words[0]
    words = (2048 + 32 * n) // 4
    b_descriptor = (2048 >> 4) | (n * 16 >> 4) << 16 | (128 >> 4) << 32
    a_descriptor = (64 * 16 >> 4) << 16 | (128 >> 4) << 32
    lines = [HEAD.format(version=version, target=target, shared=".extern .shared .align 1024 .b8 smem[];"),
             f"mul.wide.u32 %rd2, %r1, {4 * form.in_words()};", "add.u64 %rd4, %rd0, %rd2;", "mov.u32 %r2, smem;",
             "mov.u32 %r3, %r0;", "copy:", "mul.wide.u32 %rd3, %r3, 4;", "add.u64 %rd5, %rd4, %rd3;",
             "ld.global.u32 %r4, [%rd5];", "shl.b32 %r5, %r3, 2;", "add.u32 %r5, %r5, %r2;",
             "st.shared.u32 [%r5], %r4;", "add.u32 %r3, %r3, 128;", f"setp.lt.u32 %p0, %r3, {words};",
             "@%p0 bra copy;", "fence.proxy.async.shared::cta;", "bar.sync 0;", "mul.wide.u32 %rd3, %r0, 4;",
             "add.u64 %rd6, %rd4, %rd3;",
             "shr.u32 %r6, %r2, 4;", "cvt.u64.u32 %rd8, %r6;", f"add.u64 %rd9, %rd8, {a_descriptor};",
             f"add.u64 %rd10, %rd8, {b_descriptor};", "setp.eq.u32 %p1, 0, 0;"]
    lines += load("b32", 290, 4, 0, 512, "%rd6") + load(form.d, 100, wd, 4 * words, 512, "%rd6")
    lines += ["wgmma.fence.sync.aligned;",
              form.text.format(d=registers(form.d, 100, wd),
                               a=registers("b32", 290, 4) if form.from_registers else "%rd9", b="%rd10") + ";",
              "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;",
              f"mul.wide.u32 %rd11, %r1, {4 * form.out_words()};", "add.u64 %rd11, %rd11, %rd1;",
              "add.u64 %rd11, %rd11, %rd3;"]
    letter, move = ("%f", "f32") if form.d == "f32" else ("%r", "u32")
    lines += [f"st.global.{move} [%rd11+{512 * i}], {letter}{100 + i};" for i in range(wd)]
    return "\n".join(lines + ["ret;", "}", ""])


def ptx(form, version="9.0", target="sm_80"):
    return (kernel_of_warpgroup if form.n else kernel_of_warp)(form, version, target)


EIGHT = ("e4m3", "e5m2")
FOUR_OPERANDS = " {d}, {a}, {b}, {c}"


def mma(shape, d, a, b, c, words, layout="row.col"):
    order = "" if layout == "row.col" else "_" + layout.replace(".", "_")
    return Form(f"mma_{shape}_{d}_{a}_{b}_{c}{order}", d, a, b, c, words,
                f"mma.sync.aligned.{shape}.{layout}.{d}.{a}.{b}.{c}" + FOUR_OPERANDS)


def warp_forms():
    """mma.sync and wmma."""
    w = {"f32": 4, "f16": 2}
    forms = [mma(f"m16n8k{k}", d, t, t, d, (w[d], k // 4, k // 8, w[d]))
             for k in (8, 16) for d, t in (("f32", "f16"), ("f16", "f16"), ("f32", "bf16"))]
    forms += [mma(f"m16n8k{k}", "f32", "tf32", "tf32", "f32", (4, k // 2, k // 4, 4)) for k in (4, 8)]
    forms += [mma(f"m16n8k{k}", d, a, b, d, (w[d], k // 8, k // 16, w[d]))
              for k in (16, 32) for d in ("f32", "f16") for a in EIGHT for b in EIGHT]
    quad = {"f32": 8, "f16": 4}
    forms += [mma("m8n8k4", d, "f16", "f16", c, (quad[d], 2, 2, quad[c]), layout)
              for layout in ("row.col", "row.row", "col.col", "col.row")
              for d, c in (("f32", "f32"), ("f32", "f16"), ("f16", "f16"))]
    for m, n in ((16, 16), (32, 8), (8, 32)):
        shape = f"m{m}n{n}k16"
        head = f"wmma.mma.sync.aligned.row.col.{shape}."
        for d, c in (("f32", "f32"), ("f32", "f16"), ("f16", "f32"), ("f16", "f16")):
            forms.append(Form(f"wmma_{shape}_{d}_f16_f16_{c}", d, "f16", "f16", c,
                              (2 * w[d], 8, 8, 2 * w[c]), f"{head}{d}.{c}" + FOUR_OPERANDS))
        forms.append(Form(f"wmma_{shape}_f32_bf16_bf16_f32", "f32", "bf16", "bf16", "f32",
                          (8, m // 4, n // 4, 8), head + "f32.bf16.bf16.f32" + FOUR_OPERANDS))
    forms.append(Form("wmma_m16n16k8_f32_tf32_tf32_f32", "f32", "tf32", "tf32", "f32", (8, 4, 4, 8),
                      "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32" + FOUR_OPERANDS))
    return forms


def warpgroup_forms(columns):
    """wgmma with each n of `columns`; A in registers for every second one."""
    types = [("f32", "f16", "f16", 16), ("f16", "f16", "f16", 16), ("f32", "bf16", "bf16", 16),
             ("f32", "tf32", "tf32", 8)]
    types += [(d, a, b, 32) for d in ("f32", "f16") for a in EIGHT for b in EIGHT]
    forms = []
    for d, a, b, k in types:
        for n in columns:
            loaded = n // 8 % 2 == 0
            sixteen = a in ("f16", "bf16")
            more = (", 0" if loaded else ", 0, 0") if sixteen else ""
            forms.append(Form(f"wgmma_m64n{n}k{k}_{d}_{a}_{b}", d, a, b, d, (n // 4 if d == "f16" else n // 2, 0, 0, 0),
                              f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b} {{d}}, {{a}}, {{b}}, %p1, 1, 1{more}",
                              n, loaded))
    return forms
