#!/usr/bin/env python3
"""check_language_fonts.py FONT...    whether each character of assets/languages and of what is translated beside them
                                   has a glyph in one of these fonts, with which the window draws. 77: one
                                   of them is missing, since what makes it is not installed.
check_language_fonts.py --self-test   fonts that lack a character, and damaged ones"""
import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRAWN = {"ᵀ"}  # viz/scene/layer/formula.cpp raises a T


class BadFont(Exception):
    """It is no font, or its table of characters is of a kind that nobody writes."""


def table(font, name):
    """A table of a TrueType or OpenType font, or of the first one in a collection."""
    try:
        at = struct.unpack_from(">I", font, 12)[0] if font[:4] == b"ttcf" else 0
        for i in range(struct.unpack_from(">H", font, at + 4)[0]):
            tag, _, begin, size = struct.unpack_from(">4sIII", font, at + 12 + 16 * i)
            if tag == name and begin + size <= len(font):
                return font[begin:begin + size]
    except struct.error:
        pass
    raise BadFont(f"has no whole table {name.decode()}")


def of_segments(part):
    """Characters of format 4: segments with an end, a begin, and glyphs by a difference or by a list."""
    doubled = struct.unpack_from(">H", part, 6)[0]
    count = doubled // 2
    ends, begins, differences, lists = (
        struct.unpack_from(f">{count}H", part, 14 + row * doubled + (2 if row else 0)) for row in range(4))
    for i in range(count):
        for character in range(begins[i], ends[i] + 1):
            glyph = character
            if lists[i]:
                place = 16 + 3 * doubled + 2 * i + lists[i] + 2 * (character - begins[i])
                glyph = struct.unpack_from(">H", part, place)[0]
                if glyph == 0:
                    continue
            if (glyph + differences[i]) & 0xFFFF:
                yield character


def of_groups(part):
    """Characters of format 12: groups of a first, a last and the first one's glyph."""
    for i in range(struct.unpack_from(">I", part, 12)[0]):
        first, last, glyph = struct.unpack_from(">III", part, 16 + 12 * i)
        yield from range(first if glyph else first + 1, last + 1)


FORMATS = {4: of_segments, 12: of_groups}


def characters_of(font):
    """That have a glyph, as Unicode says them."""
    cmap, found, known = table(font, b"cmap"), set(), False
    try:
        for i in range(struct.unpack_from(">H", cmap, 2)[0]):
            platform, encoding, begin = struct.unpack_from(">HHI", cmap, 4 + 8 * i)
            form = struct.unpack_from(">H", cmap, begin)[0]
            if form in FORMATS and (platform == 0 or platform == 3 and encoding in (1, 10)):
                found.update(FORMATS[form](cmap[begin:]))
                known = True
    except struct.error:
        raise BadFont("has a damaged table cmap") from None
    if not known:
        raise BadFont("has no cmap of format 4 or 12 for Unicode")
    return {chr(character) for character in found}


def texts_of(root, language):
    """(file, text) of all that is written in it: as cmake/LanguageFont.cmake finds it, JSON as it is read."""
    named = re.compile(rf"[/._-]{re.escape(language)}[/._-]")
    for path in sorted((root / "assets").rglob("*")):
        if not path.is_file() or not named.search(str(path.relative_to(root))):
            continue
        text = path.read_text()
        if path.suffix == ".json":
            text = json.dumps(json.loads(text), ensure_ascii=False)
        yield path.relative_to(root), text


def check(root, fonts):
    """Sentences."""
    drawn, faults = set(DRAWN), []
    for font in fonts:
        try:
            drawn |= characters_of(pathlib.Path(font).read_bytes())
        except BadFont as why:
            faults.append(f"{font} {why}")
    languages = [path.stem for path in sorted((root / "assets/languages").glob("*.json"))]
    if not languages:
        faults.append("there are no languages")
    for language in languages:
        for path, text in texts_of(root, language):
            # Joints of emoji and the like are not drawn; ends of lines neither.
            lacks = sorted(c for c in set(text) if c.isprintable() and not c.isspace() and c not in drawn)
            faults += [f"{path}: no font has {' '.join(f'{c} (U+{ord(c):04X})' for c in lacks)}"] if lacks else []
    return faults


def made_font(segments, groups):
    """A font of nothing but a cmap: format 4 and, if there are any groups, 12."""
    count = len(segments) + 1
    rows = segments + [(0xFFFF, 0xFFFF, 1)]
    four = struct.pack(">HHHHHHH", 4, 16 + 8 * count, 0, 2 * count, 0, 0, 0)
    four += struct.pack(f">{count}H", *(end for _, end, _ in rows)) + b"\0\0"
    four += struct.pack(f">{count}H", *(begin for begin, _, _ in rows))
    four += struct.pack(f">{count}H", *((glyph - begin) & 0xFFFF for begin, _, glyph in rows[:-1]), 1)
    four += struct.pack(f">{count}H", *([0] * count))
    twelve = struct.pack(">HHIII", 12, 0, 16 + 12 * len(groups), 0, len(groups))
    twelve += b"".join(struct.pack(">III", *group) for group in groups)
    tables = [(3, 1, four)] + ([(3, 10, twelve)] if groups else [])
    cmap, at = struct.pack(">HH", 0, len(tables)), 4 + 8 * len(tables)
    for platform, encoding, part in tables:
        cmap += struct.pack(">HHI", platform, encoding, at)
        at += len(part)
    cmap += b"".join(part for _, _, part in tables)
    return struct.pack(">IHHHH", 0x10000, 1, 0, 0, 0) + struct.pack(">4sIII", b"cmap", 0, 28, len(cmap)) + cmap


def self_test():
    import tempfile
    latin = made_font([(0x20, 0x7E, 1)], [])
    chinese = made_font([(0x4E2D, 0x4E2D, 1), (0x6587, 0x6587, 2)], [(0x4E2D, 0x4E2D, 1), (0x20000, 0x20001, 3)])
    listed = made_font([(0x61, 0x62, 1)], [])
    # The same by a list of glyphs, of which the second is none.
    at = listed.rindex(struct.pack(">HH", 0, 0))
    listed = listed[:at] + struct.pack(">HHHH", 4, 0, 7, 0)
    listed = listed.replace(struct.pack(">HH", 1 - 0x61 & 0xFFFF, 1), struct.pack(">HH", 0, 1))
    listed = listed[:24] + struct.pack(">I", len(listed) - 28) + listed[28:]
    assert characters_of(latin) == {chr(c) for c in range(0x20, 0x7F)}, characters_of(latin)
    assert characters_of(chinese) == {"中", "文", "\U00020000", "\U00020001"}, characters_of(chinese)
    assert characters_of(listed) == {"a"}, characters_of(listed)
    assert characters_of(b"ttcf" + struct.pack(">III", 0, 1, 16) + relocated(latin, 16)) == characters_of(latin)
    for damaged in (b"", b"OTTO", latin[:40], latin[:-30]):
        try:
            characters_of(damaged)
            raise AssertionError("a damaged font was read")
        except BadFont:
            pass
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, font in (("latin", latin), ("chinese", chinese)):
            (root / name).write_bytes(font)
        both = [root / "latin", root / "chinese"]
        for path, text in {"assets/languages/en.json": '{"language": "English"}',
                           "assets/languages/zh-CN.json": '{"language": "中文", "messages": {"a": "\\u6587"}}',
                           "assets/lessons/zh-CN/1.md": "中\n", "assets/glossary.zh-CN.md": "文"}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        assert check(root, both) == [], check(root, both)
        assert len(check(root, both[:1])) == 3, check(root, both[:1])  # no font for them
        for path in ("assets/lessons/zh-CN/1.md", "assets/glossary.zh-CN.md"):
            kept = (root / path).read_text()
            (root / path).write_text("字")  # one character alone is in no font
            assert any(path in fault and "U+5B57" in fault for fault in check(root, both)), path
            (root / path).write_text(kept)
        (root / "assets/languages/zh-CN.json").write_text('{"language": "中", "messages": {"a": "\\u5b57"}}')
        assert any("zh-CN.json" in fault and "字" in fault for fault in check(root, both))
    return 0


def relocated(font, by):
    """The same font `by` bytes further on in its file."""
    begin = struct.unpack_from(">I", font, 20)[0]
    return font[:20] + struct.pack(">I", begin + by) + font[24:]


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if missing := [font for font in arguments if not pathlib.Path(font).exists()]:
        print(f"there is no {missing[0]}: fonts-wqy-microhei, fonts-inter, fonts-jetbrains-mono or libharfbuzz-bin "
              "(hb-subset) was not there when this was configured")
        return 77
    faults = check(ROOT, arguments)
    print("\n".join(faults) or "the fonts have all characters of all languages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
