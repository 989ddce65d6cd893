import { setTimeout as pause } from 'node:timers/promises'
import {
  type Bytes,
  type CallOptions,
  type Mutation,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'

/** A store whose writes fail, linger and end without an answer, as dice say. */
export interface FaultyStore extends Store<Bytes> {
  /** From now on nothing that it is asked has an effect or an answer: its process was killed. */
  die(): void
  /** From now on nothing fails. */
  heal(): void
}

/** Numbers from 0 to `below` - 1. */
export type Dice = (below: number) => number

/** Repeatable numbers. */
export function diceOf(seed: number): Dice {
  let state = (seed ^ 0x9e3779b9) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** What the store refuses for good. */
export const poison = 0xff

const never = new Promise<never>(() => {})

/** `perMille` of the writes, and of their items, fail. A `liar` drops one item in fifty and says that it is written. */
export function faulty(inner: MemoryStore, dice: Dice, perMille: number, isLiar = false): FaultyStore {
  let isDead = false
  let rate = perMille
  const fails = (): boolean => dice(1_000) < rate
  const results = (mutations: readonly Mutation<Bytes>[], call: CallOptions) => {
    call.sent = true
    return mutations.map((mutation): WriteResult => {
      if (mutation.type === 'set' && mutation.value[0] === poison)
        return new StoreError('INVALID_VALUE', 'This store takes no such value.')
      if (fails()) return new StoreError('UNAVAILABLE', 'This item failed; nothing was changed.')
      const isUnknown = fails()
      const isDone = !isUnknown || dice(2) === 0
      const isDropped = isLiar && dice(50) === 0
      if (isDone && !isDropped) void inner.write([mutation], call)
      if (!isUnknown) return { version: mutation.version }
      return new StoreError('OUTCOME_UNKNOWN', 'No answer came.')
    })
  }
  return {
    name: 'faulty',
    capabilities: {
      ...inner.capabilities,
      sync: 'none',
      batch: { ...inner.capabilities.batch, atomicity: 'none' },
    },
    native: undefined,
    read: async (reads, call) => {
      await linger(dice)
      if (isDead) return never
      if (rate > 0 && dice(1_000) < rate / 4) throw new StoreError('UNAVAILABLE', 'The read failed.')
      return inner.read(reads, call)
    },
    write: async (mutations, call) => {
      await linger(dice)
      if (isDead) return never
      if (fails()) throw new StoreError('UNAVAILABLE', 'Nothing was changed.')
      const written = results(mutations, call)
      await linger(dice)
      return isDead ? never : written
    },
    scan: (range, call) => inner.scan(range, call),
    close: async () => {},
    die: () => {
      isDead = true
    },
    heal: () => {
      rate = 0
    },
  }
}

/** Take no time, or some turns of the event loop, or rarely a moment. */
async function linger(dice: Dice): Promise<void> {
  const kind = dice(20)
  if (kind === 0) await pause(1)
  else if (kind < 10)
    for (let turns = dice(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
}
