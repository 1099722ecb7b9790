"""Random and adversarial operands, as words of registers. Each tile is of one kind; what lies where in a matrix is
not known here, so a kind is a distribution from which all elements of an operand are drawn."""
import array
import random

# bits, bits of fraction, bias
TYPES = {"f16": (16, 10, 15), "bf16": (16, 7, 127), "tf32": (32, 10, 127), "f32": (32, 23, 127), "e4m3": (8, 3, 7),
         "e5m2": (8, 2, 15)}
KINDS = ("bits", "unit", "wide", "cancel", "subnormal", "special", "zero_by_huge", "floor", "large", "beside_c", "ties",
         "signed_zero")


class Type:
    def __init__(self, name):
        self.name = name
        self.bits, self.fraction, self.bias = TYPES[name]
        self.stored = 23 if name == "tf32" else self.fraction  # its low 13 bits are to be cut
        self.least = 1 - self.bias
        top = self.bits - 1 - self.stored
        self.top = (1 << top) - 1  # the exponent of infinities, if there are any
        self.most = self.top - self.bias - (0 if name == "e4m3" else 1)

    def make(self, sign, exponent, fraction):
        """The bits of (-1)^sign 2^exponent (1 + fraction / 2^stored); of what is too small a subnormal number."""
        if exponent > self.most:
            exponent = self.most
        if exponent < self.least:
            whole = (1 << self.stored | fraction) >> min(self.least - exponent, self.stored + 1)
            return sign << (self.bits - 1) | whole
        x = sign << (self.bits - 1) | (exponent + self.bias) << self.stored | fraction
        return x - 1 if self.name == "e4m3" and x & 0x7F == 0x7F else x  # all ones are a NaN

    def infinity(self, sign):
        if self.name == "e4m3":
            return sign << 7 | 0x7F
        return sign << (self.bits - 1) | self.top << self.stored

    def nan(self, rng):
        if self.name == "e4m3":
            return rng.getrandbits(1) << 7 | 0x7F
        return self.infinity(rng.getrandbits(1)) | rng.randrange(1, 1 << self.stored)


def some(t, rng, low, high, whole=None):
    """With an exponent in low … high; `whole`: so many bits of fraction alone."""
    bits = t.stored if whole is None else min(whole, t.stored)
    return t.make(rng.getrandbits(1), rng.randint(low, high), rng.getrandbits(bits) << (t.stored - bits))


def finite(t, rng):
    return some(t, rng, t.least - t.fraction, t.most)


def draw(kind, t, role, products, rng):
    """One element. role: a, b or c; products: the exponents that products of the kind have."""
    r = rng.random()
    c = role == "c"
    if kind == "bits":
        return finite(t, rng)
    if kind == "unit":
        return some(t, rng, -6, 1) if r < 0.9 else some(t, rng, -12, 3)
    if kind == "wide":
        low, high = products
        return some(t, rng, low, high) if c else some(t, rng, low // 2, high // 2)
    if kind == "cancel":  # few values, so sums of large terms cancel, and what is left are small ones
        if r < 0.6:
            return t.make(rng.getrandbits(1), 2 if c else 1, 0)
        return some(t, rng, -30, -20, 3) if c else some(t, rng, -13, -8, 2)
    if kind == "subnormal":
        if r < 0.6:
            return some(t, rng, t.least - t.fraction - 1, t.least + 1)
        return some(t, rng, -3, 3) if not c else some(t, rng, t.least - 3, t.least + 24)
    if kind == "special":
        if r < 0.015:
            return t.infinity(rng.getrandbits(1))
        if r < 0.02:
            return t.nan(rng)
        return finite(t, rng) if r < 0.9 else rng.getrandbits(1) << (t.bits - 1)
    if kind == "zero_by_huge":
        if c:
            return some(t, rng, -40, -10) if r < 0.7 else 0
        if role == "a":
            return rng.getrandbits(1) << (t.bits - 1) if r < 0.6 else some(t, rng, -8, -2)
        return some(t, rng, t.most - 3, t.most) if r < 0.06 else some(t, rng, -8, -2)
    if kind == "floor":  # where products are too small for their sum's type
        if c:
            return some(t, rng, t.least - t.fraction - 2, t.least + 2) if r < 0.5 else 0
        if r < 0.3:
            return rng.getrandbits(1) << (t.bits - 1)
        return some(t, rng, max(t.least - t.fraction, -85), max(t.least - 1, -60))
    if kind == "large":
        if c:
            return some(t, rng, t.most - 3, t.most)
        top = min(t.most, 64) if t.bias == 127 else t.most
        return some(t, rng, top - 3, top) if r < 0.9 else some(t, rng, top - 30, top)
    if kind == "beside_c":  # C is much larger or smaller than all products
        if c:
            return some(t, rng, 10, 28) if r < 0.5 else some(t, rng, -28, -10)
        return some(t, rng, -1, 1)
    if kind == "ties":
        return some(t, rng, 0, 11, 2) if c else some(t, rng, -3, 2, 2) if r < 0.7 else some(t, rng, -6, -5, 1)
    if kind == "signed_zero":
        if r < 0.8:
            return rng.getrandbits(1) << (t.bits - 1)
        return t.make(rng.getrandbits(1), t.least - t.fraction, 0) if r < 0.9 else t.make(rng.getrandbits(1), 0, 0)
    raise ValueError(kind)


POOL = 4096


class Operands:
    """Draws from pools, one for each kind, type and role."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pools = {}

    def pool(self, kind, type_name, role, products):
        key = (kind, type_name, role, products)
        if key not in self.pools:
            t = Type(type_name)
            self.pools[key] = [draw(kind, t, role, products, self.rng) for _ in range(POOL)]
        return self.pools[key]

    def words(self, kind, type_name, role, products, count):
        bits = TYPES[type_name][0]
        values = self.rng.choices(self.pool(kind, type_name, role, products), k=count * 32 // bits)
        return array.array({8: "B", 16: "H", 32: "I"}[bits], values).tobytes()

    def tile(self, form, kind):
        a, b = Type(form.a), Type(form.b)
        low = max(a.least + b.least - 3, -126)
        products = (low, min(a.most + b.most, 120))
        return b"".join(self.words(kind, type_name, role, products, words)
                        for role, (type_name, words) in zip("abc", form.parts()))
