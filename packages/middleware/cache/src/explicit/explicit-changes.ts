import { type Awaitable, type Bytes, newVersion, StoreError, type WriteResult } from '@unikv/core'
import { callOptions, within } from '@unikv/core/adapter'
import { checkFacts, entryOfLoaded, expiryOf, Loaded, Unchanged } from '../loaded.ts'
import { Loading } from '../loads/loading.ts'
import { tagsToInvalidate } from '../tags/tag-names.ts'
import { unwritten } from '../unwritten.ts'
import { copied } from '../values/sharing.ts'
import { checkTagged, type PutOptions } from './explicit-options.ts'
import type { ExplicitParts } from './explicit-parts.ts'
import type { LowerTier } from './lower-tier.ts'
import { refuse } from './refuse.ts'

/** The calls of an explicit cache that change what is kept. */
export class ExplicitChanges<V> {
  readonly #parts: ExplicitParts

  constructor(parts: ExplicitParts) {
    this.#parts = parts
  }

  async put(key: string, value: V, options: PutOptions): Promise<void> {
    const { keys, near, below, turns } = this.#parts
    const canonical = keys.canonical(key)
    checkPut(value, options, below !== undefined)
    const own = this.#own(value, options)
    const { born } = near
    if (below === undefined) return this.#keep(canonical, own, born)
    await turns.take([canonical], async () => {
      const { encoded, value: read } = await this.#coded(canonical, own.value, below)
      await this.#keep(canonical, new Loaded(read, own.facts), born, () =>
        below.replace(canonical, new Loading(() => own, {}, encoded)),
      )
    })
  }

  /** A value as the second tier holds it, and as it is read there. A codec may ask others, such as a schema that waits. */
  #coded(key: string, value: unknown, below: LowerTier): Promise<{ encoded: Bytes; value: unknown }> {
    const call = within(this.#parts.settings.timeoutMs)
    return this.#parts.wait('put', [key], call, async () => {
      const encoded = await below.encode(key, value)
      return { encoded, value: await below.decode(key, encoded) }
    })
  }

  /** Copies a value that was put before it is frozen: the original belongs to the caller. */
  #own(value: V, facts: PutOptions): Loaded<unknown> {
    const { version, freshForMs, tags } = facts
    const { share, clock } = this.#parts.settings.near
    const expiresAt = expiryOf(facts, clock())
    const own = share === 'freeze' || share === 'copy' ? copied(value) : value
    return new Loaded(own, { version, expiresAt, freshForMs, tags })
  }

  #keep(
    key: string,
    own: Loaded<unknown>,
    born: number,
    below?: () => Promise<readonly WriteResult[]>,
  ): Awaitable<void> {
    return this.#parts.near.changes.put(key, entryOfLoaded(own, 0), { ...own.facts, born }, below)
  }

  async invalidateMany(keys: Iterable<string>): Promise<void> {
    const { near, below, turns } = this.#parts
    const canonical = Array.from(this.#parts.keys.many('invalidateMany', keys).values())
    const mutations = canonical.map((key) => ({ type: 'delete' as const, key, version: newVersion() }))
    const remove = async (): Promise<void> => refuse(await near.write(mutations, callOptions()))
    if (canonical.length > 0) await (below === undefined ? remove() : turns.take(canonical, remove))
  }

  async expire(key: string): Promise<void> {
    const { keys, near, below, turns } = this.#parts
    const canonical = keys.canonical(key)
    const { mutations } = unwritten([canonical])
    if (below === undefined) return near.changes.expire(canonical, undefined)
    await turns.take([canonical], async () =>
      near.changes.expire(canonical, () => below.write(mutations, callOptions())),
    )
  }

  async invalidateTags(tags: string | Iterable<string>): Promise<void> {
    const { keys, near, below } = this.#parts
    keys.checkOpen()
    const names = tagsToInvalidate(tags)
    try {
      // Else who comes meanwhile would bring here what lies there.
      await below?.invalidateTags(names)
    } finally {
      await near.invalidateTags(names)
    }
  }
}

function checkPut(value: unknown, options: PutOptions, hasBelow: boolean): void {
  if (value === undefined)
    throw new StoreError('INVALID_VALUE', 'undefined cannot be kept: use invalidate, or null as a value.')
  if (value instanceof Loaded || value instanceof Unchanged)
    throw new StoreError('INVALID_VALUE', 'Put the value itself, and what is known of it as options.')
  checkFacts('put', options)
  checkTagged(options, hasBelow)
}
