"""Frames made outside Node, after docs/reference/compression-frame.md: python3 make.py writes frames.json.

gzip and deflate come from Python's own library. The other bodies were made once and are kept here as they are: brotli
by the Python package Brotli, zstd (with checksum) by the command zstd 1.5.4, lz4 by liblz4 1.9.4 and snappy by
libsnappy 1.1.9 in C, zstd with pieces as dictionary by the Python package zstandard 0.25.0, and with a trained
dictionary by `zstd --train` and `zstd -D`.
"""

import gzip
import hashlib
import json
import pathlib
import struct
import zlib

TEXT = ("Ada Lovelace wrote the first program. " * 20).encode()
RECORD = b'{"id":"601820","name":"Grace Hopper","plan":"free","active":true,"createdAt":"2026-07-09T05:00:00Z"}'
PIECES = b'{"id":"484352","name":"Ada Lovelace","plan":"team","active":false,"createdAt":"2026-03-02T01:00:00Z"}'
TRAINED = bytes.fromhex(
    "37a430eccd1494541910e8eb1c000000005858454a29a594f225c8bbbbbbbbbb7b075302000000009f617b0100000460c101c387181b968d08041011d18361681c0ac3521806c49462002060a40600000000004454b2387c4821670000000000000000000000000100000004000000080000007465644174223a223230323665617465644174223a22323032362d30342d30355431393a30303a30305a227d7b226964223a223530393130222c226e616d617465644174223a22323032362d30352d30335431303a30303a30305a227d7b226964223a22393630383537222c226e616d617465644174223a22323032362d30372d31345430373a30303a30305a227d7b226964223a22333135393937222c226e616d7465644174223a22323032362d31312d30315432333a30303a30305a227d7b226964223a22383132333336222c226e616d65323032362d30332d31395432313a30303a30305a227d7b226964223a22363234393637222c226e616d65223a22416461204c3a30303a30305a227d7b226964223a22373337373830222c226e616d65223a22477261636520486f70706572222c22706c613a22416461204c6f76656c616365222c22706c616e223a2266726565222c22616374697665223a66616c73652c22637265613a22343836383932222c226e616d65223a22416c616e20547572696e67222c22706c61"
)


def frame(algorithm, value, body):
    return {"value": value.hex(), "frame": (bytes([0xC1, algorithm]) + struct.pack(">I", len(value)) + body).hex()}


def with_dictionary(name, algorithm, dictionary, body):
    named = hashlib.sha256(dictionary).digest()[:8] + body
    return {"name": name, "dictionary": dictionary.hex()} | frame(algorithm, RECORD, named)


def raw_deflate(value, dictionary, level):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, zdict=dictionary)
    return packer.compress(value) + packer.flush()


def frames():
    yield {"name": "an empty value"} | frame(0, b"", b"")
    yield {"name": "a stored value"} | frame(0, b"short", b"short")
    for level in (1, 6, 9):
        yield {"name": f"gzip {level}"} | frame(1, TEXT, gzip.compress(TEXT, level, mtime=0))
        yield {"name": f"deflate {level}"} | frame(2, TEXT, zlib.compress(TEXT, level))
    yield {"name": "gzip with a time"} | frame(1, TEXT, gzip.compress(TEXT, mtime=1_700_000_000))
    for name, algorithm, body in KEPT:
        yield {"name": name} | frame(algorithm, TEXT, bytes.fromhex(body))
    for level in (1, 6, 9):
        yield with_dictionary(f"deflate {level} with pieces", 130, PIECES, raw_deflate(RECORD, PIECES, level))
    for name, dictionary, body in KEPT_WITH_DICTIONARY:
        yield with_dictionary(name, 132, dictionary, bytes.fromhex(body))


KEPT = [
    ("brotli 1", 3, "8b7b010080aaaaaaeaff74e5c3490f77b9ebe522a02aba00a88228b00aa8c2015cfc4a13296eb0c1986744955445f6674b8be1d3c310c3d0266fe0d03b7527c8792203"),
    ("brotli 4", 3, "1bf70200443797ea423274bba50c5d538473fe3404aad2d2f2d0d08b887d6aa6f0cf5e75ef283e238e4102"),
    ("brotli 11", 3, "1bf702f81d09766c89bbef19528605953513d99b9d041963eb410a19a8307d420dfd00a513fab50ac103684602"),
    ("zstd 1", 4, "28b52ffd04487d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
    ("zstd 3", 4, "28b52ffd04587d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
    ("zstd 19", 4, "28b52ffd04687d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
    ("lz4", 5, "ff17416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e202600ffffbc5072616d2e20"),
    ("lz4 high", 5, "ff17416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e202600ffffbc5072616d2e20"),
    ("snappy", 6, "f80598416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2041fe2600fe2600fe2600fe2600fe2600fe2600fe2600fe2600fe2600fe2600fe2600422600"),
]

KEPT_WITH_DICTIONARY = [
    ("zstd 3 with pieces", PIECES, "28b52ffd20648d01000402363031383230477261636520486f7070657266726565747275372d30395430350600509833fc010c013bc12e340b40"),
    ("zstd 19 with pieces", PIECES, "28b52ffd20649d010024027b363031383230477261636520486f7070657266726565747275372d30395430353a060040f033fc010c013bc12e740857"),
    ("zstd 19 with a trained dictionary", TRAINED, "28b52ffd23cd14945464f50000687b30313832747275303954303506fc5c061eb16a2b9200d24ca85e5906"),
]

if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("frames.json")
    path.write_text(json.dumps(list(frames()), indent=2) + "\n")
