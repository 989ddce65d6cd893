/** Longer ones are rare: they take the safe way, which fails where there is no room. */
const shortLength = 256

/** Put a key, text or its UTF-8 bytes, into memory of lmdb-js, from `start`; where it ends. */
export function writeKey(key: string | Uint8Array, target: Buffer, start: number): number {
  if (typeof key !== 'string') {
    target.set(key, start)
    return start + key.length
  }
  if (key.length > shortLength) return writeKey(Buffer.from(key), target, start)
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    if (unit > 0x7f) return writeKey(Buffer.from(key), target, start)
    target[start + i] = unit
  }
  return start + key.length
}
