import { createHash, randomBytes } from 'node:crypto'
import { type Bytes, newVersion, type SetMutation } from '@unikv/core'
import { heard, internalKey } from '@unikv/core/adapter'
import { areTags, keyOf } from '../tags/tag-names.ts'
import { stampBytes } from './cache-record.ts'

/** The tags of an entry, from its key alone. */
export type TagsOfKey = (key: string) => readonly string[]

/** Tag records live for that long at least; what they outlive is void anyway. */
const leastLifeMs = 86_400_000

/** Settings that tag records depend on. */
export interface StoredTagSettings {
  readonly freshForMs: number
  readonly keepForMs: number
  readonly clock: () => number
  /** Whether the store lets records expire. */
  readonly expires: boolean
}

/** The records of tags in a cache store: where they lie, and the stamp that they give an entry. */
export class StoredTags {
  readonly #tagsOf: TagsOfKey
  readonly #prefix: string
  readonly #settings: StoredTagSettings

  constructor(tagsOf: TagsOfKey, prefix: string, settings: StoredTagSettings) {
    this.#tagsOf = tagsOf
    this.#prefix = prefix
    this.#settings = settings
  }

  /** The keys of the tag records of a key, in one order; `undefined` if its tags cannot be told. */
  of(canonical: string): readonly string[] | undefined {
    try {
      const tags: unknown = heard(this.#tagsOf(keyOf(canonical)))
      return areTags(tags) ? Array.from(new Set(tags), (tag) => this.keyOf(tag)).sort() : undefined
    } catch {
      return undefined
    }
  }

  /** Where the record of a tag lies. */
  keyOf(tag: string): string {
    return internalKey('tag', this.#prefix, createHash('sha256').update(tag).digest('base64url'))
  }

  /** A record that is no other's, in the place of any; `ifVersion` `null`: of none. */
  replacing(tagKey: string, ifVersion?: null): SetMutation<Bytes> {
    const { clock, freshForMs, keepForMs, expires } = this.#settings
    const now = clock()
    const ends = now + Math.max(leastLifeMs, 2 * (freshForMs + keepForMs))
    const expiresAt = !expires || ends >= 2 ** 48 ? undefined : Math.ceil(ends)
    const value = randomBytes(stampBytes)
    return { type: 'set', key: tagKey, value, version: newVersion(now), expiresAt, ifVersion }
  }
}
