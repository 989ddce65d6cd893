import {
  type Bytes,
  type CallOptions,
  type Entry,
  isEntry,
  isStoreError,
  type ReadResult,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { derive, levelPastCaches } from '@unikv/core/adapter'
import { lostPart, maxRounds, overtaken, partOf } from './fetching.ts'
import { type Head, isRecord, type Manifest, partsIn, readHead } from './format.ts'
import { partKey } from './keys.ts'
import type { Counts, PartsSettings } from './options.ts'

/** Most bytes of parts that are asked for at a time. */
const fetchedBytes = 8_388_608

/** All values of one call may have so many times the longest of one. */
const callFactor = 4

/** Values from the records of users: those in parts are put together. */
export class Reading {
  readonly #inner: Store<Bytes>
  readonly #settings: PartsSettings
  readonly #counts: Counts

  constructor(inner: Store<Bytes>, settings: PartsSettings, counts: Counts) {
    this.#inner = inner
    this.#settings = settings
    this.#counts = counts
  }

  /** The content of a record. @throws {StoreError} `CORRUPT` */
  head(owner: string, record: Bytes): Head {
    return this.#settings.acceptPlain && !isRecord(record) ? { value: record } : readHead(owner, record)
  }

  /** The values of records that were read. */
  async values(
    owners: readonly string[],
    found: readonly ReadResult<Bytes>[],
    call: CallOptions,
  ): Promise<ReadResult<Bytes>[]> {
    const results: ReadResult<Bytes>[] = []
    let left = callFactor * this.#settings.maxValueBytes
    for (const [i, owner] of owners.entries()) {
      const result = await this.#valueOf(owner, found[i], Math.min(left, this.#settings.maxValueBytes), call)
      if (isEntry(result)) left -= result.value.length
      results.push(result)
    }
    return results
  }

  async #valueOf(
    owner: string,
    found: ReadResult<Bytes>,
    most: number,
    call: CallOptions,
  ): Promise<ReadResult<Bytes>> {
    let result = found
    let suspect: string | undefined
    try {
      for (let round = 1; round <= maxRounds; round++) {
        if (!isEntry(result)) return result
        const head = this.head(owner, result.value)
        if ('value' in head) return { ...result, value: head.value }
        if (head.length > most) return tooLarge(head.length, most)
        if (result.version === suspect) return lostPart(this.#inner)
        const value = await this.#join(owner, head, call)
        if (value !== undefined) return { ...result, value }
        this.#counts.overtaken++
        suspect = result.version
        result = await this.#again(owner, call)
      }
      return overtaken()
    } catch (error) {
      return toStoreError(error, {})
    }
  }

  async #again(owner: string, call: CallOptions): Promise<ReadResult<Bytes>> {
    const strongest = derive(call, { consistency: levelPastCaches(this.#inner), sent: 'own' })
    return (await this.#inner.read([{ key: owner }], strongest))[0]
  }

  /** All parts, one after the other; `undefined`: one of them is gone. */
  async #join(owner: string, manifest: Manifest, call: CallOptions): Promise<Bytes | undefined> {
    const value = Buffer.allocUnsafe(manifest.length)
    const many = Math.max(1, Math.min(this.#most(), Math.floor(fetchedBytes / manifest.size)))
    for (let first = 0; first < partsIn(manifest); first += many) {
      const count = Math.min(many, partsIn(manifest) - first)
      const reads = Array.from({ length: count }, (_, i) => ({ key: partKey(owner, manifest.id, first + i) }))
      const results = await this.#inner.read(reads, derive(call, { sent: 'own' }))
      for (const [i, result] of results.entries()) {
        const part = partOf(owner, manifest, first + i, result)
        if (part === undefined) return undefined
        value.set(part, (first + i) * manifest.size)
      }
    }
    return value
  }

  #most(): number {
    return this.#inner.capabilities.batch.maxItems
  }
}

function tooLarge(length: number, most: number): StoreError {
  const message = `The value has ${length} bytes, and ${most} may be read as one. Use readStream(), or raise maxValueBytes of parts().`
  return new StoreError('VALUE_TOO_LARGE', message)
}

/** A record of a user without its value: of this layer it tells nothing. */
export function withoutValue(result: ReadResult<Bytes>): ReadResult<Bytes> {
  if (result === undefined || isStoreError(result) || !isEntry(result)) return result
  const { version, expiresAt, meta }: Entry<Bytes> = result
  return { notModified: true, version, expiresAt, meta }
}
