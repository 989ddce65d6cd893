"""Deltas made and applied outside Node, after docs/reference/delta-format.md, with Python's own library alone.

    python3 make.py            write deltas.json
    python3 make.py --check    fail if deltas.json is not what would be written
    python3 make.py --apply    read lines of JSON, {"base", "delta"} in hexadecimal, and answer each with a line: the
                               target in hexadecimal, or "refused"
"""

import json
import pathlib
import struct
import sys
import zlib


class Refused(Exception):
    pass


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value):
    return 2 * value if value >= 0 else -2 * value - 1


def write(base, instructions):
    """A delta of instructions: (bytes to insert, None) or (bytes to insert, (start, length) in the base)."""
    target = b""
    body = b""
    place = 0
    for inserted, copy in instructions:
        target += inserted
        if copy is None:
            body += varint(2 * len(inserted)) + inserted
            continue
        start, length = copy
        place += len(inserted)
        moved = start - place
        body += varint(2 * len(inserted) + (moved != 0)) + inserted + varint(length - 4)
        if moved:
            body += varint(zigzag(moved))
        target += base[start : start + length]
        place = start + length
    return header(len(target), len(base), target) + body, target


def header(target_length, base_length, target):
    return b"\xf8" + varint(target_length) + varint(base_length) + struct.pack(">I", zlib.crc32(target))


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def bytes(self, count):
        if self.at + count > len(self.data):
            raise Refused("cut")
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if value >= 2**32 or (byte == 0 and shift > 7):
                    raise Refused("varint")
                return value
            if shift >= 35:
                raise Refused("varint")


def apply(base, delta):
    reader = Reader(delta)
    if reader.bytes(1) != b"\xf8":
        raise Refused("format")
    length = reader.varint()
    if max(length, base_length := reader.varint()) >= 2**30 or base_length != len(base):
        raise Refused("lengths")
    (checksum,) = struct.unpack(">I", reader.bytes(4))
    target = bytearray()
    place = 0
    first = True
    while len(target) < length:
        head = reader.varint()
        moved = head & 1
        inserted = reader.bytes(head >> 1)
        target += inserted
        if len(target) > length:
            raise Refused("inserts too much")
        if len(target) == length:
            if moved or not inserted:
                raise Refused("does nothing")
            break
        if not (moved or inserted or first):
            raise Refused("one copy")
        first = False
        count = reader.varint() + 4
        place += len(inserted)
        if moved:
            number = reader.varint()
            if number == 0:
                raise Refused("moved by 0")
            place += number >> 1 if number % 2 == 0 else -(number >> 1) - 1
        if place < 0 or place + count > len(base) or len(target) + count > length:
            raise Refused("copies too much")
        target += base[place : place + count]
        place += count
    if reader.at != len(delta) or zlib.crc32(bytes(target)) != checksum:
        raise Refused("end")
    return bytes(target)


TEXT = ("Ada Lovelace wrote the first program. " * 30).encode()
NOISE = bytes((i * i * 7 + i * 13 + 5) % 251 for i in range(2000))

READABLE = [
    ("an empty target of an empty base", b"", []),
    ("an empty target", b"abc", []),
    ("everything inserted", b"", [(b"new", None)]),
    ("everything inserted beside a base", TEXT, [(b"new", None)]),
    ("the base itself", TEXT, [(b"", (0, len(TEXT)))]),
    ("the shortest copy", b"abcdef", [(b"", (0, 4))]),
    ("a moved first copy", b"abcdef", [(b"", (2, 4))]),
    ("bytes written over", TEXT, [(b"", (0, 100)), (b"XYZ", (103, len(TEXT) - 103))]),
    ("bytes inserted", TEXT, [(b"", (0, 100)), (b"XYZ", (100, len(TEXT) - 100))]),
    ("bytes left out", TEXT, [(b"", (0, 100)), (b"", (110, len(TEXT) - 110))]),
    ("halves swapped", TEXT, [(b"", (500, 500)), (b"", (0, 500))]),
    ("one part many times", b"0123456789", [(b"", (3, 5))] * 9 + [(b"end", None)]),
    ("inserted in front and behind", TEXT, [(b"front", (0, 200)), (b"behind", None)]),
    ("varints of one and two bytes", NOISE, [(b"i" * 63, (0, 131)), (b"i" * 64, (1000, 132)), (b"", (0, 131))]),
    ("varints of three bytes", NOISE, [((NOISE * 5)[:8192], (19, 1000))]),
    ("places beyond the base", b"abcdefgh", [(b"i" * 100, (0, 8)), (b"j" * 100, (4, 4))]),
    ("no text", NOISE, [(NOISE[::-1][:300], (1234, 700)), (b"\x00\xff", (1234 + 700 + 2, 4))]),
]

DAMAGES = [
    ("nothing at all", lambda d: b""),
    ("another format", lambda d: b"\xf9" + d[1:]),
    ("cut by one byte", lambda d: d[:-1]),
    ("a byte more", lambda d: d + b"\x00"),
    ("another checksum", lambda d: d[:5] + bytes([d[5] ^ 1]) + d[6:]),
    ("a longer target", lambda d: b"\xf8" + varint(201) + d[3:]),
    ("a shorter target", lambda d: b"\xf8" + varint(199) + d[3:]),
    ("another base", lambda d: d[:3] + varint(299) + d[5:]),
]


def refused():
    base = NOISE[:300]
    delta, _ = write(base, [(b"", (0, 100)), (b"XYZ", (103, 97))])
    for name, damage in DAMAGES:
        yield name, base, damage(delta)
    target = base[:8]

    def of(body):
        return header(len(target), len(base), target) + body

    yield "a varint that is too long", base, of(b"\x80\x00\x04")
    yield "a varint over 32 bits", base, of(b"\x00\x84\x80\x80\x80\x10")
    yield "a varint without an end", base, of(b"\x80\x80\x80\x80\x80\x80")
    yield "an instruction that does nothing", base, of(b"\x00\x04\x00")
    yield "one copy in two", base, of(b"\x00\x00\x00\x00")
    yield "moved by nothing", base, of(b"\x01\x04\x00")
    yield "moved without a copy", base, of(b"\x11" + target)
    yield "a copy before the start", base, of(b"\x01\x04\x01")
    yield "a copy behind the end", base, of(b"\x01\x04" + varint(zigzag(293)))
    yield "a copy that is too long", base, of(b"\x00\x05")
    yield "more inserted than told", base, of(b"\x12" + target + b"x")
    yield "more inserted than there is", base, of(b"\x10" + target[:-1])
    yield "huge lengths", base, b"\xf8" + varint(2**30) + varint(300) + bytes(4)


def vectors():
    for name, base, instructions in READABLE:
        delta, target = write(base, instructions)
        assert apply(base, delta) == target, name
        yield {"name": name, "base": base.hex(), "delta": delta.hex(), "target": target.hex()}
    for name, base, delta in refused():
        try:
            apply(base, delta)
        except Refused:
            yield {"name": name, "base": base.hex(), "delta": delta.hex(), "target": None}
        else:
            raise AssertionError(name)


def answer(line):
    case = json.loads(line)
    try:
        return apply(bytes.fromhex(case["base"]), bytes.fromhex(case["delta"])).hex()
    except Refused:
        return "refused"


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("deltas.json")
    text = json.dumps(list(vectors()), indent=2) + "\n"
    if sys.argv[1:] == ["--apply"]:
        for line in sys.stdin:
            print(answer(line))
    elif sys.argv[1:] == ["--check"]:
        sys.exit(path.read_text() != text)
    else:
        path.write_text(text)
