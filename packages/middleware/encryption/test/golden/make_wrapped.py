"""Golden envelopes with wrapped data keys (flag bit 5), by the implementation in make.py.

    python3 make_wrapped.py            write wrapped.json beside this file
    python3 make_wrapped.py --check    fail if wrapped.json is not what would be written
    python3 make_wrapped.py --open     read one JSON record a line, print its value in hexadecimal, or `refused: reason`

A provider is the local one: its blob is an envelope of kind `data-key`, sealed with a key of a keyring.
"""

import json
import struct

import make
from make import CHUNKED, PADDED, SUITES, WRAPPED, case, stream
from program import Refused, answer_with, run


def context_text(context):
    return json.dumps(sorted(context.items()), separators=(",", ":"), ensure_ascii=False).encode()


def blob_record(provider, context):
    """What a local provider's blob is sealed as."""
    return case(
        "",
        keyId=provider["info"],
        root=provider["root"],
        dataset="unikv:data-keys",
        kind="data-key",
        key="",
        context=context_text(context).hex(),
    )


def wrap(provider, context, data_key, **changes):
    record = blob_record(provider, context) | {"value": data_key.hex()} | changes
    return make.seal(record, stream(f"salt of {provider['id']}", 32))


def part(length_format, data):
    return struct.pack(length_format, len(data)) + data


def section_of(keys, length=None, count=None, rest=b""):
    body = b"".join(part(">B", name.encode()) + part(">H", info.encode()) + part(">H", blob) for name, info, blob in keys)
    body = bytes([len(keys) if count is None else count]) + body + rest
    return struct.pack(">H", 2 + len(body) if length is None else length) + body


def wrapped_keys(record, **changes):
    data_key = bytes.fromhex(record["root"])
    return [
        (one["id"], one["info"], wrap(one, record["kmsContext"], data_key, **changes)) for one in record["providers"]
    ]


def seal(record, section=None):
    section = section_of(wrapped_keys(record)) if section is None else section
    flags = WRAPPED | (CHUNKED if record.get("chunkBytes") else 0)
    flags |= PADDED if record.get("padding", "none") != "none" else 0
    return make.seal(record | {"section": section}, stream("salt of " + record["name"], 32), flags=flags)


def sections(section):
    """The wrapped keys of a section, after all checks."""
    if not 1 <= section[2] <= 8:
        raise Refused("wrong count")
    at, keys = 3, []

    def take(length_format):
        nonlocal at
        size = struct.calcsize(length_format)
        if at + size > len(section):
            raise Refused("past the end")
        start = at + size
        at = start + struct.unpack(length_format, section[at:start])[0]
        if at > len(section):
            raise Refused("past the end")
        return section[start:at]

    while len(keys) < section[2]:
        keys.append((take(">B").decode("latin1"), take(">H").decode("latin1"), take(">H")))
        if not 1 <= len(keys[-1][0]) <= 32 or not keys[-1][2]:
            raise Refused("empty part")
    if at != len(section):
        raise Refused("something behind the last")
    return keys


def data_key_of(section, record):
    for name, info, blob in sections(section):
        for provider in record["providers"]:
            if (provider["id"], provider["info"]) == (name, info):
                data_key = make.unseal(blob_record(provider, record["kmsContext"]) | {"envelope": blob.hex()})
                if len(data_key) != 32:
                    raise Refused("no data key")
                return data_key
    raise Refused("unknown provider")


def unseal(record):
    known = WRAPPED | CHUNKED | PADDED
    return make.value_inside(*make.opened(record, known, lambda section: data_key_of(section, record)))


def provider(name, info="w1"):
    return {"id": name, "info": info, "root": stream(f"root of {name} {info}", 32).hex()}


def wrapped_case(name, value=b"", count=1, **changes):
    record = case(name, value) | {
        "keyId": "kms",
        "root": stream("data key of " + name, 32).hex(),
        "kmsContext": {"unikv:dataset": changes.get("dataset", "users")},
        "providers": [provider(f"local-{i}") for i in range(count)],
    }
    return record | changes


def cases():
    yield wrapped_case("an empty value")
    yield wrapped_case("text", "Grüße, 世界 🌍".encode())
    for count in (2, 3, 8):
        yield wrapped_case(f"{count} providers", b"wrapped by several", count)
    for algorithm in SUITES:
        yield wrapped_case(f"{algorithm}, 1,000 bytes", stream("value 1000", 1000), algorithm=algorithm)
        yield wrapped_case(f"{algorithm} with padding", b"padded", algorithm=algorithm, padding="padme")
        yield wrapped_case(f"{algorithm} in chunks", stream("value 3000", 3000), algorithm=algorithm, chunkBytes=1024)
    yield wrapped_case("padding and chunks", stream("value 3000", 3000), 2, padding="padme", chunkBytes=1024)
    yield wrapped_case("longest names", b"all as long as may be", keyringId="eu-west-1", keyId="kms-key", providers=[provider("p" * 32, "2026-11-22")])
    context = {"unikv:dataset": "users", "tenant": "7", "Zone": "eu", "ort": "Köln \"Süd\""}
    yield wrapped_case("an encryption context of several names", b"bound in the service", kmsContext=context)
    yield wrapped_case("a dataset in Greek", b"named by people", dataset="χρήστες", codec="json", context=b"tenant 42".hex())
    yield wrapped_case("one of a batch", b"the 63rd", index=62)


def refusals():
    record = wrapped_case("refused", b"refused")
    keys = wrapped_keys(record)
    [(name, info, blob)] = keys
    sealed = lambda section: seal(record, section)  # noqa: E731
    yield "no key", "CORRUPT", sealed(section_of(keys, count=0))
    yield "nine keys", "CORRUPT", sealed(section_of(keys * 9))
    yield "two keys where there is one", "CORRUPT", sealed(section_of(keys, count=2))
    yield "a byte behind the last key", "CORRUPT", sealed(section_of(keys, rest=b"\x00"))
    yield "an empty blob", "CORRUPT", sealed(section_of([(name, info, b"")]))
    yield "an empty provider", "CORRUPT", sealed(section_of([("", info, blob)]))
    yield "a provider of 33 characters", "CORRUPT", sealed(section_of([("p" * 33, info, blob)]))
    yield "a provider with a blank", "CORRUPT", sealed(section_of([("a b", info, blob)]))
    for length in (0, 2, 9, 4097, 65535):
        yield f"a length of {length}", "CORRUPT", sealed(section_of(keys, length=length))
    yield "an unknown provider", "UNKNOWN_KEY_ID", sealed(section_of([("other", info, blob)]))
    other_root = provider(name) | {"root": stream("another root", 32).hex()}
    data_key = bytes.fromhex(record["root"])
    swap = lambda blob: sealed(section_of([(name, info, blob)]))  # noqa: E731
    yield "a blob of other key bytes", "AUTHENTICATION_FAILED", swap(wrap(other_root, record["kmsContext"], data_key))
    yield "a blob of another context", "AUTHENTICATION_FAILED", swap(wrap(provider(name), {"a": "b"}, data_key))
    yield "a blob that is a value", "AUTHENTICATION_FAILED", swap(wrap(provider(name), record["kmsContext"], data_key, kind="value"))
    yield "a blob of another data key", "AUTHENTICATION_FAILED", swap(wrap(provider(name), record["kmsContext"], stream("other", 32)))
    yield "a data key of 31 bytes", "AUTHENTICATION_FAILED", swap(wrap(provider(name), record["kmsContext"], data_key[:31]))
    yield "a data key of 33 bytes", "AUTHENTICATION_FAILED", swap(wrap(provider(name), record["kmsContext"], data_key + b"\x00"))
    good = seal(record)
    ids_end = 8 + len("mainkms")
    other = seal(wrapped_case("other", b"other"))
    index_at = ids_end + struct.unpack(">H", good[ids_end : ids_end + 2])[0]
    yield "the section of another record", "AUTHENTICATION_FAILED", good[:ids_end] + other[ids_end:index_at] + good[index_at:]
    yield "the section taken away", "CORRUPT", good[:ids_end] + good[index_at:]
    yield "the section and its flag taken away", "UNKNOWN_KEY_ID", good[:6] + b"\x00" + good[7:ids_end] + good[index_at:]
    yield "a provider more", "AUTHENTICATION_FAILED", good[:ids_end] + section_of(keys + [("more", "", b"x")]) + good[index_at:]
    yield "other keys", "UNKNOWN_KEY_ID", seal(record | {"keyringId": "other"})


def golden():
    envelopes, refused = [], []
    for record in cases():
        record["envelope"] = seal(record).hex()
        assert unseal(record) == make.value_of(record)
        envelopes.append(record)
    for name, code, envelope in refusals():
        try:
            unseal(wrapped_case("refused") | {"envelope": envelope.hex()})
            raise AssertionError(name)
        except Refused:
            refused.append({"name": name, "code": code, "envelope": envelope.hex()})
    return json.dumps({"envelopes": envelopes, "refused": refused}, indent=2) + "\n"


if __name__ == "__main__":
    run("wrapped.json", golden, "--open", answer_with(unseal))
