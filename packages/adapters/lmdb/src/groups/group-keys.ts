/*
 * The key of a record of a group: the group, with 0 as 0 255, then 0 1, then the key of the record. So groups are apart, in the order
 * of their names, and the records of each are in the order of their keys. The head of a group has the empty key.
 */

const zero = 0
const escape = 0xff

/** The beginning of all keys of a group. */
export function groupStart(group: string): Buffer {
  return Buffer.concat([nameBytes(group), Buffer.of(zero, 1)])
}

/** Names that begin so; with 0 as in the keys. */
export function nameBytes(prefix: string): Buffer {
  const bytes = Buffer.from(prefix)
  if (!bytes.includes(zero)) return bytes
  return Buffer.from([...bytes].flatMap((byte) => (byte === zero ? [zero, escape] : [byte])))
}

/** The key of a record; `''` is that of the head. */
export function recordKey(start: Buffer, key: string | Buffer): Buffer {
  return Buffer.concat([start, Buffer.from(key)])
}

/** After all keys of a group. */
export function groupEnd(start: Buffer): Buffer {
  const end = Buffer.from(start)
  end[end.length - 1] = 2
  return end
}

/** The name of the group of a stored key, and the length of its beginning. */
export function groupOf(stored: Uint8Array): { readonly name: string; readonly startBytes: number } {
  const name: number[] = []
  for (let i = 0; i < stored.length; i++) {
    const byte = stored[i] as number
    if (byte !== zero) name.push(byte)
    else if (stored[++i] === escape) name.push(zero)
    else return { name: Buffer.from(name).toString(), startBytes: i + 1 }
  }
  return { name: Buffer.from(name).toString(), startBytes: stored.length }
}
