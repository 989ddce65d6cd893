import { approved } from '../approval.ts'
import { type Decision, decide } from '../decide/decide.ts'
import { Memory, type Past } from '../decide/memory.ts'
import type { Action } from '../log/action.ts'
import { keptTrouble, keptWeighed, proposalOf } from '../log/proposal.ts'
import type { Kept } from '../log/tuner-log.ts'
import type { Observations } from '../observe/observations.ts'
import type { Trouble } from '../observe/trouble.ts'
import { type StoreWork, workOf } from '../observe/work.ts'
import type { Tactic, TunedStore } from '../tactic.ts'
import type { Step } from './carrying.ts'
import type { Learning, Lesson } from './learning.ts'
import { optionsFor } from './options-for.ts'
import type { CourseParts } from './parts.ts'

/** Decides about a trouble: proposes a tactic, or keeps why nothing is done; and asks who may say yes in the owner's place. */
export class Deciding {
  readonly #parts: CourseParts
  readonly #observations: Observations
  readonly #learning: Learning
  readonly #signal: AbortSignal
  readonly #step: Step

  constructor(
    parts: CourseParts,
    seen: { readonly observations: Observations; readonly learning: Learning; readonly signal: AbortSignal },
    step: Step,
  ) {
    this.#parts = parts
    this.#observations = seen.observations
    this.#learning = seen.learning
    this.#signal = seen.signal
    this.#step = step
  }

  async decide(trouble: Trouble, kept: readonly Kept[]): Promise<void> {
    const { clock, log, tactics, placeOf, by } = this.#parts
    const now = clock()
    const place = placeOf(trouble.store)
    if (place === undefined) return
    const { figures, seenMs } = this.#observations.last(trouble.store, '30s')
    const work = workOf(figures, seenMs)
    const at = { ...place, signal: this.#signal }
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
    const asked = approved(approve, proposed.action, past, clock(), this.#signal)
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

  /** The hours of a policy may have begun since, or another day of its actions. A function was asked once. */
  async askAgain(kept: Kept): Promise<void> {
    if (typeof this.#parts.approve === 'object') await this.#ask(kept)
  }
}

function actionsOf(kept: readonly Kept[]): readonly Action[] {
  return kept.map(({ action }) => action)
}

function pastOf(kept: readonly Kept[], store: string): readonly Past[] {
  return kept.flatMap(({ action }): Past[] => {
    const { state: end, tactic, change, steps, load } = action
    if (action.store !== store) return []
    if (end !== 'kept' && end !== 'undone' && end !== 'failed' && end !== 'rejected') return []
    return [{ tactic, change, end, at: steps.at(-1)?.at ?? action.at, load }]
  })
}
