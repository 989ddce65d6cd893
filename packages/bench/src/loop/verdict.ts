import { ms, type OptionsOf, readOptions, type SettingsOf, valid } from '@unikv/core/adapter'
import { sumOf } from '../statistics/summary.ts'
import { type LoopResult, rateOf } from './loop-result.ts'

/** Why a run may say nothing about the store. */
export const invalidReasons = [
  'generator-saturated',
  'target-missed',
  'arrivals-dropped',
  'too-many-errors',
  'clock-jumped',
  'too-few-samples',
  'worker-lost',
  'records-lost',
] as const

/** A reason, with the figures behind it in one sentence. */
export interface Invalidity {
  readonly reason: (typeof invalidReasons)[number]
  readonly message: string
}

const table = {
  /** Generator's lag p99 that is always accepted. @default 1 */
  lagMs: ms(1, { least: 0 }),
  /** Beyond `lagMs`, the lag p99 as a share of the median response that is accepted. @default 0.1 */
  lagShare: amount(0.1),
  /** Time in a closed loop in which this process did not run that is always accepted. @default 1,000 */
  lostMs: ms(1_000, { least: 0 }),
  /** Beyond `lostMs`, the share of the time that is accepted. @default 0.5 */
  lostShare: amount(0.5),
  /** Share of the target rate that may be missing. @default 0.05 */
  missedShare: amount(0.05),
  /** Share of arrivals that may be dropped. @default 0 */
  droppedShare: amount(0),
  /** Share of operations that may fail. @default 0.01 */
  errorShare: amount(0.01),
  /** Difference of wall clock and monotonic clock that is accepted. @default 1,000 */
  clockJumpMs: ms(1_000, { least: 0 }),
  /** Percentiles that the run is asked for; each needs 10 / (1 − p) samples. @default [] */
  percentiles: checkedPercentiles,
}

/** The limits beyond which a run is invalid. Shares are between 0 and 1, or above it for *any*. */
export interface VerdictLimits extends OptionsOf<typeof table> {}

type Limits = SettingsOf<typeof table>

/**
 * Everything that makes a run invalid; empty for a good one.
 *
 * @throws {RangeError} if a percentile is not within 0 to 100
 */
export function verdict(result: LoopResult, limits: VerdictLimits = {}): Invalidity[] {
  const settings = readOptions('verdict', table, limits)
  return [
    empty(result),
    saturated(result, settings),
    lost(result, settings),
    missed(result, settings),
    dropped(result, settings),
    failed(result, settings),
    jumped(result, settings),
    ...settings.percentiles.map((percent) => tooFew(result, percent)),
  ].filter((found) => found !== undefined)
}

function amount(preset: number) {
  return valid<number, number>(
    'be a number from 0',
    (given) => typeof given === 'number' && given >= 0,
    preset,
  )
}

function checkedPercentiles(percentiles: readonly number[] | undefined = []): readonly number[] {
  const wrong = percentiles.find((percent) => !(percent >= 0 && percent <= 100))
  if (wrong === undefined) return percentiles
  throw new RangeError(`A percentile must be from 0 to 100, got ${wrong}.`)
}

function empty({ operations }: LoopResult): Invalidity | undefined {
  return operations > 0 ? undefined : { reason: 'too-few-samples', message: 'no operation was measured' }
}

function saturated({ open, kinds }: LoopResult, { lagMs, lagShare }: Limits): Invalidity | undefined {
  if (open === undefined || open.lag.count === 0) return undefined
  const medianMs =
    Math.min(...kinds.filter((k) => k.response.count > 0).map((k) => k.response.percentile(50))) / 1e6
  const boundMs = Math.max(lagMs, Number.isFinite(medianMs) ? medianMs * lagShare : 0)
  const foundMs = open.lag.percentile(99) / 1e6
  if (foundMs <= boundMs) return undefined
  const message = `the generator was late: lag p99 ${foundMs.toFixed(3)} ms, accepted ${boundMs.toFixed(3)} ms`
  return { reason: 'generator-saturated', message }
}

function lost(
  { lostMs: foundMs, elapsedMs }: LoopResult,
  { lostMs, lostShare }: Limits,
): Invalidity | undefined {
  if (foundMs <= Math.max(lostMs, elapsedMs * lostShare)) return undefined
  const [found, of] = [foundMs, elapsedMs].map((ms) => (ms / 1_000).toFixed(1))
  const message = `the generator did not run for ${found} of ${of} s: its process was busy with other work, or had no processor`
  return { reason: 'generator-saturated', message }
}

function missed(result: LoopResult, { missedShare }: Limits): Invalidity | undefined {
  if (result.open === undefined || result.aborted || result.operations < 2) return undefined
  const { targetRate } = result.open
  // n operations at a rate span n − 1 gaps, so the last one's own time does not count as a miss
  const gaps = ((result.operations - 1) / result.elapsedMs) * 1_000
  const achieved = Math.max(result.rate, gaps, inTime(result))
  if (achieved >= targetRate * (1 - missedShare)) return undefined
  const message = `the target was missed: ${rounded(achieved)} of ${rounded(targetRate)} operations a second`
  return { reason: 'target-missed', message }
}

/** Successes a second within the time of the run: so a few that end long after it are not a miss. */
function inTime({ kinds, countedMs }: LoopResult): number {
  return rateOf(
    sumOf(kinds, ({ service, late }) => service.count - late),
    countedMs,
  )
}

/** A rate without digits that say nothing; below ten with three significant ones. */
function rounded(rate: number): number {
  return rate < 10 ? Number(rate.toPrecision(3)) : Math.round(rate)
}

function dropped({ open }: LoopResult, { droppedShare }: Limits): Invalidity | undefined {
  if (open === undefined || open.dropped <= open.arrivals * droppedShare) return undefined
  return { reason: 'arrivals-dropped', message: `${open.dropped} of ${open.arrivals} arrivals were dropped` }
}

function failed({ errors, operations }: LoopResult, { errorShare }: Limits): Invalidity | undefined {
  if (errors <= operations * errorShare) return undefined
  return { reason: 'too-many-errors', message: `${errors} of ${operations} operations failed` }
}

function jumped(result: LoopResult, { clockJumpMs }: Limits): Invalidity | undefined {
  if (Math.abs(result.clockJumpMs) <= clockJumpMs) return undefined
  return {
    reason: 'clock-jumped',
    message: `the wall clock moved by ${Math.round(result.clockJumpMs)} ms meanwhile`,
  }
}

function tooFew({ kinds }: LoopResult, percent: number): Invalidity | undefined {
  // the largest value, p100, is known of a single sample
  const needed = percent === 100 ? 1 : Math.ceil(10 / (1 - percent / 100) - 1e-6)
  const short = kinds.find((kind) => kind.service.count < needed)
  if (short === undefined) return undefined
  const message = `p${percent} needs ${needed} samples, ${short.name} has ${short.service.count}`
  return { reason: 'too-few-samples', message }
}
