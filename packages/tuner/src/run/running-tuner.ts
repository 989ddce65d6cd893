import { StoreError } from '@unikv/core'
import { checkedMs, checkOptions, type OptionNames } from '@unikv/core/adapter'
import { clearInterval, setInterval, wallClock } from '@unikv/core/platform'
import type { AnyManager } from '@unikv/manager'
import type { KeptHistory, Recorder } from '@unikv/monitor/recorder'
import type { Action } from '../log/action.ts'
import { Lease } from '../log/lease.ts'
import { longestPauseMs } from '../log/pauses.ts'
import type { Kept } from '../log/tuner-log.ts'
import { Observer } from '../observe/observer.ts'
import type { PauseOptions, Tuner } from '../tuner-api.ts'
import { Course } from './course.ts'
import { Following } from './following.ts'
import type { CourseParts } from './parts.ts'
import { placeOf } from './place-of.ts'

/** The parts of a tuner. */
export interface Parts extends Omit<CourseParts, 'placeOf' | 'configurationOf'> {
  readonly manager: AnyManager
  readonly recorder: Recorder
  /** Figures of all processes, where they are kept. */
  readonly kept: KeptHistory | undefined
  readonly everyMs: number
}

/** A yes is seen after so long at most, however seldom it looks. */
const answerMs = 1000
/** After so many looks without a sign of the process that acts, another one takes its place. */
const looksOfPatience = 6

const pauseNames: OptionNames<PauseOptions> = { store: true, forMs: true, why: true }

/** A tuner with its timer: of several on one log, one acts, and the others watch. */
export class RunningTuner implements Tuner {
  readonly #parts: Parts
  readonly #course: Course
  readonly #observer: Observer
  readonly #following: Following
  readonly #lease: Lease
  readonly #timer: NodeJS.Timeout
  readonly #answers: NodeJS.Timeout
  /** Proposals that wait for an answer. */
  readonly #waiting: Kept[] = []
  #looking: Promise<void> | undefined

  constructor(parts: Parts) {
    const { manager, recorder, kept, by, log, everyMs } = parts
    this.#parts = parts
    const whole = { ...parts, placeOf: (store: string) => placeOf(store, manager) }
    this.#following = new Following(whole)
    this.#course = new Course({
      ...whole,
      configurationOf: (store) => manager.configuration.stores[store] ?? {},
    })
    this.#observer = new Observer(recorder, kept)
    this.#lease = new Lease(log, by, looksOfPatience * everyMs)
    this.#timer = setInterval(this.#lookBeside, everyMs)
    this.#timer.unref()
    this.#answers = setInterval(this.#lookForAnswers, Math.min(answerMs, everyMs))
    this.#answers.unref()
  }

  async actions(): Promise<readonly Action[]> {
    const kept = await this.#parts.log.actions(this.#parts.onError)
    return kept.map(({ action }) => action)
  }

  approve(id: string, by?: string): Promise<Action> {
    return this.#answer(id, 'approved', by)
  }

  reject(id: string, by?: string): Promise<Action> {
    return this.#answer(id, 'rejected', by)
  }

  undo(id: string, by?: string): Promise<Action> {
    return this.#answer(id, 'undoing', by)
  }

  async pause(options: PauseOptions = {}): Promise<void> {
    checkOptions('pause', options, pauseNames, 'INVALID_ARGUMENT')
    const { store, forMs = 3_600_000, why } = options
    const { log, by, manager } = this.#parts
    const fromAt = wallClock()
    const untilAt = fromAt + checkedMs('forMs', forMs, { most: longestPauseMs, code: 'INVALID_ARGUMENT' })
    await log.pauses.begin({ store: store ?? null, fromAt, untilAt, by, why }, namesIn(manager))
  }

  async resume(store?: string): Promise<void> {
    const { log, manager } = this.#parts
    await log.pauses.end(store, namesIn(manager))
  }

  async look(): Promise<void> {
    if (this.#course.signal.aborted) throw new StoreError('CLOSED', 'This tuner is closed. Make a new one.')
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    clearInterval(this.#answers)
    this.#course.stop()
    await this.#looking?.catch(() => {})
    await this.#course.close()
    await this.#lease.release()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #look(): Promise<void> {
    const { clock, onError } = this.#parts
    const troubles = this.#course.observe(await this.#observer.look(clock(), onError))
    const acts = await this.#lease.hold()
    if (acts) await this.#course.goOn(troubles)
    const kept = await this.#parts.log.actions(onError)
    const waiting = acts ? kept.filter(({ action }) => action.state === 'proposed') : []
    this.#waiting.splice(0, Infinity, ...waiting)
    if (this.#course.isBusy || this.#course.signal.aborted) return
    await this.#following.follow(
      kept.map(({ action }) => action),
      this.#course.signal,
    )
  }

  /** Owners answer from other processes. */
  readonly #lookForAnswers = (): void => {
    if (this.#looking !== undefined) return
    const waiting = this.#waiting.splice(0)
    const asked = waiting.map((one) => this.#parts.log.isChanged(one))
    // A log that cannot be read is told by the next look.
    void Promise.all(asked).then(
      (changes) => (changes.includes(true) ? this.#lookBeside() : this.#waiting.push(...waiting)),
      () => {},
    )
  }

  /** Closing ends a look, which is not a failure. */
  readonly #lookBeside = (): void => {
    void this.look().catch((error: unknown) => {
      if (!this.#course.signal.aborted) this.#parts.onError(error)
    })
  }

  async #answer(
    id: string,
    answer: 'approved' | 'rejected' | 'undoing',
    by = this.#parts.by,
  ): Promise<Action> {
    const { log, onStep } = this.#parts
    const action = await log.answer(id, answer, by)
    onStep(action)
    if (!this.#course.signal.aborted) this.#lookBeside()
    return action
  }
}

function namesIn({ configuration }: AnyManager): readonly string[] {
  return Object.keys(configuration.stores)
}
