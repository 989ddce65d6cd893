import { approved } from '../approval.ts'
import { leastWindows } from '../check/verdict.ts'
import { type Decision, decide } from '../decide/decide.ts'
import { Memory, type Past } from '../decide/memory.ts'
import { type Action, endStates, type State } from '../log/action.ts'
import { keptTrouble, keptWeighed, proposalOf } from '../log/proposal.ts'
import type { Kept } from '../log/tuner-log.ts'
import { type Observation, Observations } from '../observe/observations.ts'
import { type Trouble, Troubles } from '../observe/trouble.ts'
import { type StoreWork, workOf } from '../observe/work.ts'
import type { Tactic, TunedStore } from '../tactic.ts'
import { Carrying, isDue, type Step } from './carrying.ts'
import { Checking } from './checking.ts'
import { Copies } from './copies.ts'
import { Learning, type Lesson } from './learning.ts'
import { optionsFor } from './options-for.ts'
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
      await this.#decide(trouble, kept)
    }
    this.#learning.wellStores(new Set(troubles.map(({ store }) => store)), actionsOf(kept))
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

  async #decide(trouble: Trouble, kept: readonly Kept[]): Promise<void> {
    const { clock, log, tactics, placeOf, by } = this.#parts
    const now = clock()
    const place = placeOf(trouble.store)
    if (place === undefined) return
    const { figures, seenMs } = this.#observations.last(trouble.store, '30s')
    const work = workOf(figures, seenMs)
    const at = { ...place, signal: this.#carrying.signal }
    const { decision, lesson } = await this.#decision(trouble, work, at, kept)
    const { chosen, weighed } = decision
    if (chosen === undefined)
      return log.decidedNothing({
        format: 1,
        at: now,
        trouble: keptTrouble(trouble, now),
        weighed: weighed.map(keptWeighed),
      })
    const { knowledge } = tactics.find(({ name }) => name === chosen.tactic) as Tactic
    const { path = [] } = lesson ?? {}
    const proposed = await log.propose(
      proposalOf({ decision, chosen, work, now, place, knowledge, by, path }),
    )
    this.#learning.proposed(proposed.action.id, lesson)
    this.#parts.onStep(proposed.action)
    await this.#ask(proposed)
  }

  /** Ask the one who says yes in the place of the owner. The log is read anew: what was approved a moment ago counts. */
  async #ask(proposed: Kept): Promise<void> {
    const { approve, clock, log, onError } = this.#parts
    if (approve === 'ask') return
    const past = actionsOf(await log.actions(onError)).filter(({ id }) => id !== proposed.action.id)
    const asked = approved(approve, proposed.action, past, clock(), this.#carrying.signal)
    const isYes = await asked.catch((error: unknown) => {
      onError(error)
      return false
    })
    if (isYes) await this.#step(proposed, 'approved', {}, 'in the place of its owner')
  }

  async #decision(
    trouble: Trouble,
    work: StoreWork,
    at: TunedStore,
    kept: readonly Kept[],
  ): Promise<{ readonly decision: Decision; readonly lesson: Lesson | undefined }> {
    const { policies, clock, tactics, configurationOf, onError } = this.#parts
    const configuration = configurationOf(at.name)
    const { servers, processes } = this.#observations.latest ?? {}
    const known = { configuration, work, processes, server: servers?.[at.name] }
    const options = await optionsFor(tactics, at, known, onError, (found) =>
      this.#learning.found(at.name, found),
    )
    const memory = new Memory(pastOf(kept, trouble.store))
    const ofStore = policies.filter(({ store }) => store === trouble.store)
    const lesson = this.#learning.lessonOf(at, actionsOf(kept))
    const { votes, samples } = lesson ?? {}
    const situation = { trouble, options, work, policies: ofStore, memory, votes, samples, now: clock() }
    return { decision: decide(situation), lesson }
  }

  /** Take an action one step further. */
  async #goOnWith(kept: Kept, open: readonly Kept[]): Promise<void> {
    const { state, store, lapsesAt } = kept.action
    const isRunning = open.some(({ action }) => action.store === store && runs.includes(action.state))
    if (state === 'proposed' && this.#parts.clock() > lapsesAt) await this.#step(kept, 'lapsed', {})
    else if (state === 'proposed') await this.#askAgain(kept)
    else if (state === 'undoing' && this.#isDue(kept)) this.#carrying.undo(kept)
    else if (this.#stillness.isPaused(store)) return
    else if (state === 'approved' && !isRunning) await this.#begin(kept)
    else if (state === 'begun' && this.#isDue(kept)) this.#carrying.carryOut(kept)
    else if (state === 'checking') await this.#checking.check(kept)
  }

  #isDue({ action }: Kept): boolean {
    return isDue(action, this.#parts.clock())
  }

  /** The hours of a policy may have begun since, or another day of its actions. A function was asked once. */
  async #askAgain(kept: Kept): Promise<void> {
    if (typeof this.#parts.approve === 'object') await this.#ask(kept)
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

function actionsOf(kept: readonly Kept[]): readonly Action[] {
  return kept.map(({ action }) => action)
}

/** One at a time on a store. */
const runs: readonly State[] = ['begun', 'checking', 'undoing']

function pastOf(kept: readonly Kept[], store: string): readonly Past[] {
  return kept.flatMap(({ action }): Past[] => {
    const { state: end, tactic, change, steps, load } = action
    if (action.store !== store) return []
    if (end !== 'kept' && end !== 'undone' && end !== 'failed' && end !== 'rejected') return []
    return [{ tactic, change, end, at: steps.at(-1)?.at ?? action.at, load }]
  })
}
