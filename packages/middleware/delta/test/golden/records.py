"""The records of the delta layer, after docs/reference/delta-records.md, with Python's own library alone.

It shares nothing with the TypeScript sources; deltas themselves are read and written by make.py beside it.
"""

import hashlib
import struct
import sys
import zlib

sys.dont_write_bytecode = True

import make  # noqa: E402
from make import Reader, Refused, varint  # noqa: E402

MOST_DELTAS = 1024
MOST_REPLAYED = 2**28
MAX_OUTPUT = 64 * 2**20


class TooLarge(Refused):
    """A value over the reader's limit; every other refusal is CORRUPT."""


class PartMissing(Refused):
    """A part that the head names is not there."""


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u32(number):
    return struct.pack(">I", number)


def part_key(key, part_id):
    return "\0d" + key + part_id.hex() + "\0" + str(len(part_id.hex()))


def write_whole(key, value):
    return b"\xf9\x01" + u32(zlib.crc32(key.encode() + value)) + value


def write_base(value):
    return b"\xf9\x03" + value


def listed(deltas):
    return varint(len(deltas)) + b"".join(varint(len(delta)) + delta for delta in deltas)


def write_deltas(base_id, first, deltas):
    return b"\xf9\x04" + base_id + varint(first) + listed(deltas)


def link_all(key, base_id, base, deltas):
    raw = key.encode()
    link = sha(b"unikv delta 1\0", base_id, u32(len(raw)), raw, sha(base))
    for number, delta in enumerate(deltas, 1):
        link = sha(link, u32(number), delta)
    return link


def target_length(delta):
    """What the delta tells of the length of its target."""
    reader = Reader(delta)
    if reader.bytes(1) != b"\xf8":
        raise Refused("format of a delta")
    return reader.varint()


def delta_of(base, target):
    """A delta that keeps the start and the end that both have."""
    if base == target and len(base) > 3:
        return make.write(base, [(b"", (0, len(base)))])[0]
    most = min(len(base), len(target))
    start = next((at for at in range(most) if base[at] != target[at]), most)
    end = next((at for at in range(most - start) if base[-1 - at] != target[-1 - at]), most - start)
    start, end = start if start > 3 else 0, end if end > 3 else 0
    middle = target[start : len(target) - end]
    instructions = [(b"", (0, start))] if start else []
    if end:
        instructions.append((middle, (len(base) - end, end)))
    elif middle:
        instructions.append((middle, None))
    return make.write(base, instructions)[0]


class Chain:
    """All that a chain is made of; whatever is set after it was made is a lie that is sealed with the rest."""

    def __init__(self, key, values, counts=(), ends=0, ids=None):
        """The first value is the base; `counts` tells how many deltas each record has, the others are in the head."""
        self.key, self.ends = key, ends
        self.ids = ids or [bytes([n]) * 12 for n in range(1, len(counts) + 2)]
        self.base, self.value = values[0], values[-1]
        self.deltas = [delta_of(old, new) for old, new in zip(values, values[1:])]
        self.base_length, self.length = len(self.base), len(self.value)
        self.total = sum(map(len, values[1:]))
        self.records, at = [], 0
        for count in counts:
            self.records.append(write_deltas(self.ids[0], at + 1, self.deltas[at : at + count]))
            at += count
        self.named = [
            (part_id, count, len(record)) for part_id, count, record in zip(self.ids[1:], counts, self.records)
        ]
        self.inline = self.deltas[at:]

    def told(self):
        """The head from offset 34 up to and with m."""
        numbers = varint(self.base_length) + varint(self.length) + varint(self.total)
        named = b"".join(part_id + varint(count) + varint(length) for part_id, count, length in self.named)
        start = self.ids[0] + self.ends.to_bytes(6, "big") + numbers
        return start + varint(len(self.named)) + named + varint(len(self.inline))

    def head(self, told=None):
        told = told or self.told()
        link = link_all(self.key, self.ids[0], self.base, self.deltas)
        inline = b"".join(varint(len(delta)) + delta for delta in self.inline)
        return b"\xf9\x02" + sha(link, told, sha(self.value)) + told + inline

    def stored(self, head=None):
        """All records of the chain by their keys."""
        parts = [write_base(self.base), *self.records]
        keys = [part_key(self.key, part_id) for part_id in self.ids]
        return {self.key: head or self.head(), **dict(zip(keys, parts))}


class Head:
    """A head of a chain, read."""

    def __init__(self, raw):
        reader = Reader(raw)
        reader.bytes(2)
        self.seal = reader.bytes(32)
        self.base_id = reader.bytes(12)
        self.ends = int.from_bytes(reader.bytes(6), "big")
        self.base_length, self.length, self.total = reader.varint(), reader.varint(), reader.varint()
        self.records = [(reader.bytes(12), reader.varint(), reader.varint()) for _ in range(reader.varint())]
        count = reader.varint()
        self.told = raw[34 : reader.at]
        self.inline = [reader.bytes(reader.varint()) for _ in range(count)]
        if reader.at != len(raw):
            raise Refused("bytes behind the end")
        if any(count == 0 for _, count, _ in self.records):
            raise Refused("a record without deltas")
        if sum(count for _, count, _ in self.records) + len(self.inline) > MOST_DELTAS:
            raise Refused("too many deltas")
        if self.total > MOST_REPLAYED:
            raise Refused("too much to make")


def part(key, part_id, stored):
    record = stored.get(part_key(key, part_id))
    if record is None:
        raise PartMissing("a part is missing")
    return record


def read_base(record, head):
    if record[:2] != b"\xf9\x03":
        raise Refused("no base")
    if len(record) - 2 != head.base_length:
        raise Refused("length of the base")
    return record[2:]


def read_deltas(record, head, first, count, length):
    reader = Reader(record)
    if len(record) != length or reader.bytes(2) != b"\xf9\x04":
        raise Refused("no such delta record")
    if reader.bytes(12) != head.base_id or reader.varint() != first or reader.varint() != count:
        raise Refused("a delta record of another place")
    deltas = [reader.bytes(reader.varint()) for _ in range(count)]
    if reader.at != len(record):
        raise Refused("bytes behind the end")
    return deltas


def read_chain(key, raw, stored, max_output):
    head = Head(raw)
    if max(head.base_length, head.length) > max_output:
        raise TooLarge("the base or the value")
    value = base = read_base(part(key, head.base_id, stored), head)
    deltas = []
    for part_id, count, length in head.records:
        deltas += read_deltas(part(key, part_id, stored), head, len(deltas) + 1, count, length)
    deltas += head.inline
    lengths = [target_length(delta) for delta in deltas]
    if sum(lengths) != head.total or [head.base_length, *lengths][-1] != head.length:
        raise Refused("lengths of values")
    if max(lengths, default=0) > max_output:
        raise TooLarge("a value in between")
    for delta in deltas:
        value = make.apply(value, delta)
    if sha(link_all(key, head.base_id, base, deltas), head.told, sha(value)) != head.seal:
        raise Refused("seal")
    return value


def read(key, stored, max_output=MAX_OUTPUT):
    """The value at a key among these records, by key."""
    raw = stored[key]
    if raw[:2] == b"\xf9\x01" and len(raw) >= 6:
        if raw != write_whole(key, raw[6:]):
            raise Refused("checksum")
        if len(raw) - 6 > max_output:
            raise TooLarge("the value")
        return raw[6:]
    if raw[:2] == b"\xf9\x02":
        return read_chain(key, raw, stored, max_output)
    raise Refused("no head")
