"""Golden envelopes of every suite with every flag and kind, by the implementation in make.py.

    python3 make_flags.py            write flags.json beside this file
    python3 make_flags.py --check    fail if flags.json is not what would be written
"""

import json

from make import CHUNKED, PADDED, SUITES, case, plaintext_of, seal, stream, unseal, value_of
from program import Refused, run

KINDS = ("value", "cache-entry", "delta-base", "delta", "chunk", "warm-restart", "transaction")
PADDINGS = ("none", "padme", {"toMultipleOf": 16}, {"toMultipleOf": 100})
# Around the ends of chunks of 1,024 bytes, of which the last 8 are the true length.
LENGTHS = (0, 1, 100, 1015, 1016, 1017, 1024, 2040, 2041)


def name_of(algorithm, kind, padding, chunk_bytes, length):
    padded = padding if isinstance(padding, str) else f"to {padding['toMultipleOf']}"
    return f"{algorithm}, {kind}, {length} bytes, padding {padded}, chunks {chunk_bytes or 'none'}"


def flagged(algorithm, kind, padding, chunk_bytes, length, **more):
    name = name_of(algorithm, kind, padding, chunk_bytes, length)
    value = {"stream": f"value {length}", "bytes": length}
    changes = {"algorithm": algorithm, "kind": kind, "padding": padding, "chunkBytes": chunk_bytes, "value": value}
    return case(name) | changes | more


def cases():
    number = 0
    for algorithm in SUITES:
        for padding in PADDINGS:
            for kind in KINDS:
                number += 1
                yield flagged(algorithm, kind, padding, None, (0, 1, 15, 16, 31, 32, 33, 999, 1000)[number % 9])
                yield flagged(algorithm, kind, padding, 1024, (0, 1, 100, 300, 700, 1015, 1016, 1017)[number % 8])
    for algorithm in SUITES:
        for length in LENGTHS:
            yield flagged(algorithm, "value", "none", 1024, length, name=f"{algorithm}, {length} bytes in chunks")
        yield flagged(algorithm, "value", "padme", 4096, 5000)
        yield flagged(algorithm, "delta", "padme", 16_777_216, 50)
        yield flagged(algorithm, "chunk", "none", None, 300, index=62, key="\u0000cada0\u00001")
    yield flagged("chacha20-poly1305", "value", "none", 1024, 3000, index=7, dataset="χρήστες", codec="json")


def inside(**changes):
    """What only a holder of the key can make: authentic, and wrong."""
    value = b"refused"
    options = {"flags": 0, "padding": "none"} | changes
    return plaintext_of(value, **options)


def refusals():
    salt = stream("salt of refused flags", 32)
    in_one = case("", b"refused")
    padded = in_one | {"padding": {"toMultipleOf": 16}}
    chunked = in_one | {"chunkBytes": 1024}
    both = padded | chunked
    zeros, text = bytes(9), bytes(4) + b"x" + bytes(4)
    for what, record, flags in (("", padded, PADDED), (" in chunks", both, PADDED | CHUNKED)):
        at = {"flags": flags}
        yield f"padding that is not there{what}", "CORRUPT", seal(record, salt, inside(**at, padding_bytes=b""))
        yield f"padding with text in it{what}", "CORRUPT", seal(record, salt, inside(**at, padding_bytes=text))
        yield f"padding that ends in text{what}", "CORRUPT", seal(record, salt, inside(**at, padding_bytes=zeros + b"x"))
        yield f"padding that starts with text{what}", "CORRUPT", seal(record, salt, inside(**at, padding_bytes=b"x" + zeros))
        for length in (6, 17, 2**32 - 1):
            wrong = inside(**at, padding_bytes=zeros, true_length=length)
            yield f"a true length of {length}{what}", "CORRUPT", seal(record, salt, wrong)
    unflagged = inside(flags=0, padding_bytes=zeros)
    yield "padding without its flag", "CORRUPT", seal(in_one, salt, unflagged)
    yield "padding without its flag in chunks", "CORRUPT", seal(chunked, salt, inside(flags=CHUNKED, padding_bytes=zeros))
    for length in (6, 8, 2**32 + 7, 2**53 + 7, 2**64 - 1):
        wrong = inside(flags=CHUNKED, true_length=length)
        yield f"a true length of {length} at the end", "CORRUPT", seal(chunked, salt, wrong)
    yield "chunks without their flag", "AUTHENTICATION_FAILED", seal(chunked, salt, flags=0)
    yield "no chunk at all", "CORRUPT", seal(chunked, salt)[: 8 + 6 + 68 + 1]
    yield "seven bytes in a chunk", "CORRUPT", seal(chunked, salt, b"sevenby")
    for exponent in (0, 9, 25, 32, 255):
        sized = bytearray(seal(chunked, salt))
        sized[8 + 6 + 68] = exponent
        yield f"chunks of 2^{exponent} bytes", "CORRUPT", bytes(sized)
    yield "another size of chunks", "AUTHENTICATION_FAILED", resized(seal(chunked, salt), 11)
    long = chunked | {"value": {"stream": "long", "bytes": 3000}}
    whole = seal(long, salt)
    head, body = whole[:83], whole[83:]
    chunk = 1024 + 16
    pieces = [body[at : at + chunk] for at in range(0, len(body), chunk)]
    orders = {"dropped first": [1, 2], "dropped second": [0, 2], "dropped last": [0, 1], "exchanged": [1, 0, 2]}
    orders |= {"repeated": [0, 0, 1, 2], "repeated last": [0, 1, 2, 2], "last alone": [2], "first alone": [0]}
    for what, order in orders.items():
        yield f"a chunk {what}", "AUTHENTICATION_FAILED", head + b"".join(pieces[i] for i in order)
    yield "a byte behind the last chunk", "AUTHENTICATION_FAILED", whole + b"\x00"
    yield "cut within the last chunk", "AUTHENTICATION_FAILED", whole[:-1]
    yield "cut after sixteen bytes of a chunk", "AUTHENTICATION_FAILED", head + body[: 2 * chunk + 16]
    for flags in (0x01, 0x02, 0x04, 0x20, 0x40, 0x80, 0x38, 0xFF):
        yield f"flags {flags:02x}", "CORRUPT", seal(in_one, salt, flags=flags)
    for flags, code in ((0x08, "AUTHENTICATION_FAILED"), (0x18, "AUTHENTICATION_FAILED")):
        changed = bytearray(seal(chunked, salt))
        changed[6] = flags
        yield f"flags changed to {flags:02x}", code, bytes(changed)


def resized(envelope, exponent):
    return envelope[:82] + bytes([exponent]) + envelope[83:]


def golden():
    envelopes = []
    for record in cases():
        envelope = seal(record, stream("salt of " + record["name"], 32)).hex()
        record["envelope"] = envelope
        assert unseal(record) == value_of(record)
        envelopes.append(record)
    assert len({record["name"] for record in envelopes}) == len(envelopes)
    refused = []
    for name, code, envelope in refusals():
        try:
            unseal(case("") | {"envelope": envelope.hex()})
            raise AssertionError(name)
        except Refused:
            refused.append({"name": name, "code": code, "envelope": envelope.hex()})
    return json.dumps({"envelopes": envelopes, "refused": refused}, indent=2, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    run("flags.json", golden)
