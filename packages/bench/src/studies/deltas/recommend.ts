import { z } from 'zod'
import type { Plain } from '../../options/option.ts'
import { meanOf, type Ratio, ratioOf } from '../../statistics/summary.ts'
import type { UseOfDeltas } from './config.ts'
import type { WayOperation } from './measure-updates.ts'

/** The costs of an operation by one way. */
export interface Cost {
  /** One mean a run, in the order of the runs. */
  readonly runsMs: readonly number[]
  /** Bytes that an update sends, or that a read brings. */
  readonly bytes: number
  /** Requests, one after the other. */
  readonly trips: number
}

/** The costs of one way of writing, with or without deltas. */
export type WayCosts = Readonly<Record<WayOperation, Cost>>

const ms = z.number().min(0)
const amount = z.number().min(0)

const turningSchema = z.strictObject({
  pays: z.enum(['always', 'never', 'up-to', 'from']),
  /** The place; `null` for `always` and `never`. */
  at: amount.nullable(),
})

/** The schema of a recommendation. */
export const recommendationSchema = z.strictObject({
  /** `no-clear-difference` where the measurement does not tell. */
  verdict: z.enum(['use', 'do-not-use', 'no-clear-difference']),
  /**
   * `written-whole`: no update was a delta; `saves-too-little`: more than nine tenths of the bytes are sent;
   * `faster`, `slower`: an update and its reads, clearly; `overlap`: the interval comes within 5 % of as fast;
   * `one-run`: there is no interval.
   */
  reason: z.enum(['written-whole', 'saves-too-little', 'faster', 'slower', 'overlap', 'one-run']),
  /** An update and the reads for it, without and with deltas: the mean of the runs. */
  plainMs: ms,
  deltaMs: ms,
  /** How many times as long it takes with deltas, within each run. */
  ratio: z.strictObject({ mean: amount, low: amount.nullable(), high: amount.nullable() }),
  /** Speed of the network in Mbit/s: `up-to` means on slower ones, `from` on faster ones. */
  network: turningSchema,
  /** Reads for each update. */
  reads: turningSchema,
})

/** The recommendation at one point, and the figures that led to it. */
export type Recommendation = Plain<typeof recommendationSchema>

/** Deltas or not. */
export type Verdict = Recommendation['verdict']

/** Why. */
export type Reason = Recommendation['reason']

/** From where on, or up to where, deltas are faster. */
export type Turning = Recommendation['network']

/** Above this share of the bytes deltas save nothing that is worth a layer. */
const mostSentShare = 0.9
/** Times whose ratio may be closer to 1 than this are as good as equal. */
const leastEffect = 0.05

/**
 * Whether deltas should be used. The rule is written down in the guide, docs/guides/bench-deltas.md.
 *
 * @param deltaShare share of updates that were a delta
 */
export function recommend(
  plain: WayCosts,
  delta: WayCosts,
  deltaShare: number,
  use: UseOfDeltas,
): Recommendation {
  const [plainMs, deltaMs] = [cycleMs(plain, use), cycleMs(delta, use)]
  const ratio = ratioOf(deltaMs.map((ms, run) => ms / (plainMs[run] as number)))
  const reason = reasonOf({ deltaShare, sentShare: delta.update.bytes / plain.update.bytes, ratio })
  return {
    verdict: verdictOf(reason),
    reason,
    plainMs: meanOf(plainMs),
    deltaMs: meanOf(deltaMs),
    ratio,
    network: networkTurning(plain, delta, use),
    reads: readsTurning(plain, delta, use),
  }
}

/** The inputs of the rule. */
export interface RuleInput {
  readonly deltaShare: number
  /** Bytes sent by an update with deltas, over those without. */
  readonly sentShare: number
  readonly ratio: Ratio
}

/** The rule itself, the first line that holds. */
export function reasonOf({ deltaShare, sentShare, ratio: { low, high } }: RuleInput): Reason {
  if (deltaShare === 0) return 'written-whole'
  if (sentShare > mostSentShare) return 'saves-too-little'
  if (low === null || high === null) return 'one-run'
  if (high < 1 - leastEffect) return 'faster'
  return low > 1 + leastEffect ? 'slower' : 'overlap'
}

function verdictOf(reason: Reason): Verdict {
  if (reason === 'faster') return 'use'
  return reason === 'overlap' || reason === 'one-run' ? 'no-clear-difference' : 'do-not-use'
}

/** Milliseconds that a byte takes over a network of so many Mbit/s. */
function msOfByte(mbits: number | null): number {
  return mbits === null ? 0 : 8 / (mbits * 1_000)
}

/** An update and the reads for it in each run, as measured and over the network that was asked for. */
function cycleMs(costs: WayCosts, use: UseOfDeltas): number[] {
  const trips = cycle(costs, use, (cost) => cost.trips)
  const away = use.roundTripMs * trips + msOfByte(use.mbits) * cycleBytes(costs, use)
  return costs.update.runsMs.map((_, run) => cycle(costs, use, ({ runsMs }) => runsMs[run] as number) + away)
}

function cycleBytes(costs: WayCosts, use: UseOfDeltas): number {
  return cycle(costs, use, ({ bytes }) => bytes)
}

/** An update and the reads for it. */
function cycle(costs: WayCosts, { reads, knownReads }: UseOfDeltas, of: (cost: Cost) => number): number {
  const { update, read, 'known read': known } = costs
  return of(update) + reads * ((1 - knownReads) * of(read) + knownReads * of(known))
}

/** Speeds from times for a byte, which are 0 on an endless network: a way that pays from a time on pays up to a speed. */
function networkTurning(plain: WayCosts, delta: WayCosts, use: UseOfDeltas): Turning {
  const local = { ...use, mbits: null }
  const moreMs = meanOf(cycleMs(delta, local)) - meanOf(cycleMs(plain, local))
  const { pays, at } = turning(moreMs, cycleBytes(delta, use) - cycleBytes(plain, use))
  if (at === null) return { pays, at }
  return { pays: pays === 'from' ? 'up-to' : 'from', at: 8 / (at * 1_000) }
}

function readsTurning(plain: WayCosts, delta: WayCosts, use: UseOfDeltas): Turning {
  const moreAt = (reads: number): number =>
    meanOf(cycleMs(delta, { ...use, reads })) - meanOf(cycleMs(plain, { ...use, reads }))
  return turning(moreAt(0), moreAt(1) - moreAt(0))
}

/** Where `atZero + slope · x`, what deltas take more, is below 0 for x from 0 on. */
export function turning(atZero: number, slope: number): Turning {
  if (atZero < 0) return slope <= 0 ? { pays: 'always', at: null } : { pays: 'up-to', at: -atZero / slope }
  return slope < 0 ? { pays: 'from', at: atZero / -slope } : { pays: 'never', at: null }
}
