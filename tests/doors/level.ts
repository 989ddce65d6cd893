import type { KeyValue, Supporting } from '@unikv/core'
import {
  type AbstractDatabaseOptions,
  AbstractIterator,
  type AbstractIteratorOptions,
  AbstractLevel,
} from 'abstract-level'

/** What a database of abstract-level needs of a store. */
export type Ordered = KeyValue<string, string, Supporting<'reverseScan'>>

interface Range {
  readonly gt?: string | undefined
  readonly gte?: string | undefined
  readonly lt?: string | undefined
  readonly lte?: string | undefined
  readonly reverse: boolean
  readonly limit: number
}

/** Not of the keys themselves: abstract-level has an empty key. */
const first = 'k'
const afterAll = 'l'

/** abstract-level's database over a KeyValue. Nothing of it is closed with it. */
export class KeyValueLevel extends AbstractLevel<string, string, string> {
  readonly kv: Ordered

  constructor(kv: Ordered, options: AbstractDatabaseOptions<string, string>) {
    super({ encodings: { utf8: true }, has: true, implicitSnapshots: false, seek: true }, options)
    this.kv = kv
  }

  async _get(key: string): Promise<string | undefined> {
    return this.kv.get(first + key)
  }

  async _getMany(keys: readonly string[]): Promise<(string | undefined)[]> {
    return this.kv.getMany(keys.map((key) => first + key))
  }

  async _has(key: string): Promise<boolean> {
    return this.kv.has(first + key)
  }

  async _hasMany(keys: readonly string[]): Promise<boolean[]> {
    return Promise.all(keys.map((key) => this._has(key)))
  }

  async _put(key: string, value: string): Promise<void> {
    await this.kv.set(first + key, value)
  }

  async _del(key: string): Promise<void> {
    await this.kv.delete(first + key)
  }

  /** Of several changes of a key the last one counts. */
  async _batch(
    changes: readonly { readonly type: 'put' | 'del'; key: string; value: string }[],
  ): Promise<void> {
    const last = new Map(changes.map((change) => [first + change.key, change]))
    await this.kv.write(
      [...last].map(([key, { type, value }]) =>
        type === 'put' ? { type: 'set', key, value } : { type: 'delete', key },
      ),
    )
  }

  async _clear(range: Range): Promise<void> {
    if (range.limit < 0) return void (await this.kv.clear(boundsOf(range)))
    const keys: string[] = []
    for await (const key of listed(this.kv, range)) keys.push(key)
    await this.kv.deleteMany(keys)
  }

  _iterator(options: AbstractIteratorOptions<string, string> & Range): KeyValueIterator {
    return new KeyValueIterator(this, options)
  }
}

class KeyValueIterator extends AbstractIterator<KeyValueLevel, string, string> {
  readonly #range: Range
  #entries: AsyncIterator<readonly [string, string]>

  constructor(db: KeyValueLevel, options: AbstractIteratorOptions<string, string> & Range) {
    super(db, options)
    this.#range = options
    this.#entries = entriesOf(db.kv, options)
  }

  async _next(): Promise<readonly [string, string] | undefined> {
    const { done, value } = await this.#entries.next()
    return done === true ? undefined : value
  }

  /** Go on at this key, or next to it; a key outside of the range ends the listing. */
  _seek(target: string): void {
    const { gt, gte, lt, lte, ...range } = this.#range
    // abstract-level counts, and stops at the limit.
    const limit = isInside(target, this.#range) ? -1 : 0
    const bounds = range.reverse ? { gt, gte, lte: target } : { gte: target, lt, lte }
    void this.#entries.return?.()
    this.#entries = entriesOf(this.db.kv, { ...range, ...bounds, limit })
  }

  async _close(): Promise<void> {
    await this.#entries.return?.()
  }
}

function isInside(key: string, { gt, gte, lt, lte }: Range): boolean {
  const compare = (bound: string): number => Buffer.compare(Buffer.from(key), Buffer.from(bound))
  const isAbove = gte !== undefined ? compare(gte) >= 0 : gt === undefined || compare(gt) > 0
  return isAbove && (lte !== undefined ? compare(lte) <= 0 : lt === undefined || compare(lt) < 0)
}

async function* entriesOf(kv: Ordered, range: Range): AsyncGenerator<readonly [string, string]> {
  if (range.limit === 0) return
  for await (const [key, { value }] of kv.entries(settingsOf(range))) yield [key.slice(first.length), value]
}

async function* listed(kv: Ordered, range: Range): AsyncGenerator<string> {
  if (range.limit !== 0) yield* kv.keys(settingsOf(range))
}

function settingsOf(
  range: Range,
): ReturnType<typeof boundsOf> & { reverse: boolean; limit: number | undefined } {
  const { reverse, limit } = range
  return { ...boundsOf(range), reverse, limit: limit < 0 ? undefined : limit }
}

/** Both bounds; of two on one side abstract-level takes the one that includes its key. */
function boundsOf({ gt, gte, lt, lte }: Range) {
  const lower =
    gte !== undefined ? { gte: first + gte } : gt !== undefined ? { gt: first + gt } : { gte: first }
  const upper = lte !== undefined ? { lte: first + lte } : { lt: lt !== undefined ? first + lt : afterAll }
  return { ...lower, ...upper }
}
