"""An independent implementation of unikv's hashed key names, after docs/reference/key-names.md.

    python3 make_names.py            write names.json beside this file
    python3 make_names.py --check    fail if names.json is not what would be written
    python3 make_names.py --name     read one JSON case a line, print the stored key as JSON

Needs nothing but Python. It shares nothing with the TypeScript sources.
"""

import base64
import hashlib
import hmac
import json
import re
import struct

from program import run

ROOT = bytes(32)


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def text(digest, length):
    return base64.urlsafe_b64encode(digest[:length]).decode().rstrip("=")


class Naming:
    def __init__(self, name_key, dataset):
        raw = dataset.encode()
        self.key = mac(name_key, b"unikv/names/1" + struct.pack(">I", len(raw)) + raw)

    def hash(self, use, path, name):
        return mac(self.key, bytes([use]) + path + name.encode())

    def check(self):
        return self.hash(4, ROOT, "").hex()

    def way(self, segments):
        path, names = ROOT, []
        for segment in segments:
            path = self.hash(1, path, segment)
            names.append("\x01" + text(path, 16))
        return path, names[:4]

    def stored(self, canonical):
        if canonical[0] == "\x00":
            return self.internal(canonical)
        if canonical[0] != "\x01":
            return text(self.hash(2, ROOT, canonical), 24)
        segments, key = canonical[1:].split("\x02", 1)
        path, names = self.way(segments.split("\x01"))
        return "".join(names) + "\x02" + text(self.hash(2, path, key), 24)

    def internal(self, canonical):
        body, length = re.fullmatch("\x00[a-z](.*)\x00(\\d+)", canonical, re.DOTALL).groups()
        units = len(body.encode("utf-16-le")) // 2 - int(length)
        owner = body.encode("utf-16-le")[: 2 * units].decode("utf-16-le")
        part = text(self.hash(3, ROOT, canonical), 24) if int(length) > 0 else ""
        return canonical[:2] + (self.stored(owner) if owner else "") + part + "\x00" + str(len(part))

    def prefix(self, prefix):
        if prefix[:1] == "\x00":
            return prefix[:2]
        if prefix[:1] != "\x01":
            return ""
        way, *key = prefix[1:].split("\x02")
        segments = way.split("\x01")
        if not key:
            segments.pop()
        if not segments:
            return "\x01"
        return "".join(self.way(segments)[1]) + ("\x02" if key or len(segments) >= 4 else "\x01")


def key_of(name):
    return hashlib.sha256(name.encode()).digest()


def escaped(segment):
    return re.sub("[\x00-\x03]", lambda match: "\x03" + chr(ord(match[0]) + 16), segment)


def within(segments, key):
    return "".join("\x01" + escaped(segment) for segment in segments) + "\x02" + key


def internal(kind, owner, part=""):
    units = len(part.encode("utf-16-le")) // 2
    return f"\x00{kind}{owner}{part}\x00{units}"


def keys():
    yield from ["a", "ada", "users", "Grüße", "世界", "\U0001f511", "k" * 180, "k" * 1024, " ", "../x", "caf\u00e9", "cafe\u0301"]
    yield from ["\x02\x00ada", "\x02\x01ada", "\x02\x02ada"]
    deep = ["a", "b", "c", "d", "e", "f", "g"]
    for depth in range(1, 8):
        yield within(deep[:depth], "ada")
        yield within(deep[:depth], "")
    yield within(["users"], "users")
    yield within(["\x00\x01\x02\x03"], "\x00\x01\x02")
    yield within(["Grüße 🌍"], "é")
    for kind in "dcltinm":
        yield internal(kind, "ada")
    yield internal("c", within(["users"], "ada"), "7")
    yield internal("c", within(["users"], "ada"), "part \x00 é \U0001f511")
    yield internal("m", "", "warm")
    yield internal("m", within(["cache"], ""), "warm")
    yield internal("m", "")
    yield internal("d", within(deep, "ada"), "12")
    yield internal("t", internal("d", "ada", "1"), "2")


def prefixes():
    yield from ["", "a", "\x02", "\x00", "\x00m", "\x00mada", "\x01", "\x01users", "\x01users\x01", "\x01users\x02"]
    yield from ["\x01users\x02a", "\x01users\x01a", "\x01users\x01a\x02", "\x01a\x01b\x01c\x01d", "\x01a\x01b\x01c\x01d\x01"]
    yield from ["\x01a\x01b\x01c\x01d\x02", "\x01a\x01b\x01c\x01d\x01e\x01", "\x01a\x01b\x01c\x01d\x01e\x02x"]


def golden():
    sets = []
    for dataset, name in [("users", "name key 1"), ("users", "name key 2"), ("χρήστες", "name key 1")]:
        naming = Naming(key_of(name), dataset)
        sets.append(
            {
                "nameKey": key_of(name).hex(),
                "dataset": dataset,
                "check": naming.check(),
                "keys": [{"canonical": key, "stored": naming.stored(key)} for key in keys()],
                "prefixes": [{"prefix": prefix, "stored": naming.prefix(prefix)} for prefix in prefixes()],
            }
        )
    return json.dumps(sets, indent=2) + "\n"


def answer(line):
    case = json.loads(line)
    return json.dumps(Naming(bytes.fromhex(case["nameKey"]), case["dataset"]).stored(case["canonical"]))


if __name__ == "__main__":
    run("names.json", golden, "--name", answer)
