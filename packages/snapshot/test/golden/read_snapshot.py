"""Reads a snapshot that is not encrypted by docs/reference/snapshot-format.md alone: python3 read_snapshot.py FILE"""
import sys, hashlib, struct, gzip, json
data = open(sys.argv[1], 'rb').read()
assert data[:8] == bytes.fromhex('9e756b730d0a1a0a') and data[8] == 1
n = struct.unpack('>I', data[9:13])[0]
header = json.loads(data[13:13+n])
last = hashlib.sha256(data[:13+n]).digest()
at = 13 + n
assert data[at:at+32] == last; at += 32
number = records = total = 0
out = []
while True:
    kind, found, m = struct.unpack('>BII', data[at:at+9])
    assert found == number; number += 1
    body = data[at+9:at+9+m]
    last = hashlib.sha256(last + data[at:at+9+m]).digest()
    at += 9 + m
    assert data[at:at+32] == last; at += 32
    if kind == 2: break
    assert kind == 1 and body[0] == 0xc1
    raw = gzip.decompress(body[6:]) if body[1] == 1 else body[6:]
    assert len(raw) == struct.unpack('>I', body[2:6])[0]
    i = 0
    while i < len(raw):
        k = struct.unpack('>I', raw[i:i+4])[0]; key = raw[i+4:i+4+k].decode(); i += 4 + k
        flags = raw[i]; i += 1
        version = expiry = None
        if flags & 1: version = raw[i:i+12].hex(); i += 12
        if flags & 2: expiry = struct.unpack('>Q', raw[i:i+8])[0]; i += 8
        v = struct.unpack('>I', raw[i:i+4])[0]; value = raw[i+4:i+4+v]; i += 4 + v
        out.append((key, version, expiry, value)); records += 1; total += len(key) + len(value)
assert at == len(data) and struct.unpack('>QQ', body)[0] == records
print(header, last.hex()); [print(o) for o in out[:8]]; print(records)
