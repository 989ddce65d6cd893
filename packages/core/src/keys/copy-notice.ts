import { internalKey } from './canonical-key.ts'

/**
 * The record by which a copy, a snapshot or a restore tells that it is under way, in each of its stores: of the kind of leases, so that
 * no copy takes it along. It changes each time it is renewed, so no clocks need to agree.
 */
export const copyNotice: {
  readonly key: string
  /** It is written after so long for the first time, and renewed as often. */
  readonly everyMs: number
  /** A copy whose notice stays the same for so long has ended. */
  readonly patienceMs: number
} = { key: internalKey('lease', '', 'copy'), everyMs: 2000, patienceMs: 15_000 }
