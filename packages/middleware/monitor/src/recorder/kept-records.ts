import {
  type Bytes,
  type Entry,
  isStoreError,
  type KeyValue,
  StoreError,
  type Supporting,
  supports,
} from '@unikv/core'
import { checkKeyValue, codecOf } from '@unikv/core/adapter'
import { periodMs, periodStart, type Resolution, resolutions } from './periods.ts'
import { decoded, encoded, type KeptRecord } from './record.ts'

/** Where recorders keep their records: any KeyValue of bytes. */
export type Keeper = KeyValue<string, Bytes>

/** How long summaries are kept, in milliseconds. */
export type Retention = { readonly [resolution in Resolution]: number }

/** The last period of the year 9999. */
const latestAt = Date.UTC(9999, 11, 31)

/** Live records expire after so long, at least. */
const liveMs = 60_000

/** A live record that is older is of a process that ended without a word: it missed two writes, or clocks differ. */
function staleMs({ everyMs }: KeptRecord): number {
  return 3 * everyMs + 2000
}

/**
 * The records of all processes in one KeyValue, in a namespace of their own. A key is
 * `<resolution>/<start of the period>/<id of the writer>`, so each process writes keys of its own.
 */
export class KeptRecords {
  readonly #kv: KeyValue<string, Bytes, Supporting<'scan'>>

  /** @throws {StoreError} `UNSUPPORTED` for a store that cannot list its keys */
  constructor(keeper: Keeper) {
    checkKeyValue('keepIn', keeper)
    checkBytes(keeper)
    if (!supports(keeper, 'scan'))
      throw new StoreError(
        'UNSUPPORTED',
        `${keeper.name} cannot list keys, so figures of a monitor cannot be read from it. Keep them in another store.`,
        { store: keeper.name },
      )
    this.#kv = keeper.namespace('unikv.monitor')
  }

  async write(records: readonly KeptRecord[], retention: Retention): Promise<void> {
    const kv = this.#kv
    if (records.length === 0) return
    if (!supports(kv, 'ttl')) {
      await whole(kv.setMany(records.map((record) => [keyOf(record), encoded(record)])))
      return
    }
    const ttlMs = (record: KeptRecord): number =>
      record.resolution === 'now' ? Math.max(liveMs, staleMs(record)) : retention[record.resolution]
    await whole(
      kv.setMany(records.map((record) => [keyOf(record), encoded(record), { ttlMs: ttlMs(record) }])),
    )
  }

  /** Records of periods that overlap a span, of all processes. */
  async read(
    resolution: Resolution,
    fromAt: number,
    toAt: number,
    onUnreadable?: OnUnreadable,
  ): Promise<KeptRecord[]> {
    const first = periodStart(resolution, fromAt)
    const keys = await this.#keys(resolution, [first, toAt])
    const wanted = keys.filter((key) => startIn(key) >= first && startIn(key) < toAt)
    return this.#records(wanted, onUnreadable)
  }

  /** The last seconds of each process that still writes. */
  async live(now: number, onUnreadable?: OnUnreadable): Promise<KeptRecord[]> {
    const records = await this.#records(await this.#keys('now'), onUnreadable)
    return records.filter((record) => record.toAt > now - staleMs(record))
  }

  /** Forget that this process is there. */
  async leave(writerId: string): Promise<void> {
    await this.#kv.delete(liveKey(writerId))
  }

  /** Delete what is older than it is kept, where the store does not do so itself. */
  async sweep(retention: Retention, now: number): Promise<void> {
    for (const resolution of resolutions) {
      const oldestAt = now - retention[resolution] - periodMs[resolution]
      const keys = await this.#keys(resolution, [0, oldestAt])
      const old = keys.filter((key) => startIn(key) < oldestAt)
      if (old.length > 0) await this.#kv.deleteMany(old)
    }
  }

  /** Keys of periods that begin in a span; of a store without an order, of all periods. */
  async #keys(
    resolution: Resolution | 'now',
    span?: readonly [fromAt: number, toAt: number],
  ): Promise<string[]> {
    const kv = this.#kv
    const found =
      span !== undefined && supports(kv, 'orderedScan')
        ? kv.keys({ gte: periodKey(resolution, span[0]), lt: `${periodKey(resolution, span[1])}~` })
        : kv.keys({ prefix: `${resolution}/` })
    const keys = new Set<string>()
    for await (const key of found) keys.add(key)
    return [...keys].sort()
  }

  async #records(keys: readonly string[], onUnreadable: OnUnreadable | undefined): Promise<KeptRecord[]> {
    const values = await valuesOf(this.#kv, keys)
    return values.flatMap((value, i) => {
      const key = keys[i] as string
      try {
        if (isStoreError(value)) throw value
        return value === undefined ? [] : [decoded(key, value)]
      } catch (error) {
        if (onUnreadable === undefined) throw error
        onUnreadable(error as StoreError, key)
        return []
      }
    })
  }
}

/** Called with each record that cannot be read, which is then left out. */
export type OnUnreadable = (error: StoreError, key: string) => void

/** The value or the error of each key. */
async function valuesOf(
  kv: Keeper,
  keys: readonly string[],
): Promise<readonly (Bytes | StoreError | undefined)[]> {
  try {
    return await kv.getMany(keys)
  } catch (error) {
    if (!isStoreError(error) || error.code !== 'PARTIAL') throw error
    const results = error.results as readonly (Entry<Bytes> | StoreError | undefined)[]
    return results.map((one) => (one === undefined || isStoreError(one) ? one : one.value))
  }
}

/** Why some records could not be written, in place of how many. */
async function whole(written: Promise<unknown>): Promise<void> {
  await written.catch((error: unknown) => {
    throw isStoreError(error) ? (error.results?.find(isStoreError) ?? error) : error
  })
}

/** A KeyValue of objects could not hold the bytes of a record. */
function checkBytes(keeper: Keeper): void {
  const codec = codecOf(keeper)
  if (codec === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `Figures of a monitor are kept as bytes, but ${keeper.name} has the codec ${codec}. Give a KeyValue without one.`,
    { store: keeper.name },
  )
}

function keyOf({ resolution, fromAt, writer }: KeptRecord): string {
  if (resolution === 'now') return liveKey(writer.id)
  return `${periodKey(resolution, fromAt)}/${writer.id}`
}

/** Only dates of four digits are in order as texts. */
function periodKey(resolution: string, startAt: number): string {
  const inOrder = Math.min(Math.max(startAt, 0), latestAt)
  return `${resolution}/${new Date(inOrder).toISOString().slice(0, 16)}Z`
}

function liveKey(writerId: string): string {
  return `now/${writerId}`
}

function startIn(key: string): number {
  return Date.parse(key.split('/')[1] as string)
}
