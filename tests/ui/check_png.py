#!/usr/bin/env python3
"""check_png.py FILE WxH: a PNG of this size, and not all of one colour. Standard library alone."""
import struct
import sys
import zlib


def read_png(path):
    """(width, height, rows of raw filtered bytes) of an 8-bit RGB PNG."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"{path} is not a PNG")
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    return size[0], size[1], zlib.decompress(packed)


def main():
    path, wanted = sys.argv[1], sys.argv[2]
    width, height, raw = read_png(path)
    if f"{width}x{height}" != wanted:
        sys.exit(f"{path} is {width}x{height}, expected {wanted}")
    stride = len(raw) // height
    # Filtered rows differ from one another as soon as anything is drawn.
    different = len({raw[y * stride:(y + 1) * stride] for y in range(height)})
    if different < 20:
        sys.exit(f"{path} shows next to nothing: {different} different rows of {height}")
    print(f"{path}: {different} different rows of {height}")


if __name__ == "__main__":
    main()
