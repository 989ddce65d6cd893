import { type Sample, sampleOf } from '../check/samples.ts'
import { verdictOf } from '../check/verdict.ts'
import type { Action } from '../log/action.ts'
import type { Kept } from '../log/tuner-log.ts'
import type { Observation, Observations } from '../observe/observations.ts'
import type { Work } from '../observe/work.ts'
import type { Carrying, Step } from './carrying.ts'
import type { CourseParts } from './parts.ts'
import type { Stillness } from './stillness.ts'
import { storesBeside } from './stores-beside.ts'

/** Before a change this many windows are kept with it; of one that can be switched fewer, as it is also seen without it later. */
const windowsBefore = 6
const windowsBeforeSwitch = 2
/** Clocks of two processes differ by less. */
const aheadMs = 60_000
/** A check without a window for so long is given up. */
const longestSilenceMs = 3_600_000
/** Windows between two turns. */
const windowsInTurn = 2
/** Windows at rest before one is measured: others were of a copy, or of a version that came or went. */
const windowsToMeasure = 2

/** Compares windows with a change and without it, until it is kept or taken back. */
export class Checking {
  readonly #parts: CourseParts
  readonly #observations: Observations
  readonly #stillness: Stillness
  readonly #carrying: Carrying
  readonly #step: Step

  constructor(
    parts: CourseParts,
    seen: { readonly observations: Observations; readonly stillness: Stillness },
    carrying: Carrying,
    step: Step,
  ) {
    this.#parts = parts
    this.#observations = seen.observations
    this.#stillness = seen.stillness
    this.#carrying = carrying
    this.#step = step
  }

  /** Windows with the trouble: of the time before it came nothing can be compared. */
  samplesBefore(action: Action): readonly Sample[] {
    const { trouble, tactic, aim } = action
    const isOfTrouble = ({ at, frame }: Observation): boolean =>
      at >= trouble.sinceAt && (aim === undefined || frame[trouble.store]?.[aim as Work] !== undefined)
    const count = this.canSwitch(tactic) ? windowsBeforeSwitch : windowsBefore
    const atRest = this.#observations.all.slice(-Math.min(this.#stillness.windows(trouble.store), 1e3))
    const before = atRest.filter(isOfTrouble).slice(-count)
    return before.flatMap((one) => this.#sampleOf(one, action, false) ?? [])
  }

  /** Add a window, and end the check once it tells. */
  async check(kept: Kept): Promise<void> {
    const { action } = kept
    const sample = this.#sampleFor(action)
    if (sample === undefined) return this.#giveUp(kept)
    const samples = [...action.samples, sample]
    const verdict = verdictOf({
      samples,
      aim: action.aim as Work | undefined,
      concerns: action.concerns as Work[],
      isInTurns: this.canSwitch(action.tactic),
      figure: action.trouble.of.name === 'loop' ? 'processor' : action.trouble.of.figure,
    })
    const changed = { samples, verdict } as Partial<Action>
    if (verdict.answer === 'harm') await this.#step(kept, 'undoing', changed, 'it did harm')
    else if (verdict.answer === 'none') await this.#step(kept, 'undoing', changed, 'it did not help')
    else if (verdict.answer === 'help' && action.isOn) await this.#step(kept, 'kept', changed)
    else await this.#goOnChecking(kept, changed, samples)
  }

  /** A store that is hardly called any more tells nothing, and an action that is under way keeps others from it. */
  async #giveUp(kept: Kept): Promise<void> {
    const { turnedAt = 0, samples } = kept.action
    const lastAt = Math.max(turnedAt, samples.at(-1)?.at ?? 0)
    if (this.#parts.clock() - lastAt < longestSilenceMs) return
    await this.#step(kept, 'undoing', {}, 'it could not be measured, as the store was not called for an hour')
  }

  /** The latest window, if it lies after the last turn and was not counted yet. After a turn one window is left out. */
  #sampleFor(action: Action): Sample | undefined {
    const { turnedAt = 0, isOn, samples, tactic, store } = action
    if (this.#stillness.windows(store) < windowsToMeasure) return undefined
    const { at, lengthMs } = this.#observations.latest as Observation
    const settledAt = turnedAt + (this.canSwitch(tactic) ? lengthMs : 0)
    // A moment far ahead is of a clock that was set back since.
    const isPast = (moment: number): boolean => moment <= at + aheadMs
    if (isPast(settledAt) && at - lengthMs < settledAt) return undefined
    if (samples.some((one) => one.at >= at && isPast(one.at))) return undefined
    return this.#sampleOf(this.#observations.latest as Observation, action, isOn)
  }

  /** A change that cannot be switched is compared with other stores where its own has nothing to compare with. */
  #sampleOf(
    observation: Observation,
    { trouble, concerns, tactic }: Action,
    isOn: boolean,
  ): Sample | undefined {
    const place = this.canSwitch(tactic) ? undefined : this.#parts.placeOf(trouble.store)
    const others = place === undefined ? [] : storesBeside(place)
    return sampleOf(observation, { trouble, concerns, others }, isOn)
  }

  /** A change that can be switched is turned off and on again: two moments differ by themselves. */
  async #goOnChecking(kept: Kept, changed: Partial<Action>, samples: readonly Sample[]): Promise<void> {
    const { isOn, tactic } = kept.action
    const inTurn = samples.slice(samples.findLastIndex((sample) => sample.isOn !== isOn) + 1)
    if (!this.canSwitch(tactic) || inTurn.length < windowsInTurn) await this.#parts.log.change(kept, changed)
    else this.#carrying.turn(kept, !isOn, changed)
  }

  /** Whether a tactic can be turned on and off. */
  canSwitch(name: string): boolean {
    return this.#parts.tactics.find((tactic) => tactic.name === name)?.canSwitch === true
  }
}
