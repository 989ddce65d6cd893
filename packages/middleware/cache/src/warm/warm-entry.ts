import { double, Layout, u8, u32 } from '@unikv/core/adapter'

/* An entry in a chunk: times are in milliseconds, and behind the head come the key, the version and the body. */
const head = new Layout([], {
  keyBytes: u32,
  bodyBytes: u32,
  /** 0: there is none. */
  versionBytes: u8,
  /** Kind of the value: see `warm-values.ts`. */
  kind: u8,
  /** How long it was fresh still, at the save; below 0: how long it had not been. */
  freshForMs: double,
  /** 0: never. */
  expiresAt: double,
  /** The cost of loading it. */
  cost: double,
})

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
  const { kind, freshForMs, expiresAt = 0, cost, body } = entry
  const version = Buffer.from(entry.version ?? '')
  if (version.length > 255) return undefined
  const key = Buffer.from(entry.key)
  const lengths = { keyBytes: key.length, bodyBytes: body.length, versionBytes: version.length }
  return head.encode({ ...lengths, kind, freshForMs, expiresAt, cost }, [key, version, body])
}

/** The entries of a chunk, one after the other; `undefined` in the place of the first that is none, as the last. */
export function* decodeWarmEntries(chunk: Buffer): Generator<WarmEntry | undefined> {
  for (let at = 0; at < chunk.length; ) {
    const told = head.decode(chunk, at)
    if (told === undefined) return yield undefined
    const { keyBytes, bodyBytes, versionBytes, kind, freshForMs, expiresAt, cost } = told
    const keyAt = at + head.bytes
    const versionAt = keyAt + keyBytes
    const bodyAt = versionAt + versionBytes
    at = bodyAt + bodyBytes
    const isRight = !Number.isNaN(freshForMs) && expiresAt >= 0 && cost > 0 && cost < Number.POSITIVE_INFINITY
    if (at > chunk.length || !isRight) return yield undefined
    yield {
      key: chunk.toString('utf8', keyAt, versionAt),
      version: versionBytes === 0 ? undefined : chunk.toString('utf8', versionAt, bodyAt),
      expiresAt: expiresAt === 0 ? undefined : expiresAt,
      freshForMs,
      cost,
      kind,
      body: chunk.subarray(bodyAt, at),
    }
  }
}
