import { leastWindows } from '../check/verdict.ts'
import { type Action, endStates, type State } from '../log/action.ts'
import type { Kept } from '../log/tuner-log.ts'
import { type Observation, Observations } from '../observe/observations.ts'
import { type Trouble, Troubles } from '../observe/trouble.ts'
import { Carrying, isDue, type Step } from './carrying.ts'
import { Checking } from './checking.ts'
import { Copies } from './copies.ts'
import { Deciding } from './deciding.ts'
import { Learning } from './learning.ts'
import type { CourseParts } from './parts.ts'
import { Stillness } from './stillness.ts'

/** An action whose query is not called any more does not wait for windows longer than this. */
const longestWaitMs = 60_000
/** Windows at rest before something is decided: others were of a copy, or of a version that came or went. */
const windowsToDecide = 3

/** The course of tuning: troubles lead to proposals, those that are approved are carried out, checked, and kept or taken back. */
export class Course {
  readonly #parts: CourseParts
  readonly #observations = new Observations()
  readonly #troubles: Troubles
  readonly #carrying: Carrying
  readonly #checking: Checking
  readonly #deciding: Deciding
  readonly #learning: Learning
  readonly #stillness = new Stillness()
  readonly #copies: Copies

  constructor(parts: CourseParts) {
    this.#parts = parts
    this.#copies = new Copies(parts)
    this.#troubles = new Troubles(parts.policies)
    this.#learning = new Learning(parts, this.#observations, this.#troubles)
    const step: Step = (kept, state, changed, note) => this.#step(kept, state, changed, note)
    this.#carrying = new Carrying(parts, step)
    const seen = { observations: this.#observations, stillness: this.#stillness }
    this.#checking = new Checking(parts, seen, this.#carrying, step)
    const { signal } = this.#carrying
    this.#deciding = new Deciding(
      parts,
      { observations: this.#observations, learning: this.#learning, signal },
      step,
    )
  }

  /** Note a window. */
  observe(observation: Observation): readonly Trouble[] {
    this.#observations.add(observation)
    this.#stillness.see(observation)
    return this.#troubles.look(this.#observations)
  }

  /** Go on with what was begun, and decide about troubles of stores where nothing is under way. */
  async goOn(troubles: readonly Trouble[]): Promise<void> {
    const { log, onError } = this.#parts
    await this.#learning.read()
    const kept = await log.actions(onError)
    const open = kept.filter(({ action }) => !endStates.includes(action.state))
    await this.#copies.look(this.#watched(open))
    this.#stillness.hear(await log.pauses.now())
    for (const one of open) if (!this.#isOver) await this.#goOnWith(one, open)
    const busy = new Set(open.map(({ action }) => action.store))
    for (const trouble of troubles) {
      if (busy.has(trouble.store) || this.#isOver) continue
      if (this.#stillness.windows(trouble.store) < windowsToDecide) continue
      busy.add(trouble.store)
      await this.#deciding.decide(trouble, kept)
    }
    this.#learning.wellStores(
      new Set(troubles.map(({ store }) => store)),
      kept.map(({ action }) => action),
    )
    await this.#learning.save()
  }

  /** Stores that something may be done to. */
  #watched(open: readonly Kept[]): readonly string[] {
    const promised = this.#parts.policies.map(({ store }) => store)
    const called = Object.keys(this.#observations.latest?.frame ?? {})
    return [...promised, ...called, ...open.map(({ action }) => action.store)]
  }

  /** Whether a change is being made or taken back now. */
  get isBusy(): boolean {
    return this.#carrying.isBusy
  }

  /** Resolves when nothing is being carried out. */
  settled(): Promise<void> {
    return this.#carrying.settled()
  }

  get #isOver(): boolean {
    return this.#carrying.signal.aborted
  }

  /** End what is waited for, before `close`. */
  stop(): void {
    this.#carrying.stop()
  }

  /** Aborts when this is stopped. */
  get signal(): AbortSignal {
    return this.#carrying.signal
  }

  /** Let go of what is being carried out: another process goes on with it. */
  async close(): Promise<void> {
    await this.#carrying.close()
    await this.#learning.close()
  }

  /** Take an action one step further. */
  async #goOnWith(kept: Kept, open: readonly Kept[]): Promise<void> {
    const { state, store, lapsesAt } = kept.action
    const isRunning = open.some(({ action }) => action.store === store && runs.includes(action.state))
    if (state === 'proposed' && this.#parts.clock() > lapsesAt) await this.#step(kept, 'lapsed', {})
    else if (state === 'proposed') await this.#deciding.askAgain(kept)
    else if (state === 'undoing' && this.#isDue(kept)) this.#carrying.undo(kept)
    else if (this.#stillness.isPaused(store)) return
    else if (state === 'approved' && !isRunning) await this.#begin(kept)
    else if (state === 'begun' && this.#isDue(kept)) this.#carrying.carryOut(kept)
    else if (state === 'checking') await this.#checking.check(kept)
  }

  #isDue({ action }: Kept): boolean {
    return isDue(action, this.#parts.clock())
  }

  /** The windows before are kept with the action, then it begins. A yes that comes at once waits until there are enough of them. */
  async #begin(kept: Kept): Promise<void> {
    const samples = this.#checking.samplesBefore(kept.action)
    const approvedAt = kept.action.steps.at(-1)?.at ?? 0
    const isWaiting = Math.abs(this.#parts.clock() - approvedAt) < longestWaitMs
    if (samples.length < leastWindows && isWaiting && !this.#checking.canSwitch(kept.action.tactic)) return
    const begun = await this.#step(kept, 'begun', { samples: [...samples] })
    if (begun !== undefined) this.#carrying.carryOut(begun)
  }

  async #step(kept: Kept, state: State, changed: Partial<Action>, note?: string): Promise<Kept | undefined> {
    const { log, clock, by, onStep } = this.#parts
    const step = { at: clock(), state, by, ...(note === undefined ? {} : { note }) }
    const next = await log.change(kept, changed, step)
    if (next === undefined) return undefined
    this.#learning.stepped(next.action)
    onStep(next.action)
    return next
  }
}

/** One at a time on a store. */
const runs: readonly State[] = ['begun', 'checking', 'undoing']
