import { welchTest } from '@unikv/bench/statistics'
import type { Work } from '../observe/work.ts'
import { controlOf, costOf, leastMs, logOf, machineOf, othersIn, weightsOf } from './control.ts'
import type { Sample } from './samples.ts'

/** The effect of a change, as far as the windows with it and without it tell. */
export interface Verdict {
  readonly answer: 'harm' | 'help' | 'none' | 'open'
  /** Latency with the change over without it, of all work: below 1 is faster. */
  readonly ratio: number
  /** Its 90 % interval: either end is passed with 95 % certainty. */
  readonly interval: readonly [low: number, high: number]
  /** The same of the operation or query that the promise is about, or that the change is made for. */
  readonly aim: number
  /** Operations that the change does not concern, if need be of other stores: what happened to them is the machine, and is taken off. */
  readonly control: readonly string[]
  readonly windows: readonly [without: number, having: number]
}

/** A change to be judged. */
export interface Judged {
  readonly samples: readonly Sample[]
  /** The operation or query that should become faster. */
  readonly aim: Work | undefined
  /** Operations and queries that the change concerns. */
  readonly concerns: readonly Work[]
  /** Whether the change was turned on and off: then each turn with it must be faster than each without it. */
  readonly isInTurns?: boolean | undefined
  /** The kind of figure that was promised. The processor moves with each call, and must be as certain as a latency. */
  readonly figure?: 'latency' | 'errors' | 'hits' | 'resource' | 'processor' | undefined
}

/** So many windows of either kind must be there. */
export const leastWindows = 4
/** After so many windows with the change there must be an answer. */
const mostWindows = 10
/** A change by less is none. */
const leastEffect = 0.05

/**
 * Compare windows with a change and without it. The latency of each is divided by that of operations that the change does not
 * concern, so that a machine that became slower is not taken for the change.
 */
export function verdictOf(judged: Judged): Verdict {
  const own = controlOf(judged.samples, judged.concerns)
  if (own.length > 0 || judged.isInTurns === true) return judgedBy(own, judged)
  const others = othersIn(judged.samples)
  const verdict = judgedBy(others, judged)
  // Another store may have a load of its own that changed: without it the answer must be the same.
  if (others.length === 0 || judgedBy([], judged).answer === verdict.answer) return verdict
  return { ...verdict, answer: verdict.windows[1] >= mostWindows ? 'none' : 'open' }
}

function judgedBy(control: readonly string[], judged: Judged): Verdict {
  const { samples, aim } = judged
  const [on, off] = [samples.filter(({ isOn }) => isOn), samples.filter(({ isOn }) => !isOn)]
  const windows = [off.length, on.length] as const
  if (on.length < leastWindows || off.length < leastWindows)
    return { answer: 'open', ratio: 1, interval: [0, Infinity], aim: 1, control, windows }
  const weights = weightsOf(off, control)
  const wholeCost: Cost = (sample) => costOf(sample, weights, control)
  const tested = (cost: Cost): Tested => ({ ...ratioOf(off, on, cost), isApart: areApart(samples, cost) })
  const whole = tested(wholeCost)
  const aimed = aim === undefined ? whole : tested((sample) => logOf(sample, aim, control))
  const promised = tested((sample) => promisedOf(sample, judged, control))
  const answer = answerOf(judged, { whole, aimed, promised }, on.length >= mostWindows)
  const { ratio, interval } = whole
  const isTime = judged.figure === 'latency' || judged.figure === undefined
  return { answer, ratio, interval, aim: (isTime ? aimed : promised).ratio, control, windows }
}

type Cost = (sample: Sample) => number | undefined

/** With a change over without it, of one figure. */
interface Tested extends Pick<Verdict, 'ratio' | 'interval'> {
  /** Whether each turn with it was better than each without it. */
  readonly isApart: boolean
}

/** All work, the operation that should become faster, and the promised figure. */
interface Figures {
  readonly whole: Tested
  readonly aimed: Tested
  readonly promised: Tested
}

function answerOf(
  { isInTurns = false, figure }: Judged,
  { whole, aimed, promised }: Figures,
  isLast: boolean,
): Verdict['answer'] {
  const isSlower = whole.ratio >= 1 + leastEffect && whole.interval[0] > 1
  const isResource = figure === 'resource'
  // Faster reads do not relieve a processor.
  const helps = (figure === 'processor' ? [promised] : [aimed, promised]).some(
    ({ ratio, interval, isApart }) =>
      ratio <= 1 - leastEffect && (isResource || (interval[1] < 1 && (!isInTurns || isApart))),
  )
  // Fewer errors, or room on a server, may cost time.
  const mayCost = isResource || (helps && figure === 'errors')
  if (isSlower && !mayCost) return 'harm'
  if (helps && (isLast || mayCost || whole.interval[1] < 1 + leastEffect)) return 'help'
  return isLast ? 'none' : 'open'
}

/** Logarithm of the promised figure, less that of the machine where it is a latency. */
function promisedOf(sample: Sample, { figure }: Judged, control: readonly string[]): number | undefined {
  const { promised } = sample
  if (promised === undefined) return undefined
  const own = Math.log(Math.max(promised, figure === 'latency' ? leastMs : leastShare))
  return figure === 'latency' ? own - machineOf(sample, control) : own
}

/** Shares below this are as good as none. */
const leastShare = 0.001

/** So many turns with the change must all be faster than each without it: by chance that is one case of seventy. */
const leastTurns = 4

/** Whether all turns with a change cost less than each turn without it. */
function areApart(samples: readonly Sample[], of: (sample: Sample) => number | undefined): boolean {
  const turns: { readonly isOn: boolean; readonly costs: number[] }[] = []
  for (const sample of samples) {
    const cost = of(sample)
    if (cost === undefined) continue
    if (turns.at(-1)?.isOn !== sample.isOn) turns.push({ isOn: sample.isOn, costs: [] })
    turns.at(-1)?.costs.push(cost)
  }
  const means = (isOn: boolean): number[] =>
    turns
      .filter((turn) => turn.isOn === isOn)
      .map(({ costs }) => costs.reduce((sum, one) => sum + one, 0) / costs.length)
  const [on, off] = [means(true), means(false)]
  return on.length >= leastTurns && off.length >= leastTurns && Math.max(...on) < Math.min(...off)
}

/** The ratio of means of `of`, a logarithm, with the change over without it. */
function ratioOf(
  off: readonly Sample[],
  on: readonly Sample[],
  of: (sample: Sample) => number | undefined,
): Pick<Verdict, 'ratio' | 'interval'> {
  const [without, having] = [off, on].map((samples) => samples.flatMap((sample) => of(sample) ?? [])) as [
    number[],
    number[],
  ]
  if (without.length < 2 || having.length < 2) return { ratio: 1, interval: [0, Infinity] }
  const { difference, interval } = welchTest(having, without, 0.9)
  return { ratio: Math.exp(difference), interval: [Math.exp(interval[0]), Math.exp(interval[1])] }
}
