import { createHash } from 'node:crypto'
import { type Bytes, isEntry, type ReadResult } from '@unikv/core'
import { stampBytes } from './cache-record.ts'

/** Contents of the tag records of a key at some time. */
export class Seen {
  /** Keys of tag records that are not there. */
  readonly missing: readonly string[]
  readonly #tagKeys: readonly string[]
  readonly #values: ReadonlyMap<string, Bytes>
  #stamp: string | undefined

  constructor(tagKeys: readonly string[], values: ReadonlyMap<string, Bytes>) {
    this.#tagKeys = tagKeys
    this.#values = values
    this.missing = tagKeys.filter((key) => !values.has(key))
  }

  /** Stamp for a record that is loaded now; `undefined`: the key has no tags, or a tag has no record. */
  get stamp(): string | undefined {
    if (this.#tagKeys.length > 0 && this.missing.length === 0) this.#stamp ??= this.#hash()
    return this.#stamp
  }

  /** With tag records that were made since. */
  with(made: ReadonlyMap<string, Bytes>): Seen {
    return new Seen(this.#tagKeys, new Map([...this.#values, ...made]))
  }

  #hash(): string {
    const hash = createHash('sha256')
    for (const key of this.#tagKeys) {
      const value = this.#values.get(key) as Bytes
      hash.update(`${key} ${value.length} `).update(value)
    }
    return hash.digest().toString('latin1', 0, stampBytes)
  }
}

/** Makes `Seen` from the tag records of a key that were read. */
export function seenIn(tagKeys: readonly string[], found: ReadonlyMap<string, ReadResult<Bytes>>): Seen {
  const values = new Map<string, Bytes>()
  for (const key of tagKeys) {
    const result = found.get(key)
    if (result !== undefined && isEntry(result)) values.set(key, result.value)
  }
  return new Seen(tagKeys, values)
}
