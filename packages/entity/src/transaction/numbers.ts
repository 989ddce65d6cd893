import { counterPlace, entityKey, type Layout, sweepKey } from '../layout/layout.ts'
import { numberIn } from '../layout/stored-entity.ts'
import type { Entity, OpenParts } from './transaction-parts.ts'

/** Generated numbers of new entities. */
export class Numbers {
  readonly #parts: OpenParts

  constructor(parts: OpenParts) {
    this.#parts = parts
  }

  /** The entity with a generated number that no entity has: one may have it where the counter was elsewhere, before an index was added. */
  async free(layout: Layout, given: Entity): Promise<Entity> {
    for (;;) {
      const entity = await this.#numbered(layout, given)
      if (layout.type.generated === undefined) return entity
      // The mark is read on the way: the creation will ask for it.
      const wanted = [entityKey(layout, entity), ...(layout.outside.length === 0 ? [] : [sweepKey])]
      if ((await this.#parts.space.getMany(wanted))[0] === undefined) return entity
    }
  }

  /** The entity with its generated number. */
  async #numbered(layout: Layout, given: Entity): Promise<Entity> {
    const { generated } = layout.type
    if (generated === undefined) return { ...given }
    const { group, key } = counterPlace(layout, given)
    const number = layout.countsInside
      ? await this.#countInside(key)
      : await this.#parts.memory.numberOf(group, (keep) => this.#parts.takeNumber(group, keep))
    return { ...given, [generated]: number }
  }

  async #countInside(key: string): Promise<number> {
    const next = numberIn(await this.#parts.space.get(key)) + 1
    this.#parts.checkOpen('create')
    this.#parts.space.put(key, Buffer.from(String(next)))
    return next
  }
}
