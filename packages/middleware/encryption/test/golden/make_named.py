"""Records under hashed key names: the envelope of make.py with the true key inside, under the name of make_names.py.

    python3 make_named.py            write named.json beside this file
    python3 make_named.py --check    fail if named.json is not what would be written
    python3 make_named.py --open     read one JSON record a line, print its value in hexadecimal, or `refused: reason`

Needs the package `cryptography`. It shares nothing with the TypeScript sources.
"""

import json
import struct

from make import CHUNKED, PADDED, TRUE_KEY, WRAPPED, case, opened, padded_length, seal, stream
from make_names import Naming, internal, key_of, within
from program import Refused, answer_with, run


def naming_of(record):
    return Naming(bytes.fromhex(record["nameKey"]), record["dataset"])


def inside(record, true_key=None):
    key = (record["canonical"] if true_key is None else true_key).encode()
    value = bytes.fromhex(record["value"])
    content = struct.pack(">I", len(key)) + key + value
    content += bytes(padded_length(len(content), record.get("padding", "none")) - len(content))
    if record.get("chunkBytes"):
        return content + struct.pack(">Q", len(value))
    return struct.pack(">I", len(value)) + content


def seal_named(record, salt, true_key=None, flags=None):
    if flags is None:
        flags = TRUE_KEY | (CHUNKED if record.get("chunkBytes") else 0) | (WRAPPED if "section" in record else 0)
        flags |= PADDED if record.get("padding", "none") != "none" else 0
    stored = record | {"key": record["stored"]}
    return seal(stored, salt, plaintext=inside(record, true_key), flags=flags)


def unseal_named(record, root_of=None):
    at = record | {"key": naming_of(record).stored(record["canonical"])}
    plaintext, flags = opened(at, TRUE_KEY | PADDED | CHUNKED | (WRAPPED if root_of else 0), root_of)
    if not flags & TRUE_KEY:
        raise Refused("no true key")
    if flags & CHUNKED:
        length, content = struct.unpack(">Q", plaintext[-8:])[0], plaintext[:-8]
    else:
        length, content = struct.unpack(">I", plaintext[:4])[0], plaintext[4:]
    if len(content) < 4 or struct.unpack(">I", content[:4])[0] > len(content) - 4:
        raise Refused("wrong length of the true key")
    key_length = struct.unpack(">I", content[:4])[0]
    if content[4 : 4 + key_length] != record["canonical"].encode():
        raise Refused("another key")
    value, padding = content[4 + key_length :][:length], content[4 + key_length + length :]
    if len(value) != length or any(padding) or bool(padding) != bool(flags & PADDED):
        raise Refused("wrong true length")
    return value


def named(name, canonical, value, **changes):
    record = case(name, value, nameKey=key_of("name key 1").hex(), canonical=canonical, **changes)
    del record["key"]
    return record | {"stored": naming_of(record).stored(canonical)}


def cases():
    yield named("a root key", "ada", b"Ada Lovelace")
    yield named("an empty value", "ada", b"")
    yield named("a key of 1,024 bytes", "k" * 1024, b"long")
    yield named("a key in Greek", "χρήστης", b"named by people")
    yield named("a namespace", within(["team"], "ada"), b"in a team")
    yield named("seven namespaces", within(list("abcdefg"), "ada"), b"deep")
    yield named("an internal record", internal("i", within(["team"], "ada"), "part"), b"index")
    yield named("a chunk of a value", internal("c", "ada", "3"), b"chunk", kind="chunk")
    yield named("padding", "ada", b"padded", padding="padme")
    yield named("padding to a multiple", "ada", stream("padded", 300), padding={"toMultipleOf": 256})
    yield named("chunks", "ada", stream("chunks", 3000), chunkBytes=1024)
    yield named("padding and chunks", within(["team"], "ada"), stream("both", 5000), chunkBytes=1024, padding="padme")
    yield named("AES-128", "ada", b"the cipher of the paper", algorithm="aes-128-gcm")
    yield named("ChaCha20-Poly1305", "ada", b"another cipher", algorithm="chacha20-poly1305")
    yield named("another dataset", "ada", b"in Greek", dataset="χρήστες")


def refusals():
    plain = named("", "ada", b"refused")
    salt = stream("salt of refusals", 32)
    yield "the true key of another record", "AUTHENTICATION_FAILED", seal_named(plain, salt, true_key="bob")
    yield "no flag of a true key", "CORRUPT", seal_named(plain, salt, flags=0)
    yield "a record of plain names", "CORRUPT", seal(plain | {"key": plain["stored"]}, salt)
    elsewhere = plain | {"stored": naming_of(plain).stored("bob")}
    yield "a record from another place", "AUTHENTICATION_FAILED", seal_named(elsewhere, salt)
    stored = plain | {"key": plain["stored"]}
    for what, content in [
        ("a true key longer than the record", struct.pack(">II", 0, 2**32 - 1) + b"ada"),
        ("no room for a true key", struct.pack(">I", 0)),
        ("a true key that is no UTF-8", struct.pack(">II", 0, 3) + b"\xff\xfe\xfd"),
        ("a value longer than what follows the key", struct.pack(">II", 9, 3) + b"ada" + b"refused"),
    ]:
        yield what, "CORRUPT", seal(stored, salt, plaintext=content, flags=TRUE_KEY)


def golden():
    records = []
    for record in cases():
        record["envelope"] = seal_named(record, stream("salt of " + record["name"], 32)).hex()
        assert unseal_named(record).hex() == record["value"]
        records.append(record)
    refused = [{"name": name, "code": code, "envelope": envelope.hex()} for name, code, envelope in refusals()]
    return json.dumps({"records": records, "refused": refused}, indent=2) + "\n"


if __name__ == "__main__":
    run("named.json", golden, "--open", answer_with(unseal_named))
