"""Frames made outside Node, after docs/reference/compression-frame.md: python3 make.py writes frames.json.

gzip and deflate come from Python's own library. The brotli bodies were made once by the Python package Brotli, the
zstd bodies (with their checksum) by the command zstd; both are kept here as they are.
"""

import gzip
import json
import pathlib
import struct
import zlib

TEXT = ("Ada Lovelace wrote the first program. " * 20).encode()


def frame(algorithm, value, body):
    return {"value": value.hex(), "frame": (bytes([0xC1, algorithm]) + struct.pack(">I", len(value)) + body).hex()}


def frames():
    yield {"name": "an empty value"} | frame(0, b"", b"")
    yield {"name": "a stored value"} | frame(0, b"short", b"short")
    for level in (1, 6, 9):
        yield {"name": f"gzip {level}"} | frame(1, TEXT, gzip.compress(TEXT, level, mtime=0))
        yield {"name": f"deflate {level}"} | frame(2, TEXT, zlib.compress(TEXT, level))
    yield {"name": "gzip with a time"} | frame(1, TEXT, gzip.compress(TEXT, mtime=1_700_000_000))
    for name, algorithm, body in KEPT:
        yield {"name": name} | frame(algorithm, TEXT, bytes.fromhex(body))


KEPT = [
    ("brotli 1", 3, "8b7b010080aaaaaaeaff74e5c3490f77b9ebe522a02aba00a88228b00aa8c2015cfc4a13296eb0c1986744955445f6674b8be1d3c310c3d0266fe0d03b7527c8792203"),
    ("brotli 4", 3, "1bf70200443797ea423274bba50c5d538473fe3404aad2d2f2d0d08b887d6aa6f0cf5e75ef283e238e4102"),
    ("brotli 11", 3, "1bf702f81d09766c89bbef19528605953513d99b9d041963eb410a19a8307d420dfd00a513fab50ac103684602"),
    ("zstd 1", 4, "28b52ffd04487d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
    ("zstd 3", 4, "28b52ffd04587d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
    ("zstd 19", 4, "28b52ffd04687d01006402416461204c6f76656c6163652077726f7465207468652066697273742070726f6772616d2e2001007e962af5049e3f1d84"),
]

if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("frames.json")
    path.write_text(json.dumps(list(frames()), indent=2) + "\n")
