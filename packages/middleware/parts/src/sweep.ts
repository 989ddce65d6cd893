import { type Bytes, compose, type Store } from '@unikv/core'
import { type OrphanOptions, type OrphanPlan, type SweptOrphans, sweepOrphans } from '@unikv/core/adapter'
import { partsIn, readHead } from './format.ts'
import { partNameOf } from './keys.ts'

const plan: OrphanPlan = {
  whose: 'sweepParts',
  what: 'parts of values',
  kind: 'chunk',
  graceMs: 86_400_000,
  partNameOf,
  namedBy: (owner, record) => {
    const head = readHead(owner, record)
    if ('value' in head) return () => false
    return (part) => {
      const name = partNameOf(part)
      return name?.id === head.id && name.number < partsIn(head)
    }
  },
}

/**
 * Remove the parts of values that no record names: what crashed writers left, and what replaced values of which nothing was known. Safe
 * while others read and write, as long as no write takes half of `graceMs`.
 *
 * ```ts
 * const stored = compose(store, [encryption({ dataset, keys })])     // all that is below the parts layer
 * await sweepParts(stored)
 * ```
 *
 * @param below The stack as the parts layer sees it.
 * @throws {StoreError} `UNSUPPORTED` for a store that cannot list its keys, and the errors of listing
 */
export async function sweepParts(below: Store<Bytes>, options: OrphanOptions = {}): Promise<SweptOrphans> {
  return sweepOrphans(compose(below, []), options, plan)
}
