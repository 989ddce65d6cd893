import { counterOf, nextNumber } from '../layout/counter.ts'
import { counterPlace, isNumberedFirst, type Layout, placeOf, sweepKey } from '../layout/layout.ts'
import { valuesAt } from '../runs/spaces.ts'
import type { Workspace } from '../runs/workspace.ts'
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
      const place = placeOf(layout, entity)
      if (isNumberedFirst(layout)) this.#parts.spaces.join(place.group)
      // The mark is read on the way: the creation will ask for it.
      const wanted = layout.outside.length === 0 ? [place] : [place, { ...place, key: sweepKey }]
      if ((await valuesAt(this.#parts.spaces, wanted))[0] === undefined) return entity
    }
  }

  /** The entity with its generated number. */
  async #numbered(layout: Layout, given: Entity): Promise<Entity> {
    const { type } = layout
    const { generated } = type
    if (generated === undefined) return { ...given }
    const { group, key } = counterPlace(layout, given)
    const number = layout.countsInside
      ? await this.#countInside(layout, group, key)
      : await this.#parts.memory.numberOf(group, (keep) => this.#parts.takeNumber(type, group, keep))
    return { ...given, [generated]: number }
  }

  async #countInside({ type }: Layout, group: string, key: string): Promise<number> {
    const [space] = (await this.#parts.spaces.of([group])) as [Workspace]
    const next = nextNumber(type, await space.get(key))
    this.#parts.checkOpen('create')
    space.put(key, counterOf(next))
    return next
  }
}
