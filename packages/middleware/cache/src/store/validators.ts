import type { Version } from '@unikv/core'
import { Lru } from '../policies/lru.ts'
import type { Resident } from '../policies/policy.ts'
import { Residents } from '../policies/residents.ts'
import type { CacheRecord } from '../tier/cache-record.ts'

const maxKeys = 10_000

/** The head of a record, without its body. */
export class Validator implements Resident {
  readonly key: string
  /** Version of the record in the cache store. */
  readonly recordVersion: Version
  /** Version of the entry in the source. */
  readonly version: Version | undefined
  readonly expiresAt: number | undefined
  readonly freshUntil: number
  /** Stamp of its tags. */
  readonly stamp: string | undefined
  readonly bytes = 0
  readonly cost = 1
  newer: Resident | undefined = undefined
  older: Resident | undefined = undefined
  uses = 0
  place = 0
  rank = 0

  constructor(key: string, recordVersion: Version, { entry, freshUntil, stamp }: CacheRecord) {
    this.key = key
    this.recordVersion = recordVersion
    this.version = entry?.version
    this.expiresAt = entry?.expiresAt
    this.freshUntil = freshUntil
    this.stamp = stamp
  }
}

/** Records that this process has seen lately, so that a cache above can be told without a body that one is the same. */
export class Validators {
  readonly #known = new Residents<Validator>(
    { maxEntries: maxKeys, maxBytes: Number.MAX_SAFE_INTEGER },
    () => new Lru(),
    () => {},
  )

  get(key: string): Validator | undefined {
    return this.#known.get(key)
  }

  /** Note a record that was read or filled. */
  note(key: string, recordVersion: Version | null | undefined, record: CacheRecord | undefined): void {
    if (recordVersion == null || record?.entry?.version === undefined) this.#known.delete(key)
    else this.#known.set(new Validator(key, recordVersion, record))
  }
}
