import { type Bytes, compose, type Store } from '@unikv/core'
import { type OrphanOptions, type OrphanPlan, type SweptOrphans, sweepOrphans } from '@unikv/core/adapter'
import { readHead } from './chain/head.ts'
import { partNameOf, partsOf } from './chain/parts.ts'

/** Settings of `sweepDeltas`. */
export interface SweepOptions extends OrphanOptions {}

/** The result of a sweep. */
export interface Swept extends SweptOrphans {}

const plan: OrphanPlan = {
  whose: 'sweepDeltas',
  what: 'parts of deltas',
  kind: 'delta',
  graceMs: 3_600_000,
  partNameOf,
  namedBy: (key, record) => {
    const head = readHead(key, record)
    const names = new Set(head.kind === 'chain' ? partsOf(key, head) : [])
    return (part) => names.has(part)
  },
}

/**
 * Remove the parts of chains that no head names: what crashed writers left, and writers who did not know what they
 * replaced. Safe while others read and write.
 *
 * ```ts
 * const stored = compose(store, [compression()])     // all that is below the delta layer
 * await sweepDeltas(stored)
 * ```
 *
 * @param below The stack as the delta layer sees it.
 * @throws {StoreError} `UNSUPPORTED` for a store that cannot list its keys, and the errors of listing
 */
export async function sweepDeltas(below: Store<Bytes>, options: SweepOptions = {}): Promise<Swept> {
  return sweepOrphans(compose(below, []), options, plan)
}
