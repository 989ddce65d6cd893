import {
  type Bytes,
  isConditionFailed,
  isStoreError,
  type Mutation,
  newVersion,
  type WriteResult,
  type Written,
} from '@unikv/core'
import type { Counters } from './events.ts'
import { inParts } from './in-parts.ts'
import type { KeyState } from './key-state.ts'
import type { MirrorSettings } from './mirror-options.ts'
import type { Pair } from './repair.ts'
import type { Repairs } from './repairs.ts'
import { compareRecords, type Found, trace } from './same-record.ts'

/**
 * With so many mutations on their way to the secondary, later ones are owed instead, as these hold values. The mutations of
 * one call go together: their caller holds their values anyway.
 */
const maxUnderWay = 1_024

/** A mutation that the primary acknowledged, as the secondary gets it. */
export interface Copy {
  readonly state: KeyState
  readonly mutation: Mutation<Bytes>
  /** The entry of the primary, if there was no later write. */
  readonly left: Found
}

/** The settings that copies are sent with. */
export interface CopyParts {
  readonly pair: Pair
  readonly repairs: Repairs
  readonly settings: MirrorSettings
  readonly counters: Counters
  /** Takes work that the answer need not wait for, or waits for it. */
  readonly later: (work: readonly (Promise<unknown> | undefined)[]) => Promise<void>
}

/** The way of acknowledged mutations to the secondary. A copy that does not get there is owed. */
export class Copies {
  readonly #parts: CopyParts
  #underWay = 0

  constructor(parts: CopyParts) {
    this.#parts = parts
  }

  /** Whether a key may be copied at once: nothing of it is under way, nothing fails, and owing it is not better. */
  mayCopy(state: KeyState): boolean {
    const { repairs } = this.#parts
    if (state.busy || state.owed || repairs.isFailing) return false
    return this.#underWay < maxUnderWay || repairs.isFull
  }

  /** Send copies whose states this call alone is busy with. Never rejects. */
  async send(copies: readonly Copy[]): Promise<void> {
    const { secondary } = this.#parts.pair
    this.#underWay += copies.length
    const results: WriteResult[] = []
    const parts = inParts(
      copies.map(({ mutation }) => mutation),
      secondary.store.capabilities.batch,
    )
    for (const part of parts) for (const result of await secondary.write(part)) results.push(result)
    const checks = await this.#checks(copies, results)
    this.#underWay -= copies.length
    const removals = copies.map((copy, i) => this.#sent(copy, results[i] as WriteResult, checks.get(copy)))
    await this.#parts.later(removals)
  }

  /** Whether the primary still has what was sent: others may have written since, and mirrored that before. */
  async #checks(
    copies: readonly Copy[],
    results: readonly WriteResult[],
  ): Promise<ReadonlyMap<Copy, boolean>> {
    const acknowledged = copies.filter(({ state }, i) => isDone(results[i] as WriteResult) && !state.owed)
    if (this.#parts.settings.writers === 'one' || acknowledged.length === 0) return new Map()
    const found = await this.#parts.pair.primary.read(
      acknowledged.map(({ mutation: { key } }) => ({ key, head: true })),
    )
    return new Map(
      acknowledged.map((copy, i) => {
        const now = found[i]
        const isSame =
          !isStoreError(now) && compareRecords(now, copy.left, this.#parts.pair.precisionMs) === 'same'
        return [copy, isSame]
      }),
    )
  }

  #sent({ state }: Copy, result: WriteResult, isStillSo = true): Promise<void> | undefined {
    const { repairs, settings, counters } = this.#parts
    state.busy = false
    if (!isDone(result)) {
      counters.secondaryFailures++
      const code = isStoreError(result) ? result.code : 'CONDITION_FAILED'
      repairs.owe(state, { code, doubt: code === 'OUTCOME_UNKNOWN', inMs: settings.baseMs })
      state.tell()
      return undefined
    }
    counters.mirrored++
    if (!isStillSo) repairs.owe(state, {})
    else if (state.owed) repairs.wake()
    return repairs.settle(state)
  }
}

/** The mutation for the secondary; `undefined` if only the primary can tell what the record is now. */
export function copyOf(state: KeyState, mutation: Mutation<Bytes>, { version }: Written): Copy | undefined {
  const { key, type } = mutation
  if (type === 'delete') return { state, mutation: { type, key, version: newVersion() }, left: undefined }
  if (type !== 'set' || mutation.expiresAt === 'keep' || version === undefined) return undefined
  const { expiresAt } = mutation
  // The caller owns its bytes again when the primary has answered.
  const value = new Uint8Array(mutation.value)
  return {
    state,
    mutation: { type, key, value, version, expiresAt },
    left: trace(version, expiresAt),
  }
}

function isDone(result: WriteResult): boolean {
  return !isStoreError(result) && !isConditionFailed(result)
}
