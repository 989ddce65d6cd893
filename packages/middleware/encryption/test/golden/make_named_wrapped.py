"""Records under hashed key names whose data keys a service wrapped: flag bits 5 and 6 in one envelope.

    python3 make_named_wrapped.py            write named-wrapped.json beside this file
    python3 make_named_wrapped.py --check    fail if named-wrapped.json is not what would be written
    python3 make_named_wrapped.py --open     read one JSON record a line, print its value in hexadecimal, or `refused: reason`
"""

import json
import struct

from make import TRUE_KEY, WRAPPED, seal, stream
from make_named import named, naming_of, seal_named, unseal_named
from make_names import internal, within
from make_wrapped import data_key_of, provider, section_of, wrapped_keys
from program import Refused, answer_with, run


def unseal(record):
    return unseal_named(record, lambda section: data_key_of(section, record))


def both(name, canonical, value, count=1, **changes):
    record = named(name, canonical, value, **changes)
    return record | {
        "keyId": "kms",
        "root": stream("data key of " + name, 32).hex(),
        "kmsContext": {"unikv:dataset": record["dataset"]} | changes.get("kmsContext", {}),
        "providers": [provider(f"local-{i}") for i in range(count)],
    }


def sealed(record, section=None, **changes):
    section = section_of(wrapped_keys(record)) if section is None else section
    return seal_named(record | {"section": section}, stream("salt of " + record["name"], 32), **changes)


def cases():
    yield both("a root key", "ada", b"Ada Lovelace")
    yield both("an empty value", "ada", b"")
    yield both("a key of 1,024 bytes", "k" * 1024, b"long")
    yield both("a key in Greek", "χρήστης", b"named by people")
    yield both("a namespace", within(["team"], "ada"), b"in a team")
    yield both("seven namespaces", within(list("abcdefg"), "ada"), b"deep")
    yield both("a chunk of a value", internal("c", "ada", "3"), b"chunk", kind="chunk")
    yield both("three providers", "ada", b"wrapped by several", 3)
    yield both("padding", "ada", b"padded", padding="padme")
    yield both("chunks", "ada", stream("chunks", 3000), chunkBytes=1024)
    yield both("padding and chunks", within(["team"], "ada"), stream("both", 5000), 2, chunkBytes=1024, padding="padme")
    yield both("AES-128", "ada", b"the cipher of the paper", algorithm="aes-128-gcm")
    yield both("ChaCha20-Poly1305", "ada", b"another cipher", algorithm="chacha20-poly1305")
    yield both("another dataset", "ada", b"in Greek", dataset="χρήστες")
    yield both("an encryption context", "ada", b"bound in the service", kmsContext={"tenant": "7"})


def refusals():
    plain = both("a root key", "ada", b"refused")
    keys = wrapped_keys(plain)
    [(name, info, blob)] = keys
    good = sealed(plain)
    ids_end = 8 + len("mainkms")
    index_at = ids_end + struct.unpack(">H", good[ids_end : ids_end + 2])[0]
    yield "the true key of another record", "AUTHENTICATION_FAILED", sealed(plain, true_key="bob")
    yield "no flag of a true key", "CORRUPT", sealed(plain, flags=WRAPPED)
    elsewhere = plain | {"stored": naming_of(plain).stored("bob")}
    yield "a record from another place", "AUTHENTICATION_FAILED", sealed(elsewhere)
    yield "the section and its flag taken away", "UNKNOWN_KEY_ID", good[:6] + bytes([TRUE_KEY]) + good[7:ids_end] + good[index_at:]
    yield "the flag of the true key taken away", "CORRUPT", good[:6] + bytes([WRAPPED]) + good[7:]
    yield "no wrapped key", "CORRUPT", sealed(plain, section_of(keys, count=0))
    yield "an unknown provider", "UNKNOWN_KEY_ID", sealed(plain, section_of([("other", info, blob)]))
    other = sealed(both("other", "ada", b"other"))
    other_at = ids_end + struct.unpack(">H", other[ids_end : ids_end + 2])[0]
    yield "the section of another record", "AUTHENTICATION_FAILED", good[:ids_end] + other[ids_end:other_at] + good[index_at:]
    at = plain | {"key": plain["stored"], "section": section_of(keys)}
    for what, content in [
        ("a true key longer than the record", struct.pack(">II", 0, 2**32 - 1) + b"ada"),
        ("a value longer than what follows the key", struct.pack(">II", 9, 3) + b"ada" + b"refused"),
    ]:
        yield what, "CORRUPT", seal(at, stream("salt of refusals", 32), plaintext=content, flags=TRUE_KEY | WRAPPED)


def golden():
    records, refused = [], []
    for record in cases():
        record["envelope"] = sealed(record).hex()
        assert unseal(record).hex() == record["value"]
        records.append(record)
    for name, code, envelope in refusals():
        try:
            unseal(records[0] | {"envelope": envelope.hex()})
            raise AssertionError(name)
        except Refused:
            refused.append({"name": name, "code": code, "envelope": envelope.hex()})
    return json.dumps({"records": records, "refused": refused}, indent=2) + "\n"


if __name__ == "__main__":
    run("named-wrapped.json", golden, "--open", answer_with(unseal))
