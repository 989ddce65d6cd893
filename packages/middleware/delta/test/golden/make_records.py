"""Golden records of the delta layer, after docs/reference/delta-records.md, made and read outside Node by records.py.

    python3 make_records.py            write records.json
    python3 make_records.py --check    fail if records.json is not what would be written
    python3 make_records.py --read     read lines of JSON, {"key", "records": {key: hexadecimal}, "maxOutputBytes"?}, and
                                       answer each: {"value", "chain"}, or {"refused": code}
    python3 make_records.py --write    read lines of JSON, {"key", "values", "counts", "ends", "ids"}, and answer each
                                       with its records; no counts: the value stands in the head
"""

import json
import pathlib
import sys

from records import MAX_OUTPUT, Chain, Head, Refused, TooLarge, delta_of, part_key, read, varint, write_whole

KEY = "document"
TEXT = ("Ada Lovelace wrote the first program. " * 12).encode()
LONG = bytes((i * i * 7 + i * 13 + 5) % 251 for i in range(17000))


def edits(count, base=TEXT):
    """So many values, each with another word in another place."""
    values = [base]
    for n in range(1, count):
        at = n * 37 % (len(base) - 20)
        values.append(values[-1][:at] + b"edit %d" % n + values[-1][at + 7 :])
    return values


def readable():
    yield "a whole value", KEY, {KEY: write_whole(KEY, TEXT)}
    yield "an empty value", KEY, {KEY: write_whole(KEY, b"")}
    yield "a whole value that looks like a head", KEY, {KEY: write_whole(KEY, b"\xf9\x02" + bytes(60))}
    for key in ("Größe 🚀", "\x01tenant\x02document", "\x02\x00odd", "k" * 150):
        yield f"a whole value at {key!r}", key, {key: write_whole(key, TEXT)}
        yield f"a chain at {key!r}", key, Chain(key, edits(3), [1]).stored()
    for name, values, counts in (
        ("a base that is the value", [TEXT], []),
        ("one delta in the head", edits(2), []),
        ("five deltas in the head", edits(6), []),
        ("one record of one delta", edits(2), [1]),
        ("one record of five deltas", edits(6), [5]),
        ("a record of five deltas and three in the head", edits(9), [5]),
        ("three records and one in the head", edits(8), [1, 2, 3]),
        ("values that grow from nothing, and shrink to it", [b"", b"new", TEXT, b"", TEXT, b""], [2]),
        ("an empty base that is the value", [b""], []),
        ("a value that stays the same", [TEXT, TEXT, TEXT], [1]),
        ("lengths of three bytes", edits(4, LONG), [2]),
        ("a value that is replaced", [TEXT, LONG[:500]], []),
        ("as many deltas as there may be", [b"%d" % (n % 7) for n in range(1025)], [1000, 20]),
    ):
        yield name, KEY, Chain(KEY, values, counts).stored()
    yield "parts that end", KEY, Chain(KEY, edits(3), [1], ends=1_763_800_000_123).stored()
    yield "parts that end as late as there is", KEY, Chain(KEY, edits(3), ends=2**48 - 1).stored()


def changed(change):
    """The records of a chain after `change` had its way with it; what it does is sealed."""
    chain = Chain(KEY, edits(9), [2, 3])
    change(chain)
    return chain.stored()


def with_told(change):
    """A head whose fields are written otherwise, and sealed so."""
    chain = Chain(KEY, edits(4), [1])
    return chain.stored(chain.head(change(chain.told())))


def swap(items, a, b):
    items[a], items[b] = items[b], items[a]


def named(at, part_id=None, count=None, length=None):
    def change(chain):
        was = chain.named[at]
        new = (part_id, count, length)
        chain.named[at] = tuple(old if one is None else one for old, one in zip(was, new))

    return change


def set_to(**fields):
    return lambda chain: chain.__dict__.update(fields)


def replace_record(at, edit):
    def change(chain):
        chain.records[at] = edit(chain.records[at])
        chain.named[at] = (*chain.named[at][:2], len(chain.records[at]))

    return change


def exchange_in_record(chain):
    """Two deltas of the second record change places: their bytes, numbers and lengths are right, their order is not."""
    swap(chain.deltas, 2, 4)
    start = chain.records[1][:16]
    chain.records[1] = start + b"".join(varint(len(delta)) + delta for delta in chain.deltas[2:5])


def spoil_delta(chain):
    delta = bytearray(chain.inline[-1])
    delta[-1] ^= 1
    chain.inline[-1] = chain.deltas[-1] = bytes(delta)


def append_delta(chain):
    """All lengths are right; the seal knows nothing of it."""
    chain.inline.append(delta_of(chain.value, b"one more"))
    chain.total, chain.length, chain.value = chain.total + 8, 8, b"one more"


def drop_delta(chain):
    chain.inline.pop()
    chain.total, chain.value = chain.total - chain.length, edits(8)[-1]
    chain.length = len(chain.value)


def too_many(chain):
    values = [b"%d" % (n % 7) for n in range(1026)]
    chain.__dict__.update(Chain(KEY, values, [1000]).__dict__)


def sealed_lies():
    """What a writer says wrong, under a seal that is right."""
    ids = Chain(KEY, edits(9), [2, 3]).ids
    yield "a longer base than there is", set_to(base_length=len(TEXT) + 1)
    yield "another length of the value", set_to(length=len(TEXT) + 1)
    yield "another sum of lengths", set_to(total=8 * len(TEXT) + 1)
    yield "more bytes than may be made", set_to(total=2**28 + 1)
    yield "more deltas than there may be", too_many
    yield "a record of another count", named(1, count=2)
    yield "a record without deltas", lambda c: c.named.insert(1, (ids[1], 0, 16))
    yield "a shorter record than there is", lambda c: named(0, length=c.named[0][2] - 1)(c)
    yield "a longer record than there is", lambda c: named(0, length=c.named[0][2] + 1)(c)
    yield "a record that is not there", named(0, part_id=b"\xee" * 12)
    yield "the base for a record", named(0, part_id=ids[0])
    yield "one record twice", lambda c: named(1, *c.named[0])(c)
    yield "records in another order", lambda c: swap(c.named, 0, 1)
    yield "a record of another base", replace_record(0, lambda r: r[:2] + b"\xee" * 12 + r[14:])
    yield "a record of another first number", replace_record(1, lambda r: r[:14] + b"\x04" + r[15:])
    yield "a record that counts wrong", replace_record(1, lambda r: r[:15] + b"\x02" + r[16:])
    yield "a record of another kind", replace_record(1, lambda r: b"\xf9\x03" + r[2:])
    yield "a record with a byte behind its end", replace_record(1, lambda r: r + b"\0")
    yield "a record with a longer number", replace_record(1, lambda r: r[:14] + b"\x83\0" + r[15:])
    yield "deltas of a record in another order", exchange_in_record
    yield "a delta that cannot be applied", spoil_delta
    yield "a delta more than the seal tells", append_delta
    yield "a delta less than the seal tells", drop_delta


def cut_heads():
    raw = Chain(KEY, edits(2)).head()
    for length in (0, 1, 2, 33, 34, 45, 51, 52, 54, 56, 58, 59, 60, len(raw) - 1):
        yield f"a head of a chain cut to {length} bytes", {KEY: raw[:length]}
    whole = write_whole(KEY, TEXT)
    for length in (3, 5, 6, len(whole) - 1):
        yield f"a head with the value cut to {length} bytes", {KEY: whole[:length]}


def other_heads():
    chain = Chain(KEY, edits(9), [2, 3])
    stored, head = chain.stored(), chain.head()
    base, record = stored[part_key(KEY, chain.ids[0])], chain.records[0]
    whole = write_whole(KEY, TEXT)
    yield "a value that no layer wrote", {KEY: TEXT}
    for second in (0, 5, 255):
        yield f"a head of kind {second}", {**stored, KEY: b"\xf9" + bytes([second]) + head[2:]}
    yield "a head of another format", {**stored, KEY: b"\xfa" + head[1:]}
    yield "a base at the key of a user", {**stored, KEY: base}
    yield "a delta record at the key of a user", {**stored, KEY: record}
    yield "a head with a byte behind its end", {**stored, KEY: head + b"\0"}
    yield "a head with another seal", {**stored, KEY: head[:2] + bytes([head[2] ^ 128]) + head[3:]}
    yield "a whole value with a byte behind its end", {KEY: whole + b"\0"}
    yield "a whole value with another checksum", {KEY: whole[:5] + bytes([whole[5] ^ 1]) + whole[6:]}
    yield "a whole value of another key", {KEY: write_whole("another", TEXT)}
    other = Chain("another", edits(9), [2, 3])
    moved = dict(zip(stored, other.stored().values()))
    yield "a chain of another key", moved
    yield "a head of another chain", {**stored, KEY: Chain(KEY, edits(9)[::-1], [2, 3]).head()}


def other_numbers():
    """The same numbers in more bytes than they need, under a right seal."""
    told = Chain(KEY, edits(4), [1]).told()
    length = len(varint(len(TEXT)))
    numbers = [18, 18 + length, 18 + 2 * length, 18 + 3 * length, 31 + 3 * length]
    for name, start in zip(("base", "value", "sum", "r", "deltas in a record"), numbers):
        end = next(at for at in range(start, len(told)) if told[at] < 128)
        longer = bytes([told[end] | 128, 0])
        yield f"a longer number: {name}", with_told(lambda t: t[:end] + longer + t[end + 1 :])
    yield "a longer number: m", with_told(lambda t: t[:-1] + bytes([t[-1] | 128, 0]))
    yield "a number over 32 bits", with_told(lambda t: t[:18] + b"\xff\xff\xff\xff\x1f" + t[18 + length :])
    yield "a count that nothing follows", {KEY: b"\xf9\x02" + bytes(53) + b"\xff\xff\xff\xff\x0f"}


def other_parts():
    chain = Chain(KEY, edits(9), [2, 3])
    stored = chain.stored()
    keys = [part_key(KEY, part_id) for part_id in chain.ids]
    names = ("base", "first record", "second record")
    for name, key in zip(names, keys):
        yield f"the {name} is missing", {k: v for k, v in stored.items() if k != key}
        yield f"the {name} is cut", {**stored, key: stored[key][:-1]}
        yield f"the {name} is empty", {**stored, key: b""}
        yield f"the {name} has another byte", {**stored, key: stored[key][:-3] + b"?" + stored[key][-2:]}
        yield f"the {name} is a head", {**stored, key: stored[KEY]}
    yield "the base is longer", {**stored, keys[0]: stored[keys[0]] + b"!"}
    yield "the records changed places", {**stored, keys[1]: stored[keys[2]], keys[2]: stored[keys[1]]}


def damaged():
    for name, change in sealed_lies():
        yield name, changed(change), MAX_OUTPUT
    for damages in (cut_heads(), other_heads(), other_numbers(), other_parts()):
        for name, stored in damages:
            yield name, stored, MAX_OUTPUT


def too_large():
    size = len(TEXT)
    yield "a whole value that is too long", {KEY: write_whole(KEY, TEXT)}, size - 1
    yield "a chain whose value is too long", Chain(KEY, edits(3)).stored(), size - 1
    yield "a base that is too long", Chain(KEY, [TEXT, TEXT[:200]]).stored(), 200
    yield "a value in between that is too long", Chain(KEY, [TEXT[:200], TEXT, TEXT[:200]], [1]).stored(), 200


def outcome(key, stored, max_output=MAX_OUTPUT):
    try:
        return {"value": read(key, stored, max_output).hex()}
    except TooLarge:
        return {"refused": "VALUE_TOO_LARGE"}
    except Refused:
        return {"refused": "CORRUPT"}


def hexed(stored):
    return {key: raw.hex() for key, raw in stored.items()}


def vectors():
    for name, key, stored in readable():
        found = outcome(key, stored)
        assert "value" in found, name
        yield {"name": name, "key": key, "records": hexed(stored), **found}
    refused = [(*one, "CORRUPT") for one in damaged()] + [(*one, "VALUE_TOO_LARGE") for one in too_large()]
    for name, stored, most, code in refused:
        assert outcome(KEY, stored, most) == {"refused": code}, name
        limit = {"maxOutputBytes": most} if most != MAX_OUTPUT else {}
        yield {"name": name, "key": KEY, "records": hexed(stored), **limit, "refused": code}


def chain_told(raw):
    """What the head of a chain says of itself, for whoever wants to know what was tested."""
    if raw[:2] != b"\xf9\x02":
        return None
    head = Head(raw)
    counts = [count for _, count, _ in head.records]
    ids = [part_id.hex() for part_id in (head.base_id, *(part_id for part_id, _, _ in head.records))]
    return {"ends": head.ends, "counts": counts, "inline": len(head.inline), "ids": ids}


def answer_read(case):
    stored = {key: bytes.fromhex(raw) for key, raw in case["records"].items()}
    found = outcome(case["key"], stored, case.get("maxOutputBytes", MAX_OUTPUT))
    return found if "refused" in found else {**found, "chain": chain_told(stored[case["key"]])}


def answer_write(case):
    key, values = case["key"], [bytes.fromhex(value) for value in case["values"]]
    if case["counts"] is None:
        return hexed({key: write_whole(key, values[-1])})
    ids = [bytes.fromhex(one) for one in case["ids"]]
    return hexed(Chain(key, values, case["counts"], case["ends"], ids).stored())


def answer_lines(answer):
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("records.json")
    if sys.argv[1:] == ["--read"]:
        answer_lines(answer_read)
    elif sys.argv[1:] == ["--write"]:
        answer_lines(answer_write)
    else:
        text = json.dumps(list(vectors()), indent=2) + "\n"
        if sys.argv[1:] == ["--check"]:
            sys.exit(path.read_text() != text)
        path.write_text(text)
