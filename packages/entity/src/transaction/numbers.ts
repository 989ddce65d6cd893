import { counterOf, nextNumber } from '../layout/counter.ts'
import { counterPlace, entityKey, type Layout, sweepKey } from '../layout/layout.ts'
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
    const { type } = layout
    const { generated } = type
    if (generated === undefined) return { ...given }
    const { group, key } = counterPlace(layout, given)
    const number = layout.countsInside
      ? await this.#countInside(layout, key)
      : await this.#parts.memory.numberOf(group, (keep) => this.#parts.takeNumber(type, group, keep))
    return { ...given, [generated]: number }
  }

  async #countInside({ type }: Layout, key: string): Promise<number> {
    const next = nextNumber(type, await this.#parts.space.get(key))
    this.#parts.checkOpen('create')
    this.#parts.space.put(key, counterOf(next))
    return next
  }
}
