/*
 * An entry in a chunk. Integers are big-endian, times are doubles in milliseconds.
 *
 *   0   4  k, length of the key
 *   4   4  b, length of the body
 *   8   1  v, length of the version (0: none)
 *   9   1  kind of the value: see `warm-values.ts`
 *   10  8  how long it was fresh still, at the save; below 0: how long it had not been
 *   18  8  expiresAt of its record; 0: never
 *   26  8  what it took to get it
 *   34  k  key
 *   …   v  version
 *   …   b  body
 */

const headerBytes = 34

/** The saved form of an entry. */
export interface WarmEntry {
  readonly key: string
  readonly version: string | undefined
  /** Wall-clock milliseconds; `undefined`: never. */
  readonly expiresAt: number | undefined
  /** How long it was fresh still; below 0: how long it had not been. `Infinity` is allowed, also below. */
  readonly freshForMs: number
  readonly cost: number
  /** Kind of the value, and its bytes. */
  readonly kind: number
  readonly body: Buffer
}

/** An entry as bytes; `undefined` for a version that does not fit. */
export function encodeWarmEntry(entry: WarmEntry): Buffer | undefined {
  const version = Buffer.from(entry.version ?? '')
  if (version.length > 255) return undefined
  const head = Buffer.alloc(headerBytes)
  const key = Buffer.from(entry.key)
  head.writeUInt32BE(key.length, 0)
  head.writeUInt32BE(entry.body.length, 4)
  head[8] = version.length
  head[9] = entry.kind
  head.writeDoubleBE(entry.freshForMs, 10)
  head.writeDoubleBE(entry.expiresAt ?? 0, 18)
  head.writeDoubleBE(entry.cost, 26)
  return Buffer.concat([head, key, version, entry.body])
}

/** The entries of a chunk, one after the other; `undefined` in the place of the first that is none, as the last. */
export function* decodeWarmEntries(chunk: Buffer): Generator<WarmEntry | undefined> {
  for (let at = 0; at < chunk.length; ) {
    const entry = entryAt(chunk, at)
    yield entry
    if (entry === undefined) return
    at += lengthAt(chunk, at)
  }
}

function lengthAt(chunk: Buffer, at: number): number {
  return headerBytes + chunk.readUInt32BE(at) + chunk.readUInt32BE(at + 4) + (chunk[at + 8] as number)
}

function entryAt(chunk: Buffer, at: number): WarmEntry | undefined {
  if (chunk.length - at < headerBytes || chunk.length - at < lengthAt(chunk, at)) return undefined
  const versionAt = at + headerBytes + chunk.readUInt32BE(at)
  const bodyAt = versionAt + (chunk[at + 8] as number)
  const [freshForMs, expiresAt, cost] = [10, 18, 26].map((offset) => chunk.readDoubleBE(at + offset)) as [
    number,
    number,
    number,
  ]
  if (Number.isNaN(freshForMs) || !(expiresAt >= 0) || !(cost > 0 && cost < Number.POSITIVE_INFINITY))
    return undefined
  return {
    key: chunk.toString('utf8', at + headerBytes, versionAt),
    version: versionAt === bodyAt ? undefined : chunk.toString('utf8', versionAt, bodyAt),
    expiresAt: expiresAt === 0 ? undefined : expiresAt,
    freshForMs,
    cost,
    kind: chunk[at + 9] as number,
    body: chunk.subarray(bodyAt, at + lengthAt(chunk, at)),
  }
}
