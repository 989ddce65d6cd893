import type { Policy } from '@unikv/monitor/recorder'
import type { Trouble } from '../observe/trouble.ts'
import type { StoreWork } from '../observe/work.ts'
import type { Candidate } from '../tactic.ts'
import { breakEvenOf, breaks, clamp, reliefOf, savedOf } from './estimate.ts'
import type { Memory } from './memory.ts'

/** A candidate and its tactic. */
export interface Option {
  readonly tactic: string
  readonly candidate: Candidate
}

/** An option with what it would bring. */
export interface Weighed extends Option {
  /** How much of the way to the promise it would go, from 0 to 1. */
  readonly relief: number
  /** Figure of the promise after it, by estimate, in the promise's unit. */
  readonly expected: number
  /** Share of the work of the store that it would save; negative: it would add work. */
  readonly saved: number
  /** How often writes could grow before the change cost more than it saves; `Infinity`: at any rate. */
  readonly breakEven: number
  /** From half to three halves: what was learned here about this tactic. */
  readonly learned: number
  readonly score: number
  /** Why it was not chosen; `undefined`: nothing speaks against it. */
  readonly against: string | undefined
}

/** The answer to a trouble. */
export interface Decision {
  readonly trouble: Trouble
  /** `undefined`: to do nothing is best. */
  readonly chosen: Weighed | undefined
  /** All options, the best first. */
  readonly weighed: readonly Weighed[]
}

/** All that a decision is made from. */
export interface Situation {
  readonly trouble: Trouble
  readonly options: readonly Option[]
  readonly work: StoreWork
  /** Promises about the same store. */
  readonly policies: readonly Policy[]
  readonly memory: Memory
  /** Share of the votes of what was learned for a tactic, and how many samples stand behind them. */
  readonly votes?: ((tactic: string) => number) | undefined
  readonly samples?: number | undefined
  readonly now: number
}

/** Less of the way to a promise is not worth a change. */
const leastRelief = 0.2
/** A change must pay for itself within so many seconds. */
const horizonS = 86_400
/** So many samples give what was learned half of its weight. */
const halfTrust = 250

/** Choose what helps most for what it costs. Takes milliseconds, reads nothing. */
export function decide(situation: Situation): Decision {
  const weighed = inOrder(situation.options.map((option) => weigh(option, situation))).toSorted(
    (a, b) => Number(a.against !== undefined) - Number(b.against !== undefined) || b.score - a.score,
  )
  const [best] = weighed
  return {
    trouble: situation.trouble,
    chosen: best !== undefined && best.against === undefined ? best : undefined,
    weighed,
  }
}

/** The same options; one that comes after another tactic waits while that one may be chosen. */
function inOrder(weighed: readonly Weighed[]): readonly Weighed[] {
  const open = new Set(weighed.filter(({ against }) => against === undefined).map(({ tactic }) => tactic))
  return weighed.map((one) => {
    const { after } = one.candidate
    if (one.against !== undefined || after === undefined || !open.has(after)) return one
    return {
      ...one,
      against: `${after} comes first: this one waits until that was tried, or cannot be done.`,
    }
  })
}

function weigh(option: Option, situation: Situation): Weighed {
  const { candidate, tactic } = option
  const factors = candidate.latency ?? {}
  const { relief, expected } = reliefOf(candidate, situation)
  const saved = savedOf(situation.work, factors)
  const learned = learnedOf(tactic, situation)
  const payBackS = saved <= 0 ? Infinity : candidate.seconds / saved
  const score = relief * learned + 0.2 * Math.max(0, saved) - Math.min(0.5, candidate.seconds / 3600)
  const found = { relief, expected, saved, breakEven: breakEvenOf(situation.work, factors), learned, score }
  return { ...option, ...found, against: againstOf(option, { ...found, payBackS }, situation) }
}

function againstOf(
  { tactic, candidate }: Option,
  { relief, saved, payBackS }: { readonly relief: number; readonly saved: number; readonly payBackS: number },
  { memory, policies, trouble, work, now }: Situation,
): string | undefined {
  if (candidate.refused !== undefined) return candidate.refused
  const remembered = memory.against(tactic, candidate, work, now)
  if (remembered !== undefined) return remembered
  const slows = Object.values(candidate.latency ?? {}).some((factor) => factor > 1)
  if (slows && saved <= 0 && trouble.type === 'violation')
    return `It would cost more than it saves: ${percent(-saved)} more work in all, as other operations become slower.`
  if (relief < leastRelief) return 'It would hardly help to keep this promise.'
  if (slows && payBackS > horizonS && trouble.type === 'violation')
    return 'It would take longer than a day until it has paid for its making.'
  const broken = policies.find((policy) => breaks(policy, candidate, work, trouble))
  if (broken !== undefined)
    return `It would break the promise about ${broken.operation} of ${broken.store}, which holds now.`
  return undefined
}

/** Votes count as much as samples stand behind them: at first what is generally known decides alone. */
function learnedOf(tactic: string, { votes, samples = 0 }: Situation): number {
  if (votes === undefined) return 1
  const trust = samples / (samples + halfTrust)
  return 1 + trust * (clamp(votes(tactic)) - 0.5)
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
