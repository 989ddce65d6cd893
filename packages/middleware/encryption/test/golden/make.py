"""An independent implementation of the unikv envelope, format 1, after docs/reference/envelope.md.

    python3 make.py            write envelopes.json beside this file
    python3 make.py --check    fail if envelopes.json is not what would be written
    python3 make.py --open     read one JSON record a line, print its value in hexadecimal, or `refused: reason`

Needs the package `cryptography`. It shares nothing with the TypeScript sources.
"""

import hashlib
import hmac
import json
import pathlib
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC = bytes.fromhex("9e756b76")
SUITES = {"aes-256-gcm": (1, 32), "aes-128-gcm": (2, 16)}


class Refused(Exception):
    pass


def derive(root, salt, algorithm):
    info = b"unikv/1/" + algorithm.encode() + b"/envelope"
    out = HKDF(algorithm=hashes.SHA256(), length=64, salt=salt, info=info).derive(root)
    return out[: SUITES[algorithm][1]], out[32:]


def prefixed(*fields):
    return b"".join(struct.pack(">I", len(field)) + field for field in fields)


def associated_data(header, record):
    return prefixed(
        header,
        record["dataset"].encode(),
        record["kind"].encode(),
        record["codec"].encode(),
        bytes.fromhex(record["context"]),
        record["key"].encode(),
    )


def header_of(record, salt, commitment, flags=0, version=1, suite=None):
    ring, key = record["keyringId"].encode(), record["keyId"].encode()
    return (
        MAGIC
        + bytes([version, suite or SUITES[record["algorithm"]][0], flags, len(ring) << 4 | len(key)])
        + ring
        + key
        + struct.pack(">I", record["index"])
        + salt
        + commitment
    )


def seal(record, salt, true_length=None, **header):
    value = bytes.fromhex(record["value"])
    key, commitment = derive(bytes.fromhex(record["root"]), salt, record["algorithm"])
    head = header_of(record, salt, commitment, **header)
    plaintext = struct.pack(">I", len(value) if true_length is None else true_length) + value
    nonce = bytes(8) + struct.pack(">I", record["index"])
    return head + AESGCM(key).encrypt(nonce, plaintext, associated_data(head, record))


def unseal(record):
    envelope = bytes.fromhex(record["envelope"])
    if len(envelope) < 8 or envelope[:4] != MAGIC or envelope[4] != 1 or envelope[6] != 0:
        raise Refused("no envelope of format 1")
    algorithm = {number: name for name, (number, _) in SUITES.items()}.get(envelope[5])
    if algorithm is None:
        raise Refused("unknown suite")
    ring_bytes, key_bytes = envelope[7] >> 4, envelope[7] & 15
    index_at = 8 + ring_bytes + key_bytes
    body_at = index_at + 68
    if len(envelope) < body_at + 20:
        raise Refused("cut short")
    ring, key_id = envelope[8 : 8 + ring_bytes].decode("latin1"), envelope[8 + ring_bytes : index_at].decode("latin1")
    if (ring, key_id) != (record["keyringId"], record["keyId"]):
        raise Refused("unknown key")
    salt, commitment = envelope[index_at + 4 : index_at + 36], envelope[index_at + 36 : body_at]
    key, expected = derive(bytes.fromhex(record["root"]), salt, algorithm)
    if not hmac.compare_digest(commitment, expected):
        raise Refused("not authentic")
    nonce = bytes(8) + envelope[index_at : index_at + 4]
    try:
        plaintext = AESGCM(key).decrypt(nonce, envelope[body_at:], associated_data(envelope[:body_at], record))
    except InvalidTag:
        raise Refused("not authentic") from None
    if struct.unpack(">I", plaintext[:4])[0] != len(plaintext) - 4:
        raise Refused("wrong true length")
    return plaintext[4:]


def stream(seed, length):
    """Bytes that look random and are the same on every run."""
    blocks = (hashlib.sha256(f"{seed}/{i}".encode()).digest() for i in range(length // 32 + 1))
    return b"".join(blocks)[:length]


def case(name, value=b"", **changes):
    record = {
        "name": name,
        "algorithm": "aes-256-gcm",
        "keyringId": "main",
        "keyId": "k1",
        "root": stream("root k1", 32).hex(),
        "index": 0,
        "dataset": "users",
        "key": "ada",
        "kind": "value",
        "codec": "",
        "context": "",
        "value": value.hex(),
    }
    return record | changes


def cases():
    yield case("an empty value")
    yield case("one byte", b"\x00")
    yield case("text", "Grüße, 世界 🌍".encode())
    yield case("JSON", b'{"name":"Ada Lovelace","born":1815}')
    for length in (12, 15, 16, 17, 31, 32, 33, 1024, 4095, 4096, 10_000):
        yield case(f"{length} bytes", stream(f"value {length}", length))
    yield case("AES-128", b"the cipher of the paper", algorithm="aes-128-gcm")
    yield case("AES-128, 1,000 bytes", stream("value 1000", 1000), algorithm="aes-128-gcm")
    yield case("another key", b"after a rotation", keyId="k2", root=stream("root k2", 32).hex())
    yield case("longest identifiers", b"16 bytes together", keyringId="eu-west-1", keyId="2026-11")
    yield case("shortest identifiers", b"2 bytes together", keyringId="m", keyId="1")
    yield case("one of a batch", b"the 63rd", index=62)
    yield case("the last index of a batch", b"the 65,536th", index=65_535)
    yield case("an index above every batch", b"allowed to read", index=2**32 - 1)
    yield case("a key with every kind of character", b"opaque", key="\u0001team\u0002a/b:c d\n\u0000é e\u0301 \U0001f511\uffff")
    yield case("the longest portable key", b"180 bytes", key="k" * 180)
    yield case("a dataset in Greek", b"named by people", dataset="χρήστες")
    yield case("a codec and a context", b"bound to a tenant", codec="json", context=b"tenant 42".hex())
    yield case("a context of bytes", b"bound to bytes", context="00ff80")
    yield case("a cache entry", stream("cache entry", 64), kind="cache-entry")


def refusals():
    """Well-made by the holder of the key, and refused all the same."""
    plain = case("", b"refused")
    salt = stream("salt of refusals", 32)
    yield "an unknown format version", "CORRUPT", seal(plain, salt, version=2)
    yield "an unknown suite", "CORRUPT", seal(plain, salt, suite=9)
    for bit in range(8):
        yield f"flag {bit}", "CORRUPT", seal(plain, salt, flags=1 << bit)
    yield "a true length below the value's", "CORRUPT", seal(plain, salt, true_length=6)
    yield "a true length above the value's", "CORRUPT", seal(plain, salt, true_length=8)
    yield "a true length of 4 GiB", "CORRUPT", seal(plain, salt, true_length=2**32 - 1)
    yield "the suite of the other key length", "AUTHENTICATION_FAILED", seal(plain, salt, suite=2)
    other = case("", b"refused", root=stream("root k2", 32).hex())
    yield "other key bytes under the same identifier", "AUTHENTICATION_FAILED", seal(other, salt)
    good = seal(plain, salt)
    commitment_at = 8 + 6 + 4 + 32
    other_commitment = derive(bytes.fromhex(other["root"]), salt, "aes-256-gcm")[1]
    swapped = good[:commitment_at] + other_commitment + good[commitment_at + 32 :]
    yield "the commitment of another key", "AUTHENTICATION_FAILED", swapped
    head = header_of(plain, salt, other_commitment)
    key, _ = derive(bytes.fromhex(plain["root"]), salt, "aes-256-gcm")
    forged = head + AESGCM(key).encrypt(bytes(12), struct.pack(">I", 7) + b"refused", associated_data(head, plain))
    yield "a good tag over a wrong commitment", "AUTHENTICATION_FAILED", forged
    yield "an unknown key", "UNKNOWN_KEY_ID", seal(case("", b"refused", keyId="k9"), salt)
    yield "another keyring", "UNKNOWN_KEY_ID", seal(case("", b"refused", keyringId="other"), salt)


def golden():
    envelopes = []
    for record in cases():
        salt = stream("salt of " + record["name"], 32)
        record["envelope"] = seal(record, salt).hex()
        assert unseal(record).hex() == record["value"]
        envelopes.append(record)
    refused = [{"name": name, "code": code, "envelope": envelope.hex()} for name, code, envelope in refusals()]
    return json.dumps({"envelopes": envelopes, "refused": refused}, indent=2) + "\n"


def answer(line):
    try:
        return unseal(json.loads(line)).hex()
    except Refused as reason:
        return f"refused: {reason}"


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("envelopes.json")
    if sys.argv[1:] == ["--open"]:
        for line in sys.stdin:
            print(answer(line))
    elif sys.argv[1:] == ["--check"]:
        sys.exit(path.read_text() != golden())
    else:
        path.write_text(golden())
