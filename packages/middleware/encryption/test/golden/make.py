"""An independent implementation of the unikv envelope, format 1, after docs/reference/envelope.md.

    python3 make.py            write envelopes.json beside this file (make_flags.py writes flags.json)
    python3 make.py --check    fail if envelopes.json is not what would be written
    python3 make.py --open     read one JSON record a line, print its value in hexadecimal, or `refused: reason`

Needs the package `cryptography`. It shares nothing with the TypeScript sources.
"""

import hashlib
import hmac
import json
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from program import Refused, answer_with, run

MAGIC = bytes.fromhex("9e756b76")
SUITES = {
    "aes-256-gcm": (1, 32, AESGCM),
    "aes-128-gcm": (2, 16, AESGCM),
    "chacha20-poly1305": (3, 32, ChaCha20Poly1305),
}
PADDED, CHUNKED, WRAPPED, TRUE_KEY = 0x08, 0x10, 0x20, 0x40


def derive(root, salt, algorithm):
    info = b"unikv/1/" + algorithm.encode() + b"/envelope"
    out = HKDF(algorithm=hashes.SHA256(), length=64, salt=salt, info=info).derive(root)
    return out[: SUITES[algorithm][1]], out[32:]


def cipher_of(algorithm, key):
    return SUITES[algorithm][2](key)


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
        + record.get("section", b"")
        + struct.pack(">I", record["index"])
        + salt
        + commitment
    )


def padded_length(content, padding):
    """How long the writer makes a content of that many bytes."""
    if padding == "none":
        return content
    least = content + 1
    if padding == "padme":
        if least <= 32:
            return 32
        exponent = least.bit_length() - 1
        step = 1 << (exponent - (exponent.bit_length() - 1) - 1)
    else:
        step = padding["toMultipleOf"]
    return (least + step - 1) // step * step


def plaintext_of(value, flags, padding, true_length=None, padding_bytes=None):
    length = len(value) if true_length is None else true_length
    if padding_bytes is None:
        padding_bytes = bytes(padded_length(len(value), padding) - len(value))
    content = value + padding_bytes
    return content + struct.pack(">Q", length) if flags & CHUNKED else struct.pack(">I", length) + content


def nonce_of(index, mark=0, number=0):
    """12 bytes: zeros, what it is (0: in one piece, 1: a chunk, 2: the last chunk), number of the chunk, index."""
    return bytes(3) + bytes([mark]) + struct.pack(">II", number, index)


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


def seal(record, salt, plaintext=None, sizes=None, **header):
    """An envelope. `plaintext` and `sizes` (of the chunks) stand in for what the record asks for, rightly or not."""
    chunk_bytes = record.get("chunkBytes")
    flags = CHUNKED if chunk_bytes else 0
    flags |= PADDED if record.get("padding", "none") != "none" else 0
    value = value_of(record)
    key, commitment = derive(bytes.fromhex(record["root"]), salt, record["algorithm"])
    head = header_of(record, salt, commitment, **({"flags": flags} | header))
    if chunk_bytes:
        head += bytes([chunk_bytes.bit_length() - 1])
    if plaintext is None:
        plaintext = plaintext_of(value, flags, record.get("padding", "none"))
    cipher, data = cipher_of(record["algorithm"], key), associated_data(head, record)
    if not chunk_bytes:
        return head + cipher.encrypt(nonce_of(record["index"]), plaintext, data)
    chunks = cut(plaintext, chunk_bytes)
    last = len(chunks) - 1
    return head + b"".join(
        cipher.encrypt(nonce_of(record["index"], 2 if i == last else 1, i), chunk, data)
        for i, chunk in enumerate(chunks)
    )


def opened(record, known=PADDED | CHUNKED, root_of=None):
    """Plaintext and flags of an envelope, after all checks. `root_of` gives the root key of a section of wrapped keys."""
    envelope = bytes.fromhex(record["envelope"])
    if len(envelope) < 8 or envelope[:4] != MAGIC or envelope[4] != 1:
        raise Refused("no envelope of format 1")
    flags = envelope[6]
    if flags & ~known or bool(flags & WRAPPED) != bool(root_of):
        raise Refused("unknown flags")
    algorithm = {number: name for name, (number, _, _) in SUITES.items()}.get(envelope[5])
    if algorithm is None:
        raise Refused("unknown suite")
    ring_bytes, key_bytes = envelope[7] >> 4, envelope[7] & 15
    ids_end = 8 + ring_bytes + key_bytes
    index_at = ids_end + (section_length(envelope, ids_end) if root_of else 0)
    salt_at, commitment_at, exponent_at = index_at + 4, index_at + 36, index_at + 68
    body_at = exponent_at + 1 if flags & CHUNKED else exponent_at
    if len(envelope) < body_at + (8 if flags & CHUNKED else 4) + 16:
        raise Refused("cut short")
    if flags & CHUNKED and not 10 <= envelope[exponent_at] <= 24:
        raise Refused("no size of chunks")
    ring, key_id = envelope[8 : 8 + ring_bytes].decode("latin1"), envelope[8 + ring_bytes : ids_end].decode("latin1")
    if (ring, key_id) != (record["keyringId"], record["keyId"]):
        raise Refused("unknown key")
    root = root_of(envelope[ids_end:index_at]) if root_of else bytes.fromhex(record["root"])
    key, expected = derive(root, envelope[salt_at:commitment_at], algorithm)
    if not hmac.compare_digest(envelope[commitment_at:exponent_at], expected):
        raise Refused("not authentic")
    index = struct.unpack(">I", envelope[index_at:salt_at])[0]
    cipher, data = cipher_of(algorithm, key), associated_data(envelope[:body_at], record)
    body = envelope[body_at:]
    try:
        if flags & CHUNKED:
            return open_chunks(cipher, body, 1 << envelope[exponent_at], index, data), flags
        return cipher.decrypt(nonce_of(index), body, data), flags
    except InvalidTag:
        raise Refused("not authentic") from None


def section_length(envelope, at):
    length = struct.unpack(">H", envelope[at : at + 2])[0] if len(envelope) >= at + 2 else 0
    if not 10 <= length <= 4096 or len(envelope) < at + length:
        raise Refused("cut short")
    return length


def unseal(record):
    return value_inside(*opened(record))


def open_chunks(cipher, body, size, index, data):
    chunks = cut(body, size + 16)
    if len(chunks[-1]) <= 16:
        raise Refused("not authentic")
    last = len(chunks) - 1
    return b"".join(
        cipher.decrypt(nonce_of(index, 2 if i == last else 1, i), chunk, data) for i, chunk in enumerate(chunks)
    )


def value_inside(plaintext, flags):
    if flags & CHUNKED:
        length, content = struct.unpack(">Q", plaintext[-8:])[0], plaintext[:-8]
    else:
        length, content = struct.unpack(">I", plaintext[:4])[0], plaintext[4:]
    padding = content[length:]
    if length > len(content) or bool(padding) != bool(flags & PADDED):
        raise Refused("wrong true length")
    if any(padding):
        raise Refused("something in the padding")
    return content[:length]


def value_of(record):
    """Given in hexadecimal, or as the seed and the length of a stream."""
    value = record["value"]
    return bytes.fromhex(value) if isinstance(value, str) else stream(value["stream"], value["bytes"])


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
    yield "a true length below the value's", "CORRUPT", seal(plain, salt, plaintext_of(b"refused", 0, "none", 6))
    yield "a true length above the value's", "CORRUPT", seal(plain, salt, plaintext_of(b"refused", 0, "none", 8))
    yield "a true length of 4 GiB", "CORRUPT", seal(plain, salt, plaintext_of(b"refused", 0, "none", 2**32 - 1))
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


if __name__ == "__main__":
    run("envelopes.json", golden, "--open", answer_with(unseal))
